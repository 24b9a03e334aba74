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

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Floats, Integers
from attention_audit.columns.audits import TOP
from attention_audit.readout import Readout

from .batches import collect, cut_rows
from .erasure import ErasableTexts, erasable, without
from .rankings import falling

TOPS = ("top_items", "top_weights", "top_contributions")


def kendall(scored: Iterable[Sequence[Floats]]) -> Tensor:
    """Compute Kendall's tau-b of two scorings of the items of each text, (n,); NaN where either scores all the same."""
    counts = []
    for pair in scored:
        first, second = (np.sign(scores[:, None] - scores).ravel() for scores in pair)
        counts.append([first @ second, first @ first, second @ second])
    agreeing, *untied = torch.tensor(counts, dtype=torch.float64).T
    taus: Tensor = agreeing / (untied[0] * untied[1]).sqrt()
    return taus


def share_tops(one: Integers, other: Integers) -> float:
    """Compute the share of the first TOP items of one order, or of all, that are among those of another; in float32."""
    return float(np.float32(np.isin(one[:TOP], other[:TOP]).mean()))


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

    def measure(texts: ErasableTexts) -> dict[str, Any]:
        exact, several = texts.exact_contributions, texts.words > 1
        by_weight, by_size = (falling(scores, texts) for scores in (texts.attention, exact.abs()))
        scored = (cut_rows(scores, texts.words) for scores in (texts.attention, exact.abs()))
        ordered = (cut_rows(positions, texts.words) for positions in (by_weight, by_size))
        predicted, flips = texts.erase(without(texts, by_weight[:, :1]))
        first = by_weight[:, :TOP]
        tops = (first, texts.attention.gather(1, first), exact.gather(1, first))
        return {
            "tau": kendall(zip(*scored, strict=True)),
            "overlap": np.array([share_tops(*orders) for orders in zip(*ordered, strict=True)]),
            "magnitude": exact.abs().sum(1),
            "against": texts.attention.where(exact < 0, 0.0).sum(1),
            "top_fall": texts.fall(predicted)[:, 0].where(several, torch.nan),
            "top_flips": [
                flip if more else None for flip, more in zip(flips[:, 0].tolist(), several.tolist(), strict=True)
            ],
            **{name: cut_rows(values, texts.words) for name, values in zip(TOPS, tops, strict=True)},
        }

    found = collect(measure, erasable(readout))
    found["top_items"] = [words[items] for words, items in zip(readout.places, found["top_items"], strict=True)]
    return {
        "id": readout.ids,
        "items": readout.lengths.astype(np.int32),
        "prediction": readout.predictions.astype(np.int32),
        **found,
    }
