"""Sets of weights: how many items must go, from the top of a ranking downward, until the decision changes?

Claims: a ranking that says what matters changes the decision early (Serrano & Smith 2019, section 5); the smallest set
that does so shows how early it could. And the prediction falls far without the first items of such a ranking
(comprehensiveness), and hardly when they are all that is left (sufficiency): DeYoung et al. 2020 (ERASER), section 4.
Assumes that a prediction from renormalised weights is one the model could make.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.audits.erasure import Texts, decide, distribution, erasable, left, ranked
from attention_audit.audits.rankings import RANKERS, SMALLEST, order
from attention_audit.columns.ranked_sets import BINS
from attention_audit.readout import Readout


def until_flip(texts: Texts, remaining: Tensor) -> tuple[Tensor, Tensor]:
    """Items erased when the decision first changes, -1 where it never does, and their mass, NaN there; (n,), (n,).

    `remaining` (n, C + 1, L) is what is `left` along a ranking.
    """
    flips = decide(remaining[..., 1:], texts.bias) != texts.decision
    first = flips.to(torch.uint8).argmax(1, keepdim=True) + 1
    mass = remaining[:, -1]
    erased = (mass[:, :1] - mass.gather(1, first))[:, 0]
    ever = flips.any(1)
    return first[:, 0].where(ever, -1), erased.where(ever, torch.nan)


def curves(texts: Texts, votes: Tensor, remaining: Tensor) -> tuple[Tensor, Tensor]:
    """Comprehensiveness and sufficiency at every bin, (n, bins) each.

    `votes` (n, C + 1, L) are ranked, `remaining` is what is `left` of them.
    """
    sizes = -(texts.lengths[:, None] * torch.tensor(BINS) // -100)
    at = sizes[:, None].expand(-1, votes.shape[1], -1)
    first = votes[..., : int(sizes.max())].cumsum(2)
    kept = torch.cat([remaining.gather(2, at), first.gather(2, at - 1)], 2)
    fall = texts.predicted - distribution(kept, texts.bias)
    chosen = fall.gather(1, texts.decision[..., None].expand(-1, 1, kept.shape[2]))[:, 0]
    return chosen[:, : len(BINS)], chosen[:, len(BINS) :]


def listed(curves: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64] | None]:
    """One curve a ranking (RANKERS) and text, (rankings, N, bins) -> rankings x N; None for those of SMALLEST."""
    return [curve if name != SMALLEST else None for name, rows in zip(RANKERS, curves, strict=True) for curve in rows]


def flipping_sets(readout: Readout, seed: int) -> dict[str, Any]:
    """Columns id, ranking, items, removed, fraction_removed, mass_removed, comprehensiveness, sufficiency,
    comprehensiveness_curve, sufficiency_curve, prediction; one row a ranking (RANKERS) and text.

    removed: items erased when the predicted class first differs from `prediction`; erasing all of them leaves the
    bias to decide, and -1 says that even this changes nothing. fraction_removed = removed / items; mass_removed: their
    original attention; both NaN where removed is -1. `smallest` erases as few items as any set that changes the
    decision. Texts of one item, which the paper sets aside, have their rows: items is 1.

    The curves have a value for each bin of q % (BINS), k = ceil(q items / 100): comprehensiveness is p(all) - p(all but
    the first k), higher is better; sufficiency is p(all) - p(the first k alone), lower is better; p is the probability
    of `prediction` from renormalised weights. The scalars are their means over the bins (AOPC), as the benchmark's own
    code has it; its paper's formula divides the same sum by one more, for an empty bin. For `smallest`, the order of
    whose items means nothing beyond its set, the scalars are NaN and the curves None.

    `prediction` is recomputed in float64, so that nothing erased is never a flip.
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
            votes = ranked(texts.votes, order(ranker(texts, readout.ids, seed), texts.lengths))
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
    """The columns of `flipping_sets` for texts of more than one item: the paper sets the others aside (section 5.3)."""
    columns = flipping_sets(readout, seed)
    kept = np.flatnonzero(columns["items"] > 1)
    return {
        name: values[kept] if isinstance(values, np.ndarray) else [values[place] for place in kept]
        for name, values in columns.items()
    }
