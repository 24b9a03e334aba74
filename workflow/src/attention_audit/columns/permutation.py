"""The file of the audit `permutation`."""

from __future__ import annotations

from attention_audit.columns.kinds import REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MAX_ATTENTION, MODEL, PREDICTION, SEED

PERMUTATION = Artefact(
    "permutation",
    "audits/{dataset}/{suite}/permutation.parquet",
    meaning="What shuffling the attention weights over the tokens does to the prediction, test instance by test "
    "instance.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        PREDICTION,
        MAX_ATTENTION,
        Column(
            "median_tvd",
            REAL,
            unit="probability",
            meaning="median over permutations of the total variation distance to the original prediction, all classes",
        ),
    ),
)
