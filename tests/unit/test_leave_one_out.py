"""Leave-one-out: against texts written without the token, one by one, for every encoder and task."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attention_audit.audits.leave_one_out import Reading, equally_long, leave_one_out
from attention_audit.audits.shared_states import BothWays, Nearby, Recurrence, shared
from attention_audit.divergence import tvd
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Lists, Split
from attention_audit.model.encoders import BiLSTM, VectorEncoder
from attention_audit.model.network import Network, network
from attention_audit.model.tail import probabilities

RANDOM = np.random.default_rng(0)
LENGTHS = [4, 1, 20, 7, 4, 2, 7, 3, 7]
TEXTS = [[2, *RANDOM.integers(4, 30, n).tolist(), 3] for n in LENGTHS]
QUERIES = [[2, *RANDOM.integers(4, 30, n).tolist(), 3] for n in (3, 1, 2, 5, 3, 2, 4, 1, 2)]
CANDIDATES = [[0, 1], [2], [0, 1, 2], [1, 2], [], [0, 2], [0, 1], [1, 2], [0, 1, 2]]
SINGLE = [(encoder, "additive", False) for encoder in ("bilstm", "affine", "conv", "none", "bigru")]
KINDS = [*SINGLE, ("bilstm", "dot", False)]
KINDS += [(encoder, attention, True) for encoder in ("bilstm", "affine", "conv") for attention in ("additive", "dot")]


def model_of(encoder: str, attention: str = "additive", pair: bool = False, classes: int = 3) -> Network:
    torch.manual_seed(0)
    sizes = {"embedding": 5, "pretrained": False, "hidden": 4, "attention_hidden": 3, "kernels": [1, 3, 5, 7]}
    architecture = {"encoder": encoder, "attention": attention, "pair": pair, **sizes}
    return network(Architecture.model_validate(architecture), words=30, classes=classes).double()


def split_of(texts: list[list[int]], members: list[int], pair: bool = False) -> Split:
    """The texts, each beside the query of the member that it stems from."""
    pairs = {}
    for name, rows in {"queries": QUERIES, "candidates": CANDIDATES}.items() if pair else ():
        theirs = [rows[member] for member in members]
        pairs[name] = Lists(np.concatenate(theirs), np.array([len(row) for row in theirs]))
    lengths = [len(text) - 2 for text in texts]
    return Split(np.concatenate(texts), lengths, [0] * len(texts), torch.device("cpu"), **pairs)


def singly(model: Network, member: int, pair: bool) -> tuple[list[float], list[float], list[bool]]:
    """Distances, falls and flips of each deletion in one text, each text a batch of its own."""
    text = TEXTS[member]
    predictions = []
    for written in [text, *(text[:at] + text[at + 1 :] for at in range(1, len(text) - 1))]:
        batch = split_of([written], [member], pair).batch(np.array([0]))
        predictions.append(probabilities(model(batch).logits.detach()))
    before, *after = predictions
    chosen = before.argmax()
    return (
        [tvd(predicted, before).item() for predicted in after],
        [(before - predicted)[0, chosen].item() for predicted in after],
        [bool(predicted.argmax() != chosen) for predicted in after],
    )


def test_a_deletion_by_hand() -> None:
    model = model_of("none", "uniform", classes=2).float()
    nn.init.constant_(model.decoder.bias, 0.5)
    nn.init.ones_(model.decoder.weight)
    with torch.no_grad():
        model.embedding.weight.copy_(torch.arange(30.0)[:, None].expand(-1, 5) / 100)
    split = split_of([[2, 10, 20, 6, 3]], [0])
    # five values of the mean word / 100, and a half: 36, 26, 16, 30 words in all
    mean = np.array([36 / 3, 26 / 2, 16 / 2, 30 / 2])
    positive = 1 / (1 + np.exp(-(mean / 20 + 0.5)))
    (distances,), predicted, (falls,), (flips,) = leave_one_out(model, split)
    np.testing.assert_allclose(distances, abs(positive[1:] - positive[0]), rtol=1e-6)
    np.testing.assert_allclose(falls, positive[0] - positive[1:], rtol=1e-6)
    assert predicted.tolist() == [1]
    assert not flips.any()


@pytest.mark.parametrize(("encoder", "attention", "pair"), KINDS)
def test_every_deletion_equals_encoding_the_shortened_text_alone(encoder: str, attention: str, pair: bool) -> None:
    model = model_of(encoder, attention, pair)
    found = leave_one_out(model, split_of(TEXTS, list(range(9)), pair))
    for member, (scores, falls, flips) in enumerate(zip(found.distances, found.falls, found.flips, strict=True)):
        if LENGTHS[member] > 1:
            distances, expected, changed = singly(model, member, pair)
            np.testing.assert_allclose(scores, distances, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(falls, expected, rtol=1e-9, atol=1e-12)
            assert flips.tolist() == changed


class Places(VectorEncoder):
    """The vectors, each times the number of its place, so that a deletion moves all states behind it."""

    def __init__(self, architecture: Architecture, size: int) -> None:
        super().__init__()
        self.width = size

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        return vectors * torch.arange(1, vectors.shape[1] + 1)[:, None]

    def summary(self, states: Tensor, lengths: Tensor) -> Tensor:
        return states[:, 0]


class Sharper(BiLSTM):
    """A BiLSTM whose states are doubled."""

    def _read(self, *texts: Any) -> tuple[Tensor, Tensor, Tensor]:
        left, right, position = super()._read(*texts)
        return 2 * left, 2 * right, position


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("encoder", ["conv", "bilstm"])
def test_an_encoder_that_is_not_known_reads_every_shortened_text_anew(
    encoder: str, pair: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attention_audit.model.encoders.Convolution", Places)
    monkeypatch.setattr("attention_audit.model.encoders.BiLSTM", Sharper)
    model = model_of(encoder, pair=pair)
    assert shared(model.encoder, torch.zeros(1, 6, 5).double(), torch.tensor([4])) is None
    for member, scores in enumerate(leave_one_out(model, split_of(TEXTS, list(range(9)), pair)).distances):
        if LENGTHS[member] > 1:
            np.testing.assert_allclose(scores, singly(model, member, pair)[0], rtol=1e-9, atol=1e-12)
            assert scores.any()


@pytest.mark.parametrize("encoder", ["bilstm", "conv", "affine", "bigru"])
@pytest.mark.parametrize("states", [1, 10, 40])
def test_how_much_is_done_together_changes_nothing(encoder: str, states: int) -> None:
    model, split = model_of(encoder), split_of(TEXTS, list(range(9)))
    found, expected = leave_one_out(model, split, states=states), leave_one_out(model, split)
    for ours, theirs in zip(found.falls, expected.falls, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_the_only_token_of_a_text_is_not_deleted() -> None:
    found = leave_one_out(model_of("bilstm"), split_of(TEXTS, list(range(9))))
    assert found.distances[1].tolist() == found.falls[1].tolist() == [0.0]
    assert found.flips[1].tolist() == [False]
    assert np.flatnonzero(found.predicted < 0).tolist() == [1]


def test_some_texts_in_any_order() -> None:
    model, split = model_of("bilstm"), split_of(TEXTS, list(range(9)))
    everything = leave_one_out(model, split).falls
    for member, scores in enumerate(leave_one_out(model, split, np.array([8, 2, 3])).falls):
        expected = everything[member] if member in (8, 2, 3) else np.zeros(split.lengths[member])
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pair", [False, True])
def test_the_model_is_as_before(pair: bool) -> None:
    model = model_of("bilstm", pair=pair)
    before = dict(model.named_modules())
    leave_one_out(model, split_of(TEXTS, list(range(9)), pair))
    assert dict(model.named_modules()) == before
    assert model.training


def test_a_query_is_read_once_a_batch() -> None:
    model = model_of("bilstm", pair=True)
    texts: list[int] = []
    model.query_encoder.forwards.register_forward_hook(lambda _, read, __: texts.append(read[0].shape[1]))
    leave_one_out(model, split_of([TEXTS[3]], [3], pair=True))
    assert sum(texts) <= 2


@torch.inference_mode()
def test_what_a_deletion_leaves_alone_is_shared() -> None:
    texts = torch.zeros(1, 6, 5).double(), torch.tensor([4])
    assert isinstance(shared(model_of("bilstm").encoder, *texts), BothWays)
    assert shared(model_of("bigru").encoder, *texts) is None
    for encoder, reach in (("conv", 3), ("affine", 0), ("none", 0)):
        sharing = shared(model_of(encoder).encoder, *texts)
        assert isinstance(sharing, Nearby)
        assert sharing.reach == reach


@pytest.mark.parametrize(("remember", "steps"), [(-4.0, (0, 0.6)), (6.0, (1, 1))], ids=["forgets", "remembers"])
def test_a_forgotten_token_is_not_followed_further(
    remember: float, steps: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = [2, *np.random.default_rng(1).integers(4, 30, 80).tolist(), 3]
    monkeypatch.setitem(globals(), "TEXTS", [text])
    model = model_of("bilstm")
    for lstm in (model.encoder.forwards, model.encoder.backwards):
        with torch.no_grad():
            lstm.bias_ih_l0[4:8] += remember
    taken: list[int] = []
    step = Recurrence.step

    def counted(self: Recurrence, inputs: Tensor, hidden: Tensor, cell: Tensor) -> None:
        taken.append(hidden[..., 0].numel())
        step(self, inputs, hidden, cell)

    monkeypatch.setattr(Recurrence, "step", counted)
    (found,) = leave_one_out(model, split_of([text], [0])).distances
    np.testing.assert_allclose(found, singly(model, 0, pair=False)[0], rtol=1e-8, atol=1e-13)
    # but for the 81 of the text itself, each way
    share = (sum(taken) - 2 * 81) / (80 * 79)
    assert steps[0] <= share <= steps[1]


@torch.inference_mode()
@pytest.mark.parametrize("encoder", ["bilstm", "conv", "bigru"])
def test_texts_of_any_length_are_read_together(encoder: str) -> None:
    model, members, kept = model_of(encoder), [2, 4, 7], [[0, 2, 3], [1], [1, 2]]

    def alone(text: list[int]) -> Tensor:
        return probabilities(model(split_of([text], [0]).batch(np.array([0]))).logits.double())[0]

    reading = Reading([model], split_of(TEXTS, list(range(9))), np.array(members))
    np.testing.assert_allclose(reading.whole()[0], torch.stack([alone(TEXTS[i]) for i in members]), rtol=1e-9)
    positions = torch.tensor([words + [0] * (3 - len(words)) for words in kept])
    found = reading.keeping(torch.arange(3), positions, torch.tensor([len(words) for words in kept]))
    written = [[2, *(TEXTS[i][1 + at] for at in words), 3] for i, words in zip(members, kept, strict=True)]
    np.testing.assert_allclose(found[0], torch.stack([alone(text) for text in written]), rtol=1e-9)


def test_texts_go_together_by_length() -> None:
    lengths = np.array([3, 1, 2, 3, 3, 2])
    groups = [group.tolist() for group in equally_long(np.array([0, 2, 3, 4, 5]), lengths, lengths * (lengths - 1), 12)]
    assert groups == [[2, 5], [0, 3], [4]]
    assert list(equally_long(np.array([], np.int64), lengths, lengths, 12)) == []


def test_texts_read_as_sentences_are_refused() -> None:
    split = Split(TEXTS[0], [4], [0], torch.device("cpu"), sentences=Lists(np.array([0, 2]), np.array([2])))
    with pytest.raises(ValueError, match="flat texts"):
        leave_one_out(model_of("affine"), split)
