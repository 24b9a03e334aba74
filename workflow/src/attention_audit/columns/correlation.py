"""The file of the audit `correlation`."""

from attention_audit.columns.kinds import REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, PREDICTION, SEED, TOKENS

CORRELATION = Artefact(
    "correlation",
    "audits/{dataset}/{suite}/correlation.parquet",
    meaning="Does attention rank the tokens as measures of importance do: two attributions at a time, test instance "
    "by test instance.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        PREDICTION,
        Column(
            "pair",
            STRING,
            meaning="the two attributions, parted by ~: attention, gradient (attention held fixed), gradient_attached"
            " (that also flows through the attention) or loo (leave-one-out)",
        ),
        Column(
            "tau", REAL, nullable=True, meaning="Kendall's tau-b; null where one of the two is the same for all tokens"
        ),
        Column("p", REAL, nullable=True, meaning="its p-value under independence; null where tau is"),
        TOKENS,
        Column(
            "top_k_overlap",
            REAL,
            nullable=True,
            unit="share",
            meaning="share of the k highest tokens of one that are among those of the other; null with at most k "
            "tokens",
        ),
    ),
)
