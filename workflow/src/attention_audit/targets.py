"""Load functions and classes by name, "module:name": of this package, or of a module of the user's own.

A module of one's own is a file beside the configuration or in the working directory, or an installed one. The folders
stand in the environment, so that the jobs of a run look there too, wherever they run.
"""

import os
import symtable
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from attention_audit.errors import AuditError, suggest

FOLDERS = "ATTENTION_AUDIT_FOLDERS"
"""Variable of the environment: where a user's modules are looked for, after all other places."""
PACKAGE_FOLDER = Path(__file__).parent


def list_folders() -> list[str]:
    """List the folders of the user's modules."""
    return [folder for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]


def look_in(folders: Iterable[Path]) -> None:
    """Look for modules in these folders too, here and in the processes that this one starts."""
    paths = dict.fromkeys([*list_folders(), *(str(folder.resolve()) for folder in folders)])
    os.environ[FOLDERS] = os.pathsep.join(paths)


def name_module(target: str) -> str:
    """Return the module of a target, as it is written there."""
    return target.partition(":")[0]


def name_columns(target: str) -> str:
    """Name the declaration of the columns of an audit of the user's own, beside its function."""
    module, _, name = target.partition(":")
    return f"{module}:{name.upper()}"


@cache
def qualify_module(module: str) -> str:
    """Return the whole name of a module, which targets name from inside this package, if it is of it."""
    root = module.partition(".")[0]
    is_ours = (PACKAGE_FOLDER / root).is_dir() or (PACKAGE_FOLDER / f"{root}.py").is_file()
    return f"attention_audit.{module}" if is_ours else module


def import_target(target: str) -> Any:
    """Import the module of a target. Raises AuditError where one of the user's own cannot be imported."""
    sys.path += [folder for folder in list_folders() if folder not in sys.path]
    module = name_module(target)
    try:
        return import_module(qualify_module(module))
    except Exception as error:
        if qualify_module(module) != module:
            raise
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise AuditError(target, f"{module} cannot be imported ({reason})", "mend it") from error


def load(target: str) -> Any:
    """Load what a target names. Raises AuditError where a module of the user's own cannot be imported."""
    return getattr(import_target(target), target.partition(":")[2])


def find_fault(target: str) -> AuditError | None:
    """Find what is wrong with a target; None where its module has this name. The module is read, and not imported."""
    module, _, name = target.partition(":")
    if not module or not name:
        return AuditError(target, "names no function of a module", "write module:name")
    sys.path += [folder for folder in list_folders() if folder not in sys.path]
    try:
        spec = find_spec(qualify_module(module))
        if spec is None or spec.origin is None:
            modules = [path.stem for folder in list_folders() for path in Path(folder).glob("*.py")]
            looked = ", ".join(list_folders()) or "the working directory"
            fault = f"there is no {module}.py in {looked}{suggest(module, modules)}"
            return AuditError(target, fault, "put it there, or mend its name")
        table = symtable.symtable(Path(spec.origin).read_text(encoding="utf-8"), spec.origin, "exec")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        return AuditError(target, f"{module} cannot be read ({reason})", "mend it")
    names = [symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()]
    if name in names:
        return None
    return AuditError(target, f"{spec.origin} has no {name!r}{suggest(name, names)}", "mend it")
