"""Rankings of the items of a text by how much they are thought to matter (Serrano & Smith 2019, section 5.2).

A ranking scores every item. The item with the highest score comes first; of items with equal scores, the earlier one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from attention_audit.audits.erasure import ErasableTexts, erasable, find_flips, left, reordered
from attention_audit.batching import stream
from attention_audit.divergence import flipped
from attention_audit.padded import Padded
from attention_audit.readout import Readout, Scores
from attention_audit.targets import load

Ranker = Callable[[ErasableTexts, Sequence[str], int], Tensor]
"""Scores (n, L) of the items of n texts, from the texts, the ids of the whole readout, and a seed."""
CANDIDATES = 16
"""Items that each step of a greedy search tries at most, so that a long text costs no square of its length."""


def falling(scores: Tensor, lengths: Tensor, words: Tensor | None = None) -> Tensor:
    """The positions of items by falling score, equal scores by position, padding last: (n, L), (n,) -> (n, L).

    words (n,): how many items are words, where the last ones are marks of a tokenizer. These come after all words,
    since nobody reads them as words.
    """
    places = torch.arange(scores.shape[1])
    keys_ = -scores
    if words is not None and words is not lengths:
        keys_ = keys_.masked_fill(places >= words[:, None], torch.finfo(scores.dtype).max)
    keys = keys_.masked_fill(places >= lengths[:, None], float("inf")).numpy()
    # numpy's default sort is several times faster than its stable one, which only texts with ties need
    positions = np.argsort(keys)
    rising = np.take_along_axis(keys, positions, 1)
    tied = ((rising[:, 1:] == rising[:, :-1]) & np.isfinite(rising[:, 1:])).any(1)
    positions[tied] = np.argsort(keys[tied], kind="stable")
    return torch.from_numpy(positions)


def shuffled(texts: ErasableTexts | Padded, ids: Sequence[str], seed: int) -> Tensor:
    """Random scores, (n, L), which shuffle each text's items. `ids` are the ids of all texts of the readout."""
    scores = np.zeros(texts.attention.shape)
    for row, (member, length) in enumerate(zip(texts.members, texts.lengths.tolist(), strict=True)):
        scores[row, :length] = stream("shuffle", ids[member], seed).random(length)
    return torch.from_numpy(scores)


def greedy(texts: ErasableTexts) -> Tensor:
    """Scores (n, L) of items in the order of a greedy search, which ends where the decision changes.

    Each step erases the item without which the predicted class has the least probability, of the `CANDIDATES` that
    remain and have the highest `product`. Marks of a tokenizer go last, as in every ranking.
    """
    places = torch.arange(texts.attention.shape[1])
    inside, words = (places < count[:, None] for count in (texts.lengths, texts.words))
    kept = inside.to(texts.votes.dtype)
    hopes = (texts.attention * texts.gradient).masked_fill(~words, float("-inf"))
    scores = torch.zeros(hopes.shape, dtype=hopes.dtype)
    rows = torch.arange(len(hopes))
    for step in range(int(texts.words.max())):
        some = texts.at(rows)
        hope = hopes[rows].masked_fill(kept[rows] == 0, float("-inf"))
        value, candidates = hope.topk(min(CANDIDATES, len(places)), 1)
        remaining = kept[rows, None].expand(-1, candidates.shape[1], -1).scatter(2, candidates[..., None], 0.0)
        predicted, flips = some.outcome(some.votes @ remaining.transpose(1, 2))
        decision = texts.decision[rows]
        chance = predicted.gather(1, decision[..., None].expand(-1, 1, candidates.shape[1]))[:, 0]
        best = chance.masked_fill(value.isneginf(), float("inf")).argmin(1, keepdim=True)
        erased = candidates.gather(1, best)[:, 0]
        kept[rows, erased] = 0.0
        scores[rows, erased] = float(len(places) - step)
        rows = rows[~flips.gather(1, best)[:, 0] & (texts.words[rows] > step + 1)]
        if not len(rows):
            break
    return scores


def shortest(texts: ErasableTexts, ids: Sequence[str], seed: int) -> Tensor:
    """Scores (n, L) whose ranking changes the decision soonest: of a greedy search and of all other rankings."""
    everything = [greedy(texts), *(ranker(texts, ids, seed) for name, ranker in RANKERS.items() if name != SMALLEST)]
    never = len(texts.attention[0])
    best, soonest = everything[0], torch.full((len(texts.lengths),), never + 1)
    for scores in everything:
        remaining = left(reordered(texts.votes, falling(scores, texts.lengths, texts.words)))
        # another set is of use where it is smaller
        first = find_flips(texts, remaining, (soonest - 1).clamp(max=texts.lengths))
        first = first.where(first > 0, never)
        best = scores.where((first < soonest)[:, None], best)
        soonest = torch.minimum(first, soonest)
    return best


