"""Tests 2 and 4: how far a model's attention and predictions are from the base model's, text by text.

Claims: a model whose attention differs from the base model's no more than another seed's does is no evidence of another
explanation; an adversary whose attention differs more, at equal predictions, is. Assumes that both readouts are of the
same texts. Wiegreffe & Pinter 2019, sections 3.3 and 4. An adversary may move its attention and make up for it in the
size of its states; so the maps of the exact contributions are compared as well, which is an addition of this package.
"""

from typing import Any

import numpy as np
import torch

from attention_audit.divergence import jsd, tvd
from attention_audit.readout import Readout


def against_base(base: Readout, other: Readout) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, decision_flip, base_prediction, base_max_attention, same_top, contribution_jsd
    (nats), contribution_same_top; one row for each text of `base`.

    same_top: whether the same item has the most attention in both. contribution_jsd and contribution_same_top are those
    of the maps of the exact contributions, `Padded.contribution_map`; NaN and None where either model has none.

    Raises AuditError where `other` lacks a text.
    """
    other = other.aligned(base.ids)
    moved, moved_contributions = np.empty(len(base)), np.full(len(base), np.nan)
    same, same_contribution = np.empty(len(base), np.bool_), np.full(len(base), None, object)
    for texts, others in zip(base.batches(torch.float64), other.batches(torch.float64), strict=True):
        at = texts.members
        moved[at] = jsd(texts.attention, others.attention).numpy()
        same[at] = (texts.top() == others.top()).numpy()
        ours, theirs = texts.contribution_map(), others.contribution_map()
        if ours is not None and theirs is not None:
            apart = jsd(ours, theirs)
            moved_contributions[at] = apart.numpy()
            known = apart.isfinite().numpy()
            same_contribution[at[known]] = (ours.argmax(1) == theirs.argmax(1)).numpy()[known]
    predictions = (torch.from_numpy(r.probabilities).double() for r in (base, other))
    return {
        "id": base.ids,
        "jsd": moved,
        "tvd": tvd(*predictions).numpy(),
        "decision_flip": base.predictions != other.predictions,
        "base_prediction": base.predictions.astype(np.int32),
        "base_max_attention": base.max_attention,
        "same_top": same,
        "contribution_jsd": moved_contributions,
        "contribution_same_top": same_contribution,
    }


def consistency(base: Readout, other: Readout) -> dict[str, Any]:
    """Columns texts, tvd, tvd_sd, jsd (nats): the number of texts of `base`, the means over them, and of the TVD the
    standard deviation too; one row.

    Claims nothing by itself. Which adversary counts as the furthest one that still predicts as the base model does must
    not be chosen on the texts that it is then measured on, so these are its distances on the development split.

    Raises AuditError where `other` lacks a text.
    """
    columns = against_base(base, other)
    return {
        "texts": [len(base)],
        "tvd": [columns["tvd"].mean()],
        "tvd_sd": [columns["tvd"].std()],
        "jsd": [columns["jsd"].mean()],
    }
