"""The file of the audit `stability`."""

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

STABILITY = Artefact(
    "stability",
    "audits/{dataset}/{suite}/stability.parquet",
    meaning="How far attention and predictions of a model move from one seed to another, and how far shuffled "
    "attention does; every two seeds once, test instance by test instance. Models with one seed have no rows.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        Column("other", INTEGER, meaning="the seed that it is compared with, one that the configuration names earlier"),
        ID,
        Column(
            "jsd",
            REAL,
            unit="nats",
            meaning="Jensen-Shannon divergence of this seed's attention from the other seed's; at most ln 2",
        ),
        Column("tvd", REAL, unit="probability", meaning="total variation distance of the predictions, all classes"),
        Column(
            "chance_jsd",
            REAL,
            unit="nats",
            meaning="the same divergence with this seed's weights shuffled, mean over permutations",
        ),
        Column(
            "same_top",
            FLAG,
            meaning="whether both seeds give the same item the most attention; of equal weights the earlier counts",
        ),
    ),
)
