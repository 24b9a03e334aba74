"""What the code of a stage does, as one hash: an edit reruns exactly the stages that import what changed.

Words cost nothing. The hash is taken of each module's syntax tree without docstrings, without other strings that stand
alone as a statement, and without the keyword arguments listed in `READER_KEYWORDS` and the meanings of columns, which
only people read. Comments and layout are not in the tree. Every other edit counts: to a name, a number, a default, an
import.

The hash does not see: a module that is imported by a name made at run time (the code that makes the name passes the
module to `code_hash` as well); the rules of the workflow and their command lines, which Snakemake compares itself;
files outside the package but for the user's own Python modules beside the configuration or in the working directory;
and the versions of Python and of the libraries, which the provenance of each output records.

What was read of a module is kept beside its bytecode for as long as neither the module nor this one changes: to parse
some 300 modules took about a second of each command of Snakemake.
"""

import ast
import hashlib
import json
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source, resolve_name
from pathlib import Path

from attention_audit.artefacts.files import write_whole
from attention_audit.errors import AuditError
from attention_audit.targets import PACKAGE_FOLDER, list_folders

PACKAGE_NAME = "attention_audit"
DATA = ("*.csv", "*.css", "*.html", "*.js", "*.md", "*.yaml")
"""Data files that count as code of the modules beside them."""
READER_KEYWORDS = frozenset({"description", "meaning", "unit"})
"""Keyword arguments that hold words for readers, such as those of `pydantic.Field` and of `columns.kinds.Column`."""


@cache
def _find_file(module: str) -> Path | None:
    root, *rest = module.split(".")
    ours = root == PACKAGE_NAME
    stems = [PACKAGE_FOLDER.joinpath(*rest)] if ours else [Path(folder, root, *rest) for folder in list_folders()]
    paths = (path for stem in stems for path in (stem.with_suffix(".py"), stem / "__init__.py"))
    return next((path for path in paths if path.is_file()), None)


def _list_imports(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            point = "" if module.endswith(".") else "."
            names.update([module, *(f"{module}{point}{alias.name}" for alias in node.names)])
    return names


def _is_words(node: object) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.keyword) and node.arg in READER_KEYWORDS


def _drop_words(tree: ast.Module, columns: bool) -> None:
    """Drop words, and fields that are empty or follow from others, in which Pythons differ. columns: whether this is a
    module of columns, where the text that a kind of column is called with is words too.
    """
    for node in ast.walk(tree):
        if columns and isinstance(node, ast.Call) and len(node.args) == 1 and ast.unparse(node.func) != "describe_file":
            node.args = [each for each in node.args if not isinstance(each, ast.Constant | ast.JoinedStr)]
        for name, value in [*ast.iter_fields(node)]:
            if isinstance(value, list):
                value[:] = [each for each in value if not _is_words(each)]
            if value is None or value == [] or name == "ctx":
                delattr(node, name)


READER = sys.version.encode() + Path(__file__).read_bytes()
"""What reads the modules: this Python, and this file."""


@cache
def _read(path: Path) -> tuple[str, list[str]]:
    """Read the sha256 of a Python module's syntax tree without words, in hex, and the names that it imports: of the
    source, or of the file beside the bytecode where this is whole and of the same source.
    """
    source = path.read_bytes()
    cache_path = Path(cache_from_source(str(path))).with_suffix(".code")

    def seal(text: str) -> str:
        return hashlib.sha256(READER + source + text.encode()).hexdigest()

    with suppress(OSError, ValueError):
        mark, _, text = cache_path.read_text(encoding="utf-8").partition("\n")
        if mark == seal(text):
            digest, *imports = json.loads(text)
            return digest, imports
    tree = ast.parse(source, filename=str(path))
    imports = sorted(_list_imports(tree))
    _drop_words(tree, path.parent.name == "columns")
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    text = json.dumps([digest, *imports])
    # where it cannot be written, the next command parses the module again
    with suppress(AuditError):
        if not sys.dont_write_bytecode:
            with write_whole(cache_path) as part:
                part.write_text(f"{seal(text)}\n{text}", encoding="utf-8")
    return digest, imports


@cache
def _find_imported(module: str) -> frozenset[str]:
    """Return the modules of this package or of the user that a module names in its imports, and its parent packages."""
    path = _find_file(module)
    assert path is not None
    parents = {".".join(module.split(".")[:depth]) for depth in range(1, module.count(".") + 1)}
    here = module if path.stem == "__init__" else module.rpartition(".")[0]
    imports = {resolve_name(name, here) if here else name for name in _read(path)[1]}
    return frozenset(name for name in parents | imports if _find_file(name))


@cache
def find_closure(module: str) -> frozenset[str]:
    """Return `module`, its parent packages, and every module of this package or of the user that these import, directly
    or indirectly.

    The imports are read from the source text; nothing is imported.
    """
    reached = {module} if _find_file(module) else set()
    pending = list(reached)
    while pending:
        new = _find_imported(pending.pop()) - reached
        reached |= new
        pending.extend(new)
    return frozenset(reached)


@cache
def _hash_file(path: Path, words: bool) -> bytes:
    """Return sha256 of one file: of a Python module's syntax tree, or of every byte where `words` count or it is no
    module.
    """
    if words or path.suffix != ".py":
        return hashlib.sha256(path.read_bytes()).digest()
    return bytes.fromhex(_read(path)[0])


@cache
def _list_files(module: str) -> frozenset[tuple[tuple[str, ...], Path]]:
    """Return the file of a module and the data files beside it, each by its parts below the package's folder; of a
    module of the user's the file alone, by its name.
    """
    path = _find_file(module)
    assert path is not None
    if not path.is_relative_to(PACKAGE_FOLDER):
        return frozenset([((module,), path)])
    data_files = (data for kind in DATA for data in path.parent.glob(kind))
    return frozenset((file.relative_to(PACKAGE_FOLDER).parts, file) for file in (path, *data_files))


def code_hash(*modules: str, words: bool = False) -> str:
    """Return sha256 over these modules, over all modules that they import, and over the data files that lie beside
    them.

    The modules are named as in targets: from inside the package, such as "stages.train", or the user's own. With
    `words`, docstrings, comments and the meanings of columns count too: a stage that prints them needs that. Each file
    is read once in a process.
    """
    ours = (f"{PACKAGE_NAME}.{module}" for module in modules)
    roots = (inside if _find_file(inside) else module for module, inside in zip(modules, ours, strict=True))
    names = frozenset().union(*map(find_closure, roots))
    digest = hashlib.sha256()
    for file, path in sorted(frozenset().union(*map(_list_files, names))):
        digest.update("/".join(file).encode() + b"\0")
        digest.update(_hash_file(path, words))
    return digest.hexdigest()
