"""The file of the audit `instance_adversary`."""

from attention_audit.columns.kinds import INTEGER, WEIGHTS, Artefact, Column
from attention_audit.columns.shared import BASE_MAX_ATTENTION, BASE_PREDICTION, DATASET, FLIP, ID, JSD, MODEL, SEED, TVD

INSTANCE_ADVERSARY = Artefact(
    "instance_adversary",
    "audits/{dataset}/{suite}/instance_adversary.parquet",
    meaning="Jain & Wallace's adversary: for each test instance the attention furthest from the model's own that "
    "leaves the prediction within epsilon. What the columns call the base model is here the model itself.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        JSD,
        TVD,
        FLIP,
        Column(
            "admissible",
            INTEGER,
            unit="restarts",
            meaning="restarts whose prediction stayed within epsilon; 0: original kept",
        ),
        BASE_PREDICTION,
        BASE_MAX_ATTENTION,
        Column(
            "attention",
            WEIGHTS,
            unit="share",
            meaning="the adversarial attention weight of each item (token, or sentence in a hierarchical model); of "
            "several heads, those of each, item by item",
        ),
    ),
)
