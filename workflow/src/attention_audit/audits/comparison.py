"""Tests 2 and 4: how far a model's attention and predictions are from the base model's, text by text.

Claims: a model whose attention differs from the base model's no more than another seed's does is no evidence of another
explanation; an adversary whose attention differs more, at equal predictions, is. Assumes that both readouts are of the
same texts. Wiegreffe & Pinter 2019, sections 3.3 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from attention_audit.divergence import jsd, tvd
from attention_audit.readout import Readout


def against_base(base: Readout, other: Readout) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, decision_flip, base_prediction, base_max_attention; one row for each text of `base`.

    Raises AuditError where `other` lacks a text.
    """
    other = other.aligned(base.ids)
    divergence = np.empty(len(base))
    for texts, others in zip(base.batches(torch.float64), other.batches(torch.float64), strict=True):
        divergence[texts.members] = jsd(texts.attention, others.attention).numpy()
    predictions = (torch.from_numpy(r.probabilities).double() for r in (base, other))
    return {
        "id": base.ids,
        "jsd": divergence,
        "tvd": tvd(*predictions).numpy(),
        "decision_flip": base.predictions != other.predictions,
        "base_prediction": base.predictions.astype(np.int32),
        "base_max_attention": base.max_attention,
    }
