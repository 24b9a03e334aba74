"""Reading raw files as streams: archives, lines, csv rows, JSON arrays, and the corpus of another data set. Every fault
ends in one line that names file and row.
"""

import bz2
import codecs
import csv
import gzip
import io
import json
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText

from .text import Text, Texts

Quotes = Literal["double", "single", "none"]
"""What is around fields of a csv or tsv file; none: quotation marks are characters."""
Fields = Iterator[tuple[str, list[str]]]
"""The fields of each row, with its place."""
Lines = Iterator[str]


class Layout(NamedTuple):
    """How a file is laid out. delimiter: of csv or tsv, None for a comma. columns: their names, in order,
    where no header says them. sheet: of an xlsx file, None for the first. quotes: None: double, unless a field
    swallowed rows. escape: what stands before a mark that is a character, beside another such mark. skip: lines, or
    rows of a sheet, before the first row.
    """

    encoding: str = "utf-8"
    delimiter: str | None = None
    columns: Sequence[str] | None = None
    sheet: str | None = None
    quotes: Quotes | None = None
    escape: str | None = None
    skip: int = 0


PUBLISHED_LAYOUT = Layout(quotes="double")
"""How published csv files are laid out."""
MAX_CHARACTERS = 10**7
"""Characters of a text at most; the papers' longest has 10^5. In a longer text, a quote was surely left open."""
LONGEST_LINE = 2**26
BLOCK_BYTES = 2**20
MAX_UNPACK_RATIO = 100
"""A file may unpack to at most this many times its packed size; the papers' archives reach 11."""
MIN_UNPACK_BYTES = 2**26
"""Bytes that a file may unpack to however small it is."""
OPENERS: Mapping[bytes, Callable[[Any], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open}
"""How packed content begins, and what unpacks it."""
# Python's own limit, of the whole process, is shorter than a text may be
csv.field_size_limit(MAX_CHARACTERS)
DAMAGED = (
    OSError,
    EOFError,
    struct.error,
    zlib.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    RuntimeError,
    UnicodeDecodeError,
    pa.ArrowException,
)


class LayoutError(AuditError):
    """A file does not have the separator, quotes or header that it was read with."""


class EncodingError(AuditError):
    """A file is not in the encoding that it was read with; a reader may know a better remedy."""


def find_remedy(path: Path) -> str:
    """Say what to do about a damaged raw file: fetch it again, or replace it where it is the user's own."""
    fetched = (path.parent / "records" / f"{path.name}.json").is_file()
    return rebuild_hint(path) if fetched else "replace the file"


@contextmanager
def report_damage(path: Path, mend: str = "") -> Iterator[None]:
    """Raise AuditError where the block finds that the file is missing, truncated or corrupt. mend: what to do then."""
    try:
        yield
    except DAMAGED as error:
        fault = "not there" if isinstance(error, FileNotFoundError) else f"truncated or corrupt ({error})"
        raise AuditError(path, fault, mend or find_remedy(path)) from error


def check_unpacked(path: Path, size: int) -> None:
    """Raise AuditError where a file unpacks to more bytes than that of any data set does.

    A file that unpacks to a thousand times its size was made to fill memory and disk.
    """
    if size > max(MIN_UNPACK_BYTES, MAX_UNPACK_RATIO * path.stat().st_size):
        raise AuditError(path, f"unpacks to more than {MAX_UNPACK_RATIO} times its size", find_remedy(path))


class Unpacking(io.RawIOBase):
    """The unpacked content of a packed file, as a stream.

    Raises AuditError as `report_damage` does when the reader meets damage, and as `check_unpacked` does.
    """

    def __init__(self, stream: Any, path: Path, end: bytes = b"\n") -> None:
        """Unpack `stream`, which is in the file at `path`. end: of its lines."""
        self.stream, self.path, self.end, self.done = stream, path, end, 0

    def readable(self) -> bool:
        """Return that it can be read, as BufferedReader asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the content reaches, and return the number of bytes."""
        with report_damage(self.path):
            content = self.stream.read(len(buffer)).replace(self.end, b"\n")
        buffer[: len(content)] = content
        self.done += len(content)
        check_unpacked(self.path, self.done)
        return len(content)


@contextmanager
def open_raw(path: Path) -> Iterator[IO[bytes]]:
    """Open a raw file, unpacked where its content is packed by gzip or bzip2, whatever its name. Lines that all end in
    \\r end in \\n. Raises AuditError as `report_damage` does.
    """
    with report_damage(path), io.BufferedReader(io.FileIO(path), BLOCK_BYTES) as stream:
        unpack = next((unpack for begins, unpack in OPENERS.items() if stream.peek().startswith(begins)), None)
        unpacked = io.BufferedReader(Unpacking(unpack(stream), path), BLOCK_BYTES) if unpack else stream
        begins = unpacked.peek()
        if b"\r" in begins and b"\n" not in begins:
            unpacked = io.BufferedReader(Unpacking(unpacked, path, end=b"\r"), BLOCK_BYTES)
        yield unpacked


def open_members(path: Path, wanted: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the plain files of a zip or tar.gz archive whose whole names match `wanted`, in its order, as streams.

    Nothing is unpacked to disk, since a name in an archive may point to any path. Raises AuditError as `Unpacking`
    does, here and in the streams, and where two files have the same name.
    """
    names: set[str] = set()
    for name, stream in _open_contents(path, re.compile(wanted)):
        if name in names:
            raise AuditError(path, f"holds {name} twice", find_remedy(path))
        names.add(name)
        yield name, io.BufferedReader(Unpacking(stream, path), BLOCK_BYTES)


def _open_contents(path: Path, wanted: re.Pattern[str]) -> Iterator[tuple[str, Any]]:
    with report_damage(path):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                entries = [each for each in archive.infolist() if not each.is_dir() and wanted.fullmatch(each.filename)]
                check_unpacked(path, sum(entry.file_size for entry in entries))
                for entry in entries:
                    # other methods can unpack a few bytes to a gigabyte, which Python's reader would keep in memory
                    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                        raise AuditError(
                            path, f"{entry.filename} is packed by another method than deflate", "pack it anew"
                        )
                    with archive.open(entry) as stream:
                        yield entry.filename, stream
            return
        with gzip.open(path) as packed:
            unpacked: Any = Unpacking(packed, path)
            with tarfile.open(fileobj=unpacked, mode="r|") as tar:
                for member in tar:
                    tar.members = []  # type: ignore[attr-defined]  # otherwise tarfile keeps all of them in memory
                    if member.isfile() and wanted.fullmatch(member.name):
                        yield member.name, tar.extractfile(member)
                # tarfile takes a broken header for the end of the archive; gzip's checksum comes at the true end
                while unpacked.read(BLOCK_BYTES):
                    pass


def read_content(stream: IO[bytes], where: str, mend: str, encoding: str = "utf-8") -> str:
    """Decode all of a stream that holds one text.

    Raises AuditError where it is longer than any text may be, or, with what to do, where it is not in its encoding.
    """
    text = stream.read(MAX_CHARACTERS + 1)
    if len(text) > MAX_CHARACTERS:
        raise AuditError(where, f"more than {MAX_CHARACTERS} bytes", "is this the right file?")
    try:
        return text.decode(encoding)
    except UnicodeDecodeError as error:
        raise AuditError(where, f"not {encoding} ({error.reason})", mend) from error


def read_split_files(
    archive: Path, wanted: str, names: Sequence[str], absence: str
) -> Iterator[tuple[str, str, Lines]]:
    """Read the files of an archive that match `wanted`, and end in their split: that, their place, their lines.

    Raises AuditError as `open_members` does and, at the end, where the file of one of the splits `names` is not there:
    `absence` says what is not, with that split in the place of {}, and after a semicolon what to do.
    """
    missing = dict.fromkeys(names)
    for member, stream in open_members(archive, wanted):
        split = Path(member).stem.rpartition("_")[2]
        missing.pop(split, None)
        where = f"{archive}: {member}"
        yield split, where, decode_lines(stream, where)
    if missing:
        fault, _, remedy = absence.format(next(iter(missing))).partition("; ")
        raise AuditError(archive, f"no {fault}", remedy)


def read_split_lines(
    archive: Path, wanted: str, names: Sequence[str], absence: str
) -> Iterator[tuple[str, int, str, str]]:
    """Read each line of the files of `read_split_files`: split, number from 1, place for messages, and the line."""
    for split, where, text in read_split_files(archive, wanted, names, absence):
        for number, line in enumerate(text, start=1):
            yield split, number, f"{where}, line {number}", line


@contextmanager
def require_format(location: str, wanted: str, path: Path) -> Iterator[None]:
    """Raise AuditError, naming what is wanted at the location, where the block does not find it in a line."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise AuditError(location, wanted, find_remedy(path)) from error


def decode_lines(stream: IO[bytes], where: str | Path, encoding: str = "utf-8") -> Lines:
    """Decode lines with their line ends; a byte order mark is dropped.

    Raises AuditError, naming the line, at one longer than LONGEST_LINE, and EncodingError at a byte that the encoding
    does not have.
    """
    for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), start=1):
        if len(line) == LONGEST_LINE:
            raise AuditError(f"{where}, line {number}", f"more than {LONGEST_LINE} bytes", "is this the right file?")
        try:
            decoded = line.decode(encoding)
        except UnicodeDecodeError as error:
            raise EncodingError(
                f"{where}, line {number}", f"not {encoding} ({error.reason})", "convert the file"
            ) from error
        yield decoded.removeprefix("\ufeff") if number == 1 else decoded


