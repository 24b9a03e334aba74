"""Stability: does another seed give nearly the same map, and the same predictions?

Claims: a map that another seed does not repeat is that seed's, not the model's. Assumes that all seeds solve the task
about equally well. Low JSD is stable, as far as maps of these shapes could differ at all: flat ones are always near one
another. So beside it stands the JSD to the other map with its weights shuffled over the items of the text, which is
what two maps of these shapes that have nothing to do with each other would reach. Wiegreffe & Pinter 2019, section 3.3;
the shuffled maps are ours. Runs on readouts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from attention_audit.audits.permutation import permuted
from attention_audit.divergence import jsd, tvd
from attention_audit.readout import Readout


def between_seeds(first: Readout, other: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, chance_jsd (nats; mean over so many permutations); one row a text of `first`.

    Raises AuditError where `other` lacks a text.
    """
    other = other.aligned(first.ids)
    moved, chance = np.empty(len(first)), np.empty(len(first))
    for ours, theirs in zip(first.batches(torch.float64), other.batches(torch.float64), strict=True):
        moved[ours.members] = jsd(ours.attention, theirs.attention).numpy()
        shuffled = permuted(theirs, other.ids, permutations, seed)
        chance[ours.members] = jsd(ours.attention, shuffled).mean(0).numpy()
    predictions = (torch.from_numpy(readout.probabilities).double() for readout in (first, other))
    return {"id": first.ids, "jsd": moved, "tvd": tvd(*predictions).numpy(), "chance_jsd": chance}
