"""Pretrained word vectors in text format (GloVe, word2vec, fastText): one word a line, its numbers after it."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.errors import AuditError

NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]+(e[-+]?[0-9]+)?")


@contextmanager
def opened(path: Path) -> Iterator[Iterable[bytes]]:
    """The lines of a file as bytes, unpacked where it ends in .gz. Raises AuditError where it is missing or damaged."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise AuditError(f"{path}: truncated or corrupt; {rebuild_hint(path)}") from error


def numbers(fields: list[bytes]) -> npt.NDArray[np.float32]:
    """The fields as float32, (fields,). Raises ValueError where one is no finite number of that range."""
    with np.errstate(over="ignore"):
        values = np.array([float(field) for field in fields]).astype(np.float32)
    if not np.isfinite(values).all():
        raise ValueError("not finite")
    return values


def width(word: bytes, fields: list[bytes]) -> int:
    """Numbers of a line: its fields, and whatever numbers stand in the words before them, after the first."""
    return len(fields) + sum(NUMBER.fullmatch(part) is not None for part in word.split(b" ")[1:])


def read_vectors(path: Path, words: Collection[str], dimension: int) -> dict[str, npt.NDArray[np.float32]]:
    """The vectors (dimension,) of those of `words` that the file holds; the first where a word stands twice.

    The file is read line by line and words are compared as bytes, so neither its size nor bad UTF-8 does harm. The last
    `dimension` fields of a line are the vector; the word before them may hold spaces (some of GloVe's do). A first
    line of two whole numbers is word2vec's header. Raises AuditError, naming the line, at one of another width.
    """
    wanted = {word.encode(): word for word in words}
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    mend = "mend its dimension in the config, or the file"
    with opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            header = re.fullmatch(rb"[0-9]+ ([0-9]+)\s*", line) if number == 1 else None
            if header and int(header[1]) != dimension:
                raise AuditError(f"{path}: line 1: {int(header[1])} numbers a word, not {dimension}; {mend}")
            if header:
                continue
            word, *fields = line.rstrip().rsplit(b" ", dimension)
            if (found := width(word, fields)) != dimension:
                raise AuditError(f"{path}: line {number}: {found} numbers, not {dimension}; {mend}")
            if word in wanted and wanted[word] not in vectors:
                try:
                    vectors[wanted[word]] = numbers(fields)
                except ValueError as error:
                    raise AuditError(f"{path}: line {number}: a field is no number; mend the file") from error
    return vectors
