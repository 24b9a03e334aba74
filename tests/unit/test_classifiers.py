"""Fine-tuned classifiers of each family: their tails, their items, and what is refused."""

import re
from itertools import chain
from unittest.mock import Mock

import classifiers_on_disk
import numpy as np
import pytest
import torch
from classifiers_on_disk import NAMES, PAIRS, READ, TEXTS, ask_library, impose_on_library, sum_over_items
from refusal import refusal
from transformers_on_disk import change_config
from transformers_on_disk import save as save_encoder

from attention_audit.audits.leave_one_out import leave_one_out
from attention_audit.columns.files import SEVERAL
from attention_audit.errors import AuditError
from attention_audit.model.sequence_classifier import LastAttention, SequenceClassifier
from attention_audit.model.tail import Tail
from attention_audit.raw_text import join_words
from attention_audit.stages import network_readout
from attention_audit.stages.classifier_texts import ReadTexts, build_split_of
from attention_audit.stages.network_readout import take_classifier
from attention_audit.transformer.folder import find_tuned_family, read_model_facts
from attention_audit.transformer.pieces import cut, cut_raw
from attention_audit.transformer.states import PieceBatch, PieceTable


@pytest.fixture(scope="module", params=READ)
def classifier(request, tmp_path_factory):
    folder = classifiers_on_disk.save(
        tmp_path_factory.mktemp(request.param), request.param, ("a", "b", "c"), moved=True
    )
    return SequenceClassifier(folder)


def read(classifier, classes=(0, 1, 2), **further):
    pieces = cut(classifier.tokenizer, NAMES, TEXTS, None, classifier.most)
    return take_classifier(classifier, pieces, NAMES, np.zeros(len(TEXTS), np.int64), classes, **further)


def row_of(classifier):
    """The row of a text alone that is classified."""
    return -1 if classifier.family.last else 0


def items_of(classifier, text):
    """The item of each piece of a text: its word, then the first piece where it is a mark, then all other marks."""
    words = classifier.tokenizer([text], is_split_into_words=True).word_ids()
    return [len(text) + (place > 0) if word is None else word for place, word in enumerate(words)]


@pytest.mark.parametrize("pairs", [False, True])
def test_the_readout_of_a_layer_is_what_the_library_says(classifier, pairs):
    """Of texts, and of pairs that are read as one; the classes come in the order of the data."""
    given = PAIRS if pairs else [(text,) for text in TEXTS]
    written = [join_words([*chain(*sides)], len(sides[0]) if pairs else None) for sides in given]
    names = NAMES[: len(given)]
    pieces = cut_raw(classifier.tokenizer, names, written, classifier.most)
    about = classifier, pieces, names, np.zeros(len(given), np.int64), (2, 0, 1)
    for layer, readout in ((-1, take_classifier(*about)), (0, take_classifier(*about, layer=1))):
        assert readout.decided == (layer == -1)
        for row, sides in enumerate(given):
            encoding, said = ask_library(classifier, *sides)
            predicted = said.logits[0, [2, 0, 1]].softmax(-1)
            np.testing.assert_allclose(readout.probabilities[row], predicted, atol=1e-5)
            map_ = said.attentions[layer][0, :, row_of(classifier)].mean(0)
            np.testing.assert_allclose(readout.attention[row], sum_over_items(encoding, map_, *sides), atol=1e-6)
            assert readout.words[row] == sum(map(len, sides))


def test_a_deleted_word_leaves_a_pair(classifier):
    written = [join_words(first + second, len(first)) for first, second in PAIRS]
    texts = ReadTexts(NAMES[:3], np.zeros(3, np.int64), written)
    pieces = cut_raw(classifier.tokenizer, texts.ids, written, classifier.most)
    found = leave_one_out(classifier, build_split_of(pieces, texts, torch.device("cpu")))
    for place, (first, second) in enumerate(PAIRS):
        whole = ask_library(classifier, first, second)[1].logits[0].softmax(-1)
        for at in range(len(first + second)):
            gone = (0, at) if at < len(first) else (1, at - len(first))
            without = ask_library(classifier, first, second, gone=gone)[1].logits[0].softmax(-1)
            expected = float((whole - without).abs().sum() / 2)
            assert found.distances[place][at] == pytest.approx(expected, abs=1e-5)


