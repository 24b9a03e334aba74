"""The file of the texts that a Transformer reads in part."""

from attention_audit.columns.kinds import INTEGER, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

CUT_TEXTS = Artefact(
    "cut_texts",
    "audits/{dataset}/{suite}/cut_texts.parquet",
    meaning="The test texts of which a Transformer reads the beginning only.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column("words", INTEGER, unit="words", meaning="words of the text"),
        Column("read", INTEGER, unit="words", meaning="how many of them are read, from the first on"),
    ),
)
