"""Test 1 and the yardstick of all others: how well a model predicts the gold labels."""

from __future__ import annotations

from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from attention_audit.readout import Readout


def performance(readout: Readout) -> dict[str, float]:
    """Accuracy, F1 and ROC-AUC on one split.

    Two classes: F1 and ROC-AUC of the positive class, as in the papers' tables. More: macro averages over classes, one
    against the rest.
    """
    labels, probabilities = readout.labels, readout.probabilities
    binary = probabilities.shape[1] == 2
    return {
        "f1": float(f1_score(labels, readout.predictions, average="binary" if binary else "macro", zero_division=0)),
        "accuracy": float(accuracy_score(labels, readout.predictions)),
        "roc_auc": float(
            roc_auc_score(labels, probabilities[:, 1])
            if binary
            else roc_auc_score(labels, probabilities / probabilities.sum(1, keepdims=True), multi_class="ovr")
        ),
    }
