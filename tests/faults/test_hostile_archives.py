"""Archives made to do harm: nothing is written outside, memory stays bounded, and the end is one line."""

import bz2
import gzip
import io
import lzma
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hurt import Tally, only_first

from attention_audit.corpus.raw import ALWAYS, lines, members, opened
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.labelled import ImdbCorpus, NewsgroupsCorpus
from attention_audit.corpus.sources.sst import SstCorpus
from attention_audit.corpus.vectors import read_vectors
from attention_audit.errors import AuditError

TREE = b"(4 (2 good) (2 film))\n"
SST = ("trees/train.txt", "trees/dev.txt", "trees/test.txt")
WANTED = r"trees/(train|dev|test)\.txt"
BOMB = 4 * ALWAYS
"""Bytes that a bomb unpacks to."""


def tar(path: Path, *entries: tuple[tarfile.TarInfo, bytes]) -> Path:
    """A tar.gz archive of these entries."""
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for entry, content in entries:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def zipped(path: Path, *entries: tuple[zipfile.ZipInfo, bytes]) -> Path:
    """A zip archive of these entries."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries:
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


def read_all(path: Path) -> dict[str, bytes]:
    return {name: stream.read() for name, stream in members(path, WANTED)}


def refused(read: Callable[[], object]) -> str:
    with pytest.raises(AuditError) as caught:
        read()
    assert str(caught.value).isprintable()
    return str(caught.value)


def files_under(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


NAMES = [
    "../trees/train.txt", "../../etc/passwd", "/trees/train.txt", "/etc/passwd", "trees/../trees/train.txt",
    "trees\\..\\train.txt", "C:\\trees\\train.txt", "trees/train.txt/../../../x", "trees/train.txt\n",
    "\x1b[2Jtrees/train.txt", "./../trees/train.txt", "~/trees/train.txt", "trees//train.txt", "trees/train.txt ",
    "a" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_that_point_elsewhere(tmp_path: Path, tally: Tally, kind: str, name: str) -> None:
    inner = tmp_path / "one/two/three"
    inner.mkdir(parents=True)
    path = inner / f"archive.{kind}"
    if kind == "tar":
        tar(path, (tarfile.TarInfo(name), b"evil"), (tarfile.TarInfo(SST[0]), TREE))
    else:
        zipped(path, (zipfile.ZipInfo(name), b"evil"), (zipfile.ZipInfo(SST[0]), TREE))
    before = files_under(tmp_path)
    assert read_all(path) == {SST[0]: TREE}
    assert files_under(tmp_path) == before
    tally("an archive with names that point elsewhere", "passed over, nothing written")


TYPES = {
    "symbolic link": tarfile.SYMTYPE,
    "hard link": tarfile.LNKTYPE,
    "character device": tarfile.CHRTYPE,
    "block device": tarfile.BLKTYPE,
    "pipe": tarfile.FIFOTYPE,
    "folder": tarfile.DIRTYPE,
}


@pytest.mark.parametrize("kind", TYPES)
def test_entries_of_a_tar_that_are_no_files(tmp_path: Path, tally: Tally, kind: str) -> None:
    entry = tarfile.TarInfo(SST[0])
    entry.type, entry.linkname, entry.devmajor, entry.devminor = TYPES[kind], "/etc/passwd", 1, 5
    path = tar(tmp_path / "a.tar.gz", (entry, b""), (tarfile.TarInfo(SST[1]), TREE), (tarfile.TarInfo(SST[2]), TREE))
    before = files_under(tmp_path)
    corpus = SstCorpus(kind="sst", archive=RemoteFile(file="a.tar.gz"))
    assert "no trees/train.txt in it" in refused(lambda: list(corpus.read("sst", {"archive": path})))
    assert files_under(tmp_path) == before
    tally("an archive with links, devices and pipes for files", "one line, nothing followed")


def test_a_link_in_a_zip_is_read_as_what_it_says(tmp_path: Path, tally: Tally) -> None:
    entry = zipfile.ZipInfo(SST[0])
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = zipped(tmp_path / "a.zip", (entry, b"/etc/passwd"))
    corpus = SstCorpus(kind="sst", archive=RemoteFile(file="a.zip"))
    assert "line 1: malformed tree" in refused(lambda: list(corpus.read("sst", {"archive": path})))
    tally("an archive with links, devices and pipes for files", "one line, nothing followed")


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name(tmp_path: Path, tally: Tally, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    if kind == "tar":
        tar(path, (tarfile.TarInfo(SST[0]), TREE), (tarfile.TarInfo(SST[0]), b"(0 evil)\n"))
    else:
        zipped(path, (zipfile.ZipInfo(SST[0]), TREE), (zipfile.ZipInfo(SST[0]), b"(0 evil)\n"))
    assert refused(lambda: read_all(path)) == f"{path}: holds trees/train.txt twice; replace the file"
    tally("an archive with two files of one name", "one line")


def zip_that_lies(path: Path, size: int) -> Path:
    """A zip whose only file is said to have `size` bytes."""
    zipped(path, (zipfile.ZipInfo(SST[0]), TREE))
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", content, content.index(signature) + offset, size)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("size", [0, 1, len(TREE) - 1, len(TREE) + 1, 2**31, 2**32 - 2])
def test_a_zip_that_lies_of_its_sizes(tmp_path: Path, tally: Tally, size: int) -> None:
    path = zip_that_lies(tmp_path / "a.zip", size)
    try:
        found = read_all(path)
    except AuditError:
        tally("an archive that lies of its sizes", "one line")
    else:
        assert found == {SST[0]: TREE}
        tally("an archive that lies of its sizes", "read in full")


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("kind", ["tar", "zip", "gz"])
def test_cut_off(tmp_path: Path, tally: Tally, kind: str, share: float) -> None:
    path = tmp_path / f"a.{kind}"
    content = b"".join(b"%d," % (number * number) for number in range(3000))
    if kind == "tar":
        tar(path, (tarfile.TarInfo(SST[0]), content))
    elif kind == "zip":
        zipped(path, (zipfile.ZipInfo(SST[0]), content))
    else:
        path.write_bytes(gzip.compress(content))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])

    def read() -> None:
        if kind == "gz":
            with opened(path) as stream:
                stream.read()
        else:
            read_all(path)

    if kind == "gz" and share == 0.0:
        read()  # an empty file unpacks to nothing, as gzip has it
        return
    assert f"{path}: truncated or corrupt" in refused(read)
    tally("an archive that is cut off", "one line")


def zeros(pack: Callable[[bytes], bytes], flush: Callable[[], bytes], line: bytes = b"\0") -> Iterator[bytes]:
    """BOMB bytes, packed, a piece at a time."""
    piece = line * (2**22 // len(line))
    for _ in range(BOMB // len(piece)):
        yield pack(piece)
    yield flush()


def write_zip(path: Path, name: str, method: int, packed: bytes, checksum: int) -> None:
    """A zip archive around data that is packed already."""
    parts = (20, 0x800, method, 0, 0, checksum, len(packed), BOMB)
    local = struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", *parts[:2], *parts[2:5], *parts[5:], len(name), 0)
    central = struct.pack(
        "<4sHHHHHHIIIHHHHHII", b"PK\x01\x02", 20, *parts[:2], *parts[2:5], *parts[5:], len(name), 0, 0, 0, 0, 0, 0
    )
    head, tail = local + name.encode(), central + name.encode()
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, len(tail), len(head) + len(packed), 0)
    path.write_bytes(head + packed + tail + end)


def deflated(line: bytes = b"\0", wbits: int = -15) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    return b"".join(zeros(packer.compress, packer.flush, line))


def bomb_zip(path: Path) -> None:
    """A zip of zeros."""
    write_zip(path, SST[0], zipfile.ZIP_DEFLATED, deflated(), 0)


def bomb_lines(path: Path) -> None:
    """A zip of lines that are all right."""
    write_zip(path, SST[0], zipfile.ZIP_DEFLATED, deflated(b"(2 (2 a) (2 " + b"b" * 4081 + b"))\n"), 0)


def bomb_bzip(path: Path) -> None:
    """A zip of zeros that are packed by bzip2, a million to one."""
    packer = bz2.BZ2Compressor()
    write_zip(path, SST[0], zipfile.ZIP_BZIP2, b"".join(zeros(packer.compress, packer.flush)), 0)


def bomb_tar(path: Path) -> None:
    """A tar whose file is all zeros."""
    header = tarfile.TarInfo(SST[0])
    header.size = BOMB
    path.write_bytes(gzip.compress(header.tobuf()) + deflated(wbits=31))


def bomb_skipped(path: Path) -> None:
    """A tar with a huge file that nobody asks for before the one that is wanted."""
    header = tarfile.TarInfo("other")
    header.size = BOMB
    path.write_bytes(
        gzip.compress(header.tobuf()) + deflated(wbits=31) + gzip.compress(tarfile.TarInfo(SST[0]).tobuf())
    )


def bomb_sparse(path: Path) -> None:
    """A tar whose file is a hole of ten terabytes."""
    header = tarfile.TarInfo(SST[0])
    header.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,0"}
    header.pax_headers |= {"GNU.sparse.size": str(10**13), "GNU.sparse.numblocks": "1", "GNU.sparse.name": SST[0]}
    path.write_bytes(gzip.compress(header.tobuf(tarfile.PAX_FORMAT) + bytes(1024)))


def bomb_names(path: Path) -> None:
    """A tar of a name as long as ten times the measure."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, BOMB
    path.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT)) + deflated(wbits=31))


