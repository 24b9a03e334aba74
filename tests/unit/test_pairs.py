"""Models of pairs: against the formulas written out, their readouts and heads, and the stages that train them."""

import numpy as np
import pytest
import small_networks
import torch
from networks import make_architecture, run_packed, train_in, write_words
from readouts import make_pairs, make_readout
from torch import nn, tensor

from attention_audit.artefacts.parquet import read_provenance, read_table, write_batches, write_table
from attention_audit.columns.files import HEAD, READOUT
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.model.batch import MarkedBatch
from attention_audit.model.encoders import BiLSTM
from attention_audit.model.network import PairClassifier, predict_split
from attention_audit.readout import build_head_columns, read_readout, read_readouts
from attention_audit.scores import accuracy
from attention_audit.stages.loading import build_model, build_split, read_material
from attention_audit.stages.network_readout import take_readout
from attention_audit.training.loop import make_optimizer
from attention_audit.training.settings import Recipe

CPU = torch.device("cpu")
TEXTS = [[2, 4, 5, 6, 7, 3], [2, 8, 3], [2, 5, 5, 9, 3]]
QUERIES = [[2, 7, 3], [2, 5, 4, 8, 3], [2, 3]]
CANDIDATES = [[0, 2], [], [1]]
KINDS = [(encoder, attention) for encoder in ("bilstm", "conv", "affine") for attention in ("additive", "dot")]


def architecture(encoder="bilstm", attention="additive", **given):
    return make_architecture(encoder, attention, **{"pair": True, "kernels": [1, 3]} | given)


def model_of(encoder="bilstm", attention="additive", classes=4):
    torch.manual_seed(0)
    return PairClassifier(architecture(encoder, attention), words=10, classes=classes)


def split_of(candidates=CANDIDATES):
    return small_networks.split_of(TEXTS, queries=QUERIES, candidates=candidates)


def test_the_summary_of_a_bilstm_is_where_a_packed_one_ends():
    torch.manual_seed(0)
    encoder, embedding, lengths = BiLSTM(architecture(pair=False), 5), nn.Embedding(10, 5), tensor([1, 3, 0])
    ids = nn.utils.rnn.pad_sequence([tensor(query) for query in QUERIES], batch_first=True)
    states = run_packed(encoder, nn.LSTM(5, 4, bidirectional=True), embedding(ids), lengths + 2)
    ends = torch.cat([states[torch.arange(3), lengths + 1, :4], states[:, 0, 4:]], dim=1)
    torch.testing.assert_close(encoder.summary(embedding, MarkedBatch(ids, lengths)), ends)


def states_of(encoder, table, ids):
    """States of one text alone."""
    return encoder(table, MarkedBatch(tensor([ids]), tensor([len(ids) - 2])))[0]


def formula(model, kind, text, query):
    """Logits (C,) and attention (L,) of one pair, word by word."""
    encoder, attention = kind
    states = states_of(model.encoder, model.embedding, text)
    width = states.shape[1]
    if encoder == "bilstm":
        ends = model.query_encoder.summary(
            model.query_embedding, MarkedBatch(tensor([query]), tensor([len(query) - 2]))
        )
        summed = ends[0]
    elif len(query) == 2:
        summed = torch.zeros(width)
    else:
        found = states_of(model.query_encoder, model.query_embedding, query)
        summed = found.mean(0) if encoder == "affine" else found.max(0).values
    scores = []
    for state in states:
        if attention == "dot":
            scores.append(state @ summed / width**0.5)
        else:
            inner = model.attention.affine(state) + model.attention.query.weight @ summed
            scores.append(model.attention.score.weight[0] @ inner.tanh())
    weights = torch.stack(scores).softmax(0)
    context = sum(weight * state for weight, state in zip(weights, states, strict=True))
    hidden = (model.projection(context) + model.query_projection(summed)).tanh()
    return model.decoder(hidden), weights


@pytest.mark.parametrize("kind", KINDS)
def test_logits_and_attention_are_the_formulas_whatever_the_padding(kind):
    model = model_of(*kind)
    output = model(split_of([[], [], []]).batch(np.arange(3)))
    assert output.logits.shape == (3, 4)
    for row, (text, query) in enumerate(zip(TEXTS, QUERIES, strict=True)):
        logits, attention = formula(model, kind, text, query)
        torch.testing.assert_close(output.logits[row], logits, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(output.attention[row, : len(attention)], attention, rtol=1e-5, atol=1e-6)
        assert (output.attention[row, len(attention) :] == 0).all()


def test_what_is_no_candidate_has_no_probability_and_no_gradient():
    model = model_of()
    output = model(split_of().batch(np.arange(3)))
    excluded = output.logits.isneginf()
    assert excluded.int().tolist() == [[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 1, 1]]
    model.zero_grad()
    torch.autograd.backward(nn.functional.cross_entropy(output.logits, tensor([0, 3, 1])))
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in model.parameters())