def smallest(texts: ErasableTexts, ids: Sequence[str], seed: int) -> Tensor:
    """Scores (n, L) whose ranking changes the decision with as few erased items as any set does.

    This is the gold standard that the paper considers too costly (section 5.2), computed exactly. Let m be the decision
    and w_tc the votes of item t for m minus its votes for class c. The remaining items R are renormalised by their
    mass, which is positive, so c beats m if and only if sum_R w_tc < 0 (a tie is no flip). Of all R of one size, the
    items with the least w_tc have the least sum: the smallest set whose erasure lets c win takes the highest w_tc
    first. The decision changes where any class wins, so the smallest of these sets over all classes is the answer, with
    one exception: when all mass is erased, the bias decides. The smallest set for that is all items of positive weight,
    and attention ranks these first.

    The scores are w_tc for the class that wins soonest (the lowest of equals), or attention where that is sooner.

    With several heads, whose tail is no sum, and where classes tie before anything is erased, all of which another one
    has to beat, they are those of a set that `shortest` finds: an upper bound.
    """
    if texts.heads is not None:
        return shortest(texts, ids, seed)
    lead = texts.ahead(texts.votes[:, :-1])
    # numpy sorts many times faster than torch, which also computes the positions
    remaining = torch.from_numpy(np.sort(lead.numpy())).cumsum(2)
    # the sums fall and then rise, so the sums that are low enough come first
    kept = (remaining < 0).sum(2)
    most, winner = kept.max(1, keepdim=True)
    weighty = (texts.attention > 0).sum(1, keepdim=True)
    by_bias = flipped(texts.original, texts.bias[..., None], 1) & (weighty < lead.shape[2] - most)
    best = lead.gather(1, winner[..., None].expand(-1, 1, lead.shape[2]))[:, 0]
    best = texts.attention.where(by_bias, best)
    tied = (texts.original == texts.original.amax(1, keepdim=True)).sum(1) > 1
    return shortest(texts, ids, seed).where(tied, best) if tied.any() else best


SMALLEST = "smallest"
"""The ranking whose first items are a smallest set; their order has no further meaning."""
RANKERS: dict[str, Ranker] = {
    "random": shuffled,
    "attention": lambda texts, _ids, _seed: texts.attention,
    "gradient": lambda texts, _ids, _seed: texts.gradient,
    "product": lambda texts, _ids, _seed: texts.attention * texts.gradient,
    SMALLEST: smallest,
}
"""The rankings; `names.RANKINGS` declares their labels, colours and markers. The product of attention and gradient is
p_m times the exact contributions, whose order it is.
"""
TOPS = [name for name in RANKERS if name not in {"random", SMALLEST}]
"""The rankings whose first item is meant to matter most."""
BY_STATES = ("random", "attention", "gradient", "product")
"""The rankings by the states under the attention that pairs of texts have too."""
BY_MAP = BY_STATES[:2]
"""Those of a map from which the predictions do not follow."""


def load_rankers(own: Iterable[str]) -> dict[str, Ranker]:
    """Load the rankings, and behind them those of the user's own, each "module:function"."""
    return RANKERS | {target: load(target) for target in own}


def by_states(readout: Readout, seed: int) -> Iterator[tuple[ErasableTexts | Padded, dict[str, Tensor]]]:
    """The texts of a readout in batches, with the scores (n, L) of `BY_STATES`, or of `BY_MAP`.

    The gradient is that of the predicted class's probability, through the head where the readout is of pairs.
    """
    if readout.head is None and readout.decided:
        for erased in erasable(readout):
            yield erased, {name: RANKERS[name](erased, readout.ids, seed) for name in BY_STATES}
        return
    for texts in readout.batches(torch.float64):
        named = {"random": shuffled(texts, readout.ids, seed), "attention": texts.attention}
        if readout.decided:
            scores = texts.scores(texts.attention[None])
            predicted = texts.decide(scores)
            chosen = torch.zeros_like(predicted).scatter(-1, predicted.argmax(-1, keepdim=True), 1.0)
            gradient = texts.grad_by_weights(scores, predicted, chosen)[0]
            named |= {"gradient": gradient, "product": texts.attention * gradient}
        yield texts, named


def list_scores(readout: Readout, seed: int) -> dict[str, Scores]:
    """List the scores of the words of all texts, (L_i,) each, by the rankings of `by_states`."""
    found: dict[str, Scores] = {}
    for texts, scored in by_states(readout, seed):
        for name, scores in scored.items():
            rows = found.setdefault(name, [np.empty(0)] * len(readout))
            for member, row, words in zip(texts.members, scores.numpy(), texts.words.tolist(), strict=True):
                rows[member] = row[:words]
    return found
