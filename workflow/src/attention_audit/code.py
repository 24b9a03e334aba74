"""Which source files a stage runs, as one hash: an edit reruns exactly the stages that import what changed."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = "attention_audit"
SOURCE = Path(__file__).parent
DATA = ("*.csv", "*.css", "*.html")


def _file(module: str) -> Path | None:
    stem = SOURCE.joinpath(*module.split(".")[1:])
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def closure(module: str) -> frozenset[str]:
    """The modules of this package that `module` imports, however deep, and itself with its parents.

    Read from the source text: nothing is imported.
    """
    found: set[str] = set()
    open_ = [module]
    while open_:
        name = open_.pop()
        path = _file(name)
        if name.split(".")[0] != PACKAGE or name in found or path is None:
            continue
        found.add(name)
        open_.extend(_imports(path))
        open_.extend(".".join(name.split(".")[:depth]) for depth in range(1, name.count(".") + 1))
    return frozenset(found)


def code_hash(*modules: str) -> str:
    """sha256 over the source of all modules that these import, and the data files that lie beside them."""
    paths = {_file(name) for module in modules for name in closure(f"{PACKAGE}.{module}")} - {None}
    files = paths | {data for path in paths if path for kind in DATA for data in path.parent.glob(kind)}
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path):
        digest.update(path.relative_to(SOURCE).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()
