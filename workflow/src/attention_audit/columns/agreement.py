"""The file of the audit `agreement`."""

from attention_audit.columns.kinds import INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET, MODEL, SEED

AGREEMENT = Artefact(
    "agreement",
    "audits/{dataset}/{suite}/agreement.parquet",
    meaning="How far attributions agree, two by two.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        Column("first", STRING, meaning="an attribution: those of correlation, or one of Captum"),
        Column("second", STRING, meaning="another one; each pair stands once"),
        Column(
            "tau",
            REAL,
            nullable=True,
            meaning="mean of Kendall's tau-b over the texts where it is defined; null for none",
        ),
        Column("texts", INTEGER, unit="texts", meaning="test instances where tau-b is defined"),
    ),
)
