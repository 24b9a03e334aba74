"""Sets of weights: how many items must be erased, from the top of a ranking downward, until the decision changes?

Claims: a ranking that says what matters changes the decision early (Serrano & Smith 2019, section 5); the smallest set
that changes it shows how early that could be. With such a ranking, the predicted probability falls far when the first
items are erased (attention-comprehensiveness), and hardly when only they remain (attention-sufficiency). These are the
measures of DeYoung et al. 2020 (ERASER), section 4, who delete words of the input; here attention is erased. Assumes
that a prediction from renormalised weights is one the model could make.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.audits.erasure import ErasableTexts, erasable, left, reordered, until_flip
from attention_audit.audits.rankings import RANKERS, SMALLEST, falling
from attention_audit.columns.ranked_sets import BINS
from attention_audit.readout import Readout


def curves(texts: ErasableTexts, votes: Tensor, remaining: Tensor) -> tuple[Tensor, Tensor]:
    """Attention-comprehensiveness and attention-sufficiency at every bin, (n, bins) each.

    `votes` (n, F, L) are in the order of a ranking, and `remaining` is `left(votes)`.
    """
    sizes = -(texts.lengths[:, None] * torch.tensor(BINS) // -100)
    at = sizes[:, None].expand(-1, votes.shape[1], -1)
    first = votes[..., : int(sizes.max())].cumsum(2)
    kept = torch.cat([remaining.gather(2, at), first.gather(2, at - 1)], 2)
    fall = texts.predicted - texts.distributed(kept)
    chosen = fall.gather(1, texts.decision[..., None].expand(-1, 1, kept.shape[2]))[:, 0]
    return chosen[:, : len(BINS)], chosen[:, len(BINS) :]


def listed(curves: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64] | None]:
    """The curves of all rankings and texts as a list, (rankings, N, bins) -> rankings x N; None for `SMALLEST`."""
    return [curve if name != SMALLEST else None for name, rows in zip(RANKERS, curves, strict=True) for curve in rows]


def flipping_sets(readout: Readout, seed: int) -> dict[str, Any]:
    """Columns id, ranking, items, removed, fraction_removed, mass_removed, comprehensiveness, sufficiency,
    comprehensiveness_curve, sufficiency_curve, prediction; one row for each ranking (`RANKERS`) and text.

    removed: the number of items erased when the predicted class first differs from `prediction`. When all items are
    erased, the bias decides; -1 means that even then the class stays the same. fraction_removed = removed / items;
    mass_removed: the original attention of the erased items; both are NaN where removed is -1. The ranking `smallest`
    erases as few items as any set that changes the decision; with several heads, as few as a greedy search finds, which
    is an upper bound. Texts of one item, which the paper leaves out, have rows
    too, in which items is 1.

    A curve has a value for each bin of q % (`BINS`), with k = ceil(q items / 100). Attention-comprehensiveness is p(all
    items) - p(all but the first k), higher is better; attention-sufficiency is p(all items) - p(only the first k),
    lower is better; p is the probability of `prediction` from renormalised weights. The scalars are the means over the
    bins (AOPC), as in the benchmark's own code; the formula in its paper divides the same sum by one more, for an empty
    bin. In `smallest`, the order of the items has no meaning beyond the set, so its scalars are NaN and its curves
    None.

    `prediction` is recomputed in float64, so that erasing nothing never counts as a change.
    """
    count, lengths = len(readout), readout.lengths
    removed = np.empty((len(RANKERS), count), np.int32)
    mass = np.empty(removed.shape)
    prediction = np.empty(count, np.int32)
    comprehensiveness, sufficiency = np.full((2, *removed.shape, len(BINS)), np.nan)
    for texts in erasable(readout):
        at = texts.members
        prediction[at] = texts.decision[:, 0].numpy()
        for place, (name, ranker) in enumerate(RANKERS.items()):
            votes = reordered(texts.votes, falling(ranker(texts, readout.ids, seed), texts.lengths, texts.words))
            remaining = left(votes)
            removed[place, at], mass[place, at] = (column.numpy() for column in until_flip(texts, remaining))
            if name != SMALLEST:
                both = curves(texts, votes, remaining)
                comprehensiveness[place, at], sufficiency[place, at] = (curve.numpy() for curve in both)
    return {
        "id": readout.ids * len(RANKERS),
        "ranking": [name for name in RANKERS for _ in range(count)],
        "items": np.tile(lengths.astype(np.int32), len(RANKERS)),
        "removed": removed.reshape(-1),
        "fraction_removed": np.where(removed < 0, np.nan, removed / lengths).reshape(-1),
        "mass_removed": mass.reshape(-1),
        "comprehensiveness": comprehensiveness.mean(-1).reshape(-1),
        "sufficiency": sufficiency.mean(-1).reshape(-1),
        "comprehensiveness_curve": listed(comprehensiveness),
        "sufficiency_curve": listed(sufficiency),
        "prediction": np.tile(prediction, len(RANKERS)),
    }


def ranked_sets(readout: Readout, seed: int) -> dict[str, Any]:
    """The columns of `flipping_sets` for texts of more than one item; the paper leaves the others out (section 5.3)."""
    columns = flipping_sets(readout, seed)
    kept = np.flatnonzero(columns["items"] > 1)
    return {
        name: values[kept] if isinstance(values, np.ndarray) else [values[place] for place in kept]
        for name, values in columns.items()
    }
