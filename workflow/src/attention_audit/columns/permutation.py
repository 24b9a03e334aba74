"""The file of the audit `permutation`."""

from attention_audit.columns.kinds import REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MAX_ATTENTION, MODEL, PREDICTION, SEED

PERMUTATION = Artefact(
    "permutation",
    "audits/{dataset}/{suite}/permutation.parquet",
    meaning="What shuffling the attention weights over the tokens does to the prediction, test instance by test "
    "instance, and how far shuffled maps are from the map itself.",
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
        Column("mean_tvd", REAL, unit="probability", meaning="mean of it over the same permutations"),
        Column("flips", REAL, unit="share", meaning="share of the permutations that change the decision"),
        Column(
            "chance_jsd",
            REAL,
            unit="nats",
            meaning="Jensen-Shannon divergence of the attention from its permutations, mean over them",
        ),
        Column(
            "contribution_chance_jsd",
            REAL,
            nullable=True,
            unit="nats",
            meaning="the same of the map of the exact contributions, |c_t| / sum of |c|; null for pairs, and where all "
            "contributions are 0",
        ),
    ),
)
