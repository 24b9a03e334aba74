"""Transformers on disk: their files, pieces of words, and states of words against the library's own forward pass."""

import os

import classifiers_on_disk
import pytest
import torch
import transformers_on_disk as on_disk
from refusal import refusal

from attention_audit.raw_text import join_words
from attention_audit.transformer.folder import find_folder, read_model_facts
from attention_audit.transformer.opening import choose_length, open_model, open_tokenizer
from attention_audit.transformer.pieces import SPECIAL, cut, cut_raw
from attention_audit.transformer.states import PieceTable, WordStates

CPU = torch.device("cpu")
TEXTS = [text.split() for text in ("the unbelievably good films", "bad", "a dull story is dull stories")]
QUERIES = [query.split() for query in ("why", "is the story good", "unbelievably")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return on_disk.save(tmp_path_factory.mktemp("encoder"))


def pieces_of(folder, texts, queries=None, most=40):
    names = [f"t{number}" for number in range(len(texts))]
    return cut(open_tokenizer(folder), names, texts, queries, most)


def test_each_piece_knows_its_word(folder):
    pieces = pieces_of(folder, TEXTS[:2])
    # [CLS] the un ##believ ##ably good film ##s [SEP], [CLS] bad [SEP]
    assert pieces.words.tolist() == [SPECIAL, 0, 1, 1, 1, 2, 3, 3, SPECIAL, SPECIAL, 0, SPECIAL]
    assert pieces.counts.tolist() == [9, 3]
    assert pieces.read.tolist() == [4, 1]
    assert not pieces.truncated.any()


def test_a_pair_is_one_sequence_and_its_query_counts_on(folder):
    pieces = pieces_of(folder, TEXTS[1:2], QUERIES[1:2])
    assert pieces.words.tolist() == [SPECIAL, 0, SPECIAL, 1, 2, 3, 4, SPECIAL]
    assert pieces.types.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert (pieces.read.tolist(), pieces.queried.tolist()) == ([1], [4])


def test_what_is_cut_is_counted(folder):
    pieces = pieces_of(folder, TEXTS, most=6)
    # [CLS] the un ##believ ##ably [SEP] keeps two words
    assert pieces.read.tolist() == [2, 1, 4]
    assert pieces.truncated.tolist() == [True, False, True]


def test_a_word_without_a_piece_is_read_as_unknown(folder):
    pieces = pieces_of(folder, [["good", "\u200b", "film"]])
    assert pieces.words.tolist() == [SPECIAL, 0, 1, 2, SPECIAL]
    assert pieces.ids[2] == on_disk.MARKS.index("[UNK]")
    assert pieces.unknown.tolist() == [1]


def test_a_word_has_the_pieces_that_it_has_behind_a_space():
    tokenizer = classifiers_on_disk.byte_level(["film", "good"], prefix=False)
    pieces = cut(tokenizer, ["t"], [["good", "film", "</s>"]], None, 40)
    assert tokenizer.convert_ids_to_tokens(pieces.ids) == ["<s>", "Ġgood", "Ġfilm", "</s>", "</s>"]


def test_a_text_without_pieces_is_named(folder, tmp_path):
    said = refusal(lambda: pieces_of(folder, [["good"], ["\u200b", "\u200b"]]))
    assert said == "text 't1': none of its words has a piece in the Transformer's tokenizer; leave it out"
    # without marks there is nothing at all
    raw = open_tokenizer(classifiers_on_disk.save(tmp_path, "gpt2"))
    said = refusal(lambda: cut_raw(raw, ["t"], [join_words(["\u200b"])], 9))
    assert said == "text 't': the classifier's tokenizer has no piece for anything in it; leave it out"


@pytest.mark.parametrize("pool", ["first", "sum"])
@pytest.mark.parametrize("layer", [None, 1, 2])
def test_states_are_those_of_the_library_pooled_by_hand(folder, pool, layer):
    pieces = pieces_of(folder, TEXTS, QUERIES)
    model = open_model(folder)
    encoded = WordStates(model, layer, pool)(PieceTable(pieces, CPU).batch(torch.tensor([2, 0, 1])))
    tokenizer = open_tokenizer(folder)
    for row, member in enumerate([2, 0, 1]):
        given = tokenizer(TEXTS[member], QUERIES[member], is_split_into_words=True, return_tensors="pt")
        output = model(**given, output_hidden_states=True)
        states = output.hidden_states[-1 if layer is None else layer][0]
        by_word = on_disk.pool_words(states, given, pool)
        length = len(TEXTS[member])
        torch.testing.assert_close(
            encoded.states[row, :length], torch.stack([by_word[0, word] for word in range(length)])
        )
        assert not encoded.states[row, length:].any()
        query = torch.stack([by_word[1, word] for word in range(len(QUERIES[member]))])
        torch.testing.assert_close(encoded.summary[row], query.mean(0))


def test_texts_without_words_are_those_that_are_cut_anew(folder):
    table = PieceTable(pieces_of(folder, TEXTS, QUERIES), CPU)
    kept = torch.zeros(3, 6, dtype=torch.bool)
    for row, places in enumerate([[0, 2], [0], [1, 4, 5]]):
        kept[row, places] = True
    shorter = table.batch(torch.arange(3)).keep_words(kept)
    texts = [[text[place] for place in range(len(text)) if kept[row, place]] for row, text in enumerate(TEXTS)]
    expected = PieceTable(pieces_of(folder, texts, QUERIES), CPU).batch(torch.arange(3))
    for name in ("ids", "types", "words", "lengths", "read", "queried"):
        torch.testing.assert_close(getattr(shorter, name), getattr(expected, name))


def test_the_smallest_limit_of_pieces_holds(folder):
    tokenizer, model = open_tokenizer(folder), open_model(folder)
    assert choose_length(tokenizer, model, 512) == on_disk.POSITIONS
    assert choose_length(tokenizer, model, 16) == 16
    tokenizer.model_max_length = 1 << 30
    assert choose_length(tokenizer, model, 512) == on_disk.POSITIONS


def test_facts_are_read_without_the_library(tmp_path):
    keys = '{"model_type": "distilbert", "dim": 8, "n_layers": 3, "id2label": {"1": "x"}}'
    (tmp_path / "config.json").write_text(keys)
    assert read_model_facts(tmp_path)[:4] == ("distilbert", 8, 3, {1: "x"})


def test_a_folder_is_found_here_in_the_mirror_and_in_the_cache_of_the_hub(tmp_path, monkeypatch):
    snapshot = tmp_path / "hub" / "models--some--model" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text("abc")
    mirrored = tmp_path / "mirror" / "encoders" / "tiny"
    mirrored.mkdir(parents=True)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert find_folder("some/model", "transformer.path") == snapshot
    assert find_folder("encoders/tiny", "transformer.path", tmp_path / "mirror") == mirrored
    assert find_folder(str(tmp_path), "transformer.path") == tmp_path
    said = refusal(lambda: find_folder("other/model", "transformer.path", tmp_path / "mirror"))
    assert said.startswith("transformer.path: no such folder, and no model of this name in the cache")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
        (
            lambda folder: (folder / "model.safetensors").unlink(),
            "has no weights, which are looked for in model.safete",
        ),
        (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer"),
        (
            lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
            "only as pytorch_model.bin, a format that may run code when it is read; if you trust the file, write them "
            "as safetensors once with: python -c",
        ),
        (lambda folder: os.truncate(folder / "model.safetensors", 200), "cannot be loaded"),
        (
            lambda folder: on_disk.change_config(folder, model_type="nobody-knows-it"),
            "the model of type 'nobody-knows-it' cannot be loaded",
        ),
        (lambda folder: (folder / "config.json").write_text("{"), "is no JSON"),
    ],
)
def test_what_is_wrong_with_a_folder_is_one_line(tmp_path, damage, said):
    damage(on_disk.save(tmp_path))
    assert said in refusal(open_model, tmp_path)


