"""Functions and declarations that are named by strings, "module:name" under this package."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any


def module_of(target: str) -> str:
    """The module of a target, named from inside this package."""
    return target.partition(":")[0]


def load(target: str) -> Any:
    """What a target names. Raises ModuleNotFoundError or AttributeError where there is no such thing."""
    module, _, name = target.partition(":")
    return getattr(import_module(f"attention_audit.{module}"), name)


def modules_in(folder: str) -> list[str]:
    """The modules of a folder of this package, named from inside it, such as "columns.permutation".

    Since they are found by looking, `code.closure` does not follow them: who hashes code that loads them names them.
    """
    return sorted(f"{folder}.{path.stem}" for path in (Path(__file__).parent / folder).glob("[!_]*.py"))
