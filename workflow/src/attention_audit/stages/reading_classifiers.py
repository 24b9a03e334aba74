"""From a fine-tuned Transformer classifier to its readout: the network is run here once, and its tail is checked.

The items of a text are its words that are read, then the tokenizer's marks: [CLS], and all others as one, [SEP]. The
weight of an item is the sum of its pieces', and what a head attends to in it is their mean by these weights. So what a
head attends to is the same sum over items as over pieces, for its own weights and for all that keep the proportions
within an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.errors import AuditError
from attention_audit.model.sequence_classifier import Attended, SequenceClassifier
from attention_audit.model.tail import Tail
from attention_audit.readout import Attending, Floats, Readout, read_heads
from attention_audit.transformer.batches import PieceBatch, PieceTable
from attention_audit.transformer.pieces import Pieces

MARKS = 2
"""Items of a text that are marks: [CLS] and [SEP]."""
ENOUGH = 1e-4
"""How far the logits of the tail may be from the model's own."""
CHECKED = 8
"""Texts on which other weights are imposed on the whole network, to compare it with the tail."""


def items_of(pieces: PieceBatch) -> Tensor:
    """The item of each piece, (B, P): a word's number, then the first mark, then all others; -1 on padding."""
    read = pieces.read[:, None]
    marks = read + (torch.arange(pieces.words.shape[1]) > 0)
    return pieces.words.where(pieces.words >= 0, marks).where(pieces.mask, -1)


class Items(NamedTuple):
    """What heads attend to in the items of B texts: weights (B, H, L), values (B, H, L, D / H)."""

    weights: Tensor
    values: Tensor


def folded(attended: Attended, pieces: PieceBatch) -> Items:
    """Pieces as items. Of an item whose pieces have no weight at all, all count alike."""
    items = items_of(pieces)
    count = int(pieces.read.max()) + MARKS
    # what stands on padding falls into a last item, which is left out
    place = items.where(items >= 0, count)[:, None].expand(attended.weights.shape)
    weights = attended.weights.new_zeros(*place.shape[:2], count + 1).scatter_add_(2, place, attended.weights)
    pieces_in = torch.zeros_like(weights).scatter_add_(2, place, torch.ones_like(attended.weights))
    whole = weights.gather(2, place)
    shares = (attended.weights / whole).where(whole > 0, 1 / pieces_in.gather(2, place))
    into = place[..., None].expand(attended.values.shape)
    values = attended.values.new_zeros(*weights.shape, attended.values.shape[-1])
    values.scatter_add_(2, into, shares[..., None] * attended.values)
    return Items(weights[..., :count], values[:, :, :count])


def imposed_logits(classifier: SequenceClassifier, pieces: PieceBatch, attended: Attended, items: Tensor) -> Tensor:
    """Logits of one text by the whole network, with other weights (H, L) of its items, in proportion within each."""
    place = items_of(pieces).expand(attended.weights.shape[1], -1)
    own = attended.weights[0]
    whole = torch.zeros_like(items).scatter_add_(1, place, own)
    weights = own / whole.gather(1, place) * items.gather(1, place)
    with torch.inference_mode(), classifier.imposing(weights):
        return classifier.logits(pieces)[0]


def refuse_other_tail(classifier: SequenceClassifier, table: PieceTable) -> None:
    """Raise AuditError unless the tail and the whole network agree on imposed weights, on some texts."""
    generator = torch.Generator().manual_seed(0)
    for member in np.linspace(0, len(table) - 1, min(CHECKED, len(table))).astype(np.int64):
        pieces = table.batch(torch.tensor([member]))
        attended = classifier.attend(pieces)
        items = folded(attended, pieces)
        other = torch.rand(items.weights.shape[1:], generator=generator)
        other = other / other.sum(1, keepdim=True)
        context = (other[:, None] @ items.values[0]).flatten()
        by_tail = classifier.tail.passed(context[None], attended.below)[0]
        apart = float((by_tail - imposed_logits(classifier, pieces, attended, other)).abs().max())
        if not apart <= ENOUGH:
            raise AuditError(
                f"{classifier.folder}: under imposed weights the whole model and its last layers as they are known "
                f"here differ by {apart:.2g} in a logit, more than {ENOUGH:g}; this kind of model is not supported"
            )


def ordered(tail: Tail, classes: Sequence[int]) -> Tail:
    """The tail with its logits in another order."""
    places = torch.tensor(classes)
    rows = {name: tail.weights[name][places] for name in ("classifier.weight", "classifier.bias")}
    return Tail({**tail.weights, **rows}, tail.activation, tail.pooled, tail.epsilon)


def take_heads(classifier: SequenceClassifier, pieces: Pieces, classes: Sequence[int]) -> tuple[Attending, Floats]:
    """What the heads attend to in each text, and the model's logits (N, C), in the order of `classes`."""
    count = len(pieces)
    weights: list[Floats] = [np.empty((0, 0), np.float32)] * count
    values: list[Floats] = [np.empty((0, 0, 0), np.float32)] * count
    below: list[Floats] = [np.empty(0, np.float32)] * count
    logits = np.empty((count, len(classes)), np.float32)
    for members, batch in PieceTable(pieces, torch.device("cpu")).in_order_of_length():
        attended = classifier.attend(batch)
        items = folded(attended, batch)
        logits[members] = attended.logits[:, list(classes)].numpy()
        by_item = items.weights.transpose(1, 2).contiguous().numpy(), items.values.transpose(1, 2).contiguous().numpy()
        for row, member in enumerate(members):
            length = int(pieces.read[member]) + MARKS
            weights[member], values[member] = (part[row, :length].copy() for part in by_item)
            below[member] = attended.below[row].numpy()
    marks = np.full(count, MARKS)
    return Attending(weights, values, np.stack(below), marks, ordered(classifier.tail, classes)), logits


def take_classifier(
    classifier: SequenceClassifier,
    pieces: Pieces,
    ids: Sequence[str],
    labels: npt.NDArray[np.int64],
    classes: Sequence[int],
    imposed: bool = False,
) -> Readout:
    """Run a classifier over texts once and keep its readout. classes: its class for each class of the data.

    imposed: the readout of the same model with uniform weights on the items of every head of its last layer. Raises
    AuditError where the tail and the model disagree.
    """
    refuse_other_tail(classifier, PieceTable(pieces, torch.device("cpu")))
    attending, logits = take_heads(classifier, pieces, classes)
    readout = read_heads(ids, labels, attending)
    sums = [weights @ z for weights, z in zip(readout.attention, readout.contribution, strict=True)]
    apart = float(np.abs(np.array(sums) + readout.bias - logits).max())
    if not apart <= ENOUGH * max(1.0, float(np.abs(logits).max())):
        raise AuditError(
            f"{classifier.folder}: the whole model and its last layers as they are known here differ by {apart:.2g} in "
            f"a logit, more than {ENOUGH:g}; this kind of model is not supported"
        )
    if not imposed:
        return readout
    even = [np.full_like(weights, 1 / len(weights)) for weights in attending.weights]
    return read_heads(ids, labels, Attending(even, attending.values, attending.below, attending.marks, attending.tail))
