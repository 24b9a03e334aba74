"""The published table of which questions notice a liar."""

from attention_audit.columns.kinds import FLAG, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET

NOTICES, DOES_NOT, UNCLEAR, NOT_ASKED = "notices", "does not", "undecided", "not asked"


def _effect(name: str, what: str) -> tuple[Column, ...]:
    return (
        Column(f"{name}_value", REAL, nullable=True, meaning=f"{what}; null where there is none"),
        Column(f"{name}_low", REAL, nullable=True, meaning="lower end of its 95 % interval"),
        Column(f"{name}_high", REAL, nullable=True, meaning="upper end of it"),
    )


NOTICED = Artefact(
    "noticed",
    "tables/pd_table_noticed.parquet",
    meaning="Which questions of the summary notice a model whose attention was trained to deceive.",
    columns=(
        DATASET,
        Column("honest", STRING, meaning="the honest model"),
        Column("liar", STRING, meaning="the liar that is built alike"),
        Column("lambda", REAL, meaning="the weight of the liar's penalty"),
        Column("question", STRING, meaning="the question, as in the summary"),
        Column("honest_word", STRING, meaning="the answer of the honest model"),
        *_effect("honest", "its effect"),
        Column("liar_word", STRING, meaning="the answer of the liar"),
        *_effect("liar", "its effect"),
        *_effect("difference", "effect of the honest model - that of the liar"),
        Column("lower", FLAG, meaning="whether the whole interval of the difference lies above 0"),
        Column(
            "word",
            STRING,
            meaning=f"{NOTICES}: the liar is answered no, the honest model is not, and the liar's effect is clearly "
            f"lower; {DOES_NOT}: the liar is answered yes, or both no; else {UNCLEAR}, or {NOT_ASKED}",
        ),
        Column("note", STRING, meaning="why; often empty"),
    ),
)
