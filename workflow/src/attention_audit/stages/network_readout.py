"""From a network to its readout: it is run here once, for all audits that need only its readout.

Of a fine-tuned Transformer classifier the tail is checked then. The items of a text are its words that are read, then
the tokenizer's marks: the first piece, such as [CLS], where it is one, and all others as one, such as [SEP]. A word
that no piece holds anything of is not read. The weight of an item is the sum of its pieces', and what a head attends to
in it is their mean by these weights. Words that one piece holds share its weight, and what a head attends to in each of
them is that piece. So what a head attends to is the same sum over items as over pieces, for its own weights and for all
that keep the proportions within an item.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Array, Floats32, Integers
from attention_audit.batching import sample_indices
from attention_audit.errors import AuditError
from attention_audit.maps import find_map, sum_words
from attention_audit.maps.passes import ModelPass
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, PairClassifier, mark_allowed, use_inference
from attention_audit.model.outputs import Target
from attention_audit.model.sequence_classifier import LastAttention, TransformerClassifier, lift_halves
from attention_audit.model.tail import probabilities
from attention_audit.padded import Head
from attention_audit.readout import HeadStates, Maps, Readout, read_heads
from attention_audit.transformer.folder import Home
from attention_audit.transformer.pieces import Pieces
from attention_audit.transformer.states import PieceBatch, PieceTable

MAX_LOGIT_DIFFERENCE = 1e-4
"""How far the logits of the tail may be from the model's own, in float32; times the greatest of these, where that is
above 1.
"""
TEXTS_AT_ONCE = 1000
"""Texts whose heads are in memory together where they are not kept."""
PIECES_OF_MAPS = 512
"""Padded pieces at most of the texts whose maps are computed together: some take memory by the square of a length."""
TEXTS_CHECKED = 8
"""Texts on which other weights are imposed on the whole network, to compare it with the tail."""


def take_head(model: Network) -> Head | None:
    """Return the last layer of a model of pairs; None for a model of single texts."""
    if not isinstance(model, PairClassifier):
        return None
    return Head(*(part.detach().cpu().clone() for part in (model.decoder.weight, model.decoder.bias)))


def take_readout(model: Network, split: Split, ids: Sequence[str]) -> Readout:
    """Run the model over a split, without gradients and without dropout, and keep its readout."""
    values_of_text: dict[int, list[Array]] = {}
    with use_inference(model):
        for members, batch in split.iterate_by_length():
            output = model(batch)
            choices = torch.ones_like(output.logits)
            if batch.candidates is not None:
                choices = mark_allowed(batch.candidates, output.logits.shape[1])
            parts = output.logits, output.bias.expand(len(members), -1), choices
            items = output.attention, model.compute_contributions(output.states)
            rows = zip(members, *(part.cpu().numpy() for part in (*parts, *items)), strict=True)
            for member, *of_text, weights, added in rows:
                count = split.items[member]
                values_of_text[member] = [*of_text, weights[:count], added[:count]]
        columns = zip(*(values_of_text[member] for member in range(len(split))), strict=True)
        logits, bias, allows, attention, contribution = map(list, columns)
        predicted = probabilities(torch.from_numpy(np.stack(logits))).numpy()
    head = take_head(model)
    candidates = [row.nonzero()[0].astype(np.int32) for row in allows] if head else None
    return Readout(
        ids=list(ids),
        labels=split.labels,
        predictions=predicted.argmax(1),
        probabilities=predicted,
        attention=attention,
        contribution=contribution,
        bias=np.stack(bias),
        head=head,
        candidates=candidates,
    )


def fold_pieces(attended: LastAttention, pieces: PieceBatch) -> LastAttention:
    """Return pieces as L items: weights (B, H, L), values (B, H, L, D_h). Of an item whose pieces have no weight at
    all, all count alike.
    """
    values = pieces.sum_by_item(pieces.share_weights(attended.weights)[..., None] * attended.values)
    holders = pieces.send(pieces.holders)[:, None, :, None].expand(values.shape)
    return attended._replace(weights=pieces.weigh_items(attended.weights), values=values.gather(2, holders))


def refuse_apart(folder: Home, where: str, by_tail: Array, by_model: Array, dtype: torch.dtype = torch.float32) -> None:
    """Raise AuditError where the logits of the tail differ from the whole network's by more than rounding does.

    dtype: of the weights; rounding of a half adds up over the layers.
    """
    difference = float(np.abs(by_tail - by_model).max())
    allowed = MAX_LOGIT_DIFFERENCE if dtype.itemsize > 2 else torch.finfo(dtype).eps ** 0.5
    if not difference <= allowed * max(1.0, float(np.abs(by_model).max())):
        raise AuditError(
            f"{folder}",
            f"{where}the whole model and its last layers as they are known here differ by {difference:.2g} in a logit, "
            f"more than {allowed:.1g}",
            "use judge",
        )


def refuse_no_number(folder: Home, name: str, logits: Any) -> None:
    """Raise AuditError where a logit of a text is NaN or infinite. logits (C,)."""
    values = np.asarray(logits, np.float64)
    if not np.isfinite(values).all():
        raise AuditError(
            f"{folder}",
            f"its logits of text {name!r} are no numbers ({', '.join(f'{value:.3g}' for value in values[:5])})",
            "look for NaN in its weights; of float16, which overflows, load it as float32",
        )


def refuse_other_tail(classifier: TransformerClassifier, pieces: PieceBatch, attended: LastAttention) -> None:
    """Raise AuditError unless the tail and the whole network agree on imposed weights. attended: of the same texts."""
    generator, tail, items = torch.Generator().manual_seed(0), classifier.tail, fold_pieces(attended, pieces)
    weights = torch.rand(items.weights.shape, generator=generator).to(items.weights)
    weights = weights.where(pieces.weigh_items(pieces.mask[:, None].to(weights)) > 0, 0)
    weights = weights / weights.sum(2, keepdim=True)
    contexts = torch.einsum("bhi,bhid->bhd", weights, items.values).flatten(1)
    by_tail = tail.apply(contexts, attended.below).float().cpu()
    piece_weights = pieces.weigh_pieces(weights, attended.weights)
    with torch.inference_mode(), classifier.impose_weights(pieces, piece_weights):
        by_model = classifier.compute_logits(pieces).cpu()
    dtype = tail.sample.dtype
    refuse_apart(classifier.folder, "under imposed weights ", by_tail.numpy(), by_model.numpy(), dtype)


def take_heads(
    classifier: TransformerClassifier,
    table: PieceTable,
    classes: Sequence[int],
    members: Integers,
    layer: int = 0,
    watch: Callable[[Integers, PieceBatch, LastAttention], None] = lambda at, batch, attended: None,
) -> tuple[HeadStates, Floats32]:
    """Return what the heads attend to in each of the texts at `members`, and the model's logits (n, C), in the order of
    `classes`. layer: another one than the last, counted from 1. watch: gets each batch, with the positions of its
    texts.
    """
    parts_of_text: list[tuple[Any, ...]] = [()] * len(members)
    for at, batch in table.iterate_by_length(members=members):
        attended = classifier.read_attention(batch, layer)
        watch(at, batch, attended)
        items = fold_pieces(attended, batch)
        of_items = (part.transpose(1, 2).float() for part in (items.weights, items.values))
        of_texts = items.logits[:, list(classes)], items.below.float(), batch.marks, batch.read + batch.marks
        for row, logits, below, marks, count, *item_parts in zip(
            at, *(part.cpu().numpy() for part in (*of_texts, *of_items)), strict=True
        ):
            # a copy, so that the padded batch is not kept
            parts_of_text[row] = logits, below, marks, *(part[:count].copy() for part in item_parts)
    logits, below, marks, weights, values = zip(*parts_of_text, strict=True)
    tail = classifier.tail.order_classes(classes)
    return HeadStates([*weights], np.array(marks, np.int64), [*values], np.stack(below), tail), np.stack(logits)


def take_maps(
    classifier: TransformerClassifier, pieces: Pieces, ids: Sequence[str], labels: Integers
) -> Iterator[Readout]:
    """Return the readout of a classifier without what its heads attend to, a part of the texts after another: the map
    over words and marks, predictions, and contributions at its own weights. The classes are those of the data.
    """
    table, classes = PieceTable(pieces, classifier.device), range(classifier.decoder.out_features)
    for start in range(0, len(pieces), TEXTS_AT_ONCE):
        members = np.arange(len(pieces))[start : start + TEXTS_AT_ONCE]
        attending, _ = take_heads(classifier, table, classes, members)
        yield replace(read_heads(ids[start : start + TEXTS_AT_ONCE], labels[members], attending), several=None)


def take_checked_heads(
    classifier: TransformerClassifier,
    pieces: Pieces,
    ids: Sequence[str],
    classes: Sequence[int],
    layer: int | None = None,
) -> tuple[HeadStates, Floats32]:
    """Run a classifier over texts once, and return `take_heads` of all of them. Raises AuditError where a logit is no
    number, and where the tail and the model disagree.
    """
    table, kept = PieceTable(pieces, classifier.device), list[tuple[PieceBatch, LastAttention]]()
    checked = sample_indices(len(table), TEXTS_CHECKED)

    def keep(at: Integers, batch: PieceBatch, attended: LastAttention) -> None:
        if len(rows := torch.from_numpy(np.flatnonzero(np.isin(at, checked)))):
            part, of_device = batch.select_texts(rows), batch.send(rows)
            weights, values, below, of_texts = (each[of_device] for each in attended)
            count = part.ids.shape[1]
            kept.append((part, LastAttention(weights[:, :, :count], values[:, :, :count], below, of_texts)))

    heads, logits = take_heads(classifier, table, classes, np.arange(len(pieces)), layer or 0, keep)
    for name, of_text in zip(ids, logits, strict=True):
        refuse_no_number(classifier.folder, name, of_text)
    if layer is None:
        for batch, attended in kept:
            refuse_other_tail(classifier, batch, attended)
    return replace(heads, places=pieces.places_by_text, cut=pieces.truncated), logits


def assemble_readout(
    heads: Maps, logits: Floats32, ids: Sequence[str], labels: Integers, layer: int | None = None
) -> Readout:
    """Assemble the readout of texts from what heads attend to, and the model's logits; of a layer before the last,
    the map alone with the model's predictions.
    """
    if layer is None and isinstance(heads, HeadStates):
        return read_heads(ids, labels, heads)
    predicted = probabilities(torch.from_numpy(logits)).numpy()
    return Readout(
        ids=[*ids],
        labels=labels,
        predictions=predicted.argmax(1),
        probabilities=predicted,
        attention=[weights.mean(1, dtype=np.float64).astype(np.float32) for weights in heads.weights],
        contribution=[np.empty((len(weights), 0), np.float32) for weights in heads.weights],
        bias=np.empty((len(ids), 0), np.float32),
        several=Maps(heads.weights, heads.marks, places=heads.places, cut=heads.cut),
    )


def take_target(
    heads: Maps, outputs: Floats32, target: Target, ids: Sequence[str], labels: Integers, layer: int | None
) -> Readout:
    """Take the readout of a target from what heads attend to, and from all outputs of the model (N, K). labels: whether
    it is the gold label. layer: as in `assemble_readout`.
    """
    if isinstance(heads, HeadStates):
        heads = replace(heads, tail=replace(heads.tail, target=target))
    return assemble_readout(heads, target.read(torch.from_numpy(outputs)).numpy(), ids, labels, layer)


def take_classifier(
    classifier: TransformerClassifier,
    pieces: Pieces,
    ids: Sequence[str],
    labels: Integers,
    classes: Sequence[int],
    imposed: bool = False,
    layer: int | None = None,
    maps: Sequence[str] = (),
) -> Readout:
    """Run a classifier over texts once and keep its readout. classes: its class for each class of the data.

    imposed: the readout of the same model with uniform weights on the items of every head of its last layer. layer: of
    one of its layers, counted from 1, the map alone, with the model's predictions: there are no contributions, since
    predictions do not follow from this row where the layer is not the last. maps: further ones, by name. Raises
    AuditError where the tail and the model disagree.
    """
    heads, logits = take_checked_heads(classifier, pieces, ids, classes, layer)
    readout = assemble_readout(heads, logits, ids, labels, layer)
    if layer is None:
        # the tail has made the sums
        sums = [weights @ z for weights, z in zip(readout.attention, readout.contribution, strict=True)]
        refuse_apart(classifier.folder, "", np.array(sums) + readout.bias, logits, heads.tail.sample.dtype)
        if imposed:
            readout = read_heads(ids, labels, heads.even)
    return replace(readout, maps=take_word_maps(classifier, pieces, maps))


def _maps(classifier: TransformerClassifier, pieces: PieceBatch, names: Sequence[str]) -> Tensor:
    """Return the scores of the pieces of B texts by each map: (M, B, P)."""
    windows = classifier.cut_windows(pieces)
    if windows is None:
        passed = ModelPass(classifier, pieces)
        return lift_halves(torch.stack([find_map(name)(passed) for name in names]))
    with torch.no_grad():
        classes = ModelPass(classifier, pieces).choose(classifier.compute_logits(pieces))[windows.text]
    scores = torch.zeros(len(names), *windows.place.shape, device=classes.device)
    for at, part in windows.iterate_parts(PIECES_OF_MAPS):
        passed = ModelPass(classifier, part, classes[at])
        for row, name in zip(scores, names, strict=True):
            row[at, : part.ids.shape[1]] = find_map(name)(passed)
    return windows.join_scores(scores.transpose(0, 1)).transpose(0, 1)


def take_word_maps(
    classifier: TransformerClassifier, pieces: Pieces, names: Sequence[str]
) -> dict[str, list[Floats32]]:
    """Return further maps of a classifier by their names: scores of the words of each text that are read."""
    maps = {name: [np.empty(0, np.float32)] * len(pieces) for name in names}
    if names:
        for at, batch in PieceTable(pieces, classifier.device).iterate_by_length(PIECES_OF_MAPS):
            for name, scores in zip(names, _maps(classifier, batch, names), strict=True):
                for member, of_words in zip(at, sum_words(scores, batch), strict=True):
                    maps[name][member] = of_words
    return maps
