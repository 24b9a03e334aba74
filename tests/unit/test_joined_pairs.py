"""Pairs of texts that are read as one: their words, their pieces, and what a classifier makes of them."""

import classifiers_on_disk
import pytest
from classifiers_on_disk import PAIRS
from planned import refuse_plan
from refusal import refusal

from attention_audit.corpus.draft import make_row
from attention_audit.corpus.rationales import Annotations
from attention_audit.corpus.source import Length, Preparation, Splits
from attention_audit.corpus.text import Text
from attention_audit.corpus.tokens import Tokens
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import RawText, join_words
from attention_audit.transformer.pieces import SPECIAL, cut_raw

WRITTEN = [join_words(first + second, len(first)) for first, second in PAIRS]


def pieces_of(classifier, most=40, truncation="only_second"):
    return cut_raw(classifier.tokenizer, ["one", "two", "three"], WRITTEN, most, truncation=truncation)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("truncation", ["longest_first", "only_first", "only_second"])
def test_a_pair_that_is_too_long_is_cut_as_the_tokenizer_cuts_it(tmp_path, truncation, side):
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path))
    classifier.tokenizer.truncation_side = side
    pairs = [
        ("the film is great story", "why is the film unbelievably"),
        ("a story is a film great dull", "bad good is a"),
    ]
    written = [join_words(first.split() + second.split(), len(first.split())) for first, second in pairs]
    for most in (11, 12):
        cut = cut_raw(classifier.tokenizer, ["one", "two"], written, most, truncation=truncation)
        by_library = [classifier.tokenizer(*pair, truncation=truncation, max_length=most) for pair in pairs]
        assert cut.ids.tolist() == [number for each in by_library for number in each["input_ids"]]
        assert cut.truncated.tolist() == [True, True]
        # words of the first and of the second text that have a piece left
        sides = [
            [
                {word for part, word in zip(each.sequence_ids(), each.word_ids(), strict=True) if part == at}
                for at in (0, 1)
            ]
            for each in by_library
        ]
        assert cut.ahead.tolist() == [len(first) for first, _ in sides]
        assert cut.read.tolist() == [len(first) + len(second) for first, second in sides]


def test_the_second_text_of_a_pair_may_be_cut_alone(tmp_path):
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path))
    whole, short = pieces_of(classifier), pieces_of(classifier, 8)
    # [CLS] the film is great [SEP] un [SEP], and [CLS] bad [SEP] why is the story [SEP]
    assert whole.truncated.tolist() == [False, False, False]
    assert short.truncated.tolist() == [True, True, False]
    assert short.read.tolist() == [5, 5, 4]
    assert short.words[:8].tolist() == [SPECIAL, 0, 1, 2, 3, SPECIAL, 4, SPECIAL]
    assert short.types[:8].tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
    assert short.places_by_text[0].tolist() == [0, 1, 2, 3, 4]
    classifier.tokenizer.truncation_side = "left"
    end = pieces_of(classifier, 8)
    # [CLS] the film is great [SEP] good [SEP], and [CLS] bad [SEP] the story dull [SEP] and what more fits
    assert end.places_by_text[0].tolist() == [0, 1, 2, 3, 5]
    assert (end.ahead.tolist()[:2], end.places_by_text[1].tolist()) == ([4, 1], [0, 2, 3, 4, 5])
    assert end.words[:8].tolist() == [SPECIAL, 0, 1, 2, 3, SPECIAL, 4, SPECIAL]
    line = "none of the second text of this pair fits into 7 pieces beside the other; set `truncation: longest_first`,"
    assert line in refusal(pieces_of, classifier, 7)
    line = "text 'two': none of the first text of this pair fits into 8 pieces beside the other; set `truncation:"
    assert line in refusal(pieces_of, classifier, 8, "only_first")
    assert "none of the first text of this pair fits into 4 pieces" in refusal(
        pieces_of, classifier, 4, "longest_first"
    )


def test_what_stands_before_the_second_text_is_of_its_first_word():
    tokenizer = classifiers_on_disk.tokenizer(["film", "good", "-", "!"])
    pair = RawText("film !", [0]).join_pair(RawText("- good", [2]))
    assert (pair.text, pair.places, pair.second, pair.sides, pair.first) == (
        "film !\n- good", [0, 9], 7, ("film !", "- good"), 1,
    )  # fmt: skip
    pieces = cut_raw(tokenizer, ["t"], [pair], 40)
    shown = zip(tokenizer.convert_ids_to_tokens(pieces.ids), pieces.words.tolist(), strict=True)
    assert [*shown] == [
        ("[CLS]", SPECIAL), ("film", 0), ("!", 0), ("[SEP]", SPECIAL), ("-", 1), ("good", 1), ("[SEP]", SPECIAL),
    ]  # fmt: skip


def test_both_texts_become_one_row_of_a_corpus():
    said = Annotations({"a": [(4, 8)]}, scores=[(4, 8, 0.5)])
    pair = Text("1", "test", "yes", "The film. Good!", "row 1", query="Is it? Yes", annotations=said)

    def row_of(pair, sentences=False):
        preparation = Preparation(Tokens(sentences=sentences), Length(), Splits(), None, joined=True)
        return make_row(pair, preparation)

    row = row_of(pair, sentences=True)
    assert row["tokens"] == ["the", "film", ".", "good", "!", "is", "it", "?", "yes"]
    assert row["raw"] == "The film. Good!\nIs it? Yes"
    assert row["starts"] == [0, 4, 8, 10, 14, 16, 19, 21, 23]
    assert (row["second"], row["query"], row["words"]) == (16, None, 9)
    assert (row["sentences"], row["sentence_count"], row["longest"]) == ([0, 3, 5, 8], 4, 3)
    assert (row["marks"], row["scores"]) == ([[1]], [0, 0.5, 0, 0, 0, 0, 0, 0, 0])
    of_words = row_of(Text("1", "test", "yes", ["a", "b"], "row 1", query=["c"]))
    assert (of_words["raw"], of_words["starts"], of_words["second"]) == ("a b\nc", [0, 2, 4], 4)
    assert row_of(Text("1", "test", "yes", "a b", "row 1", query=" "))["words"] == 0


def test_what_is_no_pair_or_is_not_joined_is_one_line(tmp_path):
    folder = str(classifiers_on_disk.save(tmp_path))
    table = {"kind": "table", "path": {"test": "pairs.csv"}}
    own = {"hf": {"mine": {"models": {"a": [folder]}}}}
    pairs = table | {"query": "second"}
    joined = pairs | {"joined": True}
    line = "hf.mine: holds pairs of texts, .* set corpora.mine.joined: true$"
    refuse_plan(line, corpora={"mine": pairs}, **own)
    refuse_plan("joined: there are no pairs of texts here", corpora={"mine": table | {"joined": True}}, **own)
    own["hf"]["mine"]["prompt"] = {"template": "{text}", "labels": ["a", "b"]}
    refuse_plan("hf.mine.prompt: takes one text, and mine holds pairs", corpora={"mine": joined}, **own)
    lent, taken = joined | {"path": "pairs.csv"}, joined | {"path": "other.csv", "trained_on": {"dataset": "lent"}}
    line = "taken.trained_on.dataset: pairs that are read as one text .* leave it out"
    refuse_plan(line, corpora={"lent": lent, "taken": taken}, hf={})
