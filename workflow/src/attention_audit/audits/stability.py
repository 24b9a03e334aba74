"""Stability: does another seed give nearly the same map, and the same predictions?

Claims: a map that another seed does not repeat belongs to that seed, not to the model. Assumes that all seeds solve the
task about equally well. A low JSD means stable maps only if maps of these shapes could differ at all: flat maps are
always close to one another. So chance_jsd gives the JSD to the other map with its weights shuffled over the items of
the text: what two unrelated maps of these shapes would reach. Every two seeds are compared, since no seed is the right
one. Wiegreffe & Pinter 2019, section 3.3, compare all seeds with one; the other pairs and the shuffled maps are
additions of this package. Runs on readouts.
"""

from typing import Any

import numpy as np
import torch

from attention_audit.audits.permutation import orders, permuted
from attention_audit.divergence import jsd, tvd
from attention_audit.readout import Readout


def between_seeds(other: Readout, own: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, chance_jsd (nats), same_top; one row for each text of `other`.

    chance_jsd is the mean over `permutations` shuffles of the weights of `own`. same_top: whether the same item has the
    most attention in both.

    Raises AuditError where `own` lacks a text.
    """
    own = own.aligned(other.ids)
    moved, chance, same = np.empty(len(other)), np.empty(len(other)), np.empty(len(other), np.bool_)
    for theirs, ours in zip(other.batches(torch.float64), own.batches(torch.float64), strict=True):
        at = theirs.members
        moved[at] = jsd(theirs.attention, ours.attention).numpy()
        same[at] = (theirs.top() == ours.top()).numpy()
        shuffled = permuted(ours.attention, orders(ours, own.ids, permutations, seed))
        chance[at] = jsd(theirs.attention, shuffled).mean(0).numpy()
    predictions = (torch.from_numpy(readout.probabilities).double() for readout in (other, own))
    return {
        "id": other.ids,
        "jsd": moved,
        "tvd": tvd(*predictions).numpy(),
        "chance_jsd": chance,
        "same_top": same,
    }
