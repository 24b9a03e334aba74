"""Readouts of one's own, to and from files."""

from pathlib import Path
from typing import Any

from attention_audit.errors import AuditError
from attention_audit.given.arrays import entries
from attention_audit.given.files import read_given, write_given
from attention_audit.given.readouts import GivenReadout


def as_path(path: Any, place: str) -> Path:
    """A path. Raises AuditError, which names the place, where it is none."""
    if not isinstance(path, str | Path):
        raise AuditError(f"{place}: is {type(path).__name__}, and no path; give one")
    return Path(path)


def classes_named(classes: Any, count: int) -> list[str]:
    """The names of C classes. Raises AuditError where they are not as many, or two are the same."""
    names = [str(name) for name in entries(classes, "classes")]
    if len(names) != count:
        raise AuditError(f"classes: has {len(names)} names for {count} classes; name each, in their order")
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise AuditError(f"classes: names {twice[0]!r} twice; give each class a name of its own")
    return names


def write(given: GivenReadout, path: str | Path) -> None:
    """Write a readout as .parquet or .npz, by the ending of the path: a file for the section `own` of a configuration.

    Raises AuditError where the file cannot be written.
    """
    if not isinstance(given, GivenReadout):
        raise AuditError(f"given: is {type(given).__name__}, and no readout; make one with api.readout")
    write_given(given, as_path(path, "path"))


def read(path: str | Path) -> GivenReadout:
    """Read such a file, checked. Raises AuditError, in a line that names file, text and column, where it is wrong."""
    return read_given(as_path(path, "path"))
