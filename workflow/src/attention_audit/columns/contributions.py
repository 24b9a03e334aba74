"""The file of the audit `contributions`."""

from attention_audit.columns.kinds import FLAG, INTEGER, INTEGERS, REAL, WEIGHTS, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, PREDICTION, SEED

TOP = 5
"""So many items count as the first ones of a text."""

CONTRIBUTIONS = Artefact(
    "contributions",
    "audits/{dataset}/{suite}/contributions.parquet",
    meaning="Attention beside the exact contribution of each item to the predicted class m, c_t = a_t (z_tm - sum over "
    "classes of p_c z_tc), test instance by test instance. Models of pairs have no rows: their predictions are not "
    "linear in the attention.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column("items", INTEGER, unit="items", meaning="items under the last attention; 1 or more"),
        PREDICTION,
        Column(
            "tau",
            REAL,
            nullable=True,
            meaning="Kendall's tau-b of the attention and the absolute contributions; null where either is the same "
            "for all items",
        ),
        Column(
            "overlap",
            REAL,
            unit="share",
            meaning="share of the 5 items with the most attention that are among the 5 with the greatest absolute "
            "contributions; of a text of fewer items, all of them count, and it is 1",
        ),
        Column("magnitude", REAL, unit="logit", meaning="sum of the absolute contributions of all items"),
        Column("against", REAL, unit="share", meaning="attention on items that speak against the prediction (c_t < 0)"),
        Column(
            "top_lead",
            REAL,
            nullable=True,
            unit="logit",
            meaning="what the item of the most attention adds to the logit of the predicted class beyond those of the "
            "others, c_t / (1 - p_m); null for a Transformer, whose contributions are not exact",
        ),
        Column(
            "top_fall",
            REAL,
            nullable=True,
            unit="probability",
            meaning="probability of the predicted class minus that without the item of the most attention, the other "
            "weights renormalised; null for a text of one item",
        ),
        Column("top_flips", FLAG, nullable=True, meaning="whether the decision changes without it; null likewise"),
        Column(
            "top_items",
            INTEGERS,
            meaning="positions of the up to 5 items with the most attention, from 0, the most first; of equal weights "
            "the earlier first",
        ),
        Column("top_weights", WEIGHTS, unit="share", meaning="their attention weights"),
        Column("top_contributions", WEIGHTS, unit="logit", meaning="their contributions c_t"),
    ),
)
