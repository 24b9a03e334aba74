"""The file of the audit `ranked_sets`."""

from attention_audit.columns.kinds import INTEGER, REAL, STRING, WEIGHTS, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, ITEMS, MODEL, SEED

BINS = (1, 5, 10, 20, 50)
"""The shares of the items, in percent, at which the curves are measured."""

RANKED_SETS = Artefact(
    "ranked_sets",
    "audits/{dataset}/{suite}/ranked_sets.parquet",
    meaning="What erasing items from the top of a ranking downward does, test instance by test instance.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column(
            "ranking",
            STRING,
            meaning="the ranking, such as random, attention, gradient, or product (attention x gradient, the order of "
            "the exact contributions); smallest: the fewest items that change the decision",
        ),
        ITEMS,
        Column(
            "removed",
            INTEGER,
            unit="items",
            meaning="items erased when the decision first changes; -1 where it never does",
        ),
        Column(
            "fraction_removed",
            REAL,
            nullable=True,
            unit="share",
            meaning="removed / items; null where the decision never changes",
        ),
        Column(
            "mass_removed",
            REAL,
            nullable=True,
            unit="share",
            meaning="attention on the erased items; null where it never changes",
        ),
        Column(
            "comprehensiveness",
            REAL,
            nullable=True,
            unit="probability",
            meaning="attention-comprehensiveness: what the predicted class loses when the attention on the first 1, 5, "
            "10, 20, 50 % of the items is erased, on average (AOPC); null for smallest",
        ),
        Column(
            "sufficiency",
            REAL,
            nullable=True,
            unit="probability",
            meaning="attention-sufficiency: what it loses when only they keep their attention, on average (AOPC)",
        ),
        Column(
            "comprehensiveness_curve",
            WEIGHTS,
            nullable=True,
            unit="probability",
            meaning="attention-comprehensiveness at each of these shares",
        ),
        Column(
            "sufficiency_curve",
            WEIGHTS,
            nullable=True,
            unit="probability",
            meaning="attention-sufficiency at each of these shares",
        ),
    ),
)
