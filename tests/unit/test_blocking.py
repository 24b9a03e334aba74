"""Impermissible words: how a configuration names them, and what becomes of them on the way to a corpus."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from attention_audit.artefacts.provenance import Provenance
from attention_audit.corpus import checkup
from attention_audit.corpus.prepare import prepare
from attention_audit.corpus.raw import read_mask
from attention_audit.corpus.source import RemoteFile, Source
from attention_audit.corpus.sources.control import ControlCorpus
from attention_audit.corpus.sources.labelled import TaggedCorpus
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.errors import AuditError
from attention_audit.model.batch import Lists
from attention_audit.stages.loading import EncodedTexts

PLAIN = {"tokenizer": "spaces"}
SENTENCES = ["He likes it here", "she sees that", "It is his", "that is hers"]
SPLIT = ("train", "dev", "test")

Corpus = Callable[[Source, dict[str, Path]], list[tuple[list[str], list[int] | None]]]


@pytest.fixture
def corpus(tmp_path: Path, provenance: Provenance) -> Corpus:
    """The words of every text of the corpus of a source, with the positions of the impermissible ones."""

    def make(source: Source, raw: dict[str, Path]) -> list[tuple[list[str], list[int] | None]]:
        path = tmp_path / "made" / "corpus.parquet"
        prepare("own", source, raw, path, provenance, 1, lambda line: None)
        made = pq.read_table(path, columns=["tokens", "blocked"]).to_pylist()
        return [(row["tokens"], row["blocked"]) for row in made]

    return make


@pytest.fixture
def tagged(tmp_path: Path) -> Callable[..., tuple[TaggedCorpus, dict[str, Path]]]:
    """A source in the published format, with its files; `masks`: the mask file of the training split."""

    def make(masks: str | None = None, **settings: Any) -> tuple[TaggedCorpus, dict[str, Path]]:
        raw = {}
        for split in SPLIT:
            lines = [f"{'MF'[place % 2]}\t{text}\n" for place, text in enumerate(SENTENCES)]
            raw[split] = tmp_path / f"{split}.txt"
            raw[split].write_text("".join(lines))
        if masks is not None:
            for split in SPLIT:
                raw[f"{split}_mask"] = tmp_path / f"{split}.txt.block"
                raw[f"{split}_mask"].write_text(masks)
        files = {field: RemoteFile(file=path.name) for field, path in raw.items()}
        given = {"kind": "tagged", "labels": {"M": "masculine", "F": "feminine"}, "tokens": PLAIN, **files, **settings}
        return TaggedCorpus.model_validate(given), raw

    return make


def test_words_are_impermissible_wherever_they_occur(corpus: Corpus, tagged: Any) -> None:
    made = corpus(*tagged(block=["he", "she", "his", "it"]))
    assert made[:4] == [
        (["he", "likes", "it", "here"], [0, 2]),
        (["she", "sees", "that"], [0]),
        (["it", "is", "his"], [0, 2]),
        (["that", "is", "hers"], []),
    ]


def test_a_mask_file_marks_the_words_of_each_line(corpus: Corpus, tagged: Any) -> None:
    masks = "1 0 0 1\n0 0 0\n0 0 1\n1 1 1\n"
    assert [positions for _, positions in corpus(*tagged(masks))][:4] == [[0, 3], [], [2], [0, 1, 2]]
    # what the configuration names goes before
    assert [positions for _, positions in corpus(*tagged(masks, block=["hers"]))][:4] == [[], [], [], [2]]
    assert {positions for _, positions in corpus(*tagged(masks, block="evidence"))} == {None}


@pytest.mark.parametrize(
    ("masks", "said"),
    [
        ("1 0 0 1\n0 0 0\n0 0 1\n", r"train\.txt\.block, line 4: no mask, and there are more texts"),
        ("1 0 0 1\n0 0 0\n0 0 1\n1 1 1\n0\n", r"train\.txt\.block, line 5: a mask, and no text"),
        ("1 0 0 1\n0 0\n0 0 1\n1 1 1\n", r"train\.txt, line 2: 2 marks in the mask, and 3 words in the text"),
        ("1 0 0 1\n0 2 0\n0 0 1\n1 1 1\n", r"train\.txt\.block, line 2: '2' in the mask; write a 0 or 1"),
    ],
)
def test_a_mask_that_does_not_fit_is_named_in_a_line(corpus: Corpus, tagged: Any, masks: str, said: str) -> None:
    with pytest.raises(AuditError, match=said) as caught:
        corpus(*tagged(masks))
    assert "\n" not in str(caught.value)


def test_words_that_no_text_has_are_named(corpus: Corpus, tagged: Any) -> None:
    with pytest.raises(AuditError, match=r"own: block: 'He', 'xhe' in no text; write each word as it is in the corpus"):
        corpus(*tagged(block=["He", "his", "xhe"]))


@pytest.mark.parametrize(
    ("line", "said"),
    [("M he\n", r"line 1: no tab after a label"), ("X\the\n", r"line 1: unknown label 'X'; known: M, F")],
)
def test_a_line_that_is_not_as_published_is_named(tagged: Any, line: str, said: str) -> None:
    source, raw = tagged()
    raw["train"].write_text(line)
    with pytest.raises(AuditError, match=said):
        list(source.read("own", raw))


def test_masks_are_given_for_all_splits_or_for_none(tagged: Any) -> None:
    with pytest.raises(ValidationError, match="a mask file for each of the splits"):
        tagged(train_mask=RemoteFile(file="train.txt.block"))


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("pronouns", "'pronouns' names no words; give `evidence`, a list of words"),
        (["he", "he"], "duplicate value 'he'"),
        ({"words": ["he"], "evidence": True}, "give `evidence`, a list of words"),
        ({"file": "mask.txt"}, "only a table of your own takes a mask"),
    ],
)
def test_a_wrong_block_is_refused(block: Any, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ControlCorpus.model_validate({"kind": "needle", "block": block})


ROWS = ["text,label,hidden", "He likes it,no,1 0 0", "she sees,yes,1 0", "it is his,no,0 0 1", "that is,yes,0 0"]
TABLE = {"kind": "table", "tokens": PLAIN, "splits": {"stratified": False}}


def table(folder: Path, rows: list[str], **settings: Any) -> tuple[TableCorpus, dict[str, Path]]:
    path = folder / "own.csv"
    path.write_text("\n".join([rows[0], *rows[1:] * 10]) + "\n")
    source = TableCorpus.model_validate({**TABLE, "path": str(path), **settings})
    return source, {field: Path(file) for field, file in source.local_files().items()}


def test_a_column_or_a_file_beside_a_table_marks_its_words(corpus: Corpus, tmp_path: Path) -> None:
    marked = {("he", "likes", "it"): [0], ("she", "sees"): [0], ("it", "is", "his"): [2], ("that", "is"): []}
    by_column = corpus(*table(tmp_path, ROWS, block={"column": "hidden"}))
    masks = tmp_path / "mask.txt"
    masks.write_text("1 0 0\n1 0\n0 0 1\n0 0\n" * 10)
    by_file = corpus(*table(tmp_path, ROWS, block={"file": str(masks)}))
    assert by_file == by_column
    assert {tuple(words): positions for words, positions in by_column} == marked


def test_the_look_at_a_table_finds_what_does_not_fit(tmp_path: Path) -> None:
    wrong = [*ROWS[:2], "she sees,yes,1 0 0", *ROWS[3:]]
    with pytest.raises(AuditError, match=r"own\.csv, line 3: 3 marks in the mask, and 2 words in the text"):
        checkup.check_dataset("own", *table(tmp_path, wrong, block={"column": "hidden"}))
    with pytest.raises(AuditError, match=r"own: block: 'hers' in no text"):
        checkup.check_dataset("own", *table(tmp_path, ROWS, block=["his", "hers"]))
    sound = checkup.check_dataset("own", *table(tmp_path, ROWS, block=["his", "she"]))
    assert not [line for line in sound.odd if "block" in line]


def test_marks_may_be_a_text_or_a_list() -> None:
    assert read_mask("0 1  1", "here") == read_mask([0, 1, 1], "here") == [False, True, True]
    assert read_mask("1", "here") == read_mask(1, "here") == [True]
    with pytest.raises(AuditError, match=r"here: 0\.5 in the mask"):
        read_mask([0, 0.5], "here")


def test_anonymised_texts_lack_their_impermissible_words() -> None:
    # the texts a b c, d and e f between marks 2 and 3; b, d and e are impermissible
    texts = EncodedTexts(
        ids=["one", "two", "three"],
        labels=np.array([0, 1, 0]),
        texts=Lists(np.array([2, 10, 11, 12, 3, 2, 13, 3, 2, 14, 15, 3]), np.array([5, 3, 4])),
        blocked=Lists(np.array([1, 0, 0]), np.array([1, 1, 1])),
    )
    left = texts.anonymised()
    # nothing is left of d, so an unknown word stands there
    assert left.texts.flat.tolist() == [2, 10, 12, 3, 2, 1, 3, 2, 15, 3]
    assert left.lengths.tolist() == [2, 1, 1]
    assert (left.ids, left.labels.tolist()) == (texts.ids, [0, 1, 0])
    assert left.blocked is None
    np.testing.assert_array_equal(texts.texts.flat, [2, 10, 11, 12, 3, 2, 13, 3, 2, 14, 15, 3])
