"""Sets of weights: how many items must be erased, from the top of a ranking downward, until the decision changes?

Claims: a ranking that says what matters changes the decision early (Serrano & Smith 2019, section 5); the smallest set
that changes it shows how early that could be. With such a ranking, the predicted probability falls far when the first
items are erased (attention-comprehensiveness), and hardly when only they remain (attention-sufficiency). These are the
measures of DeYoung et al. 2020 (ERASER), section 4, who delete words of the input; here attention is erased. Assumes
that a prediction from renormalised weights is one the model could make.

Single weights: does the item that a ranking puts first matter more than another one?

Claims: if attention says what matters, the prediction changes more without the item of the highest weight than without
another, random item. Assumes that a prediction from renormalised weights is one the model could make. Serrano & Smith
2019, section 4; their figures 12 and 13 have the rankings by gradient and by product.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.batching import stream
from attention_audit.columns.audits import BINS, DRAWS
from attention_audit.divergence import jsd
from attention_audit.readout import Readout

from .batches import collect
from .erasure import ErasableTexts, erasable, find_flips, left, reordered, without
from .rankings import SMALLEST, TOPS, Ranker, falling, load_rankers


def curves(texts: ErasableTexts, votes: Tensor, remaining: Tensor) -> tuple[Tensor, Tensor]:
    """Compute attention-comprehensiveness and attention-sufficiency at every bin, (bins, n) each.

    `votes` (n, F, L) are in the order of a ranking, and `remaining` is `left(votes)`.
    """
    sizes = -(texts.lengths[:, None] * torch.tensor(BINS) // -100)
    at = sizes[:, None].expand(-1, votes.shape[1], -1)
    first = votes[..., : int(sizes.max())].cumsum(2)
    kept = torch.cat([remaining.gather(2, at), first.gather(2, at - 1)], 2)
    without, alone = texts.fall(texts.predict(kept)).t().chunk(2)
    return without, alone


def ranked_sets(readout: Readout, seed: int, rankings: Sequence[str] = ()) -> dict[str, Any]:
    """Columns id, ranking, items, removed, fraction_removed, comprehensiveness, sufficiency, comprehensiveness_curve,
    sufficiency_curve; one row for each ranking (`load_rankers`) and text of more than one item; the paper leaves the
    others out (section 5.3).

    removed: the number of items erased when the decision first differs (`divergence.flipped`). When all items are
    erased, the bias decides; -1 means that even then it does not. fraction_removed = removed / items, NaN where removed
    is -1. The ranking `smallest` erases as few items as any set that changes the decision; with several heads, as few
    as a greedy search finds, which is an upper bound.

    A curve has a value for each bin of q % (`BINS`), with k = ceil(q items / 100). Attention-comprehensiveness is p(all
    items) - p(all but the first k), higher is better; attention-sufficiency is p(all items) - p(only the first k),
    lower is better; p is the probability of the predicted class from renormalised weights. The scalars are the means
    over the bins (AOPC), as in the benchmark's own code; the formula in its paper divides the same sum by one more, for
    an empty bin. In `smallest`, the order of the items has no meaning beyond the set, so its scalars are NaN and its
    curves None.

    Predictions are recomputed in float64, so that erasing nothing never counts as a change.
    """
    rankers = load_rankers(rankings)

    def measure(texts: ErasableTexts) -> dict[str, Tensor]:
        rows = []
        for ranker in rankers.values():
            votes = reordered(texts.votes, falling(ranker(texts, readout.ids, seed), texts))
            remaining = left(votes)
            rows.append((find_flips(texts, remaining, texts.lengths).int(), *curves(texts, votes, remaining)))
        names = ("removed", "comprehensiveness", "sufficiency")
        return dict(zip(names, map(torch.stack, zip(*rows, strict=True)), strict=True))

    found = collect(measure, erasable(readout))
    several = np.flatnonzero(readout.lengths > 1)
    items, removed = readout.lengths[several].astype(np.int32), found.pop("removed")[:, several]
    ranking = [name for name in rankers for _ in several]
    columns = {
        "id": [readout.ids[i] for i in several] * len(rankers),
        "ranking": ranking,
        "items": np.tile(items, len(rankers)),
        "removed": removed.reshape(-1),
        "fraction_removed": np.where(removed < 0, np.nan, removed / items).reshape(-1),
    }
    for name, values in found.items():
        by_row = values[..., several].transpose(0, 2, 1).reshape(-1, len(BINS))
        ordered = [of != SMALLEST for of in ranking]
        columns[name] = np.where(ordered, by_row.mean(-1), np.nan)
        columns[f"{name}_curve"] = [curve if known else None for curve, known in zip(by_row, ordered, strict=True)]
    return columns


def load_tops(own: Iterable[str]) -> dict[str, Ranker]:
    """Load the rankings whose first item is meant to matter most, and behind them those of the user's own."""
    return {name: ranker for name, ranker in load_rankers(own).items() if name in TOPS or ":" in name}


