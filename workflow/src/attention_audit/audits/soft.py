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

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attention_audit.arrays import Floats, Integers
from attention_audit.batching import cut_runs, stream
from attention_audit.model.batch import Batch

from .attributed import AttributedTexts
from .batches import Columns
from .gradients import find_tokens, get_vectors, run_on
from .located import predict_altered, split_rows

SOFT_DRAWS = 5
"""Draws of what is erased of a text, the same for all attributions."""
SOFT_TOKENS = 8192
"""Padded tokens of a batch at most."""
MIN_LOSS = 1e-6
"""What must be lost by erasing all, since smaller losses come from rounding."""
SOFT_KINDS = ("comprehensiveness", "sufficiency", "shuffled_comprehensiveness", "shuffled_sufficiency")


class Copy(NamedTuple):
    """A copy of a text with a part of its vectors.

    member: the text. draw: which random numbers. scores: of each word, (L,). keeps: whether the numbers below a word's
    score stay, and not those above.
    """

    member: int
    draw: int
    scores: Floats
    keeps: bool


def scale_scores(scores: Floats) -> Floats:
    """Scale the scores of the words of a text from 0, the lowest, to 1, the highest: (L,) -> (L,); 1/2 where all are
    the same.
    """
    lowest, width = scores.min(), np.ptp(scores)
    return (scores - lowest) / width if width > 0 else np.full(len(scores), 0.5)


def find_kept(batch: Batch, scores: Tensor, uniform: Tensor, keeps: Tensor) -> Tensor:
    """Find which numbers of the vectors stay, (R, P, E), from the scores of words (R, L), numbers in [0, 1) (R, P, E),
    and whether what is below a score stays, (R,). All that is of no word of the text stays.
    """
    token = find_tokens(batch)
    below = uniform < scores.gather(1, token.clamp(min=0))[..., None]
    return (below == keeps[:, None, None]) | (token < 0)[..., None]


def predict_copies(texts: AttributedTexts, copies: Sequence[Copy]) -> Floats:
    """Predict the class of each text in its copies, (R,)."""
    split = texts.split
    member, draws = (np.array([copy[index] for copy in copies]) for index in (0, 1))
    order = np.lexsort((draws, member, split.sizes[member]))

    # copies with the same numbers follow one another
    @lru_cache(1)
    def draw(text: int, number: int, width: int) -> Tensor:
        random = stream(f"soft {number}", texts.readout.ids[text], texts.erasure.seed)
        return torch.from_numpy(random.random((split.sizes[text] + 2, width)))

    def read(rows: Integers, batch: Batch) -> Tensor:
        some = [copies[row] for row in rows]
        vectors = get_vectors(texts.model, batch)
        numbers = [draw(copy.member, copy.draw, vectors.shape[2]) for copy in some]
        uniform = pad_sequence(numbers, True)[:, : vectors.shape[1]]
        scores = pad_sequence([torch.from_numpy(copy.scores) for copy in some], True)
        keeps = torch.tensor([copy.keeps for copy in some])
        inputs = (part.to(vectors.device) for part in (scores, uniform, keeps))
        return run_on(texts.model, batch, vectors * find_kept(batch, *inputs)).logits

    parts = cut_runs(split.sizes[member[order]] + 2, tokens=split.scale_tokens(SOFT_TOKENS))
    return predict_altered(texts, member, (order[part] for part in parts), read)


def copy_text(texts: AttributedTexts, member: int, scores: Floats) -> list[Copy]:
    """Copy a text with its scores by `SOFT_KINDS`, all draws of a kind in a row: 4 * SOFT_DRAWS."""
    id_, seed = texts.readout.ids[member], texts.erasure.seed
    streams = (stream(f"soft order {number}", id_, seed) for number in range(SOFT_DRAWS))
    shuffled = [random.permutation(scores) for random in streams]
    return [
        Copy(member, draw, draw_scores, keeps)
        for of_draws in ([scores] * SOFT_DRAWS, shuffled)
        for keeps in (False, True)
        for draw, draw_scores in enumerate(of_draws)
    ]


def soft(texts: AttributedTexts) -> Columns:
    """Return the columns id, ranking, nothing, and `SOFT_KINDS`; one row for each attribution and text of `located`.

    Each of the last four is a mean over `SOFT_DRAWS` draws, which hang on `erasure.seed` and the text's id alone; NaN
    where less than `MIN_LOSS` is lost by erasing all.
    """
    lengths, rows = texts.split.lengths, texts.ranked
    ends, chance = np.empty((2, len(rows.member))), np.empty((len(rows.member), len(SOFT_KINDS), SOFT_DRAWS))
    for part in split_rows(rows):
        members, at = np.unique(rows.member[part], return_inverse=True)
        # nothing is erased, and then all
        plain = [Copy(i, 0, np.full(lengths[i], end), False) for end in (0.0, 1.0) for i in members]
        ends[:, part] = predict_copies(texts, plain).reshape(2, -1)[:, at]
        scored = ((rows.member[row], scale_scores(rows.scores[row])) for row in part)
        copies = [copy for member, scores in scored for copy in copy_text(texts, member, scores)]
        chance[part] = predict_copies(texts, copies).reshape(-1, len(SOFT_KINDS), SOFT_DRAWS)
    before, after = ends
    loss_of_all, lost = np.maximum(before - after, 0.0), np.maximum(before[:, None, None] - chance, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.minimum(lost / loss_of_all[:, None, None], 1.0).mean(2).T
    # S(X') - S(X0) = what all loses - what X' loses
    shares[1::2] = 1 - shares[1::2]
    shares[:, loss_of_all <= MIN_LOSS] = np.nan
    return {
        "id": rows.ids,
        "ranking": rows.ranking,
        "nothing": 1 - loss_of_all,
        **dict(zip(SOFT_KINDS, shares, strict=True)),
    }
