"""The published table that says whether a remedy makes maps readable."""

from attention_audit.columns.kinds import REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET

READ_BY = ("used", "ranks", "located")
"""The questions of the summary that a map must pass to be read: do its weights matter, in their order, on its words?"""


def _question(name: str) -> tuple[Column, ...]:
    return (
        Column(name, STRING, meaning=f"the word of `{name}` for the model, as in the summary"),
        Column(f"{name}_value", REAL, nullable=True, meaning="its effect; null where it is not known"),
        Column(f"{name}_twin", STRING, meaning="the word for the twin"),
        Column(f"{name}_twin_value", REAL, nullable=True, meaning="its effect"),
    )


READABLE = Artefact(
    "readable",
    "tables/{suite}_table_readable.parquet",
    meaning="Whether a remedy makes maps readable: one row a data set and model that has a twin without the remedy.",
    columns=(
        DATASET,
        Column("model", STRING, meaning="the model with the remedy"),
        Column("twin", STRING, meaning="the model without it"),
        Column(
            "conicity", REAL, unit="cosine", meaning="how alike the states of the model are, as in the authors' code"
        ),
        Column("conicity_twin", REAL, unit="cosine", meaning="the same of the twin"),
        *(column for name in READ_BY for column in _question(name)),
        Column("sentence", STRING, meaning="the answer in sentences that can be quoted"),
    ),
)
