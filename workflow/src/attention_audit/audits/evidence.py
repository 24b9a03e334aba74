"""Plausibility where the truth is known: do maps and rankings point to the words that decide the label?

Claims: attention that explains the prediction falls on the evidence far more than uniform attention does, and a ranking
by importance starts with evidence far more often than chance would (`planted`). Assumes that the evidence positions are
complete. Higher is better; uniform attention, or chance, is the value to beat. An item is a token, or in a hierarchical
model a sentence; a sentence is evidence where any of its tokens is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_audit.arrays import Integers
from attention_audit.readout import Readout

from .batches import to_columns
from .erasure import erasable
from .rankings import RANKERS, TOPS, falling


def find_evidence(readout: Readout, evidence: Mapping[str, Sequence[int]]) -> dict[int, Integers]:
    """Find the items that are evidence by the position of their text; what a Transformer has not read is left out."""
    texts = enumerate(zip(readout.ids, readout.places, strict=True))
    return {i: np.flatnonzero(np.isin(places, evidence[name])) for i, (name, places) in texts if name in evidence}


def evidence_mass(readout: Readout, evidence: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Columns id, label, evidence_mass, uniform_mass; one row for each text whose id `evidence` has.

    `evidence` has the positions of a text's evidence, by the text's id.
    """
    items = find_evidence(readout, evidence)
    return {
        "id": [readout.ids[i] for i in items],
        "label": readout.labels[[*items]].astype(np.int32),
        "evidence_mass": [float(readout.attention[i][at].sum()) for i, at in items.items()],
        "uniform_mass": [len(at) / len(readout.attention[i]) for i, at in items.items()],
    }


def planted(readout: Readout, evidence: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Columns id, ranking, on_evidence, chance; one row for each ranking (`TOPS`) and text that `evidence` has.

    on_evidence: whether the item that the ranking puts first is evidence. chance: the share of items that are evidence.
    Evidence that a Transformer has not read is left out.
    """
    items, rows = find_evidence(readout, evidence), []
    for texts in erasable(readout):
        for ranking in TOPS:
            # none of these rankings draws random numbers, so the seed has no effect
            tops = falling(RANKERS[ranking](texts, readout.ids, 0), texts)[:, 0].tolist()
            rows += [
                (readout.ids[member], ranking, top in items[member], len(items[member]) / length)
                for member, length, top in zip(texts.members.tolist(), texts.lengths.tolist(), tops, strict=True)
                if member in items
            ]
    return to_columns(("id", "ranking", "on_evidence", "chance"), rows)
