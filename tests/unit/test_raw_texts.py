"""What a classifier reads of a text: the raw text, by its own tokenizer, each piece of it in the word it begins in."""

import classifiers_on_disk
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
import transformers_on_disk
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import normalizers

from attention_audit.corpus.tokens import Tokens, split_words
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import RawText
from attention_audit.stages.loading import list_raw_texts
from attention_audit.stages.network_readout import take_classifier
from attention_audit.transformer.pieces import SPECIAL, cut_raw
from attention_audit.transformer.settings import MARK_ITEMS
from attention_audit.transformer.states import PieceTable

WORDS = [*transformers_on_disk.WORDS, *transformers_on_disk.LETTERS, "cannot", "'", "?", "!", ":", "(", ")", "."]


def tokenizer_of(kind):
    """A WordPiece tokenizer that tells capitals apart, one that does not, or one of bytes with or without a space."""
    if kind in ("bytes", "bytes without a space"):
        return classifiers_on_disk.byte_level(["film", "the", "can", "story", "Why"], prefix=kind == "bytes")
    made = transformers_on_disk.tokenizer([*WORDS, "Why", "FI", "##LM", "Un"], 200)
    if kind == "cased":
        made.backend_tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    return made


def written(text, tokens=None):
    words, places, _ = split_words(text, tokens or Tokens())
    return words, RawText(text, [start for start, _ in places])


def cut_one(tokenizer, text, most=200):
    return cut_raw(tokenizer, ["t"], [text], most)


def read_by_word(pieces, tokenizer):
    found = pd.Series(tokenizer.convert_ids_to_tokens(pieces.ids.tolist())).groupby(pieces.words).agg(list)
    return dict(found)


def run_model(classifier, text, **cut):
    """The pieces of a text, its probabilities and its map, as the library alone has them."""
    given = classifier.tokenizer(text.text, return_tensors="pt", **cut)
    with torch.no_grad():
        said = classifier.model(**given, output_attentions=True)
    return given["input_ids"][0].tolist(), said.logits[0].softmax(-1), said.attentions[-1][0, :, 0].mean(0)


@given(
    st.text(max_size=60),
    st.sampled_from(["cased", "lower-casing", "bytes", "bytes without a space"]),
    st.booleans(),
    st.sampled_from(["keep", "drop", "last"]),
)
@example("Why   can't the FILM be great?! Unbelievably  dull: it's a story 😀 of cannot (sic).", "bytes", True, "last")
def test_the_pieces_of_any_text_are_the_tokenizers_own(text, kind, lower, punctuation):
    words, one = written(text, Tokens(lower=lower, punctuation=punctuation))
    tokenizer = tokenizer_of(kind)
    expected = tokenizer(text, truncation=True, max_length=30)["input_ids"]
    if words and len(tokenizer(text, add_special_tokens=False)["input_ids"]):
        pieces = cut_one(tokenizer, one, 30)
        assert pieces.ids.tolist() == expected
        of_words = [word for word in pieces.words if word != SPECIAL]
        assert of_words == sorted(of_words)
        assert of_words[-1] < pieces.read[0] <= len(words)


@pytest.mark.parametrize(
    ("kind", "text", "punctuation", "pieces"),
    [
        # nothing begins in "not", which the piece "cannot" holds
        ("cased", "Why can't the FILM cannot", "keep", "Why|c ##a|##n ' t|the|FI ##LM|cannot"),
        # marks between words are of the word before, and the first ones of the word behind
        ("lower-casing", "(the film)! Great.", "drop", "( the|film ) !|great ."),
        # a piece that begins with spaces is of the word behind them
        ("bytes", "the   film", "keep", "Ġthe|Ġ Ġ Ġfilm"),
    ],
)
def test_each_piece_is_of_the_word_that_it_begins_in(kind, text, punctuation, pieces):
    _, raw = written(text, Tokens(punctuation=punctuation))
    tokenizer = tokenizer_of(kind)
    by_word = read_by_word(cut_one(tokenizer, raw), tokenizer)
    assert len(by_word.pop(SPECIAL)) == 2
    assert by_word == {at: word.split() for at, word in enumerate(pieces.split("|"))}


