"""The file of the audit `predictions`."""

from attention_audit.columns.kinds import Artefact
from attention_audit.columns.shared import DATASET, ID, LABEL, LAMBDA, MODEL, PREDICTION, SEED

PREDICTIONS = Artefact(
    "predictions",
    "audits/{dataset}/{suite}/predictions.parquet",
    meaning="What every model and seed predicts of every test instance, beside the gold label.",
    columns=(DATASET, MODEL, LAMBDA, SEED, ID, LABEL, PREDICTION),
)
