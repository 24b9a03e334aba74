"""The file of the audit `comparison`."""

from __future__ import annotations

from attention_audit.columns.kinds import Artefact
from attention_audit.columns.shared import (
    BASE_MAX_ATTENTION,
    BASE_PREDICTION,
    DATASET,
    FLIP,
    ID,
    JSD,
    LAMBDA,
    MODEL,
    SEED,
    TVD,
)

COMPARISON = Artefact(
    "comparison",
    "audits/{dataset}/{suite}/comparison.parquet",
    meaning="Every BiLSTM (further seeds, uniform, consistent adversaries) against the base model, test instance by "
    "test instance.",
    columns=(DATASET, MODEL, LAMBDA, SEED, ID, JSD, TVD, FLIP, BASE_PREDICTION, BASE_MAX_ATTENTION),
)
