"""Leave-one-out: how far does the prediction change when a token is deleted from the text?

Claims: weights that order the tokens differently from deletions do not explain what the prediction rests on. Assumes
that the model can read the text without the token. Jain & Wallace 2019, section 4.1: TVD(p(x without t), p(x)). The
token is deleted from the input and the encoder reads the shortened text; states that the deletion does not change are
not computed again (`shared_states`). The prediction of the whole text is taken from states that are computed in the
same way as those of the shortened ones: rounding in another order, as a GPU's kernels have it, would otherwise enter
every difference.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.arrays import Array, Flags, Floats, Integers
from attention_audit.batching import find_starts, sort_into_runs
from attention_audit.divergence import detect_flips, tvd
from attention_audit.model.batch import Batch, Split
from attention_audit.model.encoders import CarriedStates
from attention_audit.model.network import Network, PairClassifier, add_states, use_inference
from attention_audit.model.tail import probabilities
from attention_audit.readout import Scores

from .gradients import require_flat
from .shared_states import share_states

MAX_TOKENS_READ = 1 << 12
"""Padded tokens at most of the texts that are read together."""
COPIED_TOKENS = 1 << 14
"""The same of their copies without several words."""
STATES = 1 << 14
"""States of shortened texts that are in memory together; more only where one deletion from one text needs more."""


class Deletions(NamedTuple):
    """What the deletion of each token does, text by text, (L_i,) each; nothing where the token is the text's only one.

    distances: TVD of the prediction from that of the whole text. whole (N, C): the latter, NaN for a text of one token.
    falls: the probability of the class predicted for the whole text, before minus after. flips: whether another class
    is predicted.
    """

    distances: Scores
    whole: Floats
    falls: Scores
    flips: list[Flags]

    @property
    def predicted(self) -> Integers:
        """Return the class predicted for each whole text, (N,), -1 for a text of one token."""
        return np.where(np.isnan(self.whole[:, 0]), -1, self.whole.argmax(1))


def group_by_length(lengths: Integers) -> Iterator[Integers]:
    """Group the places of texts of one length whose deletions have at most `STATES` states; or of a single text."""
    for length in np.unique(lengths):
        members = np.flatnonzero(lengths == length)
        at_once = max(1, int(STATES // (length * (length - 1))))
        yield from np.split(members, range(at_once, len(members), at_once))


def compute_logits(models: Sequence[Network], texts: Batch) -> Tensor:
    """Compute the logits of M models, (M, R, O); what a Transformer reads is cut into batches of similar length.

    Several models have one frozen Transformer, which reads once for all of them.
    """
    if texts.pieces is None:
        return torch.stack([model(texts).logits for model in models])
    parts, rows = [], []
    for members, pieces in texts.pieces.iterate_by_length():
        width = int(texts.lengths[members].max()) + 2
        candidates = None if texts.candidates is None else texts.candidates[members]
        part = Batch(
            ids=texts.ids[members, :width],
            lengths=texts.lengths[members],
            labels=texts.labels[members],
            candidates=candidates,
            pieces=pieces,
        )
        if len(models) > 1:
            part = replace(add_states(models[0].transformer, part), pieces=None)
        parts.append(torch.stack([model(part).logits for model in models]))
        rows.append(members)
    return torch.cat(parts, 1)[:, torch.cat(rows).argsort()]


class TextReading:
    """N texts, and what M models predict for them, (M, N, C), and for copies of them without some tokens.

    Where the encoder allows it, states that a deletion leaves alone are not computed again. Several models are such as
    have one frozen Transformer, which reads for all of them.
    """

    def __init__(self, models: Sequence[Network], split: Split, members: Integers) -> None:
        self.models, self.split, self.members = models, split, members
        model = models[0]
        self.batch = require_flat(split.batch(members))
        # a Transformer lets every state depend on every token
        alone = self.batch.pieces is not None
        self.sharing = (
            None if alone else share_states(model.encoder, model.embedding(self.batch.ids), self.batch.lengths)
        )
        self.query = model.query(self.batch) if isinstance(model, PairClassifier) and not alone else None
        if self.sharing:
            # the same model, which takes the states of its texts from its batches
            model = copy(model)
            model._modules = {**model._modules, "encoder": CarriedStates(model.encoder.width)}
            self.models = [model]

    def _predict(self, texts: Batch, text: Tensor, states: Tensor | None) -> Tensor:
        """Predict for copies of the texts at `text` (R,), from their states where these are known: (M, R, C)."""
        if states is not None:
            texts = replace(texts, states=states, summary=None if self.query is None else self.query[text])
        return probabilities(compute_logits(self.models, texts).double())

    def predict_whole(self) -> Tensor:
        """Predict for the texts themselves, (M, N, C): those of one length together, without padding, as copies of
        them are predicted, since rounding in another order would enter what a deletion changes.
        """
        if self.sharing is None:
            return probabilities(compute_logits(self.models, self.batch).double())
        lengths = self.split.lengths[self.members]
        groups = [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
        predictions = []
        for members in groups:
            text = torch.from_numpy(members).to(self.batch.ids.device)
            states = self.sharing.states[text, : lengths[members[0]]]
            predictions.append(self._predict(self.split.batch(self.members[members]), text, states))
        return torch.cat(predictions, 1)[:, np.concatenate(groups).argsort()]

    def predict_without_each(self, members: Integers) -> Tensor:
        """Predict for the texts at `members` (n,) without each token, text by text: (M, R, C). Where states are shared,
        all have one length.
        """
        lengths = self.split.lengths[self.members[members]]
        if self.sharing is None:
            places = np.arange(lengths.sum()) - np.repeat(find_starts(lengths), lengths)
            return self.predict_deletions(np.repeat(members, lengths), places[:, None] == np.arange(lengths.max()))
        length = int(lengths[0])
        at_once = max(1, STATES // (len(members) * (length - 1)))
        texts, after = torch.from_numpy(members).to(self.batch.ids.device), []
        for start in range(0, length, at_once):
            stop = min(start + at_once, length)
            # deletion by deletion, text by text
            token = torch.arange(start, stop, device=texts.device).repeat_interleave(len(members))[:, None]
            positions = torch.arange(length - 1, device=texts.device)
            positions = positions + (positions >= token)
            text, counts = texts.repeat(stop - start), positions.new_full((len(positions),), length - 1)
            states = self.sharing.states[text[:, None], positions]
            self.sharing.update(states.view(stop - start, len(members), length - 1, -1), texts, start, stop)
            predicted = self._predict(self._copy(text, positions, counts), text, states)
            after.append(predicted.view(len(self.models), stop - start, len(members), -1))
        return torch.cat(after, 1).transpose(1, 2).flatten(1, 2)

    def predict_deletions(self, text: Integers, gone: Flags) -> Tensor:
        """Predict for copies of the texts at `text` (R,) without some of their words, (R, L), of which some are left:
        (M, R, C).
        """
        lengths = self.split.lengths[self.members[text]]
        remaining = lengths - gone.sum(1)
        # a sort that keeps the order of equals moves what is deleted, and padding, behind what is kept
        order = (gone | (np.arange(gone.shape[1]) >= lengths[:, None])).argsort(1, kind="stable")
        runs = [*sort_into_runs(remaining, COPIED_TOKENS)]
        after = []
        for run in runs:
            copies = text[run], order[run, : remaining[run].max()], remaining[run]
            after.append(self.predict_copies(*(torch.from_numpy(some).to(self.batch.ids.device) for some in copies)))
        return torch.cat(after, 1)[:, np.concatenate(runs).argsort()]

    def _copy(self, text: Tensor, positions: Tensor, counts: Tensor) -> Batch:
        """Copy texts without some tokens, as in `shared_states`: (R,), (R, K), (R,)."""
        texts = self.split.batch(self.members[text.cpu().numpy()])
        columns, end = torch.arange(positions.shape[1] + 2, device=positions.device), counts[:, None] + 1
        ids = texts.ids.gather(1, pad(positions + 1, (1, 1))).masked_fill(columns > end, 0)
        mark = texts.ids.gather(1, texts.lengths[:, None] + 1)
        if texts.pieces is not None:
            stays = torch.zeros(len(text), texts.ids.shape[1] - 1, dtype=torch.bool, device=positions.device)
            stays.scatter_(1, positions.where(columns[:-2] < counts[:, None], stays.shape[1] - 1), True)
            texts = replace(texts, pieces=texts.pieces.keep_words(stays[:, :-1]))
        return replace(texts, ids=ids.scatter(1, end, mark), lengths=counts)

    def predict_copies(self, text: Tensor, positions: Tensor, counts: Tensor) -> Tensor:
        """Predict for copies that keep some tokens, as in `shared_states`: (R,), (R, K), (R,) -> (M, R, C)."""
        states = None if self.sharing is None else self.sharing.read_kept(text, positions, counts)
        return self._predict(self._copy(text, positions, counts), text, states)


def leave_one_out(model: Network, split: Split, members: Integers | None = None) -> Deletions:
    """Return `delete_each` of one model."""
    return delete_each([model], split, members)[0]


def delete_each(models: Sequence[Network], split: Split, members: Integers | None = None) -> list[Deletions]:
    """Delete each token of the texts at `members` (by default all), and find what this does to each model.

    Several models are such as have one frozen Transformer, which reads each shortened text once for all of them. The
    only token of a text is not deleted, since no text would remain: its distance and fall are 0. Raises ValueError
    on a split that is read as sentences.
    """
    lengths = split.lengths
    members = np.arange(len(split)) if members is None else members

    def make_zeros(kind: type) -> list[Array]:
        return [np.zeros(length, kind) for length in lengths]

    results = []
    for model in models:
        whole = np.full((len(split), max(2, model.outputs)), np.nan)
        results.append(Deletions(make_zeros(float), whole, make_zeros(float), make_zeros(bool)))
    with ExitStack() as modes:
        for model in models:
            modes.enter_context(use_inference(model))
        longer = members[lengths[members] > 1]
        for run in sort_into_runs(lengths[longer], MAX_TOKENS_READ):
            texts = longer[run]
            reading = TextReading(models, split, texts)
            whole_predictions = reading.predict_whole()
            for deletions, whole_prediction in zip(results, whole_predictions, strict=True):
                deletions.whole[texts] = whole_prediction.cpu()
            for positions in [np.arange(len(texts))] if reading.sharing is None else group_by_length(lengths[texts]):
                counts, without = lengths[texts[positions]], reading.predict_without_each(positions)
                of_rows = whole_predictions[:, np.repeat(positions, counts)]
                for deletions, before, after in zip(results, of_rows, without, strict=True):
                    falls = (before - after).gather(1, before.argmax(1, keepdim=True))[:, 0]
                    columns = tvd(after, before), falls, detect_flips(before, after)
                    by_text = (np.split(values.cpu().numpy(), counts.cumsum()[:-1]) for values in columns)
                    for text, *values in zip(texts[positions], *by_text, strict=True):
                        deletions.distances[text], deletions.falls[text], deletions.flips[text] = values
    return results


def predict_without(model: Network, split: Split, members: Integers, gone: Flags) -> Tensor:
    """Predict for texts some of whose words are deleted, (R, C); NaN where no word would be left.

    members (R,): the texts, one of which may stand there several times. gone (R, L): the words that go.
    """
    predictions = torch.full((len(members), max(2, model.outputs)), torch.nan, dtype=torch.float64)
    remaining = gone.sum(1) < split.lengths[members]
    different = np.unique(members[remaining])
    with use_inference(model):
        for group in sort_into_runs(split.lengths[different], MAX_TOKENS_READ):
            texts = np.sort(different[group])
            rows = np.flatnonzero(np.isin(members, texts) & remaining)
            reading = TextReading([model], split, texts)
            predictions[rows] = reading.predict_deletions(np.searchsorted(texts, members[rows]), gone[rows])[0].cpu()
    return predictions
