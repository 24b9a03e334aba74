"""Archives made to do harm: nothing is written outside, memory stays bounded, and the end is one line."""

import bz2
import gzip
import io
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from functools import partial
from pathlib import Path

import pytest
from hurt import only_first
from published import pack, read_archive
from refusal import refusal

from attention_audit.corpus.raw import MIN_UNPACK_BYTES, decode_lines, open_members, open_raw
from attention_audit.corpus.vocabulary import read_vectors
from attention_audit.errors import AuditError

TREE, EVIL = b"(4 (2 good) (2 film))\n", b"(0 evil)\n"
SST = ("trees/train.txt", "trees/dev.txt", "trees/test.txt")
WANTED = r"trees/(train|dev|test)\.txt"
BOMB = 4 * MIN_UNPACK_BYTES
"""Bytes that a bomb unpacks to."""


def tar(path, *entries):
    """Pack these entries into a tar.gz archive."""
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for entry, content in entries:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def read_all(path):
    return {name: stream.read() for name, stream in open_members(path, WANTED)}


@pytest.fixture(autouse=True)
def _untouched(tmp_path):
    """What a test reads lies in its folder, and nothing else after it."""
    yield
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) <= 1


NAMES = [
    "../trees/train.txt", "../../etc/passwd", "/trees/train.txt", "/etc/passwd", "trees/../trees/train.txt",
    "trees\\..\\train.txt", "C:\\trees\\train.txt", "trees/train.txt/../../../x", "trees/train.txt\n",
    "\x1b[2Jtrees/train.txt", "./../trees/train.txt", "~/trees/train.txt", "trees//train.txt", "trees/train.txt ",
    "a" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_that_point_elsewhere(tmp_path, tally, kind, name):
    inner = tmp_path / "one/two/three"
    inner.mkdir(parents=True)
    path = pack(inner / f"archive.{kind}", {name: "evil", SST[0]: TREE})
    assert read_all(path) == {SST[0]: TREE}
    tally("an archive with names that point elsewhere", "passed over, nothing written")


@pytest.mark.parametrize("kind", ["SYMTYPE", "LNKTYPE", "CHRTYPE", "BLKTYPE", "FIFOTYPE", "DIRTYPE"])
def test_entries_of_a_tar_that_are_no_files(tmp_path, tally, kind):
    entry = tarfile.TarInfo(SST[0])
    entry.type, entry.linkname, entry.devmajor, entry.devminor = getattr(tarfile, kind), "/etc/passwd", 1, 5
    path = tar(tmp_path / "a.tar.gz", (entry, b""), *((tarfile.TarInfo(name), TREE) for name in SST[1:]))
    assert "no trees/train.txt in it" in refusal(read_archive, "sst", path)
    tally("an archive with links, devices and pipes for files", "one line, nothing followed")


def test_a_link_in_a_zip_is_read_as_what_it_says(tmp_path, tally):
    entry = zipfile.ZipInfo(SST[0])
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    assert "line 1: malformed tree" in refusal(read_archive, "sst", tmp_path / "a.zip")
    tally("an archive with links, devices and pipes for files", "one line, nothing followed")


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name(tmp_path, tally, kind):
    path = tmp_path / f"a.{kind}"
    if kind == "tar":
        tar(path, *((tarfile.TarInfo(SST[0]), content) for content in (TREE, EVIL)))
    else:
        with zipfile.ZipFile(pack(path, {SST[0]: TREE}), "a") as archive:
            archive.writestr(SST[0], EVIL)
    assert refusal(read_all, path) == f"{path}: holds trees/train.txt twice; replace the file"
    tally("an archive with two files of one name", "one line")


@pytest.mark.parametrize("size", [0, 1, len(TREE) - 1, len(TREE) + 1, 2**31, 2**32 - 2])
def test_a_zip_that_lies_of_its_sizes(tmp_path, tally, size):
    path = pack(tmp_path / "a.zip", {SST[0]: TREE})
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", content, content.index(signature) + offset, size)
    path.write_bytes(content)
    try:
        found = read_all(path)
    except AuditError:
        tally("an archive that lies of its sizes", "one line")
    else:
        assert found == {SST[0]: TREE}
        tally("an archive that lies of its sizes", "read in full")


def read_file(path):
    """Read a file that may be packed, line by line."""
    with open_raw(path) as stream:
        for _ in decode_lines(stream, str(path)):
            pass


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("kind", ["tar", "zip", "gz"])
def test_cut_off(tmp_path, tally, kind, share):
    path = tmp_path / f"a.{kind}"
    content = b"".join(b"%d," % (number * number) for number in range(3000))
    if kind == "gz":
        path.write_bytes(gzip.compress(content))
    else:
        pack(path, {SST[0]: content})
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    if kind == "gz" and not share:
        read_file(path)  # an empty file unpacks to nothing, as gzip has it
        return
    assert f"{path}: truncated or corrupt" in refusal(read_file if kind == "gz" else read_all, path)
    tally("an archive that is cut off", "one line")


def zeros(pack, flush, line=b"\0"):
    """BOMB bytes, packed, a piece at a time."""
    piece = line * (2**22 // len(line))
    for _ in range(BOMB // len(piece)):
        yield pack(piece)
    yield flush()


def zip_around(packed, method=zipfile.ZIP_DEFLATED):
    """Build a zip archive around the data of its only file, which are packed already."""
    name = SST[0].encode()
    about = struct.pack("<HHHHHIIIHH", 20, 0x800, method, 0, 0, 0, len(packed), BOMB, len(name), 0)
    head, tail = b"PK\x03\x04" + about + name, b"PK\x01\x02\x14\0" + about + bytes(14) + name
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, len(tail), len(head) + len(packed), 0)
    return head + packed + tail + end


def deflated(line=b"\0", wbits=31):
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    return b"".join(zeros(packer.compress, packer.flush, line))


def header(name, kind=tarfile.GNU_FORMAT, **about):
    """Pack the header of a file of BOMB bytes in a tar."""
    entry = tarfile.TarInfo(name)
    for field, value in ({"size": BOMB} | about).items():
        setattr(entry, field, value)
    return gzip.compress(entry.tobuf(kind))


def bomb_bzip():
    """Zeros that are packed by bzip2, a million to one."""
    packer = bz2.BZ2Compressor()
    return zip_around(b"".join(zeros(packer.compress, packer.flush)), zipfile.ZIP_BZIP2)


def bomb_sparse():
    """A file that is a hole of ten terabytes."""
    about = {"major": "0", "minor": "1", "map": "0,0", "size": str(10**13), "numblocks": "1", "name": SST[0]}
    pax = {f"GNU.sparse.{key}": value for key, value in about.items()}
    return header(SST[0], tarfile.PAX_FORMAT, size=0, pax_headers=pax) + gzip.compress(bytes(1024))


def bomb_nested():
    """A zip in a zip in a zip."""
    content = deflated(wbits=-15)
    for _ in range(2):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(SST[0], content)
        content = inner.getvalue()
    return content


BOMBS = {
    "zip": ("a.zip", lambda: zip_around(deflated(wbits=-15))),
    # lines that are all right
    "lines": ("a.zip", lambda: zip_around(deflated(b"(2 (2 a) (2 " + b"b" * 4081 + b"))\n", -15))),
    "bzip": ("a.zip", bomb_bzip),
    "tar": ("a.tar.gz", lambda: header(SST[0]) + deflated()),
    "sparse": ("a.tar.gz", bomb_sparse),
    # a huge file that nobody asks for stands before the one that is wanted
    "skipped": ("a.tar.gz", lambda: header("other") + deflated() + header(SST[0], size=0)),
    # a name as long as ten times the measure
    "names": ("a.tar.gz", lambda: header("././@LongLink", type=tarfile.GNUTYPE_LONGNAME) + deflated()),
    # a million empty files
    "entries": ("a.tar.gz", lambda: deflated(tarfile.TarInfo("x").tobuf())),
    "gz": ("a.gz", deflated),
    "nested": ("a.zip", bomb_nested),
}

MEASURED = """
import resource, sys
sys.path[:0] = sys.argv[1].split(":")
from pathlib import Path
import test_hostile_archives as tests
tests.read_bomb(Path(sys.argv[2])) if len(sys.argv) > 2 else None
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def read_bomb(path):
    """Read an archive in every way that fits its ending; say the one line on which each ends."""
    first = partial(read_file, path) if path.name == "a.gz" else partial(read_archive, "sst", path)
    for way in (first, partial(read_vectors, path, {"a"}, 3)):
        try:
            way()
            print("ended")
        except AuditError as error:
            print(f"error: {error}")


def measured(*arguments):
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
def test_a_bomb_fills_neither_memory_nor_disk(tmp_path, tally, bomb):
    name, make = BOMBS[bomb]
    path = tmp_path / name
    path.write_bytes(make())
    assert path.stat().st_size < 4 * 2**20
    _, floor = measured()
    said, peak = measured(str(path))
    assert said
    # what is nested is read as what it is, bytes, and never unpacked
    assert all(line.startswith(f"error: {path}") or (bomb == "nested" and line == "ended") for line in said), said
    # a name is held whole before it is known to be one: twice the measure at most, and a copy
    assert peak - floor < 3 * MIN_UNPACK_BYTES // 2**20, f"{peak - floor} MiB"
    tally("an archive that unpacks a thousandfold", f"one line, at most {3 * MIN_UNPACK_BYTES // 2**20} MiB")


@pytest.mark.parametrize(
    ("kind", "name"), [("imdb", "aclImdb/train/pos/1_7.txt"), ("newsgroups", "20news-bydate-train/a/1")]
)
def test_a_text_beyond_all_measure(tmp_path, tally, kind, name):
    path = pack(tmp_path / "a.tar.gz", {name: b"a " * 6_000_000})
    assert f"{name}: more than 10000000 bytes" in refusal(read_archive, kind, path)
    tally("an archive with a text beyond all measure", "one line")
