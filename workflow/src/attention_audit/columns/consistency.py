"""The file of the audit `consistency`."""

from attention_audit.columns.kinds import INTEGER, REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, LAMBDA, MODEL, SEED

CONSISTENCY = Artefact(
    "consistency",
    "audits/{dataset}/{suite}/consistency.parquet",
    meaning="How far every model is from the base model on the development split, where an adversary may be chosen "
    "without a look at the test split; one row a model and seed.",
    columns=(
        DATASET,
        MODEL,
        LAMBDA,
        SEED,
        Column("texts", INTEGER, unit="texts", meaning="texts of the development split"),
        Column(
            "tvd",
            REAL,
            unit="probability",
            meaning="mean total variation distance of the predictions from the base model's, all classes",
        ),
        Column("tvd_sd", REAL, unit="probability", meaning="its standard deviation over texts"),
        Column(
            "jsd",
            REAL,
            unit="nats",
            meaning="mean Jensen-Shannon divergence of the attention from the base model's; at most ln 2",
        ),
    ),
)
