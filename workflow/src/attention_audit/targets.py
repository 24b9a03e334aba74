"""Functions and declarations that are named by strings such as "module:name": of this package, or of a plugin."""

import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCE = Path(__file__).parent
FOLDERS = "ATTENTION_AUDIT_PLUGIN_FOLDERS"
"""Variable of the environment: where modules of plugins are looked for, after all other places."""


def folders() -> list[str]:
    """Where modules of plugins are looked for too."""
    return [folder for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]


def module_named(name: str) -> ModuleType:
    """A module by its whole name, of this package or of a plugin. Raises ModuleNotFoundError where there is none."""
    sys.path += [folder for folder in folders() if folder not in sys.path]
    return import_module(name)


def module_of(target: str) -> str:
    """The module of a target, as it is written there."""
    return target.partition(":")[0]


@cache
def qualified(module: str) -> str:
    """The whole name of a module, which stands in targets as it is named from inside this package, if it is of it."""
    first = module.partition(".")[0]
    own = (SOURCE / first).is_dir() or (SOURCE / f"{first}.py").is_file()
    return f"attention_audit.{module}" if own else module


def imported(target: str) -> ModuleType:
    """The module of a target. Raises ModuleNotFoundError where there is none."""
    return module_named(qualified(module_of(target)))


def load(target: str) -> Any:
    """The object that a target names. Raises ModuleNotFoundError or AttributeError where there is none."""
    return getattr(imported(target), target.partition(":")[2])


def modules_in(folder: str) -> list[str]:
    """The modules of a folder of this package, named from inside the package, such as "columns.permutation".

    No import statement names them, so `code.closure` does not follow them: code that loads them passes their names to
    `code.code_hash`.
    """
    return sorted(f"{folder}.{path.stem}" for path in (SOURCE / folder).glob("[!_]*.py"))