def test_a_split_without_queries_is_refused():
    split = small_networks.split_of(TEXTS)
    with pytest.raises(ValueError, match="the model needs a split that carries queries"):
        model_of()(split.batch(np.arange(3)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"encoder": "bigru"}, "encoder 'bigru' cannot sum up the query of a pair; use one of: affine, bilstm, conv"),
        ({"encoder": "affine", "hierarchical": True}, "pairs are read flat"),
        ({"attention": "uniform"}, "attention 'uniform' has no form for pairs; use one of: additive, dot"),
        ({"dropout": {"decoder": 0.1}}, "pairs are read without dropout"),
        ({"initialisation": "xavier"}, "pairs are read without dropout"),
        ({"kernels": [1, 4]}, r"kernels \[1, 4\]: each must be odd"),
    ],
)
def test_what_pairs_can_not_be_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        architecture(**given)


def test_l2_is_on_all_of_a_model_of_pairs():
    decayed, spared = make_optimizer(model_of(), Recipe()).param_groups
    assert not spared["params"]
    assert len(decayed["params"]) == len(list(model_of().parameters()))


@pytest.mark.parametrize("kind", KINDS)
def test_readouts_of_pairs_give_the_models_own_logits(kind):
    model, split = model_of(*kind), split_of()
    readout = take_readout(model, split, list("abc"))
    output = model(split.batch(np.arange(3)))
    assert [row.tolist() for row in readout.candidates] == [[0, 2], [0, 1, 2, 3], [1]]
    assert readout.lengths.tolist() == [4, 1, 3]
    np.testing.assert_allclose(readout.probabilities, output.logits.softmax(1).detach(), atol=1e-6)
    np.testing.assert_allclose(readout.predict(readout.attention), readout.probabilities, atol=1e-6)
    np.testing.assert_allclose(predict_split(model, split), readout.probabilities, atol=1e-6)


def test_a_pair_of_two_classes_has_a_logit_for_each():
    readout = take_readout(model_of(classes=2), split_of([[], [], []]), list("abc"))
    assert readout.probabilities.shape == (3, 2)
    np.testing.assert_allclose(readout.predict(readout.attention), readout.probabilities, atol=1e-6)


def test_a_head_stays_as_it_was_when_training_goes_on():
    model = model_of()
    head = take_readout(model, split_of(), list("abc")).head
    before = model.decoder.bias.tolist()
    nn.init.zeros_(model.decoder.bias)
    assert head.bias.tolist() == before


def write(folder, readout, provenance):
    path = folder / "test.parquet"
    write_batches(path, READOUT, readout.tables(), provenance)
    write_table(folder / "head.parquet", HEAD, build_head_columns(readout.head), provenance)
    return path


@pytest.fixture
def path(tmp_path, provenance):
    """The file of a readout of five pairs."""
    return write(tmp_path, make_pairs([3, 1, 8, 2, 5]), provenance)


def test_pairs_survive_their_files_whole_and_in_parts(path, monkeypatch):
    monkeypatch.setattr("attention_audit.readout.READOUT_TEXTS_AT_ONCE", 2)
    readout = make_pairs([3, 1, 8, 2, 5])
    for parts in ([read_readout(path)], [*read_readouts(path)]):
        found = [row.tolist() for again in parts for row in again.candidates]
        assert found == [row.tolist() for row in readout.candidates]
        probabilities = np.concatenate([again.predict(again.attention) for again in parts])
        np.testing.assert_allclose(probabilities, readout.probabilities, atol=1e-6)
        for again in parts:
            assert again.head.weight.equal(readout.head.weight)
            assert again.head.bias.equal(readout.head.bias)


def test_aligned_pairs_keep_their_candidates():
    turned = make_pairs([3, 4, 5]).align(["text-2", "text-0", "text-1"])
    assert [row.tolist() for row in turned.candidates or []] == [[0, 1, 3], [1, 2, 3], [0, 2, 3]]
    np.testing.assert_allclose(turned.predict(turned.attention), turned.probabilities, atol=1e-6)


@pytest.mark.parametrize(
    ("classes", "line"), [(0, "does not fit the readouts beside it"), (3, "does not fit"), (None, "not there")]
)
def test_the_head_of_another_model_or_none_is_refused(path, provenance, classes, line):
    head = path.with_name("head.parquet")
    write_table(head, HEAD, build_head_columns(make_pairs([3], classes=classes).head if classes else None), provenance)
    if classes is None:
        head.unlink()
    with pytest.raises(AuditError, match=rf"head\.parquet: {line}.*; rebuild it with"):
        read_readout(path)