def read_lines(path: Path, encoding: str = "utf-8") -> Lines:
    """Read the decoded lines of a raw file. Raises AuditError as `open_raw` and `decode_lines` do."""
    with open_raw(path) as stream:
        yield from decode_lines(stream, path, encoding)


def read_mask(marks: Any, location: str) -> list[bool]:
    """Read a mask as truth values: a list of 0 and 1, or a text of them, parted by spaces.

    Raises AuditError, naming the location, at anything else.
    """
    parts = marks.split() if isinstance(marks, str) else marks if isinstance(marks, list) else [marks]
    for part in parts:
        if str(part) not in ("0", "1"):
            raise AuditError(location, f"{part!r:.30} in the mask", "write a 0 or 1 for each word, parted by spaces")
    return [str(part) == "1" for part in parts]


def add_masks(texts: Texts, path: Path | None) -> Texts:
    """Give each text of a file its line of a mask file; texts stay as they are where there is none.

    Raises AuditError where the mask file has more or fewer lines than there are texts.
    """
    if path is None:
        yield from texts
        return
    for number, (text, line) in enumerate(zip_longest(texts, read_lines(path)), start=1):
        if text is None or line is None:
            fault = "a mask, and no text" if text is None else "no mask, and there are more texts"
            raise AuditError(f"{path}, line {number}", fault, "give a line for each text")
        yield replace(text, mask=read_mask(line, f"{path}, line {number}"))