def bomb_entries(path: Path) -> None:
    """A tar of a million empty files."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    line = tarfile.TarInfo("x").tobuf()
    path.write_bytes(b"".join(zeros(packer.compress, packer.flush, line)))


def bomb_gz(path: Path) -> None:
    """A .gz of zeros."""
    path.write_bytes(deflated(wbits=31))


def bomb_nested(path: Path) -> None:
    """A zip in a zip in a zip."""
    content = deflated()
    for _ in range(2):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("trees/train.txt", content)
        content = inner.getvalue()
    path.write_bytes(content)


BOMBS: dict[str, tuple[Callable[[Path], None], str]] = {
    "zip": (bomb_zip, "a.zip"),
    "lines": (bomb_lines, "a.zip"),
    "bzip": (bomb_bzip, "a.zip"),
    "tar": (bomb_tar, "a.tar.gz"),
    "skipped": (bomb_skipped, "a.tar.gz"),
    "sparse": (bomb_sparse, "a.tar.gz"),
    "names": (bomb_names, "a.tar.gz"),
    "entries": (bomb_entries, "a.tar.gz"),
    "gz": (bomb_gz, "a.gz"),
    "nested": (bomb_nested, "a.zip"),
}

MEASURED = """
import resource, sys
sys.path[:0] = sys.argv[1].split(":")
from pathlib import Path
import test_hostile_archives as tests
tests.read_bomb(Path(sys.argv[2])) if len(sys.argv) > 2 else None
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def read_bomb(path: Path) -> None:
    """Read an archive in every way that fits its ending; say the one line on which each ends."""
    archive = {"archive": path}
    remote = RemoteFile(file=path.name)
    ways: list[Callable[[], object]] = [lambda: list(SstCorpus(kind="sst", archive=remote).read("sst", archive))]
    if path.suffix == ".gz":
        ways.append(lambda: read_vectors(path, {"a"}, 3))
    if path.name == "a.gz":
        ways = [lambda: _all_lines(path), lambda: read_vectors(path, {"a"}, 3)]
    if path.name == "a.zip":
        ways.append(lambda: read_vectors(path, {"a"}, 3))
    for way in ways:
        try:
            way()
            print("ended")
        except AuditError as error:
            print(f"error: {error}")


