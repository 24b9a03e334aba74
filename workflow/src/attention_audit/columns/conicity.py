"""The file of the audit `conicity`."""

from attention_audit.columns.kinds import REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

CONICITY = Artefact(
    "conicity",
    "audits/{dataset}/{suite}/conicity.parquet",
    meaning="How alike the hidden states of a text are (Mohankumar et al. 2020), test instance by test instance.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column(
            "conicity",
            REAL,
            unit="cosine",
            meaning="mean over tokens of the cosine between their state and the mean state",
        ),
        Column(
            "magnitude",
            REAL,
            unit="cosine",
            meaning="the same of the cosines' magnitudes, which is what the authors' code computes",
        ),
    ),
)
