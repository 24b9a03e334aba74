"""Shuffles: what does a model decide under its own map, and under random orders of it that are imposed on it?

A weight multiplies what its item says, so the items of high weight change the decision early, and mostly speak for it,
whatever they are. Here a map's weights are shuffled over the items, the model predicts anew from them, and what erasing
items does to that prediction, and what the top item adds to it, is measured as under the map itself. Claims: a map that
ranks items no better than its own shuffles says nothing of the items beyond what any weights would make of them.
Assumes, as `permutation` does, that weights may be chosen independently of the network that computes them. Runs on the
readout; of a Transformer all heads are shuffled alike, and the rest of the network is evaluated above them.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.divergence import tvd
from attention_audit.padded import Padded
from attention_audit.readout import Readout

from .batches import collect
from .erasure import ErasableTexts, batches_to_erase, count_votes, find_share, without
from .permutation import orders
from .rankings import falling, smallest
from .settings import Erasure, Permutation

SHUFFLED = 10
"""Shuffles of each map. On film reviews, the zero of the question `ranks`, of one training, has over 40 seeds a
standard deviation of .018 with one shuffle, .011 with three and .006 with ten, that of `signed` .011, .006 and .003.
"""
SHUFFLED_HEADS = 3
"""The same of a Transformer, where a shuffle costs as much as hundreds of evaluations of its tail."""
RANDOM = 10
"""Random orders in which items are erased under the map itself; under each shuffle it is one of them."""


def measure(texts: ErasableTexts, random: Tensor, ids: list[str], seed: int) -> dict[str, Tensor]:
    """Compute the columns of `shuffles` that one set of weights has by itself, all but tvd, (n,) each.

    random: orders of the items, (R, n, L). `ids` are the ids of all texts of the readout.
    """
    by_weight = falling(texts.attention, texts)
    fewest = find_share(texts, falling(smallest(texts, ids, seed), texts))
    at_random = torch.stack([find_share(texts, order) for order in random])
    if len(random) > 1:
        at_random = at_random.nan_to_num(1.0).mean(0, keepdim=True).where(fewest.isfinite(), torch.nan)
    leads = texts.attention * (torch.nan if texts.heads else texts.margin)
    return {
        "prediction": texts.decision[:, 0].int(),
        "random": at_random[0],
        "by_weight": find_share(texts, by_weight),
        "smallest": fewest,
        "lead": leads.gather(1, by_weight[:, :1])[:, 0],
        "fall": texts.fall(texts.predict(without(texts, by_weight[:, :1])))[:, 0].where(texts.words > 1, torch.nan),
    }


def shuffles(readout: Readout, erasure: Erasure, permutation: Permutation) -> dict[str, Any]:
    """Columns id, shuffle, prediction, tvd, items, random, by_weight, smallest, lead, fall: see `columns.audits`.

    One row for each text under its own weights, shuffle 0, and under each shuffle. Predictions are recomputed in
    float64, so that erasing nothing never counts as a change.
    """
    count = SHUFFLED if readout.attending is None else SHUFFLED_HEADS

    def measure_all(texts: Padded) -> dict[str, Tensor]:
        drawn = orders(texts, readout.ids, RANDOM, erasure.seed, marks=False, purpose="random order")
        # erasable texts have one more place, which stays the last
        random = pad(drawn, (0, 1), value=drawn.shape[2])
        own = count_votes(texts)
        imposed = orders(texts, readout.ids, count, permutation.seed, permutation.marks)
        found = []
        for shuffle in range(1 + count):
            weighted = count_votes(texts.reorder(imposed[shuffle - 1])) if shuffle else own
            erased = random[shuffle - 1 : shuffle] if shuffle else random
            moved = tvd(own.predicted[..., 0], weighted.predicted[..., 0])
            found.append(measure(weighted, erased, readout.ids, erasure.seed) | {"tvd": moved})
        return {name: torch.stack([values[name] for values in found]) for name in found[0]}

    found = collect(measure_all, batches_to_erase(readout))
    return {
        "id": readout.ids * (1 + count),
        "shuffle": np.repeat(np.arange(1 + count, dtype=np.int32), len(readout)),
        "items": np.tile(readout.lengths.astype(np.int32), 1 + count),
        **{name: values.reshape(-1) for name, values in found.items()},
    }