def test_a_text_of_which_the_end_is_read_has_the_words_of_its_last_pieces(tmp_path):
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path, words=WORDS), max_length=6)
    classifier.tokenizer.truncation_side = "left"
    _, text = written("why the story film is bad great")
    pieces = cut_one(classifier.tokenizer, text, 6)
    assert (pieces.read.tolist(), pieces.places.tolist(), pieces.truncated.tolist()) == ([4], [3, 4, 5, 6], [True])
    readout = take_classifier(classifier, pieces, ["t"], np.zeros(1, np.int64), (0, 1))
    ids, _, own = run_model(classifier, text, truncation=True, max_length=6)
    assert pieces.ids.tolist() == ids
    np.testing.assert_allclose(readout.attention[0], own[[1, 2, 3, 4, 0, 5]], atol=1e-6)


@pytest.mark.parametrize("text", ["the \x01 film", "the 😀 film", "\x01 the film", "the film 😀"])
@pytest.mark.parametrize("kind", ["cased", "bytes"])
def test_a_word_that_the_tokenizer_drops_is_not_read(text, kind):
    tokenizer = tokenizer_of(kind)
    dropping = [normalizers.Replace(letter, "") for letter in "\x01😀"]
    own = [tokenizer.backend_tokenizer.normalizer] if kind == "cased" else []
    tokenizer.backend_tokenizer.normalizer = normalizers.Sequence([*dropping, *own])
    words, one = written(text, Tokens(tokenizer="spaces"))
    assert len(words) == 3
    pieces = cut_one(tokenizer, one)
    assert [words[place] for place in pieces.places] == ["the", "film"]
    by_word = read_by_word(pieces, tokenizer)
    assert ["".join(by_word[at]).strip("Ġ") for at in range(2)] == ["the", "film"]


@pytest.mark.parametrize("letter", "\u200b\u200d\ufeff\u00ad\u200e\ufe0f\u2060")
@pytest.mark.parametrize("text", ["film{} story", "film {}story", "fi{}lm story", "film {} story", "{}film story{}"])
@pytest.mark.parametrize("kind", ["cased", "bytes"])
def test_a_character_that_nobody_sees_is_of_the_word_beside_it(text, letter, kind):
    tokenizer = tokenizer_of(kind)
    text = text.replace("{}", letter)
    words, one = written(text, Tokens(tokenizer="spaces"))
    assert words == ["film", "story"]
    pieces = cut_one(tokenizer, one)
    assert pieces.places.tolist() == [0, 1]
    given = tokenizer(text, return_offsets_mapping=True)
    assert pieces.ids.tolist() == given["input_ids"]
    # where it stands alone, it is of the word before
    expected = [int(end > text.rindex(" ")) for _, end in given["offset_mapping"][1:-1]]
    assert pieces.words.tolist() == [SPECIAL, *expected, SPECIAL]


def test_words_that_one_piece_holds_share_its_weight_and_what_is_attended_to(tmp_path):
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path, words=WORDS))
    texts = [written(text)[1] for text in ("the film cannot be great", "cannot", "why the story")]
    pieces = cut_raw(classifier.tokenizer, ["a", "b", "c"], texts, classifier.most)
    # the tail under weights at random is held to the whole network's logits within
    readout = take_classifier(classifier, pieces, ["a", "b", "c"], np.zeros(3, np.int64), (0, 1))
    for row, text in enumerate(texts):
        _, predicted, own = run_model(classifier, text)
        np.testing.assert_allclose(readout.probabilities[row], predicted, atol=1e-5)
        assert readout.words[row] == len(text.places)
        np.testing.assert_allclose(readout.attention[row].sum(), 1, atol=1e-6)
    np.testing.assert_allclose(readout.attention[2], own[[1, 2, 3, 0, 4]], atol=1e-6)
    weights, values = readout.attending.weights[0], readout.attending.values[0]
    assert (weights[2] > 0).all()
    np.testing.assert_array_equal(weights[2], weights[3])
    np.testing.assert_array_equal(values[2], values[3])
    batch = PieceTable(pieces, torch.device("cpu")).batch(torch.arange(3))
    items = torch.rand(3, 2, int(batch.read.max()) + MARK_ITEMS)
    inside = torch.arange(items.shape[2]) < batch.read[:, None, None] + MARK_ITEMS
    back = batch.weigh_pieces(items, torch.rand(3, 2, batch.ids.shape[1]))
    torch.testing.assert_close(back.sum(2), (items * inside).sum(2))


def test_words_without_a_raw_text_are_read_with_spaces_between_them():
    table = pa.Table.from_pylist([{"tokens": ["a", "bc", "d"], "raw": None, "starts": None, "second": None}])
    assert list_raw_texts(table) == [RawText("a bc d", [0, 2, 5])]
