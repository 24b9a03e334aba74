"""The file of the audit `performance`."""

from attention_audit.columns.kinds import INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET, LAMBDA, MODEL, SEED

PERFORMANCE = Artefact(
    "performance",
    "audits/{dataset}/{suite}/performance.parquet",
    meaning="How well every model and seed predicts the gold labels of the test split.",
    columns=(
        DATASET,
        MODEL,
        LAMBDA,
        SEED,
        Column(
            "selection",
            STRING,
            meaning="split on which the epoch was selected; train for adversaries, unknown for "
            "models that were not trained here",
        ),
        Column("classes", INTEGER, unit="classes", meaning="number of classes"),
        Column(
            "metric",
            STRING,
            meaning="f1 (positive class of two, else macro average), accuracy or roc_auc (else macro average, one "
            "against all)",
        ),
        Column("value", REAL, meaning="value of the metric on the test split"),
    ),
)
