import bz2
import gzip
import io
import tarfile

import pytest
from published import pack

from attention_audit.artefacts.files import write_record
from attention_audit.corpus import raw
from attention_audit.corpus.raw import Layout, decode_lines, find_remedy, open_members, open_raw, read_csv
from attention_audit.errors import AuditError

FILES = {"data/b.txt": b"second\nletter\n", "data/a.txt": b"first", "data/notes.md": b"#", "other/a.txt": b"elsewhere"}
WANTED = r"data/\w+\.txt"


def tar(path, files):
    """A tar.gz archive of these files, and of a folder and a link that are named like them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, type_ in (("data/folder.txt", tarfile.DIRTYPE), ("data/link.txt", tarfile.SYMTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = type_, "a.txt"
            archive.addfile(entry)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return path


def zipped(path, files):
    """A zip archive of these files and of a folder that is named like them."""
    return pack(path.with_suffix(".zip"), {"data/folder.txt/": b"", **files})


makers = pytest.mark.parametrize("make", [tar, zipped])


def contents(path):
    return {name: stream.read() for name, stream in open_members(path, WANTED)}


@makers
def test_wanted_files_of_an_archive_come_in_its_order(tmp_path, make):
    found = contents(make(tmp_path / "archive", FILES))
    assert list(found.items()) == [("data/b.txt", b"second\nletter\n"), ("data/a.txt", b"first")]


@makers
def test_a_file_need_not_be_read_to_its_end(tmp_path, make):
    path = make(tmp_path / "archive", FILES | {"data/long.txt": b"x" * 10**5, "data/z.txt": b"last"})
    assert [stream.readline(2) for _, stream in open_members(path, WANTED)] == [b"se", b"fi", b"xx", b"la"]


def test_wherever_a_byte_of_a_tar_is_flipped_it_shows_or_does_no_harm(tmp_path):
    path = tar(tmp_path / "archive", FILES)
    whole, sound = path.read_bytes(), contents(path)
    messages = []
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            assert contents(path) == sound
        except AuditError as error:
            messages.append(str(error))
    assert len(messages) >= len(whole) - 6  # time and system, in the head of the file, do not matter
    assert all("truncated or corrupt" in message for message in messages)


def test_damage_in_a_file_of_a_zip_shows_when_it_is_read(tmp_path):
    path = zipped(tmp_path / "archive", FILES)
    content = bytearray(path.read_bytes())
    content[content.index(b"data/b.txt") + len("data/b.txt") + 3] ^= 0xFF
    path.write_bytes(content)
    found = open_members(path, WANTED)
    _, stream = next(found)
    with pytest.raises(AuditError, match="truncated or corrupt"):
        stream.read()


def test_fetched_files_can_be_fetched_again_the_users_own_can_not(tmp_path):
    archive = tmp_path / "runs/b/raw/sst/trees.zip"
    assert find_remedy(archive) == "replace the file"
    write_record(archive.parent / "records/trees.zip.json", {"file": "trees.zip"})
    assert find_remedy(archive).endswith(f"--force {archive}")
    assert find_remedy(archive.parent / "own.csv") == "replace the file"


@pytest.mark.parametrize("packed", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_a_file_is_opened_by_what_it_holds(tmp_path, name, packed):
    for content, read in ((b"a\r\nb\n", b"a\r\nb\n"), (b"a\rb\r", b"a\nb\n")):
        (tmp_path / name).write_bytes(packed(content))
        with open_raw(tmp_path / name) as stream:
            assert stream.read() == read


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "not there"),
        (gzip.compress(b"text", mtime=0)[:-1], "truncated or corrupt"),
        (gzip.compress(b"text", mtime=0)[:-8] + b"\0" * 8, "truncated or corrupt"),
    ],
)
def test_damage_to_an_opened_file(tmp_path, content, message):
    path = tmp_path / "a.csv.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AuditError, match=message), open_raw(path) as stream:
        stream.read()


def decoded(content):
    return list(decode_lines(io.BytesIO(content), "a.txt"))


def test_only_a_line_feed_ends_a_line():
    assert decoded("é\r\n\na\x0b\u2028\x85\rb".encode()) == ["é\r\n", "\n", "a\x0b\u2028\x85\rb"]


def test_a_byte_order_mark_is_dropped_where_it_stands_first():
    assert decoded("\ufeffa\n\ufeffb".encode()) == ["a\n", "\ufeffb"]


def test_a_carriage_return_within_a_field_is_told_from_line_ends():
    with pytest.raises(
        AuditError, match=r"^a.csv, line 2: a carriage return within a field that is not quoted; quote "
    ):
        [*read_csv(["a,b\n", "c\rd,e\n"], "a.csv")]


def test_spaces_behind_all_delimiters_of_the_first_line_belong_to_no_field():
    assert [row for _, row in rows('a, b, c\n1, "x, y", z\n')] == [["a", "b", "c"], ["1", "x, y", "z"]]
    assert [row for _, row in rows("a, b,c\n1, x,z\n")] == [["a", " b", "c"], ["1", " x", "z"]]
    assert [row for _, row in rows("a, b\tc\n", delimiter="\t")] == [["a, b", "c"]]


def test_a_line_beyond_all_measure_is_named(monkeypatch):
    monkeypatch.setattr(raw, "LONGEST_LINE", 8)
    assert decoded(b"short\n123456\n") == ["short\n", "123456\n"]
    with pytest.raises(AuditError, match=r"^a.txt, line 2: more than 8 bytes"):
        decoded(b"short\n" + b"x" * 100)


def rows(text, **layout):
    return list(read_csv(io.StringIO(text, newline=""), "a.csv", Layout(**layout)))


def test_rows_of_a_csv_are_placed_where_they_begin():
    assert rows('a,b\n\n"two\r\nlines","say ""so"""\nc,\n') == [
        ("a.csv, line 1", ["a", "b"]),
        ("a.csv, line 3", ["two\r\nlines", 'say "so"']),
        ("a.csv, line 5", ["c", ""]),
    ]


@pytest.mark.parametrize(("text", "line"), [('a,b\n"c,d\ne,f\n', 2), ('a,b\nc,"d"e\n', 2), ('a\n"two\nlines"\n"', 4)])
def test_an_open_quote_is_named_by_the_line_where_its_row_begins(text, line):
    with pytest.raises(AuditError, match=f"^a.csv, line {line}: .*is a quote left open\\? Mend the row$"):
        rows(text)


def test_a_field_beyond_all_measure_is_an_open_quote(limit_fields):
    limit_fields(5)
    assert rows('"12345"\n') == [("a.csv, line 1", ["12345"])]
    with pytest.raises(AuditError, match=r"^a.csv, line 2: .*is a quote left open"):
        rows('"12345"\n"123456"\n')


def test_a_field_may_be_far_longer_than_pythons_own_limit():
    assert len(rows(f'"{"x" * 200_000}"\n')[0][1][0]) == 200_000
