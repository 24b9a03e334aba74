"""Exact contributions: is attention proportional to what each item adds to the decision?

Where logits = sum_t a_t z_t + b, the last step of a model explains itself, without any perturbation: item t adds

    c_t = a_t (z_tm - sum_c p_c z_tc)

to the lead of the predicted class m over the mean of all classes, weighted by their probabilities p. Attention is an
explanation of that step as far as it is proportional to c_t. Claims: where attention orders items unlike |c_t|, it
shows something else than what decides; and weight on items of c_t < 0 lies on what speaks against the prediction,
which no map of weights says. Assumes that the items' states are what is to be
explained; it says nothing of the words that they know of. Since dp_m/da_t = p_m (z_tm - sum_c p_c z_tc), attention
times gradient, the ranking `product`, is p_m c_t: the same order. Runs on the readout.

A Transformer's logits are no such sum. There c_t is what the first-order expansion at the model's own weights gives to
item t, over all heads: it is how the decision would begin to change, and the c_t of a text do not say what other
weights would predict. What an erasure does (top_fall, top_flips) passes the tail and is exact.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.audits.erasure import erasable, without
from attention_audit.audits.rankings import falling
from attention_audit.columns.audits import TOP
from attention_audit.readout import Readout

AT_ONCE = 2**18
"""Pairs of items that are compared at once, but for a single text: as many as stay in a processor's cache."""
EXACT = 4096
"""Items of a text up to which the number of their pairs is exact in float32."""


def kendall(first: Tensor, second: Tensor, lengths: Tensor) -> Tensor:
    """Kendall's tau-b of two scorings of the items of n texts: (n, L), (n, L), (n,) -> (n,); padding does not count.

    NaN where either scores all items of a text the same. Of each text, all pairs of items are compared.
    """
    taus = first.new_empty(len(first))
    for length in sorted({*lengths.tolist()}):
        for rows in (lengths == length).nonzero()[:, 0].split(max(1, AT_ONCE // length**2)):
            # signs of differences of ranks; small whole numbers need no double precision
            scores = torch.stack([first[rows, :length], second[rows, :length]])
            ranks = torch.searchsorted(scores.sort(-1).values, scores)
            ranks = ranks.to(torch.float32 if length < EXACT else torch.float64)
            one, other = (ranks[..., None] - ranks[..., None, :]).clamp_(-1, 1).flatten(2)
            agreeing, *untied = (
                torch.linalg.vecdot(*pairs).double() for pairs in ((one, other), (one, one), (other, other))
            )
            taus[rows] = agreeing / (untied[0] * untied[1]).sqrt()
    return taus


def overlaps(first: Tensor, second: Tensor, lengths: Tensor) -> Tensor:
    """The share of the first TOP items of one order, or of all where there are fewer, that are among those of another.

    Both are the positions of n texts, from `falling`: (n, L), (n, L), (n,) -> (n,).
    """
    tops = lengths.clamp(max=TOP)
    chosen = torch.arange(min(TOP, first.shape[1])) < tops[:, None]
    one, other = (positions[:, : chosen.shape[1]] for positions in (first, second))
    among = torch.zeros(first.shape, dtype=torch.bool).scatter(1, other, chosen)
    return (among.gather(1, one) & chosen).sum(1) / tops


def contributions(readout: Readout) -> dict[str, Any]:
    """Columns id, items, prediction, tau, overlap, magnitude, against, top_fall, top_flips, top_items, top_weights,
    top_contributions; one row for each text.

    tau: Kendall's tau-b of a_t with |c_t|, NaN where either is the same for all items. overlap: the share of the TOP
    items with the most attention that are among the TOP of the greatest |c_t|; all items count where there are fewer.
    magnitude: the sum of all |c_t|. against: the attention on items of c_t < 0. top_fall: p_m minus that without
    the item of the most attention, the other weights renormalised; top_flips: whether the decision then changes; NaN
    and None for a text of one item, of which nothing would be left. The last three are lists of the up to TOP items
    with the most attention: their positions, weights and c_t. Of equal scores the earlier item counts as the higher.
    Marks of a tokenizer count in magnitude and against, and are no items of the others.
    """
    lengths, words = readout.lengths, readout.words
    numbers = ("tau", "overlap", "magnitude", "against", "top_fall")
    found = {name: np.full(len(readout), np.nan) for name in numbers}
    flips = np.full(len(readout), None, object)
    tops: dict[str, list[npt.NDArray[Any]]] = {
        name: [np.empty(0)] * len(readout) for name in ("top_items", "top_weights", "top_contributions")
    }
    for texts in erasable(readout):
        at, exact = texts.members, texts.exact_contributions
        by_weight, by_size = (falling(scores, texts.lengths, texts.words) for scores in (texts.attention, exact.abs()))
        predicted, changed = texts.outcome(without(texts, by_weight[:, :1]))
        several = texts.words.numpy() > 1
        found["tau"][at] = kendall(texts.attention, exact.abs(), texts.words).numpy()
        found["overlap"][at] = overlaps(by_weight, by_size, texts.words).numpy()
        found["magnitude"][at] = exact.abs().sum(1).numpy()
        found["against"][at] = texts.attention.where(exact < 0, 0.0).sum(1).numpy()
        found["top_fall"][at[several]] = texts.fall(predicted)[several, 0].numpy()
        flips[at[several]] = changed[:, 0].numpy()[several]
        first = by_weight[:, :TOP]
        shown = (first, texts.attention.gather(1, first), exact.gather(1, first))
        for rows, values in zip(tops.values(), shown, strict=True):
            for member, row in zip(at, values.numpy(), strict=True):
                rows[member] = row[: words[member]]
    tops["top_items"] = [
        words[items.astype(int)] for words, items in zip(readout.places, tops["top_items"], strict=True)
    ]
    return {
        "id": readout.ids,
        "items": lengths.astype(np.int32),
        "prediction": readout.predictions.astype(np.int32),
        **found,
        "top_flips": flips,
        **tops,
    }
