"""Leave-one-out: how far does the prediction change when a token is deleted from the text?

Claims: weights that order the tokens differently from deletions do not explain what the prediction rests on. Assumes
that the model can read the text without the token. Jain & Wallace 2019, section 4.1: TVD(p(x without t), p(x)). The
token is deleted from the input and the encoder reads the shortened text; states that the deletion does not change are
not computed again (`shared_states`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from attention_audit.audits.attributions import Scores, evaluating, flat, whole
from attention_audit.audits.shared_states import shared
from attention_audit.divergence import tvd
from attention_audit.model.batch import Batch, Indices, Marked, Split, runs
from attention_audit.model.network import Network
from attention_audit.model.pairs import PairClassifier
from attention_audit.model.probabilities import probabilities

STATES = 1 << 14
"""States of shortened texts that are in memory together; more only where one deletion from one text needs more."""


class Precomputed(nn.Module):
    """Stands in for the encoders of a model: returns states of texts and summaries of queries computed before."""

    def __init__(self, states: Tensor, query: Tensor | None) -> None:
        super().__init__()
        self.states, self.query = states, query

    def forward(self, embedding: nn.Embedding, texts: Marked) -> Tensor:
        """The precomputed states; the arguments are not read."""
        return self.states

    def summary(self, embedding: nn.Embedding, texts: Marked) -> Tensor | None:
        """The precomputed summaries of the queries; the arguments are not read."""
        return self.query


@contextmanager
def in_place_of_encoders(model: Network, precomputed: Precomputed) -> Iterator[None]:
    """Let the model use precomputed states of its texts and queries in the block."""
    encoders = {name: module for name, module in model.named_children() if name in ("encoder", "query_encoder")}
    for name in encoders:
        model.register_module(name, precomputed)
    try:
        yield
    finally:
        for name, encoder in encoders.items():
            model.register_module(name, encoder)


def equally_long(lengths: Indices, states: int) -> Iterator[Indices]:
    """Positions of texts that have the same length of at least two tokens, in groups.

    A group has as many texts as have at most `states` states together over all deletions of one token.
    """
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 1]
    for group in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        for run in runs(lengths[group] * (lengths[group] - 1), tokens=states):
            yield group[run]


def shortened(split: Split, members: Indices, start: int, stop: int) -> Batch:
    """The texts at `members`, all of one length, without token d, for each start <= d < stop: d by d, text by text."""
    batch = split.batch(np.tile(members, stop - start))
    kept = torch.arange(batch.ids.shape[1] - 1, device=batch.ids.device)
    deleted = 1 + torch.arange(start, stop, device=batch.ids.device).repeat_interleave(len(members))
    kept = kept + (kept >= deleted[:, None])
    return replace(batch, ids=batch.ids.gather(1, kept), lengths=batch.lengths - 1)


def changes(model: Network, split: Split, members: Indices, states: int) -> Tensor:
    """How far each deletion changes the prediction (TVD), for n texts that all have length L: (L, n)."""
    batch = flat(split.batch(members))
    length = int(split.lengths[members[0]])
    before = probabilities(model(batch).logits.double())
    sharing = shared(model.encoder, model.embedding(batch.ids))
    query = model.query(batch) if isinstance(model, PairClassifier) else None
    together = max(1, states // (len(members) * (length - 1)))
    moved = []
    for start in range(0, length, together):
        stop = min(start + together, length)
        texts = shortened(split, members, start, stop)
        if sharing is None:
            logits = model(texts).logits
        else:
            repeated = None if query is None else query.repeat(stop - start, 1)
            with in_place_of_encoders(model, Precomputed(sharing.without(start, stop).flatten(0, 1), repeated)):
                logits = model(texts).logits
        after = probabilities(logits.double()).view(stop - start, *before.shape)
        moved.append(tvd(after, before))
    return torch.cat(moved)


@torch.inference_mode()
def leave_one_out(model: Network, split: Split, members: Indices | None = None, states: int = STATES) -> Scores:
    """The TVD that each token's deletion causes, text by text in the order of `members` (by default all texts).

    0 for the only token of a text, since no text would remain. Raises ValueError on a split that is read as sentences.
    """
    members = whole(split, members)
    scores: Scores = [np.zeros(length) for length in split.lengths[members]]
    with evaluating(model):
        for places in equally_long(split.lengths[members], states):
            moved = changes(model, split, members[places], states).t().cpu().numpy()
            for place, distances in zip(places, moved, strict=True):
                scores[place] = distances
    return scores
