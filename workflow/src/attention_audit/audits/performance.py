"""Test 1, and what all other tests are read against: how well a model predicts the gold labels.

Claims: a model that needs attention predicts worse without it. Higher is better. Wiegreffe & Pinter 2019, section 3.2.
"""

from typing import Any

from attention_audit.readout import Readout
from attention_audit.scores import accuracy, f1, roc_auc


def performance(readout: Readout, selection: str) -> dict[str, Any]:
    """Columns metric, value, selection, classes; one row each for F1, accuracy and ROC-AUC.

    `selection` is the split by which the model's epoch was selected.
    """
    classes = readout.probabilities.shape[1]
    values = {
        "f1": f1(readout.labels, readout.predictions, classes),
        "accuracy": accuracy(readout.labels, readout.predictions),
        "roc_auc": roc_auc(readout.labels, readout.probabilities),
    }
    return {
        "metric": list(values),
        "value": list(values.values()),
        "selection": [selection] * len(values),
        "classes": [classes] * len(values),
    }
