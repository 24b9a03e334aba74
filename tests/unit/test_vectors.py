import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from attention_audit.corpus.vectors import TrainedVectors, VectorFile, Vectors, of_length_one, read_vectors
from attention_audit.errors import AuditError

PLAIN = b"the 0.5 -1 2e-1\ncat 1 2 3\n"


def written(folder: Path, content: bytes, name: str = "vectors.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def zipped(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "vectors.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_only_the_wanted_words_are_kept(tmp_path: Path) -> None:
    vectors = read_vectors(written(tmp_path, PLAIN), ["the", "dog"], 3)
    assert list(vectors) == ["the"]
    assert vectors["the"].dtype == np.float32
    assert vectors["the"].tolist() == [0.5, -1.0, np.float32(0.2)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.txt", PLAIN),
        ("header.vec", b"2 3\n" + PLAIN),
        ("trailing.vec", b"2 3 \n" + PLAIN.replace(b"\n", b" \n")),
        ("windows.txt", PLAIN.replace(b"\n", b"\r\n")),
        ("no_last_newline.txt", PLAIN.rstrip()),
        ("packed.txt.gz", gzip.compress(PLAIN, mtime=0)),
        ("packed.vec.gz", gzip.compress(b"2 3\n" + PLAIN, mtime=0)),
    ],
)
def test_formats(tmp_path: Path, name: str, content: bytes) -> None:
    vectors = read_vectors(written(tmp_path, content, name), {"the", "cat"}, 3)
    assert {word: vector.tolist() for word, vector in vectors.items()} == {
        "the": [0.5, -1.0, np.float32(0.2)],
        "cat": [1.0, 2.0, 3.0],
    }


def test_words_with_spaces_numbers_and_accents(tmp_path: Path) -> None:
    content = "the 1 1\n. . . 2 2\nat name@domain.com 3 3\n1999 4 4\ncaf\u00e9 5 5\nnew\u00a0york 6 6\n".encode()
    wanted = [". . .", "at name@domain.com", "1999", "caf\u00e9", "new\u00a0york"]
    vectors = read_vectors(written(tmp_path, content), wanted, 2)
    assert [vectors[word].tolist() for word in wanted] == [[2, 2], [3, 3], [4, 4], [5, 5], [6, 6]]


def test_bad_utf8_does_no_harm(tmp_path: Path) -> None:
    vectors = read_vectors(written(tmp_path, b"a 1 1\ncaf\xe9 2 2\nb 3 3\n"), ["a", "b", "caf\u00e9"], 2)
    assert sorted(vectors) == ["a", "b"]


def test_the_first_of_two_entries_wins(tmp_path: Path) -> None:
    assert read_vectors(written(tmp_path, b"a 1 1\na 2 2\n"), ["a"], 2)["a"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a 1 2\nb 1\n", "line 2: 1 numbers, not 2"),
        (b"a 1 2\nb 1 2 3\n", "line 2: 3 numbers, not 2"),
        (b"a 0.25 -1.5e-05 .5 3\n", "line 1: 4 numbers, not 2"),
        (b"a 1 2\n\nb 1 2\n", "line 2: 0 numbers, not 2"),
        (b"2 3\na 1 2 3\n", "line 1: 3 numbers a word, not 2"),
        (b"a 1 2\nb 1 x\n", "line 2: a field is no number"),
        (b"a 1 nan\nb 1 2\n", "line 1: a field is no number"),
        (b"a 1 1e99\nb 1 2\n", "line 1: a field is no number"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(AuditError) as caught:
        read_vectors(path, ["a", "b"], 2)
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    "content", [gzip.compress(PLAIN, mtime=0)[:-6], gzip.compress(PLAIN, mtime=0)[:-9] + b"\0" * 9]
)
def test_a_damaged_archive(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(AuditError, match="truncated or corrupt"):
        read_vectors(written(tmp_path, content, "vectors.txt.gz"), ["the"], 3)


def test_a_file_is_unpacked_by_its_content(tmp_path: Path) -> None:
    for content, name in ((PLAIN, "vectors.txt.gz"), (gzip.compress(PLAIN), "vectors.txt")):
        assert read_vectors(written(tmp_path, content, name), ["cat"], 3)["cat"].tolist() == [1, 2, 3]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"absent\.txt: not there"):
        read_vectors(tmp_path / "absent.txt", ["the"], 3)


def test_the_only_file_of_a_zip_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"folder/": b"", "folder/glove.txt": PLAIN})
    assert read_vectors(path, ["cat"], 3)["cat"].tolist() == [1, 2, 3]


def test_one_file_of_several_in_a_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"narrow.txt": b"cat 1 2\n", "wide.txt": PLAIN})
    assert read_vectors(path, ["cat"], 3, member="wide.txt")["cat"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("members", "member", "message"),
    [
        ({"a.txt": PLAIN, "b.txt": PLAIN}, None, "holds a.txt, b.txt; name one as `member`"),
        ({"a.txt": PLAIN}, "b.txt", "no file 'b.txt' in it, but a.txt; mend `member`"),
        ({}, None, "holds nothing; name one"),
        ({"a.txt": b"cat 1 2\n"}, None, "line 1: 2 numbers, not 3"),
    ],
)
def test_a_zip_with_other_files(tmp_path: Path, members: dict[str, bytes], member: str | None, message: str) -> None:
    path = zipped(tmp_path, members)
    with pytest.raises(AuditError) as caught:
        read_vectors(path, ["cat"], 3, member)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_a_damaged_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"a.txt": PLAIN})
    content = bytearray(path.read_bytes())
    content[40] ^= 255  # within the packed lines
    path.write_bytes(content)
    with pytest.raises(AuditError, match="truncated or corrupt"):
        read_vectors(path, ["the"], 3)
    path.write_bytes(content[:60])
    with pytest.raises(AuditError, match="truncated or corrupt"):
        read_vectors(path, ["the"], 3)


def test_a_binary_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = written(tmp_path, b"2 3\nthe " + b"\x01" * 2**21)
    with pytest.raises(AuditError, match="line 2: 1 numbers, not 3"):
        read_vectors(path, ["the"], 3)


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"kind": "file", "file": "glove.6B.zip", "member": "glove.6B.50d.txt", "dimension": 50}, VectorFile),
        ({"kind": "word2vec", "dimension": 200, "normalise": True}, TrainedVectors),
    ],
)
def test_an_entry_survives_its_dump(entry: dict[str, object], kind: type) -> None:
    adapter: TypeAdapter[Vectors] = TypeAdapter(Vectors)
    vectors = adapter.validate_python(entry)
    assert isinstance(vectors, kind)
    assert adapter.validate_python(vectors.model_dump()) == vectors


def test_only_a_zip_has_members() -> None:
    with pytest.raises(ValidationError, match=r"member: wiki\.vec is no \.zip"):
        VectorFile(kind="file", file="wiki.vec", member="wiki.vec", dimension=300)


def test_vectors_of_length_one_keep_their_direction() -> None:
    vectors = {"a": np.array([3, -4], np.float32), "b": np.array([0.5, 0], np.float32), "c": np.zeros(2, np.float32)}
    scaled = {word: vector.tolist() for word, vector in of_length_one(vectors).items()}
    assert scaled == {"a": pytest.approx([0.6, -0.8]), "b": [1, 0], "c": [0, 0]}