def batch_all(classifier):
    pieces = cut(classifier.tokenizer, NAMES, TEXTS, None, classifier.most)
    return PieceTable(pieces, torch.device("cpu")).batch(np.arange(len(TEXTS)))


def test_of_the_last_layer_the_classified_row_alone_is_computed(classifier):
    batch, read = batch_all(classifier), []
    part = classifier.part("inner")
    with part.register_forward_hook(lambda _, inputs, __: read.append(tuple(inputs[0].shape))):
        logits, by_all_rows = classifier.compute_logits(batch), classifier.read_attention(batch).logits
    assert read == [(len(TEXTS), 1, 16), (len(TEXTS), batch.ids.shape[1], 16)]
    torch.testing.assert_close(logits, by_all_rows, atol=1e-5, rtol=0)


def test_a_batch_that_memory_has_no_room_for_is_read_in_halves(classifier, monkeypatch):
    batch, read, compute = batch_all(classifier), [], SequenceClassifier._compute_outputs
    whole = classifier.compute_logits(batch)

    def compute_one(classifier, pieces, vectors=None):
        read.append(len(pieces.ids))
        if read[-1] > 1:
            raise torch.OutOfMemoryError
        return compute(classifier, pieces, vectors)

    monkeypatch.setattr(SequenceClassifier, "_compute_outputs", compute_one)
    torch.testing.assert_close(classifier.compute_logits(batch), whole, atol=1e-5, rtol=0)
    assert read == [4, 2, 1, 1, 2, 1, 1]
    monkeypatch.setattr(SequenceClassifier, "_compute_outputs", Mock(side_effect=torch.OutOfMemoryError))
    with pytest.raises(torch.OutOfMemoryError):
        classifier.compute_logits(batch)


def test_other_weights_predict_what_the_whole_network_does(classifier):
    readout, random = read(classifier), np.random.default_rng(1)
    others = [random.dirichlet(np.ones(len(map_)), 4).T.astype(np.float32) for map_ in readout.attention]
    predicted = readout.predict(others)
    for row, text in enumerate(TEXTS):
        own = ask_library(classifier, text)[1].attentions[-1][0, :, row_of(classifier)]
        item = torch.tensor(items_of(classifier, text))
        whole = torch.from_numpy(readout.attending.weights[row]).T[:, item]
        # behind a sliding window there is no weight to be divided
        share = (own / whole).where(whole > 0, 1 / item.bincount()[item])
        pieces = share * torch.from_numpy(others[row]).T[:, item]
        with impose_on_library(classifier, pieces[None]):
            expected = ask_library(classifier, text)[1].logits[0].softmax(-1)
        np.testing.assert_allclose(predicted[row], expected.numpy(), atol=1e-5)


def test_uniform_weights_are_imposed_on_items(classifier):
    own, readout = read(classifier), read(classifier, imposed=True)
    np.testing.assert_allclose(readout.probabilities, own.predict(own.attending.even.weights), atol=1e-6)
    for row, text in enumerate(TEXTS):
        np.testing.assert_allclose(readout.attention[row], 1 / (max(items_of(classifier, text)) + 1), atol=1e-7)


def test_a_tail_that_is_not_the_models_is_refused(classifier, monkeypatch):
    tail = classifier.tail
    weights = {**tail.weights, "classifier.weight": 2 * tail.weights["classifier.weight"]}
    other = Tail(weights, tail.activation, tail.pooled, tail.epsilon)
    monkeypatch.setattr(SequenceClassifier, "tail", other)
    with pytest.raises(AuditError, match=r"under imposed weights the whole model .* differ by"):
        read(classifier)
    monkeypatch.setattr(network_readout, "TEXTS_CHECKED", 0)
    with pytest.raises(AuditError, match=r"the whole model and its last layers .* differ by"):
        read(classifier)


def test_greater_logits_are_rounded_more(tmp_path):
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path, moved=True))
    with torch.no_grad():
        classifier.decoder.weight *= 1e4
    assert read(classifier, (0, 1)).decided