def test_readouts_of_single_texts_look_for_no_head(path, provenance):
    write_batches(path, READOUT, make_readout([3, 4]).tables(), provenance)
    again = read_readout(path)
    assert again.head is again.candidates is None


ROOMS = ["attic", "bath", "cellar"]


class Rooms:
    """Stories of two people who each go to a room, and questions where one of them is; three rooms are the classes.

    The last of three texts names its candidates: the two rooms of its story.
    """

    def __init__(self, folder):
        self.folder, self.random = folder, np.random.default_rng(0)
        sizes = {"train": 400, "dev": 60, "test": 60}
        self.write([self.row(split, number) for split, size in sizes.items() for number in range(size)])

    def row(self, split, number, **changes):
        rooms, asked = self.random.permutation(3)[:2].tolist(), int(self.random.integers(2))
        return {
            "id": f"{split}-{number}",
            "split": split,
            "label": rooms[asked],
            "tokens": [f"{who}-{ROOMS[room]}" for who, room in zip(("ann", "bob"), rooms, strict=True)],
            "label_name": ROOMS[rooms[asked]],
            "query": ["where", "is", ("ann", "bob")[asked]],
            "candidates": rooms if number % 3 == 2 else None,
        } | changes

    def write(self, rows):
        write_words(self.folder, rows, {"bob": np.arange(5, dtype=np.float32)})

    def add(self, split, **changes):
        """Have one text of each split, and behind them an odd one."""
        self.write([*(self.row(each, 2) for each in SPLITS), self.row(split, 0, id="odd", **changes)])

    def read(self, **given):
        files = {name: [self.folder / f"{name}.parquet"] for name in ("corpus", "vocabulary")}
        return read_material(files, architecture(**given))


@pytest.fixture
def rooms(tmp_path):
    return Rooms(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_pairs_learn_where_to_look(rooms, kind):
    sizes = {"embedding": 16, "hidden": 16, "attention_hidden": 16}
    recipe = {"learning_rate": 0.02, "average": True, "measure": "accuracy", "class_weights": False}
    for readout in train_in(rooms.folder, "model", architecture(*kind, **sizes), recipe, epochs=12):
        assert accuracy(readout.labels, readout.predictions) > 0.95
        np.testing.assert_allclose(readout.predict(readout.attention), readout.probabilities, atol=1e-5)
        assert {len(row) for row in readout.candidates} == {2, 3}
    head = rooms.folder / "model" / "head.parquet"
    assert read_table(head, HEAD)["class"].to_pylist() == [0, 1, 2]
    assert (read_provenance(head)["stage"], read_provenance(head)["settings"]["seed"]) == ("train", 1)


def test_queries_and_candidates_are_read_with_their_texts_by_models_of_pairs_alone(rooms):
    material = rooms.read()
    assert material.classes == 3
    batch = build_split(material.splits["dev"], CPU).batch(np.array([2, 0]))
    assert batch.query.lengths.tolist() == [3, 3]
    assert (batch.candidates >= 0).tolist() == [[True, True], [False, False]]
    single = build_split(rooms.read(pair=False).splits["dev"], CPU).batch(np.arange(3))
    assert single.query is single.candidates is None


def test_both_embeddings_start_from_the_vectors(rooms):
    model = build_model(rooms.read(pretrained=True), architecture(pretrained=True), seed=0)
    assert model.embedding.weight.equal(model.query_embedding.weight)
    assert model.embedding.weight[model.embedding.weight.any(1)].tolist() == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": None}, "text 'odd': no query, which a model of pairs reads"),
        ({"candidates": [1, 2], "label": 0}, "text 'odd': its answer is none of its candidates; leave it out"),
    ],
)
def test_texts_that_teach_nothing_are_named(rooms, change, message):
    rooms.add("train", **change)
    with pytest.raises(AuditError, match=rf"corpus\.parquet: {message}"):
        rooms.read()


def test_an_answer_outside_the_candidates_may_be_missed_in_a_test(rooms):
    rooms.add("test", candidates=[1, 3], label=0)
    material = rooms.read()
    assert material.classes == 4
    model = build_model(material, architecture(), seed=0)
    predicted = predict_split(model, build_split(material.splits["test"], CPU))
    assert predicted[1, [0, 2]].tolist() == [0, 0]
    assert predicted[1].sum() == pytest.approx(1)
