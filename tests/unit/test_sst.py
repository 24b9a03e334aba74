from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from attention_audit.corpus import sst
from attention_audit.corpus.instances import Instance
from attention_audit.corpus.settings import Length, RemoteFile, SstCorpus
from attention_audit.corpus.sources import read_corpus, read_texts
from attention_audit.corpus.sst import clean, parse_tree, read_sst
from attention_audit.corpus.tokens import tokenize
from attention_audit.errors import AuditError

TRAIN = """(3 (2 It) (4 (2 works) (2 .)))
(2 (2 Neutral) (2 text))
(0 (1 Do) (1 n't))
(4 (2 Caf\u00e9) (2 -LRB-) (2 sci-fi\\/drama) (2 -RRB-))
(1 (2 US) (1 flops))
"""
OTHER = "(4 (2 Good) (3 film))\n(1 (2 Bad) (1 film))\n"


def archive(folder: Path, **members: str | None) -> Path:
    """An archive in the published layout; a member given as None is left out."""
    path = folder / "trees.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as handle:
        for split, content in {"train": TRAIN, "dev": OTHER, "test": OTHER, **members}.items():
            if content is not None:
                handle.writestr(f"trees/{split}.txt", content)
    return path


def test_tree_by_hand() -> None:
    assert parse_tree("(3 (2 It) (4 (3 really) (3 works)))") == (3, ["It", "really", "works"])
    assert parse_tree("(0 Bad)") == (0, ["Bad"])


@pytest.mark.parametrize(
    "line",
    [
        "(3 (2 It) (4 works)",
        "(3 (2 It)) (4 works))",
        "(5 word)",
        "(3 )",
        "()",
        "word",
        "(3 a) (2 b)",
        "(3 a) b",
        "((3 a))",
        ")",
    ],
)
def test_malformed_trees(line: str) -> None:
    with pytest.raises(ValueError, match=r"tree|node"):
        parse_tree(line)


def test_text_is_cleaned_then_split_then_lowered() -> None:
    assert clean(["-LRB-", "sci-fi\\/drama", "-RRB-", "it", "'s", "..."]) == "sci fi drama it s"
    assert tokenize("The US can not") == ["the", "us", "can", "not"]
    assert tokenize("Cannot wait  ") == ["can", "not", "wait"]
    assert tokenize("CANNOT wait") == ["cannot", "wait"]  # lower-cased first, it would be split as well


def test_reading(tmp_path: Path) -> None:
    instances = read_sst("sst", archive(tmp_path))
    assert instances[:4] == [
        Instance("sst-train-00001", "train", 1, ["it", "works"]),
        Instance("sst-train-00003", "train", 0, ["do", "n", "t"]),
        Instance("sst-train-00004", "train", 1, ["caf\u00e9", "sci", "fi", "drama"]),
        Instance("sst-train-00005", "train", 0, ["us", "flops"]),
    ]
    assert [(i.id, i.label) for i in instances[4:]] == [
        ("sst-dev-00001", 1),
        ("sst-dev-00002", 0),
        ("sst-test-00001", 1),
        ("sst-test-00002", 0),
    ]


def test_the_source_filters_and_checks(tmp_path: Path) -> None:
    path = archive(tmp_path)
    corpus = SstCorpus(kind="sst", archive=RemoteFile(file=path.name), length=Length(above=1, below=4))
    assert len(read_texts("sst", corpus, tmp_path)) == 8
    assert [i.id for i in read_corpus("sst", corpus, tmp_path) if i.split == "train"] == [
        "sst-train-00001",
        "sst-train-00003",
        "sst-train-00005",
    ]
    short = corpus.model_copy(update={"length": Length(above=5)})
    with pytest.raises(AuditError, match="sst: split train: no texts"):
        read_corpus("sst", short, tmp_path)


def refused(path: Path) -> str:
    with pytest.raises(AuditError) as caught:
        read_sst("sst", path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def test_a_malformed_tree_is_named_by_its_line(tmp_path: Path) -> None:
    assert "trees/dev.txt, line 2: malformed tree" in refused(archive(tmp_path, dev="(4 fine)\n(1 (2 cut) (1\n"))


def test_bad_encoding_is_named_by_its_line(tmp_path: Path) -> None:
    path = archive(tmp_path, test=None)
    with zipfile.ZipFile(path, "a") as handle:
        handle.writestr("trees/test.txt", b"(4 (2 fine) (2 so))\n(4 far)\n(1 caf\xe9)\n")
    assert "trees/test.txt, line 3: malformed tree" in refused(path)


def test_a_missing_member(tmp_path: Path) -> None:
    assert "no trees/dev.txt in it" in refused(archive(tmp_path, dev=None))


def test_a_missing_archive(tmp_path: Path) -> None:
    assert "not there" in refused(tmp_path / "trees.zip")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_truncated_archive(tmp_path: Path, share: float) -> None:
    path = archive(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert "truncated or corrupt archive" in refused(path)


def test_a_flipped_byte(tmp_path: Path) -> None:
    path = archive(tmp_path)
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(content)
    assert "truncated or corrupt archive" in refused(path)


def test_no_more_than_the_limit_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sst, "LARGEST", len(TRAIN.encode()) - 1)
    assert "trees/train.txt has more than" in refused(archive(tmp_path))
    monkeypatch.setattr(sst, "LARGEST", len(TRAIN.encode()))
    assert len(read_sst("sst", archive(tmp_path))) == 8
