"""Functions and declarations of this package that are named by strings such as "module:name"."""

from importlib import import_module
from pathlib import Path
from typing import Any


def module_of(target: str) -> str:
    """The module of a target, named from inside this package."""
    return target.partition(":")[0]


def load(target: str) -> Any:
    """The object that a target names. Raises ModuleNotFoundError or AttributeError where there is none."""
    module, _, name = target.partition(":")
    return getattr(import_module(f"attention_audit.{module}"), name)


def modules_in(folder: str) -> list[str]:
    """The modules of a folder of this package, named from inside the package, such as "columns.permutation".

    No import statement names them, so `code.closure` does not follow them: code that loads them passes their names to
    `code.code_hash`.
    """
    return sorted(f"{folder}.{path.stem}" for path in (Path(__file__).parent / folder).glob("[!_]*.py"))