def test_the_library_without_weights_is_refused(tmp_path):
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path, names=("a", "b", "c")))
    classifier.model.set_attn_implementation("sdpa")
    assert "returned no attention weights" in refusal(read, classifier)


def test_an_attention_that_config_json_names_is_not_asked_for(tmp_path):
    folder = classifiers_on_disk.save(tmp_path, names=("a", "b", "c"))
    own = read(SequenceClassifier(folder))
    change_config(folder, _attn_implementation="flash_attention_2")
    assert np.array_equal(read(SequenceClassifier(folder)).probabilities, own.probabilities)


def test_pieces_without_any_weight_count_alike():
    words = torch.tensor([[-1, 0, 0, 1, -1, -1]])
    batch = PieceBatch(words, words, words, torch.tensor([5]), *torch.tensor([[2], [0], [0]]))
    weights = torch.tensor([[[0.1, 0, 0, 0.6, 0.3, 0], [0.2, 0.3, 0.1, 0.2, 0.2, 0]]])
    values = torch.arange(12.0).reshape(1, 2, 6, 1)
    items = network_readout.fold_pieces(LastAttention(weights, values, words, words), batch)
    torch.testing.assert_close(items.weights, torch.tensor([[[0, 0.6, 0.1, 0.3], [0.4, 0.2, 0.2, 0.2]]]))
    torch.testing.assert_close(items.values[0, :, :, 0], torch.tensor([[1.5, 3, 0, 4], [7.25, 9, 6, 10]]))


def test_what_is_no_classifier_or_of_another_family_is_one_line(tmp_path):
    encoder = save_encoder(tmp_path / "encoder")
    change_config(encoder, architectures=["BertForSequenceClassification"])
    lack = "its weights lack classifier.bias, and are not those of the library"
    assert lack in refusal(SequenceClassifier, encoder)
    modern = classifiers_on_disk.save(tmp_path / "modern", "modernbert")
    line = r".*'modernbert' can be read here, and not be fine-tuned; .* camembert, electra, distilbert$"
    assert re.match(line, refusal(find_tuned_family, modern, read_model_facts(modern)))
    strange = classifiers_on_disk.save(tmp_path / "strange", hidden_act="mish")
    assert "activation 'mish' is not known here" in refusal(SequenceClassifier, strange)


def test_where_the_mean_of_all_tokens_is_classified_the_map_is_that_of_all_rows(tmp_path):
    folder = classifiers_on_disk.save(tmp_path, "modernbert", ("a", "b", "c"), classifier_pooling="mean")
    classifier = SequenceClassifier(folder)
    readout = read(classifier, (2, 0, 1), layer=2)
    assert readout.kind is SEVERAL
    for row, text in enumerate(TEXTS):
        encoding, said = ask_library(classifier, text)
        items = sum_over_items(encoding, said.attentions[1][0].mean((0, 1)), text)
        np.testing.assert_allclose(readout.attention[row], items, atol=1e-6)
        np.testing.assert_allclose(readout.probabilities[row], said.logits[0].softmax(-1)[[2, 0, 1]], atol=1e-5)
    batch = batch_all(classifier)
    torch.testing.assert_close(classifier.compute_logits(batch), classifier.read_attention(batch).logits)


@pytest.mark.parametrize("window", [4, 128])
@pytest.mark.parametrize("biases", [True, False])
def test_modernbert_is_read_with_and_without_biases_and_where_the_last_layer_is_local(tmp_path, window, biases):
    switches = dict.fromkeys(("norm_bias", "mlp_bias", "attention_bias", "classifier_bias"), biases)
    named = {"names": ("a", "b", "c"), "local_attention": window, "classifier_activation": "silu"}
    folder = classifiers_on_disk.save(tmp_path, "modernbert", moved=True, **named, **switches)
    classifier = SequenceClassifier(folder)
    readout = read(classifier)
    expected = [ask_library(classifier, text)[1].logits[0].softmax(-1).numpy() for text in TEXTS]
    np.testing.assert_allclose(readout.probabilities, expected, atol=1e-5)
    # the first token sees the pieces within half a window, and the last mark of the longest text is beyond that
    assert (readout.attending.weights[2][-1].sum() == 0) == (window == 4)
