"""The file of the audit `comparison`."""

from attention_audit.columns.kinds import FLAG, REAL, Artefact, Column
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
    columns=(
        DATASET,
        MODEL,
        LAMBDA,
        SEED,
        ID,
        JSD,
        TVD,
        FLIP,
        BASE_PREDICTION,
        BASE_MAX_ATTENTION,
        Column(
            "same_top",
            FLAG,
            meaning="whether both models give the same item the most attention; of equal weights the earlier counts",
        ),
        Column(
            "contribution_jsd",
            REAL,
            nullable=True,
            unit="nats",
            meaning="Jensen-Shannon divergence of the map of the exact contributions, |c_t| / sum of |c|, from the "
            "base model's; null for pairs, and where all contributions of either model are 0",
        ),
        Column(
            "contribution_same_top",
            FLAG,
            nullable=True,
            meaning="whether the same item has the greatest absolute contribution in both; null likewise",
        ),
    ),
)
