"""What a model predicts of each text, beside the gold label: what scores and their intervals are reckoned from."""

from typing import Any

import numpy as np

from attention_audit.readout import Readout


def predictions(readout: Readout) -> dict[str, Any]:
    """Columns id, label, prediction; one row for each text."""
    return {
        "id": readout.ids,
        "label": readout.labels.astype(np.int32),
        "prediction": readout.predictions.astype(np.int32),
    }
