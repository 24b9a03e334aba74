"""Stability: does another seed give nearly the same map, and the same predictions?

Claims: a map that another seed does not repeat belongs to that seed, not to the model. Assumes that all seeds solve the
task about equally well. A low JSD means stable maps only if maps of these shapes could differ at all: flat maps are
always close to one another. So chance_jsd gives the JSD to the other map with its weights shuffled over the items of
the text: what two unrelated maps of these shapes would reach. Wiegreffe & Pinter 2019, section 3.3; the shuffled maps
are an addition of this package. Runs on readouts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from attention_audit.audits.permutation import permuted
from attention_audit.divergence import jsd, tvd
from attention_audit.readout import Readout


def between_seeds(first: Readout, other: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, chance_jsd (nats); one row for each text of `first`.

    chance_jsd is the mean over `permutations` shuffles of the other readout's weights.

    Raises AuditError where `other` lacks a text.
    """
    other = other.aligned(first.ids)
    moved, chance = np.empty(len(first)), np.empty(len(first))
    for texts, others in zip(first.batches(torch.float64), other.batches(torch.float64), strict=True):
        moved[texts.members] = jsd(texts.attention, others.attention).numpy()
        shuffled = permuted(others, other.ids, permutations, seed)
        chance[texts.members] = jsd(texts.attention, shuffled).mean(0).numpy()
    predictions = (torch.from_numpy(readout.probabilities).double() for readout in (first, other))
    return {"id": first.ids, "jsd": moved, "tvd": tvd(*predictions).numpy(), "chance_jsd": chance}
