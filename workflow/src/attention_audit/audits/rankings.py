"""Rankings of the items of a text by how much they are thought to matter (Serrano & Smith 2019, section 5.2).

A ranking scores every item. The item with the highest score comes first; of items with equal scores, the earlier one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Floats, Integers
from attention_audit.batching import cut_rows, mark_lengths, stream
from attention_audit.divergence import detect_flips
from attention_audit.padded import PaddedReadout
from attention_audit.readout import Readout, Scores
from attention_audit.targets import load

from .batches import Columns, collect
from .erasure import ErasableTexts, batch_erasable, find_flips, find_share, reorder_votes, sum_remaining

Ranker = Callable[[ErasableTexts, Sequence[str], int], Tensor]
"""Scores (n, L) of the items of n texts, from the texts, the ids of the whole readout, and a seed."""
CANDIDATES = 16
"""Items that each step of a greedy search tries at most, so that a long text costs no square of its length."""


def sort_falling(scores: Tensor, texts: ErasableTexts | PaddedReadout) -> Tensor:
    """Order items by falling score, equal scores by position: (n, L) -> positions (n, L).

    Marks of a tokenizer come after all words, since nobody reads them as words, and padding comes last.
    """
    words, items = (mark_lengths(counts, scores.shape[1]) for counts in (texts.words, texts.lengths))
    keys = (-scores).where(words, torch.finfo(scores.dtype).max).where(items, float("inf"))
    return torch.from_numpy(np.argsort(keys.numpy(), kind="stable"))


def draw_scores(texts: ErasableTexts | PaddedReadout, ids: Sequence[str], seed: int) -> Tensor:
    """Draw random scores, (n, L), which shuffle each text's items. `ids` are the ids of all texts of the readout."""
    scores = np.zeros(texts.attention.shape)
    for row, (member, length) in enumerate(zip(texts.members, texts.lengths.tolist(), strict=True)):
        scores[row, :length] = stream("shuffle", ids[member], seed).random(length)
    return torch.from_numpy(scores)


def search_greedily(texts: ErasableTexts) -> Tensor:
    """Score items (n, L) in the order of a greedy search, which ends where the decision changes.

    Each step erases the item without which the predicted class has the least probability, of the `CANDIDATES` that
    remain and have the highest `product`. Marks of a tokenizer go last, as in every ranking.
    """
    positions = torch.arange(texts.attention.shape[1])
    is_left = (positions < texts.lengths[:, None]).to(texts.votes.dtype)
    hopes = (texts.attention * texts.gradient).masked_fill(positions >= texts.words[:, None], float("-inf"))
    scores, rows = torch.zeros_like(hopes), torch.arange(len(hopes))
    for step in range(int(texts.words.max())):
        hope, candidates = hopes[rows].topk(min(CANDIDATES, len(positions)), 1)
        remaining = is_left[rows, None].expand(-1, candidates.shape[1], -1).scatter(2, candidates[..., None], 0.0)
        predicted, flips = texts.erase(texts.votes[rows] @ remaining.transpose(1, 2), rows)
        decision = texts.decision[rows, None].expand(-1, 1, candidates.shape[1])
        chance = predicted.gather(1, decision)[:, 0].masked_fill(hope.isneginf(), float("inf"))
        best = chance.argmin(1, keepdim=True)
        erased = candidates.gather(1, best)[:, 0]
        is_left[rows, erased] = 0.0
        hopes[rows, erased] = float("-inf")
        scores[rows, erased] = float(len(positions) - step)
        rows = rows[~flips.gather(1, best)[:, 0] & (texts.words[rows] > step + 1)]
        if not len(rows):
            break
    return scores


def find_shortest(texts: ErasableTexts, ids: Sequence[str], seed: int) -> Tensor:
    """Find scores (n, L) whose ranking changes the decision soonest: of a greedy search and of all other rankings."""
    everything = [search_greedily(texts), *(RANKERS[name](texts, ids, seed) for name in BY_STATES)]
    never = len(texts.attention[0])
    best, soonest = everything[0], torch.full((len(texts.lengths),), never + 1)
    for scores in everything:
        remaining = sum_remaining(reorder_votes(texts.votes, sort_falling(scores, texts)))
        # another set is of use where it is smaller
        flip_sizes = find_flips(texts, remaining, (soonest - 1).clamp(max=texts.lengths))
        flip_sizes = flip_sizes.where(flip_sizes > 0, never)
        best = scores.where((flip_sizes < soonest)[:, None], best)
        soonest = torch.minimum(flip_sizes, soonest)
    return best


