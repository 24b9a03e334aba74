"""Word vectors: where they come from, and how to read published ones, which have one word and its numbers on a line."""

import re
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from attention_audit.arrays import Floats32
from attention_audit.errors import AuditError
from attention_audit.section import Count, Section, Seed

from .labels import list_few
from .raw import members, opened, reading
from .source import FILE_NAME, RemoteFile, locate, unheld

WordVectors = dict[str, Floats32]
"""The vector of each word, (dimension,)."""
NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]+(e[-+]?[0-9]+)?")
LONGEST_LINE = 2**20
"""Bytes of a line at most; the longest of fastText and GloVe have a few thousand."""
SHOWN = 20
"""How many files of an archive a message names."""


Missing = Annotated[
    Literal["zero", "normal"],
    Field(
        description="First vectors of words without one, of the unknown word and of both marks: zeros, or drawn from "
        "N(0, 1) with the seed of the model, as Jain & Wallace's are on MIMIC."
    ),
]

Normalise = Annotated[bool, Field(description="Scale each vector to length 1, as Serrano & Smith do.")]


class VectorFile(RemoteFile):
    """Pretrained word vectors in text format."""

    kind: Literal["file"]
    """file: one word a line, its numbers after it; .vec or .txt, as it is, in .gz or in .zip."""
    file: str = Field("", pattern=rf"^$|{FILE_NAME}")
    """File name, in the mirror and in results/raw; left out where there is a `path`."""
    path: str | None = None
    """A file of your own, anywhere: it is read where it lies; null: `file` is fetched."""
    dimension: Count
    """Width of the vectors."""
    member: str | None = None
    """File to read inside a .zip; null: the only one."""
    normalise: Normalise = False
    missing: Missing = "zero"

    @model_validator(mode="after")
    def _one_file(self) -> Self:
        if bool(self.file) == (self.path is not None):
            raise ValueError("give either `path`, for a file of your own, or `file`, for one that is fetched")
        if self.path is not None and (self.url or self.bytes or self.sha256):
            raise ValueError("path: url, bytes and sha256 are for files that are fetched; leave them out")
        name = self.path or self.file
        if self.member is not None and not name.endswith(".zip"):
            raise ValueError(f"member: {name} is no .zip")
        return self


class TrainedVectors(Section):
    """Word vectors trained on the data set's own training and development texts."""

    kind: Literal["word2vec"]
    """word2vec: Mikolov et al. 2013, by gensim, negative sampling."""
    dimension: Count
    """Width of the vectors."""
    window: Count = 5
    """Words on either side that are a word's context."""
    min_count: Count = 5
    """A word has a vector if it occurs at least this often in those texts."""
    epochs: Count = 5
    """Passes over the texts."""
    skip_gram: bool = False
    """Skip-gram; false: continuous bag of words."""
    normalise: Normalise = False
    seed: Seed = 1
    """Seed of first weights and of sampling."""
    missing: Missing = "zero"


Vectors = Annotated[VectorFile | TrainedVectors, Field(discriminator="kind")]


def absent_vectors(name: str, vectors: Vectors, mirror: Path | None, fetched: Path) -> str | None:
    """One line that names a missing file of word vectors and how to get it; None where it is there or can be had.

    `fetched`: the folder of fetched word vectors, results/raw/vectors.
    """
    if not isinstance(vectors, VectorFile):
        return None
    if vectors.path is not None:
        missing = None if locate(vectors.path, mirror) else vectors.path
        return missing and f"word_vectors.{name}.path: no such file: {missing}; mend the path, or put the file there"
    place = unheld(vectors, fetched.name, mirror, fetched.parent)
    remedy = "put it there, or give its place as `path`, or its address as `url`"
    return place and f"word_vectors.{name}: {place} is not here; {remedy}"


@contextmanager
def unpacked(path: Path, member: str | None) -> Iterator[IO[bytes]]:
    """Open a vector file as a stream, unpacked where it ends in .gz or .zip.

    Raises AuditError as `raw.reading` does, and where a file in a zip archive is not there, or not the only one.
    """
    if path.suffix != ".zip":
        with opened(path) as stream:
            yield stream
        return
    with reading(path), zipfile.ZipFile(path) as archive:
        names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    chosen = [name for name in names if member in (None, name)]
    if len(chosen) != 1:
        raise AuditError(f"{path}: holds {list_few(names, SHOWN) or 'nothing'}; name one as `member` in the config")
    for _, stream in members(path, re.escape(chosen[0])):
        yield stream


def read_vectors(path: Path, words: Collection[str], dimension: int, member: str | None = None) -> WordVectors:
    """The vectors (dimension,) of those `words` that the file has; where a word occurs twice, the first vector.

    The file is read line by line and words are compared as bytes, so neither its size nor invalid UTF-8 matters. The
    last `dimension` fields of a line are the vector; the word before them may contain spaces, as some of GloVe's do. A
    first line of two whole numbers is word2vec's header. Raises AuditError, naming the line, at a line that does not
    have `dimension` numbers.
    """
    wanted = {word.encode(): word for word in words}
    vectors: WordVectors = {}
    mend = "mend its dimension in the config, or the file"
    with unpacked(path, member) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), start=1):
            header = re.fullmatch(rb"[0-9]+ ([0-9]+)\s*", line) if number == 1 else None
            if header and int(header[1]) != dimension:
                raise AuditError(f"{path}: line 1: {int(header[1])} numbers a word, not {dimension}; {mend}")
            if header:
                continue
            word, *fields = line.rstrip().rsplit(b" ", dimension)
            # parts of the word that are numbers, except its first part, are of a longer vector
            count = len(fields) + sum(NUMBER.fullmatch(part) is not None for part in word.split(b" ")[1:])
            if count != dimension:
                raise AuditError(f"{path}: line {number}: {count} numbers, not {dimension}; {mend}")
            if word in wanted and wanted[word] not in vectors:
                with suppress(ValueError), np.errstate(over="ignore"):
                    vectors[wanted[word]] = np.array([*map(float, fields)]).astype(np.float32)
                if not np.isfinite(vectors.get(wanted[word], np.nan)).all():
                    raise AuditError(f"{path}: line {number}: a field is no number; mend the file")
    return vectors


def of_length_one(vectors: WordVectors) -> WordVectors:
    """Divide each vector by its Euclidean length; zeros stay as they are."""
    return {word: vector / (np.linalg.norm(vector) or 1) for word, vector in vectors.items()}
