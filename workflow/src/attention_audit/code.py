"""What the code of a stage does, as one hash: an edit reruns exactly the stages that import what changed.

Words cost nothing. The hash is taken of each module's syntax tree without docstrings, without other strings that stand
alone as a statement, and without the keyword arguments listed in `WORDS`, which only people read. Comments and layout
are not in the tree. Every other edit counts: to a name, a number, a default, a bound, an import.

The hash does not see: a module that is imported by a name made at run time (the code that makes the name passes the
module to `code_hash` as well); the rules of the workflow and their command lines, which Snakemake compares itself;
files outside the package; and the versions of Python and of the libraries, which the provenance of each output records.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = "attention_audit"
SOURCE = Path(__file__).parent
DATA = ("*.csv", "*.css", "*.html", "*.js")
"""Data files that count as code of the modules beside them."""
WORDS = frozenset({"description", "meaning", "unit"})
"""Keyword arguments that hold words for readers, such as those of `pydantic.Field` and of `columns.kinds.Column`."""


def _file(module: str) -> Path | None:
    stem = SOURCE.joinpath(*module.split(".")[1:])
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


@cache
def _imports(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return frozenset(names)


@cache
def closure(module: str) -> frozenset[str]:
    """`module`, its parent packages, and every module of this package that these import, directly or indirectly.

    The imports are read from the source text; nothing is imported.
    """
    reached: set[str] = set()
    pending = [module]
    while pending:
        name = pending.pop()
        path = _file(name)
        if name.split(".")[0] != PACKAGE or name in reached or path is None:
            continue
        reached.add(name)
        pending.extend(_imports(path))
        pending.extend(".".join(name.split(".")[:depth]) for depth in range(1, name.count(".") + 1))
    return frozenset(reached)


def _is_words(node: object) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.keyword) and node.arg in WORDS


def _form(node: object) -> str:
    """A syntax tree in a normal form: without words, positions and empty fields, which differ between Pythons."""
    if isinstance(node, ast.AST):
        fields = ((name, getattr(node, name, None)) for name in node._fields)
        kept = (f"{name}={_form(value)}" for name, value in fields if value is not None and value != [])
        return f"{type(node).__name__}({','.join(kept)})"
    if isinstance(node, list):
        return f"[{','.join(_form(item) for item in node if not _is_words(item))}]"
    return repr(node)


@cache
def _digest(path: Path, words: bool) -> bytes:
    """sha256 of one file: of a Python module's syntax tree, or of every byte where `words` count or it is no module."""
    plain = words or path.suffix != ".py"
    return hashlib.sha256(path.read_bytes() if plain else _form(_tree(path)).encode()).digest()


def code_hash(*modules: str, words: bool = False) -> str:
    """sha256 over these modules, over all modules that they import, and over the data files that lie beside them.

    The modules are named from inside the package, such as "stages.train". With `words`, docstrings, comments and
    the meanings of columns count too: a stage that prints them needs that. Each file is read once in a process.
    """
    paths = {_file(name) for module in modules for name in closure(f"{PACKAGE}.{module}")} - {None}
    files = paths | {data for path in paths if path for kind in DATA for data in path.parent.glob(kind)}
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path):
        digest.update(path.relative_to(SOURCE).as_posix().encode() + b"\0")
        digest.update(_digest(path, words))
    return digest.hexdigest()