def read_csv(text: Iterable[str], where: str | Path, layout: Layout = PUBLISHED_LAYOUT) -> Fields:
    """Read the rows of a csv file, each with the line where it begins.

    Empty lines are skipped, and quoted fields may contain line ends. Where a space follows each delimiter of the first
    line, it belongs to no field. Raises AuditError, naming the line, where a quote seems to be left open: a field does
    not end, ends within a word, or is longer than any text may be.
    """
    text, mark = islice(text, layout.skip, None), layout.delimiter or ","
    first_line = next(text, "")
    reader = csv.reader(
        chain([first_line], text),
        delimiter=mark,
        strict=True,
        quoting=csv.QUOTE_NONE if layout.quotes == "none" else csv.QUOTE_MINIMAL,
        quotechar="'" if layout.quotes == "single" else '"',
        escapechar=layout.escape,
        skipinitialspace=0 < first_line.count(mark) == first_line.count(f"{mark} "),
    )
    begins = layout.skip + 1
    try:
        for row in reader:
            if row:
                yield f"{where}, line {begins}", row
            begins = layout.skip + reader.line_num + 1
    except csv.Error as error:
        fault, remedy = str(error), "is a quote left open? Mend the row"
        if "new-line character" in fault:
            fault, remedy = "a carriage return within a field that is not quoted", "quote the field, or take it out"
        raise LayoutError(f"{where}, line {begins}", fault, remedy) from error


