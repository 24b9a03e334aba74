"""How far a model is from the base model on the development split: what an adversary is chosen by.

Claims nothing by itself. Which adversary counts as the furthest one that still predicts as the base model does must not
be chosen on the texts that it is then measured on, so its distances on the development split stand here. Runs on
readouts.
"""

from typing import Any

from attention_audit.audits.comparison import against_base
from attention_audit.readout import Readout


def consistency(base: Readout, other: Readout) -> dict[str, Any]:
    """Columns texts, tvd, tvd_sd, jsd (nats): the number of texts of `base`, the means over them, and of the TVD the
    standard deviation too; one row.

    Raises AuditError where `other` lacks a text.
    """
    columns = against_base(base, other)
    return {
        "texts": [len(base)],
        "tvd": [columns["tvd"].mean()],
        "tvd_sd": [columns["tvd"].std()],
        "jsd": [columns["jsd"].mean()],
    }
