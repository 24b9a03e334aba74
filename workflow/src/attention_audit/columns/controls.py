"""The published table of the control corpora."""

from attention_audit.columns.kinds import FLAG, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET

CONTROLS = Artefact(
    "controls",
    "tables/controls.parquet",
    meaning="What the tests must find on the control corpora, where the truth is known, and what they found.",
    columns=(
        DATASET,
        Column("claim", STRING, meaning="what must hold"),
        Column("statistic", STRING, meaning="how it is measured"),
        Column("value", REAL, nullable=True, meaning="what this run measured; null where nothing could be measured"),
        Column("least", REAL, nullable=True, meaning="the value must be at least this; null for no bound"),
        Column("most", REAL, nullable=True, meaning="the value must be at most this; null for no bound"),
        Column("holds", FLAG, meaning="whether the claim held"),
    ),
)