def test_a_classifier_has_an_encoder(tmp_path):
    classifier = open_model(classifiers_on_disk.save(tmp_path), "ForSequenceClassification")
    ids = torch.tensor([[2, 5, 6, 3]])
    torch.testing.assert_close(open_model(tmp_path)(ids).last_hidden_state, classifier.bert(ids).last_hidden_state)
    assert classifier(ids, output_attentions=True).attentions[-1].shape == (1, 4, 4, 4)


@pytest.mark.parametrize("kind", ["roberta", "distilbert", "electra", "modernbert"])
def test_other_families_are_read_likewise(tmp_path, kind):
    opened = open_model(classifiers_on_disk.save(tmp_path, kind))
    assert read_model_facts(tmp_path)[1:3] == (16, 2)
    # RoBERTa counts positions from behind that of padding, which is 1
    tokenizer = open_tokenizer(tmp_path)
    tokenizer.model_max_length = 1 << 30
    assert choose_length(tokenizer, opened, 512) == (42 if kind == "roberta" else 40)
    states = WordStates(opened, 2, "sum")
    batch = PieceTable(pieces_of(tmp_path, TEXTS), CPU).batch(torch.tensor([1, 2]))
    found = states(batch)
    given = tokenizer([TEXTS[1]], is_split_into_words=True, return_tensors="pt")["input_ids"]
    torch.testing.assert_close(found.states[0, 0], opened(given).last_hidden_state[0, 1], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(states(batch, states.look_up_vectors(batch)).states, found.states)
