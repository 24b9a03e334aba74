"""Soft erasure: how much does the prediction lose where words are erased in part, the more the higher their scores?

Claims: to delete the first words of a ranking treats them alike, whatever their scores. A faithful attribution has
scores such that what is erased in proportion to them is missed, and what is kept in proportion to them suffices. Zhao &
Aletras 2023, *Incorporating Attribution Importance for Improving Faithfulness Metrics*: soft normalised
comprehensiveness (Soft-NC) and sufficiency (Soft-NS). Each number of the vector of a word with the score a, 0 to 1, is
multiplied by a drawn e:

    comprehensiveness: e = 1 with probability 1 - a    sufficiency: e = 1 with probability a    else e = 0

With p the probability of the predicted class, p' that of the erased text X', and X0 the text with all vectors erased:

    S(X') = 1 - max(0, p - p')            C(X') = max(0, p - p')
    Soft-NS = max(0, S(X') - S(X0)) / (1 - S(X0))       Soft-NC = C(X') / (1 - S(X0)), at most 1

Assumes that zeros in a vector stand for less of a word. The scores of a text are scaled so that the lowest is 0 and the
highest 1, an option of the authors' code; where all are the same, each is 1/2. Peaked scores erase less than flat ones,
whatever they point to. So the floor is that of the same scores, shuffled over the words. Marks and queries keep their
vectors.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.attributions import evaluating, flat
from attention_audit.audits.gradients import of_tokens, run_on, vectors_of
from attention_audit.audits.located import FURTHER, in_runs, ranked
from attention_audit.audits.rankings import list_scores
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.batching import Indices, runs, stream
from attention_audit.model.batch import Batch
from attention_audit.model.tail import probabilities
from attention_audit.readout import Scores

Floats = npt.NDArray[np.float64]
DRAWS = 5
"""Draws of what is erased of a text, the same for all attributions."""
TOKENS = 8192
"""Padded tokens of a batch at most."""
LEAST = 1e-6
"""What must be lost by erasing all, since smaller losses come from rounding."""
KINDS = ("comprehensiveness", "sufficiency", "shuffled_comprehensiveness", "shuffled_sufficiency")


class Copies(NamedTuple):
    """R copies of texts with a part of their vectors.

    member (R,): the text. draw (R,): which random numbers. scores: of each word, (L,). keeps (R,): whether the numbers
    below a word's score stay, and not those above.
    """

    member: Indices
    draw: Indices
    scores: Scores
    keeps: npt.NDArray[np.bool_]


def scaled(scores: Floats) -> Floats:
    """Scores of the words of a text from 0, the lowest, to 1, the highest: (L,) -> (L,); 1/2 where all are the same."""
    lowest, width = scores.min(), np.ptp(scores)
    return (scores - lowest) / width if width > 0 else np.full(len(scores), 0.5)


def kept(batch: Batch, scores: Tensor, uniform: Tensor, keeps: Tensor) -> Tensor:
    """Which numbers of the vectors stay, (R, P, E), from the scores of words (R, L), numbers in [0, 1) (R, P, E), and
    whether what is below a score stays, (R,). All that is of no word of the text stays.
    """
    if batch.pieces is None:
        own = pad(scores, (1, 1))
    else:
        own = scores.gather(1, batch.pieces.words.clamp(0, scores.shape[1] - 1))
    below = uniform < own[..., None]
    return (below == keeps[:, None, None]) | ~of_tokens(batch)[..., None]


@torch.inference_mode()
def chances(texts: Attributed, classes: Indices, copies: Copies, seed: int) -> Floats:
    """The probability of a class of each text in its copies, (R,); `classes` are those of all texts of the split."""
    split = texts.split
    found = np.empty(len(copies.member))
    order = np.lexsort((copies.draw, copies.member, split.sizes[copies.member]))
    for run in runs(split.sizes[copies.member[order]] + 2, tokens=split.room(TOKENS)):
        rows = order[run]
        members = copies.member[rows]
        batch = flat(split.batch(members))
        vectors = vectors_of(texts.model, batch)
        scores = torch.zeros(batch.mask.shape, dtype=torch.float64)
        uniform = torch.zeros(vectors.shape, dtype=torch.float64)
        drawn: dict[tuple[int, int], Tensor] = {}
        for place, row in enumerate(rows):
            key = member, _ = int(copies.member[row]), int(copies.draw[row])
            if key not in drawn:
                numbers = stream(f"soft {key[1]}", texts.readout.ids[member], seed)
                drawn[key] = torch.from_numpy(numbers.random((int(split.sizes[member]) + 2, vectors.shape[2])))
            scores[place, : len(copies.scores[row])] = torch.from_numpy(copies.scores[row])
            width = min(len(drawn[key]), uniform.shape[1])
            uniform[place, :width] = drawn[key][:width]
        keeps = torch.from_numpy(copies.keeps[rows])
        given = (part.to(vectors.device) for part in (scores, uniform, keeps))
        predicted = probabilities(run_on(texts.model, batch, vectors * kept(batch, *given)).logits.double())
        chosen = torch.from_numpy(classes[members, None]).to(predicted.device)
        found[rows] = predicted.gather(1, chosen)[:, 0].cpu().numpy()
    return found


def copies_of(texts: Attributed, members: Indices, scores: Scores, seed: int) -> Copies:
    """Of each text with its scores the copies by `KINDS`, all draws of a kind in a row: n texts -> n * 4 * DRAWS."""
    member, draw = np.repeat(members, len(KINDS) * DRAWS), np.tile(np.arange(DRAWS), len(members) * len(KINDS))
    own = []
    for text, of_text in zip(members, scores, strict=True):
        orders = [
            stream(f"soft order {number}", texts.readout.ids[text], seed).permutation(len(of_text))
            for number in range(DRAWS)
        ]
        own += [of_text] * (2 * DRAWS) + [of_text[order] for order in orders] * 2
    keeps = np.tile(np.repeat([name.endswith("sufficiency") for name in KINDS], DRAWS), len(members))
    return Copies(member, draw, own, keeps)


def soft(texts: Attributed, agreement: Agreement, erasure: Erasure, deletion: Deletion) -> dict[str, Any]:
    """Columns id, ranking, nothing, and `KINDS`; one row for each attribution and text of `located`.

    Each of the last four is a mean over `DRAWS` draws, which hang on `erasure.seed` and the text's id alone; NaN where
    less than `LEAST` is lost by erasing all.
    """
    split, readout, seed = texts.split, texts.readout, erasure.seed
    rows, deletions = ranked(texts, agreement, seed, deletion)
    further = dict(zip(FURTHER, (deletions.falls, texts.integrated(agreement)[1]), strict=True)) | texts.word_maps
    every = list_scores(readout, seed) | further
    found = np.full((len(KINDS), len(rows.member)), np.nan)
    nothing = np.empty(len(rows.member))
    with evaluating(texts.model):
        for part in in_runs(split.lengths, rows):
            members = np.unique(rows.member[part])
            # nothing is erased, and then all
            ends = [np.full(split.lengths[i], end) for end in (0.0, 1.0) for i in members]
            plain = Copies(np.tile(members, 2), np.zeros(len(ends), int), ends, np.zeros(len(ends), bool))
            before, after = chances(texts, deletions.predicted, plain, seed).reshape(2, -1)
            at = np.searchsorted(members, rows.member[part])
            scores = [scaled(every[rows.ranking[row]][rows.member[row]]) for row in part]
            copies = copies_of(texts, rows.member[part], scores, seed)
            chance = chances(texts, deletions.predicted, copies, seed).reshape(len(part), len(KINDS), DRAWS)
            lost = np.maximum(before[at, None, None] - chance, 0.0)
            whole = np.maximum(before - after, 0.0)[at]
            nothing[part] = 1 - whole
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = np.minimum(lost / whole[:, None, None], 1.0).mean(2).T
            for values, share, name in zip(found, shares, KINDS, strict=True):
                # S(X') - S(X0) = what all loses - what X' loses
                value = 1 - share if name.endswith("sufficiency") else share
                values[part] = np.where(whole > LEAST, value, np.nan)
    return {
        "id": [readout.ids[i] for i in rows.member],
        "ranking": rows.ranking,
        "nothing": nothing,
        **dict(zip(KINDS, found, strict=True)),
    }
