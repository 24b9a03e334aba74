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

Texts whose evidence is known (`planted`): do the rankings put it first? Claims: a ranking by importance starts with
evidence far more often than chance would. Assumes that the evidence positions are complete. An item is a token, or in a
hierarchical model a sentence; a sentence is evidence where any of its tokens is.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.audits.erasure import ErasableTexts, erasable, find_flips, left, reordered, without
from attention_audit.audits.rankings import RANKERS, SMALLEST, TOPS, Ranker, falling, load_rankers
from attention_audit.batching import stream
from attention_audit.columns.audits import BINS, DRAWS
from attention_audit.divergence import jsd
from attention_audit.readout import Readout

Items = Mapping[str, Collection[int]]
"""The items that are evidence, by the text's id."""


def curves(texts: ErasableTexts, votes: Tensor, remaining: Tensor) -> tuple[Tensor, Tensor]:
    """Attention-comprehensiveness and attention-sufficiency at every bin, (n, bins) each.

    `votes` (n, F, L) are in the order of a ranking, and `remaining` is `left(votes)`.
    """
    sizes = -(texts.lengths[:, None] * torch.tensor(BINS) // -100)
    at = sizes[:, None].expand(-1, votes.shape[1], -1)
    first = votes[..., : int(sizes.max())].cumsum(2)
    kept = torch.cat([remaining.gather(2, at), first.gather(2, at - 1)], 2)
    fall = texts.fall(texts.distributed(kept))
    return fall[:, : len(BINS)], fall[:, len(BINS) :]


def flipping_sets(readout: Readout, seed: int, rankings: Sequence[str] = ()) -> dict[str, Any]:
    """Columns id, ranking, items, removed, fraction_removed, comprehensiveness, sufficiency, comprehensiveness_curve,
    sufficiency_curve, prediction; one row for each ranking (`load_rankers`) and text.

    removed: the number of items erased when the decision first differs from `prediction` (`divergence.flipped`). When
    all items are erased, the bias decides; -1 means that even then it does not. fraction_removed = removed / items,
    NaN where removed is -1. The ranking `smallest`
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
    count, lengths, rankers = len(readout), readout.lengths, load_rankers(rankings)
    removed = np.empty((len(rankers), count), np.int32)
    prediction = np.empty(count, np.int32)
    comprehensiveness, sufficiency = np.full((2, *removed.shape, len(BINS)), np.nan)
    for texts in erasable(readout):
        at = texts.members
        prediction[at] = texts.decision[:, 0].numpy()
        for place, (name, ranker) in enumerate(rankers.items()):
            votes = reordered(texts.votes, falling(ranker(texts, readout.ids, seed), texts.lengths, texts.words))
            remaining = left(votes)
            removed[place, at] = find_flips(texts, remaining, texts.lengths).numpy()
            if name != SMALLEST:
                both = curves(texts, votes, remaining)
                comprehensiveness[place, at], sufficiency[place, at] = (curve.numpy() for curve in both)
    names = [name for name in rankers for _ in range(count)]

    def list_curves(curves: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64] | None]:
        flat = curves.reshape(-1, len(BINS))
        return [curve if name != SMALLEST else None for name, curve in zip(names, flat, strict=True)]

    return {
        "id": readout.ids * len(rankers),
        "ranking": names,
        "items": np.tile(lengths.astype(np.int32), len(rankers)),
        "removed": removed.reshape(-1),
        "fraction_removed": np.where(removed < 0, np.nan, removed / lengths).reshape(-1),
        "comprehensiveness": comprehensiveness.mean(-1).reshape(-1),
        "sufficiency": sufficiency.mean(-1).reshape(-1),
        "comprehensiveness_curve": list_curves(comprehensiveness),
        "sufficiency_curve": list_curves(sufficiency),
        "prediction": np.tile(prediction, len(rankers)),
    }


def ranked_sets(readout: Readout, seed: int, rankings: Sequence[str] = ()) -> dict[str, Any]:
    """The columns of `flipping_sets` for texts of more than one item; the paper leaves the others out (section 5.3)."""
    columns = flipping_sets(readout, seed, rankings)
    kept = np.flatnonzero(columns["items"] > 1)
    return {
        name: values[kept] if isinstance(values, np.ndarray) else [values[place] for place in kept]
        for name, values in columns.items()
    }


def other_ranks(readout: Readout, seed: int) -> Tensor:
    """A uniformly random rank from 1 to words - 1 for each text, (N,); all rankings and both draws use the same."""
    texts = zip(readout.ids, readout.words.tolist(), strict=True)
    return torch.tensor([int(stream("other", name, seed).integers(1, max(length, 2))) for name, length in texts])


def compare(
    texts: ErasableTexts, rankers: Iterable[Ranker], ranks: Tensor, ids: Sequence[str], seed: int
) -> dict[str, Tensor]:
    """The last five columns of `single_weight`, each (rankings, draws, n).

    `ranks` (n,) has the rank of each text's other item; `ids` are the ids of all texts of the readout.
    """
    orders = torch.stack([falling(ranker(texts, ids, seed), texts.lengths, texts.words) for ranker in rankers])
    top = orders[..., 0]
    by_rank = orders.gather(2, ranks.expand_as(top)[..., None])[..., 0]
    erased = torch.stack([top, by_rank, ranks.expand_as(top)], 1)
    positions = erased.flatten(0, 1).t()
    predicted, flips = texts.outcome(without(texts, positions))
    before, after = (p.transpose(1, 2) for p in (texts.predicted, predicted))
    moved = jsd(before, after).t().view_as(erased)
    flips = flips.t().view_as(erased)
    fall = texts.fall(predicted).t().view_as(erased)
    weight = texts.attention.gather(1, positions).t().view_as(erased)
    same = erased[:, 1:] == erased[:, :1]
    return {
        "delta_js": (moved[:, :1] - moved[:, 1:]).masked_fill(same, 0.0),
        "delta_attention": weight[:, :1] - weight[:, 1:],
        "top_flips": flips[:, :1].expand_as(same),
        "other_flips": flips[:, 1:],
        "top_fall": fall[:, :1].expand_as(same),
    }


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
    several, shape = readout.words > 1, (len(tops), len(DRAWS), len(readout))
    kinds = {"delta_js": float, "delta_attention": float, "top_flips": bool, "other_flips": bool, "top_fall": float}
    columns = {name: np.empty(shape, kind) for name, kind in kinds.items()}
    ranks = other_ranks(readout, seed)
    for texts in erasable(readout):
        for name, values in compare(texts, tops.values(), ranks[texts.members], readout.ids, seed).items():
            columns[name][..., texts.members] = values.numpy()
    ids = [name for name, kept in zip(readout.ids, several.tolist(), strict=True) if kept]
    repeats = len(tops) * len(DRAWS)
    return {
        "id": ids * repeats,
        "ranking": [ranking for ranking in tops for _ in range(len(DRAWS) * len(ids))],
        "draw": [draw for draw in DRAWS for _ in ids] * len(tops),
        "items": np.tile(readout.lengths[several].astype(np.int32), repeats),
    } | {name: values[..., several].reshape(-1) for name, values in columns.items()}


def planted(readout: Readout, evidence: Items) -> dict[str, Any]:
    """Columns id, ranking, on_evidence, chance; one row for each ranking (`TOPS`) and text that `evidence` has.

    on_evidence: whether the item that the ranking puts first is evidence. chance: the share of items that are evidence.
    Evidence that a Transformer has not read is left out.
    """
    rows: list[tuple[str, str, bool, float]] = []
    places = readout.places
    for texts in erasable(readout):
        for ranking in TOPS:
            # none of these rankings draws random numbers, so the seed has no effect
            tops = falling(RANKERS[ranking](texts, readout.ids, 0), texts.lengths, texts.words)[:, 0].tolist()
            of_texts = (texts.members.tolist(), texts.lengths.tolist(), tops)
            for member, length, top in zip(*of_texts, strict=True):
                if readout.ids[member] in evidence:
                    items = np.flatnonzero(np.isin(places[member], [*evidence[readout.ids[member]]]))
                    rows.append((readout.ids[member], ranking, top in items, len(items) / length))
    columns = ("id", "ranking", "on_evidence", "chance")
    return {name: [row[place] for row in rows] for place, name in enumerate(columns)}
