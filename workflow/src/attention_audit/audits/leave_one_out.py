"""Leave-one-out: how far does the prediction change when a token is deleted from the text?

Claims: weights that order the tokens differently from deletions do not explain what the prediction rests on. Assumes
that the model can read the text without the token. Jain & Wallace 2019, section 4.1: TVD(p(x without t), p(x)). The
token is deleted from the input and the encoder reads the shortened text; states that the deletion does not change are
not computed again (`shared_states`). The prediction of the whole text is taken from states that are computed in the
same way as those of the shortened ones: rounding in another order, as a GPU's kernels have it, would otherwise enter
every difference.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.audits.attributions import evaluating, flat
from attention_audit.audits.shared_states import shared
from attention_audit.batching import Indices, runs
from attention_audit.divergence import flipped, tvd
from attention_audit.model.batch import Batch, Split
from attention_audit.model.encoders import Carried
from attention_audit.model.network import Network, PairClassifier, read
from attention_audit.model.tail import probabilities
from attention_audit.readout import Scores

READ = 1 << 12
"""Padded tokens at most of the texts that are read together."""
TOKENS = 1 << 14
"""The same of their copies without several words."""
STATES = 1 << 14
"""States of shortened texts that are in memory together; more only where one deletion from one text needs more."""


class Deletions(NamedTuple):
    """What the deletion of each token does, text by text, (L_i,) each; nothing where the token is the text's only one.

    distances: TVD of the prediction from that of the whole text. predicted (N,): the class predicted for the whole
    text, -1 for a text of one token. falls: the probability of that class, before minus after. flips: whether another
    class is predicted.
    """

    distances: Scores
    predicted: Indices
    falls: Scores
    flips: list[npt.NDArray[np.bool_]]


@contextmanager
def given_states(model: Network) -> Iterator[None]:
    """Let the model take the states of its texts from its batches in the block."""
    encoder = model.encoder
    model.register_module("encoder", Carried(encoder.width))
    try:
        yield
    finally:
        model.register_module("encoder", encoder)


def together(members: Indices, lengths: Indices) -> Iterator[Indices]:
    """The texts at `members`, shortest first, in groups that are read together; lengths (N,): those of all texts."""
    order = members[np.argsort(lengths[members], kind="stable")]
    for run in runs(lengths[order], tokens=READ):
        yield order[run]


def equally_long(members: Indices, lengths: Indices, sizes: Indices, most: int) -> Iterator[Indices]:
    """The texts at `members` in groups of one length, whose sizes sum to at most `most`, or of a single text.

    lengths, sizes (N,): those of all texts of the split.
    """
    for length in np.unique(lengths[members]):
        group = members[lengths[members] == length]
        for run in runs(sizes[group], tokens=most):
            yield group[run]


def logits(models: Sequence[Network], texts: Batch) -> Tensor:
    """The logits of M models, (M, R, O); what a Transformer reads is cut into batches of similar length.

    Several models have one frozen Transformer, which reads once for all of them.
    """
    if texts.pieces is None:
        return torch.stack([model(texts).logits for model in models])
    parts, rows = [], []
    for members, pieces in texts.pieces.in_order_of_length():
        width = int(texts.lengths[members].max()) + 2
        candidates = None if texts.candidates is None else texts.candidates[members]
        of_texts = (texts.ids[members, :width], texts.lengths[members], texts.labels[members])
        part = Batch(*of_texts, candidates=candidates, pieces=pieces)
        if len(models) > 1:
            part = replace(read(models[0].transformer, part), pieces=None)
        parts.append(torch.stack([model(part).logits for model in models]))
        rows.append(members)
    return torch.cat(parts, 1)[:, torch.cat(rows).argsort()]


def shortened(split: Split, members: Indices, start: int, stop: int) -> Batch:
    """The texts at `members`, all of one length, without token d, for each start <= d < stop: d by d, text by text."""
    batch = split.batch(np.tile(members, stop - start))
    kept = torch.arange(batch.ids.shape[1] - 1, device=batch.ids.device)
    token = torch.arange(start, stop, device=batch.ids.device).repeat_interleave(len(members))[:, None]
    place = kept + (kept > token)
    stays = torch.arange(batch.ids.shape[1] - 2, device=batch.ids.device) != token
    pieces = None if batch.pieces is None else batch.pieces.keeping(stays)
    return replace(batch, ids=batch.ids.gather(1, place), lengths=batch.lengths - 1, pieces=pieces)


class Reading:
    """N texts, and what M models predict for them, (M, N, C), and for copies of them without some tokens.

    Where the encoder allows it, states that a deletion leaves alone are not computed again. Several models are such as
    have one frozen Transformer, which reads for all of them.
    """

    def __init__(self, models: Sequence[Network], split: Split, members: Indices) -> None:
        self.models = models
        model = models[0]
        self.split = split
        self.members = members
        self.batch = flat(split.batch(members))
        # a Transformer lets every state depend on every token
        alone = self.batch.pieces is not None
        self.sharing = None if alone else shared(model.encoder, model.embedding(self.batch.ids), self.batch.lengths)
        self.query = model.query(self.batch) if isinstance(model, PairClassifier) and not alone else None

    def _predicted(self, texts: Batch, text: Tensor, states: Tensor | None) -> Tensor:
        """Predictions (M, R, C) for copies of the texts at `text` (R,), from their states where these are known."""
        if states is None:
            return probabilities(logits(self.models, texts).double())
        (model,) = self.models
        query = None if self.query is None else self.query[text]
        with given_states(model):
            return probabilities(model(replace(texts, states=states, summary=query)).logits.double())[None]

    def whole(self) -> Tensor:
        """Predictions for the texts themselves, (M, N, C): those of one length together, without padding, as copies of
        them are predicted, since rounding in another order would enter what a deletion changes.
        """
        if self.sharing is None:
            return probabilities(logits(self.models, self.batch).double())
        lengths = self.split.lengths[self.members]
        groups = [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
        found = []
        for places in groups:
            text = torch.from_numpy(places).to(self.batch.ids.device)
            states = self.sharing.states[text, : lengths[places[0]]]
            found.append(self._predicted(self.split.batch(self.members[places]), text, states))
        return torch.cat(found, 1)[:, np.concatenate(groups).argsort()]

    def without(self, places: Indices, start: int, stop: int) -> Tensor:
        """Predictions for the texts at `places` (n,), all of one length, without token d, for each start <= d < stop:
        (M, stop - start, n, C).
        """
        texts = torch.from_numpy(places).to(self.batch.ids.device)
        states = None if self.sharing is None else self.sharing.without(texts, start, stop).flatten(0, 1)
        copies = shortened(self.split, self.members[places], start, stop)
        predicted = self._predicted(copies, texts.repeat(stop - start), states)
        return predicted.view(len(self.models), stop - start, len(places), -1)

    def keeping(self, text: Tensor, kept: Tensor, counts: Tensor) -> Tensor:
        """Predictions for copies that keep some tokens, as in `shared_states`: (R,), (R, K), (R,) -> (M, R, C)."""
        texts = self.split.batch(self.members[text.cpu().numpy()])
        place, end = torch.arange(kept.shape[1] + 2, device=kept.device), counts[:, None] + 1
        ids = texts.ids.gather(1, pad(kept + 1, (1, 1))).masked_fill(place > end, 0)
        stays = torch.zeros(len(text), texts.ids.shape[1] - 1, dtype=torch.bool, device=kept.device)
        stays.scatter_(1, kept.where(place[:-2] < counts[:, None], stays.shape[1] - 1), True)
        pieces = None if texts.pieces is None else texts.pieces.keeping(stays[:, :-1])
        mark = texts.ids.gather(1, texts.lengths[:, None] + 1)
        texts = replace(texts, ids=ids.scatter(1, end, mark), lengths=counts, pieces=pieces)
        return self._predicted(texts, text, None if self.sharing is None else self.sharing.keep(text, kept, counts))


def leave_one_out(model: Network, split: Split, members: Indices | None = None, states: int = STATES) -> Deletions:
    """`leave_one_out_of` one model."""
    (found,) = leave_one_out_of([model], split, members, states)
    return found


def unasked(lengths: Indices) -> Deletions:
    """What is known of texts of these lengths before any word is deleted: nothing changes."""
    distances, falls = ([np.zeros(length) for length in lengths] for _ in range(2))
    return Deletions(distances, np.full(len(lengths), -1), falls, [np.zeros(length, bool) for length in lengths])


@torch.inference_mode()
def leave_one_out_of(
    models: Sequence[Network], split: Split, members: Indices | None = None, states: int = STATES
) -> list[Deletions]:
    """What each token's deletion does in the texts at `members` (by default all), of each model.

    Several models are such as have one frozen Transformer, which reads each shortened text once for all of them. The
    only token of a text is not deleted, since no text would remain: its distance and fall are 0. Raises ValueError
    on a split that is read as sentences.
    """
    lengths = split.lengths
    members = np.arange(len(split)) if members is None else members
    found = [unasked(lengths) for _ in models]
    with ExitStack() as modes:
        for model in models:
            modes.enter_context(evaluating(model))
        for texts in together(members[lengths[members] > 1], lengths):
            reading, own = Reading(models, split, texts), lengths[texts]
            before = reading.whole()
            # as many texts together as have at most `states` states over all deletions
            for places in equally_long(np.arange(len(texts)), own, own * (own - 1), states):
                after = _without_each(reading, places, int(own[places[0]]), states)
                for of_model, *predicted in zip(found, before[:, places], after, strict=True):
                    _note(of_model, texts[places], *predicted)
    return found


def _without_each(reading: Reading, places: Indices, length: int, states: int) -> Tensor:
    """What is predicted for the texts at `places` (n,), all of this length L, without each token: (M, L, n, C)."""
    at_once = max(1, states // (len(places) * (length - 1)))
    after = [reading.without(places, start, min(start + at_once, length)) for start in range(0, length, at_once)]
    return torch.cat(after, 1)


def deleting(
    model: Network, split: Split, members: Indices, gone: npt.NDArray[np.bool_]
) -> Iterator[tuple[Indices, Tensor, Tensor]]:
    """What is predicted for texts before and after some of their words are deleted, of which at least one is left.

    members (R,): the texts, one of which may stand there several times. gone (R, L): the words that go. Yields rows of
    these (r,), and the predictions (r, C) before and after, until all rows are known.
    """
    lengths, place = split.lengths[members], np.empty(len(split), np.int64)
    remaining = lengths - gone.sum(1)
    for texts in together(np.unique(members), split.lengths):
        reading = Reading([model], split, texts)
        (before,) = reading.whole()
        place[texts] = np.arange(len(texts))
        of_texts = np.flatnonzero(np.isin(members, texts))
        of_texts = of_texts[remaining[of_texts].argsort(kind="stable")]
        for run in runs(remaining[of_texts], tokens=TOKENS):
            rows = of_texts[run]
            longest = lengths[rows].max()
            # a sort that keeps the order of equals moves what is deleted, and padding, behind what is kept
            words = (gone[rows, :longest] | (np.arange(longest) >= lengths[rows, None])).argsort(1, kind="stable")
            text, kept, counts = (
                torch.from_numpy(some).to(before.device)
                for some in (place[members[rows]], words[:, : remaining[rows].max()], remaining[rows])
            )
            (after,) = reading.keeping(text, kept, counts)
            yield rows, before[text], after


def _note(found: Deletions, texts: Indices, before: Tensor, after: Tensor) -> None:
    """Note what the deletions do in some texts, from the predictions (n, C) and (L, n, C)."""
    decision = before.argmax(1)
    chosen = decision.expand(len(after), -1)[..., None]
    falls = before.gather(1, decision[:, None])[:, 0] - after.gather(2, chosen)[..., 0]
    flips = flipped(before, after)
    found.predicted[texts] = decision.cpu().numpy()
    for rows, values in ((found.distances, tvd(after, before)), (found.falls, falls), (found.flips, flips)):
        for text, of_text in zip(texts, values.t().cpu().numpy(), strict=True):
            rows[text] = of_text
