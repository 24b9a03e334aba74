"""The readout: it is the model, it survives its file, whole or in parts, and texts are joined by id."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from networks import make_classifier
from refusal import refusal
from small_networks import split_of

from attention_audit.artefacts.parquet import read_provenance, write_batches, write_table
from attention_audit.columns.files import READOUT
from attention_audit.model.network import predict_split
from attention_audit.readout import read_readout, read_readouts
from attention_audit.stages.network_readout import take_readout


@pytest.mark.parametrize(
    ("classes", "hierarchical", "encoder"),
    [
        *((classes, False, "bilstm") for classes in (2, 3, 20)),
        *((4, hierarchical, encoder) for hierarchical in (False, True) for encoder in ("bigru", "conv", "none")),
    ],
)
def test_attention_times_contribution_gives_the_models_predictions_without_dropout(classes, hierarchical, encoder):
    # a BiLSTM has no dropout
    places = () if encoder == "bilstm" else ("words", "sentences", "convolution", "decoder", "logits")
    further = {"dropout": dict.fromkeys(places, 0.5)}
    model = make_classifier(encoder, words=30, classes=classes, hierarchical=hierarchical, **further)
    random, lengths, counts = np.random.default_rng(0), [7, 1, 12, 3, 40], [2, 1, 3, 1, 3]
    texts = [[2, *random.integers(4, 30, n), 3] for n in lengths]
    sentences = {"sentences": [[0, 3], [0], [0, 1, 2], [0], [0, 5, 30]]} if hierarchical else {}
    split = split_of(texts, **sentences)
    readout = take_readout(model, split, list("abcde"))
    assert model.training
    assert readout.lengths.tolist() == (counts if hierarchical else lengths)
    np.testing.assert_allclose(predict_split(model, split), readout.probabilities, rtol=1e-6)
    assert (readout.predictions == readout.probabilities.argmax(1)).all()
    model.eval()
    for i in range(5):
        assert readout.attention[i].sum() == pytest.approx(1, abs=1e-6)
        logits = readout.attention[i] @ readout.contribution[i] + readout.bias[i]
        alone = model(split.batch(np.array([i]))).logits[0].detach().numpy()
        np.testing.assert_allclose(logits, alone, rtol=1e-5, atol=1e-5)


def test_a_file_is_read_in_parts_that_no_row_group_exceeds(tmp_path, random_readout, provenance, monkeypatch):
    monkeypatch.setattr("attention_audit.artefacts.parquet.GROUP", 1)
    monkeypatch.setattr("attention_audit.readout.READOUT_TEXTS_AT_ONCE", 3)
    readout = random_readout([3, 1, 8, 2, 5, 1, 4], outputs=3)
    path = tmp_path / "test.parquet"
    write_batches(path, READOUT, readout.tables(), provenance)
    assert read_provenance(path) == provenance.record()
    with pq.ParquetFile(path) as file:
        assert [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] == [3, 3, 1]
    monkeypatch.setattr("attention_audit.readout.READOUT_TEXTS_AT_ONCE", 2)
    parts = list(read_readouts(path))
    assert [part.ids for part in parts] == [
        ["text-0", "text-1"],
        ["text-2"],
        ["text-3", "text-4"],
        ["text-5"],
        ["text-6"],
    ]
    for name, theirs in read_readout(path).columns().items():
        ours = [value for part in parts for value in part.columns()[name]]
        for mine, reference, given in zip(ours, theirs, readout.columns()[name], strict=True):
            np.testing.assert_array_equal(mine, reference)
            np.testing.assert_array_equal(mine, given)


def test_contradicting_columns_are_refused_in_whatever_part(tmp_path, random_readout, provenance, monkeypatch):
    monkeypatch.setattr("attention_audit.readout.READOUT_TEXTS_AT_ONCE", 2)
    columns = random_readout([3, 4, 5]).columns()
    columns["contribution"][2] = columns["contribution"][2][:-1]
    path = tmp_path / "test.parquet"
    write_table(path, READOUT, columns, provenance)
    parts = read_readouts(path)
    assert next(parts).ids == ["text-0", "text-1"]
    for read in (lambda: next(parts), lambda: read_readout(path)):
        assert "column contribution of text 'text-2' has 4 values, where 5 fit; rebuild" in refusal(read)


def test_texts_are_joined_by_id_never_by_order(random_readout):
    readout = random_readout([3, 4, 5])
    turned = readout.align(["text-2", "text-0", "text-1"])
    assert turned.lengths.tolist() == [5, 3, 4]
    np.testing.assert_array_equal(turned.probabilities, readout.probabilities[[2, 0, 1]])
    assert "text 'x' is missing" in refusal(readout.align, ["text-0", "x", "y"])
