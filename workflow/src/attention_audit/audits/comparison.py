"""Tests 2 and 4: how far a model's attention and predictions are from the base model's, text by text.

Claims: a model whose attention differs from the base model's no more than another seed's does is no evidence of another
explanation; an adversary whose attention differs more, at equal predictions, is. Assumes that both readouts are of the
same texts. Wiegreffe & Pinter 2019, sections 3.3 and 4.

Stability (`compare_maps` of two seeds): does another seed give nearly the same map, and the same predictions? Claims: a
map that another seed does not repeat belongs to that seed, not to the model. Assumes that all seeds solve the task
about equally well. A low JSD means stable maps only if maps of these shapes could differ at all: flat maps are always
close to one another. So chance_jsd gives the JSD to the other map with its weights shuffled over the items of the text:
what two unrelated maps of these shapes would reach. Every two seeds are compared, since no seed is the right one.
Wiegreffe & Pinter 2019, section 3.3, compare all seeds with one; the other pairs and the shuffled maps are additions of
this package. Runs on readouts.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.answer.frontier import weigh_classes
from attention_audit.audits.permutation import orders, permuted
from attention_audit.divergence import flipped, jsd, tvd
from attention_audit.padded import Padded
from attention_audit.readout import Readout

Floats = npt.NDArray[np.float64]


def shuffle_away(
    first: Padded, second: Padded, ids: list[str], permutations: int, seed: int
) -> npt.NDArray[np.float64]:
    """Compute the mean JSD (nats) of the maps of n texts from the second ones shuffled over the items, (n,).

    It is what two unrelated maps of these shapes would reach. `ids` are the ids of all texts of the readout.
    """
    shuffled = permuted(second.attention, orders(second, ids, permutations, seed))
    found: Floats = jsd(first.attention, shuffled).mean(0).numpy()
    return found


def compare_maps(first: Readout, second: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, chance_jsd (nats), same_top; one row for each text of `first`.

    chance_jsd: see `shuffle_away`, with the weights of `second` shuffled. same_top: whether the same item has the most
    attention in both.

    Raises AuditError where `second` lacks a text.
    """
    second = second.aligned(first.ids)
    moved, chance, same = np.empty(len(first)), np.empty(len(first)), np.empty(len(first), np.bool_)
    for one, other in zip(first.batches(torch.float64), second.batches(torch.float64), strict=True):
        at = one.members
        moved[at] = jsd(one.attention, other.attention).numpy()
        same[at] = (one.top() == other.top()).numpy()
        chance[at] = shuffle_away(one, other, first.ids, permutations, seed)
    predictions = (torch.from_numpy(readout.probabilities).double() for readout in (first, second))
    return {
        "id": first.ids,
        "jsd": moved,
        "tvd": tvd(*predictions).numpy(),
        "chance_jsd": chance,
        "same_top": same,
    }


def against_base(base: Readout, other: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns of `compare_maps`, with the weights of `other` shuffled; and decision_flip, base_prediction,
    base_max_attention; one row for each text of `base`.

    Raises AuditError where `other` lacks a text.
    """
    before, after = (torch.from_numpy(r.probabilities).double() for r in (base, other.aligned(base.ids)))
    return compare_maps(base, other, permutations, seed) | {
        "decision_flip": flipped(before, after).numpy(),
        "base_prediction": base.predictions.astype(np.int32),
        "base_max_attention": base.max_attention,
    }


def consistency(base: Readout, other: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns tvd, jsd (nats), chance_jsd (nats): the means over the texts of `base`, one row; of the TVD one in which
    all classes that `base` predicts count alike.

    Claims nothing by itself. Which adversary predicts as the base model does must not be chosen on the texts that it is
    then measured on, so these are its distances on the development split.

    Raises AuditError where `other` lacks a text.
    """
    columns = against_base(base, other, permutations, seed)
    return {
        "tvd": [weigh_classes(columns["tvd"], columns["base_prediction"])],
        "jsd": [columns["jsd"].mean()],
        "chance_jsd": [columns["chance_jsd"].mean()],
    }