def single_weight(readout: Readout, seed: int, rankings: Sequence[str] = ()) -> dict[str, Any]:
    """Columns id, ranking, draw, items, delta_js (nats), delta_attention, top_flips, other_flips, top_fall.

    One row for each ranking (`load_tops`), draw (`DRAWS`) and text. delta_js is JS(p, p without the top item) - JS(p, p
    without the other item), and delta_attention the weight of the top item minus that of the other. top_flips and
    other_flips say whether the decision changes without the top item, and without the other item. top_fall is the
    probability of the predicted class, before minus after the top item is erased: below 0, the item opposes the
    prediction. A text of one item has no other item, and no row.

    How the other item is drawn: `corrected` takes the item at a random rank from 1 to items - 1 (the top item has rank
    0), so that every item except the top is equally likely. `as_published` repeats what the authors' code does and uses
    that number as a position in the text: it never draws the first item, and sometimes draws the top item itself, whose
    differences are then 0.
    """
    tops = load_tops(rankings)

    def measure(texts: ErasableTexts) -> dict[str, Tensor]:
        ranks = torch.tensor(
            [
                int(stream("other", readout.ids[member], seed).integers(1, max(words, 2)))
                for member, words in zip(texts.members, texts.words.tolist(), strict=True)
            ]
        )
        orders = torch.stack([falling(ranker(texts, readout.ids, seed), texts) for ranker in tops.values()])
        top = orders[..., 0]
        by_rank = orders.gather(2, ranks.expand_as(top)[..., None])[..., 0]
        erased = torch.stack([top, by_rank, ranks.expand_as(top)], 1)
        positions = erased.flatten(0, 1).t()
        predicted, flipping = texts.erase(without(texts, positions))
        before, after = (p.transpose(1, 2) for p in (texts.predicted, predicted))
        by_item = (jsd(before, after), flipping, texts.fall(predicted), texts.attention.gather(1, positions))
        moved, flips, fall, weight = (values.t().view_as(erased) for values in by_item)
        same = erased[:, 1:] == erased[:, :1]
        return {
            "delta_js": (moved[:, :1] - moved[:, 1:]).masked_fill(same, 0.0),
            "delta_attention": weight[:, :1] - weight[:, 1:],
            "top_flips": flips[:, :1].expand_as(same),
            "other_flips": flips[:, 1:],
            "top_fall": fall[:, :1].expand_as(same),
        }

    found = collect(measure, erasable(readout))
    several, repeats = np.flatnonzero(readout.words > 1), len(tops) * len(DRAWS)
    return {
        "id": [readout.ids[i] for i in several] * repeats,
        "ranking": [ranking for ranking in tops for _ in range(len(DRAWS) * len(several))],
        "draw": [draw for draw in DRAWS for _ in several] * len(tops),
        "items": np.tile(readout.lengths[several].astype(np.int32), repeats),
    } | {name: values[..., several].reshape(-1) for name, values in found.items()}
