"""Plausibility where the truth is known: how much attention falls on the words that decide the label.

Claims: attention that explains the prediction falls on the evidence far more than uniform attention does. Assumes that
the evidence positions are complete. Higher is better; uniform attention is the value to beat.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_audit.audits.batches import find_evidence
from attention_audit.readout import Readout


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