def find_smallest(texts: ErasableTexts, ids: Sequence[str], seed: int) -> Tensor:
    """Find scores (n, L) whose ranking changes the decision with as few erased items as any set does.

    This is the gold standard that the paper considers too costly (section 5.2), computed exactly. Let m be the decision
    and w_tc the votes of item t for m minus its votes for class c. The remaining items R are renormalised by their
    mass, which is positive, so c beats m if and only if sum_R w_tc < 0 (a tie is no flip). Of all R of one size, the
    items with the least w_tc have the least sum: the smallest set whose erasure lets c win takes the highest w_tc
    first. The decision changes where any class wins, so the smallest of these sets over all classes is the answer, with
    one exception: when all mass is erased, the bias decides. The smallest set for that is all items of positive weight,
    and attention ranks these first.

    The scores are w_tc for the class that wins soonest (the lowest of equals), or attention where that is sooner.

    With several heads, whose tail is no sum, and where classes tie before anything is erased, all of which another one
    has to beat, they are those of a set that `find_shortest` finds: an upper bound.
    """
    if texts.heads is not None:
        return find_shortest(texts, ids, seed)
    lead = texts.compare_to_decision(texts.votes[:, :-1])
    # numpy sorts many times faster than torch, which also computes the positions
    remaining = torch.from_numpy(np.sort(lead.numpy())).cumsum(2)
    # the sums fall and then rise, so the sums that are low enough come first
    left_counts = (remaining < 0).sum(2)
    greatest_left, winner = left_counts.max(1, keepdim=True)
    weighty = (texts.attention > 0).sum(1, keepdim=True)
    by_bias = detect_flips(texts.original, texts.bias[..., None], 1) & (weighty < lead.shape[2] - greatest_left)
    best = lead.gather(1, winner[..., None].expand(-1, 1, lead.shape[2]))[:, 0]
    best = texts.attention.where(by_bias, best)
    tied = (texts.original == texts.original.amax(1, keepdim=True)).sum(1) > 1
    return find_shortest(texts, ids, seed).where(tied, best) if tied.any() else best


SMALLEST = "smallest"
"""The ranking whose first items are a smallest set; their order has no further meaning."""
RANKERS: dict[str, Ranker] = {
    "random": draw_scores,
    "attention": lambda texts, _ids, _seed: texts.attention,
    "gradient": lambda texts, _ids, _seed: texts.gradient,
    "product": lambda texts, _ids, _seed: texts.attention * texts.gradient,
    SMALLEST: find_smallest,
}
"""The rankings; `names.RANKINGS` declares their labels, colours and markers. The product of attention and gradient is
p_m times the exact contributions, whose order it is.
"""
BY_STATES = ("random", "attention", "gradient", "product")
"""The rankings by the states under the attention that pairs of texts have too."""
TOPS = BY_STATES[1:]
"""The rankings whose first item is meant to matter most."""
BY_MAP = BY_STATES[:2]
"""Those of a map from which the predictions do not follow."""


CONTRIBUTION = "contribution"
"""What is no ranking, since it has the order of the product but for the signs."""


def load_rankers(targets: Iterable[str]) -> dict[str, Ranker]:
    """Load the rankings, and behind them those of the user's own, each "module:function"."""
    return RANKERS | {target: load(target) for target in targets}


def batch_states(readout: Readout) -> Iterator[ErasableTexts | PaddedReadout]:
    """Cut a readout into batches: erasable texts where its predictions are linear in the attention, or expanded so."""
    return batch_erasable(readout) if readout.head is None and readout.decided else readout.batches(torch.float64)


def score_states(texts: ErasableTexts | PaddedReadout, ids: Sequence[str], seed: int) -> dict[str, Tensor]:
    """Score items by the rankings `BY_STATES`, or `BY_MAP`, (n, L) each, and by the magnitudes of their exact
    contributions where these are known; `ids` are those of all texts of the readout.

    The gradient is that of the predicted class's probability, through the head where the readout is of pairs.
    """
    if isinstance(texts, ErasableTexts):
        scores = {name: RANKERS[name](texts, ids, seed) for name in BY_STATES}
        return scores | {CONTRIBUTION: texts.exact_contributions.abs()}

    def choose(predicted: Tensor) -> Tensor:
        return torch.zeros_like(predicted).scatter(-1, predicted.argmax(-1, keepdim=True), 1.0)

    scores = {"random": draw_scores(texts, ids, seed), "attention": texts.attention}
    if texts.bias.shape[1]:
        (scores["gradient"],) = texts.compute_descent(texts.attention[None], choose)
        scores["product"] = texts.attention * scores["gradient"]
    return scores


def list_scores(readout: Readout, seed: int, marks: bool = False) -> dict[str, Scores]:
    """List the scores `score_states` of the words of all texts, or of all items with the marks, (L_i,) each."""

    def measure(texts: ErasableTexts | PaddedReadout) -> Columns:
        scores, counts = score_states(texts, readout.ids, seed), texts.lengths if marks else texts.words
        return {name: cut_rows(of_texts, counts) for name, of_texts in scores.items()}

    return collect(measure, batch_states(readout))


def rank(readout: Readout, scores: Mapping[str, Scores]) -> tuple[dict[str, list[Integers]], dict[str, Floats]]:
    """Order the words of each text by each ranking; and find the share of the states that go in this order until the
    decision flips, (N,) each, NaN where it never does, and for pairs, whose predictions are not linear, and for maps
    from which they do not follow.
    """
    orders = {
        name: [np.argsort(-word_scores, kind="stable") for word_scores in orders_by_text]
        for name, orders_by_text in scores.items()
    }

    def measure(texts: ErasableTexts | PaddedReadout) -> Columns:
        if isinstance(texts, PaddedReadout):
            return dict.fromkeys(orders, torch.full((len(texts.members),), torch.nan))
        shares = {}
        for name, orders_by_text in orders.items():
            # marks of a tokenizer come after the words, and then padding
            items = [np.r_[orders_by_text[i], len(orders_by_text[i]) : texts.attention.shape[1]] for i in texts.members]
            shares[name] = find_share(texts, torch.from_numpy(np.stack(items)))
        return shares

    return orders, collect(measure, batch_states(readout))
