"""The readout: it is the model, it survives its file, and texts are joined by id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.schema import READOUT
from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split
from attention_audit.model.classifier import Classifier
from attention_audit.readout import Readout, predict_split, read_readout, take_readout

MakeReadout = Callable[..., Readout]


@pytest.mark.parametrize("classes", [2, 3, 20])
def test_attention_times_contribution_gives_the_models_predictions(classes: int) -> None:
    torch.manual_seed(0)
    sizes = {"embedding": 6, "hidden": 5, "attention_hidden": 4, "pretrained": False}
    model = Classifier(
        Architecture.model_validate({"encoder": "bilstm", "attention": "additive", **sizes}), 30, classes
    )
    random = np.random.default_rng(0)
    texts = [[2, *random.integers(4, 30, n), 3] for n in (7, 1, 12, 3, 7)]
    lengths = [len(text) - 2 for text in texts]
    split = Split(np.concatenate(texts), lengths, [0, 1, 0, 1, 1], torch.device("cpu"))
    readout = take_readout(model, split, list("abcde"))
    assert readout.lengths.tolist() == [7, 1, 12, 3, 7]
    np.testing.assert_allclose(predict_split(model, split), readout.probabilities, rtol=1e-6)
    for i in range(5):
        assert readout.attention[i].sum() == pytest.approx(1, abs=1e-6)
        logits = readout.attention[i] @ readout.contribution[i] + readout.bias[i]
        exponential = np.exp(np.append(0, logits) if classes == 2 else logits)
        np.testing.assert_allclose(exponential / exponential.sum(), readout.probabilities[i], rtol=1e-5)
    assert (readout.predictions == readout.probabilities.argmax(1)).all()


def test_a_readout_survives_its_file(tmp_path: Path, random_readout: MakeReadout, provenance: Provenance) -> None:
    readout = random_readout([3, 1, 8], outputs=3)
    path = tmp_path / "test.parquet"
    write_table(path, READOUT, readout.columns(), provenance, seed=1)
    again = read_readout(path)
    assert again.ids == readout.ids
    for name in ("labels", "predictions", "probabilities", "bias"):
        np.testing.assert_array_equal(getattr(again, name), getattr(readout, name))
    for name in ("attention", "contribution"):
        for ours, theirs in zip(getattr(again, name), getattr(readout, name), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_contradicting_columns_are_refused(tmp_path: Path, random_readout: MakeReadout, provenance: Provenance) -> None:
    columns = random_readout([3, 4]).columns()
    columns["contribution"][1] = columns["contribution"][1][:-1]
    path = tmp_path / "test.parquet"
    write_table(path, READOUT, columns, provenance)
    with pytest.raises(AuditError, match="text 'text-1' has 4 weights but 3 contributions; rebuild"):
        read_readout(path)


def test_texts_are_joined_by_id_never_by_order(random_readout: MakeReadout) -> None:
    readout = random_readout([3, 4, 5])
    turned = readout.aligned(["text-2", "text-0", "text-1"])
    assert turned.lengths.tolist() == [5, 3, 4]
    np.testing.assert_array_equal(turned.probabilities, readout.probabilities[[2, 0, 1]])
    with pytest.raises(AuditError, match="text 'x' and 1 more is missing"):
        readout.aligned(["text-0", "x", "y"])


def test_padded_batches_hold_every_text_once(random_readout: MakeReadout) -> None:
    readout = random_readout([9, 2, 5, 5, 1, 30, 7], outputs=2)
    seen = []
    for texts in readout.batches(torch.float64, positions=16):
        for row, member in enumerate(texts.members):
            length = int(texts.lengths[row])
            np.testing.assert_array_equal(texts.attention[row, :length], readout.attention[member])
            np.testing.assert_array_equal(texts.contribution[row, :length], readout.contribution[member])
            assert (texts.attention[row, length:] == 0).all()
            seen.append(int(member))
    assert sorted(seen) == list(range(7))
    assert [readout.lengths[i] for i in seen] == sorted(readout.lengths)
