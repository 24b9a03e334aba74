"""The file of the audit `single_weight`."""

from attention_audit.columns.kinds import FLAG, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, ITEMS, MODEL, SEED

DRAWS = ("corrected", "as_published")
"""The values of the column `draw`."""

SINGLE_WEIGHT = Artefact(
    "single_weight",
    "audits/{dataset}/{suite}/single_weight.parquet",
    meaning="What erasing one weight does: the item that a ranking puts first, against another one, test instance by "
    "test instance.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column(
            "ranking",
            STRING,
            meaning="the ranking that names the top item: attention, gradient, or product (attention x gradient, the "
            "order of the exact contributions)",
        ),
        Column(
            "draw",
            STRING,
            meaning="how the other item is drawn: corrected (any but the top, uniformly) or as_published (as the "
            "authors' code does: never the first of the text, at times the top itself)",
        ),
        ITEMS,
        Column(
            "delta_js",
            REAL,
            unit="nats",
            meaning="divergence (JS) of the prediction without the top item, less that without the other one",
        ),
        Column(
            "delta_attention", REAL, unit="share", meaning="attention weight of the top item less that of the other"
        ),
        Column("top_flips", FLAG, meaning="whether the decision changes without the top item"),
        Column("other_flips", FLAG, meaning="whether it changes without the other item"),
    ),
)