def _all_lines(path: Path) -> None:
    with opened(path) as stream:
        for _ in lines(stream, str(path)):
            pass


def measured(*arguments: str) -> tuple[list[str], int]:
    """What a process of its own says, and its peak memory in MiB."""
    paths = ":".join(path for path in sys.path if path)
    ended = subprocess.run(
        [sys.executable, "-c", MEASURED, f"{Path(__file__).parent}:{paths}", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    *said, peak = ended.stdout.splitlines()
    return said, int(peak.removeprefix("peak ")) // 1024


@pytest.mark.parametrize("bomb", only_first(1, BOMBS))
def test_a_bomb_fills_neither_memory_nor_disk(tmp_path: Path, tally: Tally, bomb: str) -> None:
    make, name = BOMBS[bomb]
    path = tmp_path / name
    make(path)
    assert path.stat().st_size < 4 * 2**20
    before = files_under(tmp_path)
    _, floor = measured()
    said, peak = measured(str(path))
    assert said
    # what is nested is read as what it is, bytes, and never unpacked
    assert all(line.startswith(f"error: {path}") or (bomb == "nested" and line == "ended") for line in said), said
    # a name is held whole before it is known to be one: twice the measure at most, and a copy
    assert peak - floor < 3 * ALWAYS // 2**20, f"{peak - floor} MiB"
    assert files_under(tmp_path) == before
    tally("an archive that unpacks a thousandfold", f"one line, at most {3 * ALWAYS // 2**20} MiB")


@pytest.mark.parametrize("corpus", ["imdb", "newsgroups"])
def test_a_text_beyond_all_measure(tmp_path: Path, tally: Tally, corpus: str) -> None:
    remote = RemoteFile(file="a.tar.gz")
    source, name = {
        "imdb": (ImdbCorpus(kind="imdb", archive=remote), "aclImdb/train/pos/1_7.txt"),
        "newsgroups": (NewsgroupsCorpus(kind="newsgroups", archive=remote), "20news-bydate-train/a/1"),
    }[corpus]
    path = tar(tmp_path / "a.tar.gz", (tarfile.TarInfo(name), b"a " * 6_000_000))
    assert f"{name}: more than 10000000 bytes" in refused(lambda: list(source.read("x", {"archive": path})))
    tally("an archive with a text beyond all measure", "one line")


def test_lzma_is_no_way_around(tmp_path: Path, tally: Tally) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(lzma.compress(b"PK\x03\x04"))
    assert "truncated or corrupt" in refused(lambda: read_all(path))
    tally("an archive of another kind", "one line")
