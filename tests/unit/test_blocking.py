"""Impermissible words: how a configuration names them, and what becomes of them on the way to a corpus."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError
from refusal import refusal
from tables_on_disk import write_bytes

from attention_audit.artefacts.provenance import Provenance
from attention_audit.corpus.checkup import check_dataset
from attention_audit.corpus.prepare import prepare_corpus
from attention_audit.corpus.raw import read_mask
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.control import ControlCorpus
from attention_audit.corpus.sources.labelled import TaggedCorpus
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.text import SPLITS
from attention_audit.model.batch import RaggedLists
from attention_audit.stages.loading import EncodedTexts

PLAIN = {"tokenizer": "spaces"}
SENTENCES = ["He likes it here", "she sees that", "It is his", "that is hers"]


def corpus(source, raw):
    """The words of every text of the corpus of a source, with the positions of the impermissible ones."""
    path = next(iter(raw.values())).parent / "made" / "corpus.parquet"
    prepare_corpus("own", source, raw, path, Provenance("test", {}, ""), 1, lambda line: None)
    made = pq.read_table(path, columns=["tokens", "blocked"]).to_pylist()
    return [(row["tokens"], row["blocked"]) for row in made]


def tagged(folder, masks=None, **settings):
    """A source in the published format, with its files; `masks`: the mask file of each split."""
    content = "".join(f"{'MF'[place % 2]}\t{text}\n" for place, text in enumerate(SENTENCES))
    raw = {split: write_bytes(folder / f"{split}.txt", content.encode()) for split in SPLITS}
    if masks is not None:
        raw |= {f"{split}_mask": write_bytes(folder / f"{split}.txt.block", masks.encode()) for split in SPLITS}
    files = {field: RemoteFile(file=path.name) for field, path in raw.items()}
    given = {"kind": "tagged", "labels": {"M": "masculine", "F": "feminine"}, "tokens": PLAIN, **files, **settings}
    return TaggedCorpus.model_validate(given), raw


def test_words_are_impermissible_wherever_they_occur(tmp_path):
    made = corpus(*tagged(tmp_path, block=["he", "she", "his", "it"]))
    assert made[:4] == [
        (["he", "likes", "it", "here"], [0, 2]),
        (["she", "sees", "that"], [0]),
        (["it", "is", "his"], [0, 2]),
        (["that", "is", "hers"], []),
    ]


def test_a_mask_file_marks_the_words_of_each_line(tmp_path):
    masks = "1 0 0 1\n0 0 0\n0 0 1\n1 1 1\n"
    assert [positions for _, positions in corpus(*tagged(tmp_path, masks))][:4] == [[0, 3], [], [2], [0, 1, 2]]
    # what the configuration names goes before
    assert [positions for _, positions in corpus(*tagged(tmp_path, masks, block=["hers"]))][:4] == [[], [], [], [2]]
    assert {positions for _, positions in corpus(*tagged(tmp_path, masks, block="evidence"))} == {None}


@pytest.mark.parametrize(
    ("masks", "said"),
    [
        ("1 0 0 1\n0 0 0\n0 0 1\n", "train.txt.block, line 4: no mask, and there are more texts"),
        ("1 0 0 1\n0 0 0\n0 0 1\n1 1 1\n0\n", "train.txt.block, line 5: a mask, and no text"),
        ("1 0 0 1\n0 0\n0 0 1\n1 1 1\n", "train.txt, line 2: 2 marks in the mask, and 3 words in the text"),
        ("1 0 0 1\n0 2 0\n0 0 1\n1 1 1\n", "train.txt.block, line 2: '2' in the mask; write a 0 or 1"),
    ],
)
def test_a_mask_that_does_not_fit_is_named_in_a_line(tmp_path, masks, said):
    assert said in refusal(corpus, *tagged(tmp_path, masks))


def test_words_that_no_text_has_are_named(tmp_path):
    said = "own: block: 'He', 'xhe' in no text; write each word as it is in the corpus"
    assert said in refusal(corpus, *tagged(tmp_path, block=["He", "his", "xhe"]))


@pytest.mark.parametrize(
    ("line", "said"),
    [("M he\n", "line 1: no tab after a label"), ("X\the\n", "line 1: unknown label 'X'; known: M, F")],
)
def test_a_line_that_is_not_as_published_is_named(tmp_path, line, said):
    source, raw = tagged(tmp_path)
    raw["train"].write_text(line)
    assert said in refusal(lambda: [*source.read("own", raw)])


def test_masks_are_given_for_all_splits_or_for_none(tmp_path):
    with pytest.raises(ValidationError, match="a mask file for each of the splits"):
        tagged(tmp_path, train_mask=RemoteFile(file="train.txt.block"))


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("pronouns", "'pronouns' names no words; give `evidence`, a list of words"),
        (["he", "he"], "duplicate value 'he'"),
        ({"words": ["he"], "evidence": True}, "give `evidence`, a list of words"),
        ({"file": "mask.txt"}, "only a table of your own takes a mask"),
    ],
)
def test_a_wrong_block_is_refused(block, said):
    with pytest.raises(ValidationError, match=said):
        ControlCorpus.model_validate({"kind": "needle", "block": block})


ROWS = ["text,label,hidden", "He likes it,no,1 0 0", "she sees,yes,1 0", "it is his,no,0 0 1", "that is,yes,0 0"]
TABLE = {"kind": "table", "tokens": PLAIN, "splits": {"stratified": False}}


def table(folder, rows, **settings):
    path = folder / "own.csv"
    path.write_text("\n".join([rows[0], *rows[1:] * 10]) + "\n")
    source = TableCorpus.model_validate({**TABLE, "path": str(path), **settings})
    return source, {field: Path(file) for field, file in source.local_files().items()}


def test_a_column_or_a_file_beside_a_table_marks_its_words(tmp_path):
    marked = {("he", "likes", "it"): [0], ("she", "sees"): [0], ("it", "is", "his"): [2], ("that", "is"): []}
    by_column = corpus(*table(tmp_path, ROWS, block={"column": "hidden"}))
    masks = tmp_path / "mask.txt"
    masks.write_text("1 0 0\n1 0\n0 0 1\n0 0\n" * 10)
    by_file = corpus(*table(tmp_path, ROWS, block={"file": str(masks)}))
    assert by_file == by_column
    assert {tuple(words): positions for words, positions in by_column} == marked


def test_the_look_at_a_table_finds_what_does_not_fit(tmp_path):
    wrong = [*ROWS[:2], "she sees,yes,1 0 0", *ROWS[3:]]
    said = refusal(check_dataset, "own", *table(tmp_path, wrong, block={"column": "hidden"}))
    assert "own.csv, line 3: 3 marks in the mask, and 2 words in the text" in said
    said = refusal(check_dataset, "own", *table(tmp_path, ROWS, block=["his", "hers"]))
    assert "own: block: 'hers' in no text" in said
    joined = {"query": "hidden", "joined": True}
    sound = check_dataset("own", *table(tmp_path, ROWS, block=["his", "she", "1"], **joined))
    assert not [line for line in sound.odd if "block" in line]
    assert "about 5 words" in sound.read[1]


def test_marks_may_be_a_text_or_a_list():
    assert read_mask("0 1  1", "here") == read_mask([0, 1, 1], "here") == [False, True, True]
    assert read_mask("1", "here") == read_mask(1, "here") == [True]
    assert "here: 0.5 in the mask" in refusal(read_mask, [0, 0.5], "here")


def test_anonymised_texts_lack_their_impermissible_words():
    # the texts a b c, d and e f between marks 2 and 3; b, d and e are impermissible
    flat = [2, 10, 11, 12, 3, 2, 13, 3, 2, 14, 15, 3]
    texts = EncodedTexts(
        ids=["one", "two", "three"],
        labels=np.array([0, 1, 0]),
        texts=RaggedLists(np.array(flat), np.array([5, 3, 4])),
        impermissible=np.array([False, True, False, True, True, False]),
    )
    left = texts.anonymise()
    # nothing is left of d, so an unknown word stands there
    assert left.texts.flat.tolist() == [2, 10, 12, 3, 2, 1, 3, 2, 15, 3]
    assert left.lengths.tolist() == [2, 1, 1]
    assert (left.ids, left.labels.tolist()) == (texts.ids, [0, 1, 0])
    assert left.impermissible is None
    assert texts.texts.flat.tolist() == flat