def read_array(stream: IO[bytes], path: Path, noun: str, encoding: str = "utf-8") -> Iterator[tuple[str, Any]]:
    """Read the elements of a JSON array, each with its place for messages, which call it `noun`.

    The whole array is never in memory. Raises AuditError, naming the last good element, where there is no array, it is
    malformed or cut off, or an element is longer than any text may be; and EncodingError where it is not in its
    encoding.
    """
    number, start, decoder = 0, 0, json.JSONDecoder()
    blocks = codecs.iterdecode(iter(partial(stream.read, BLOCK_BYTES), b""), encoding)
    chunks = filter(None, (block.removeprefix("\ufeff") for block in blocks))
    try:
        before, bracket, pending = next(chunks, "").partition("[")
        if before.strip() or not bracket:
            raise ValueError("not a JSON array")
        while True:
            while pending[start : start + 1] in (*" \t\r\n,",):
                start += 1
            if pending.startswith("]", start):
                return
            try:
                element, start = decoder.raw_decode(pending, start)
            except json.JSONDecodeError as error:
                more = next(chunks, "")
                if not more or len(pending) - start > MAX_CHARACTERS:
                    raise ValueError("malformed or cut off") from error
                pending, start = pending[start:] + more, 0
            else:
                number += 1
                yield f"{path}, {noun} {number}", element
    except UnicodeDecodeError as error:
        raise EncodingError(
            f"{path}, after {noun} {number}", f"not {encoding} ({error.reason})", find_remedy(path)
        ) from error
    except (ValueError, RecursionError) as error:
        raise AuditError(f"{path}, after {noun} {number}", str(error), find_remedy(path)) from error


def read_corpus_rows(corpus: Path, *columns: str) -> Iterator[dict[str, Any]]:
    """Read some columns of each text of a corpus. Raises AuditError where the file is damaged."""
    with report_damage(corpus, rebuild_hint(corpus)), pq.ParquetFile(corpus) as file:
        for batch in file.iter_batches(columns=[*columns]):
            yield from batch.to_pylist()


def list_corpus_classes(corpus: Path) -> list[str]:
    """List the classes of a corpus in the order of their numbers. Raises AuditError where the file is damaged."""
    names = {row["label"]: row["label_name"] for row in read_corpus_rows(corpus, "label", "label_name")}
    return [names[number] for number in sorted(names)]


def read_corpus_texts(corpus: Path) -> Texts:
    """Read the texts of a corpus, in order, as words. What is marked in them is left out.

    Raises AuditError where the file is damaged, or where texts bring their own choice of classes.
    """
    more = ("query", "sentences", "group")
    for row in read_corpus_rows(corpus, *more, "id", "split", "label_name", "tokens", "raw", "starts", "candidates"):
        location = f"{corpus}: text {row['id']!r}"
        if row["candidates"] is not None:
            raise AuditError(location, "brings its own classes", "name another data set")
        written = row["raw"] and RawText(row["raw"], row["starts"])
        fields = {name: row[name] for name in more}
        yield Text(row["id"], row["split"], row["label_name"], row["tokens"], location, written=written, **fields)
