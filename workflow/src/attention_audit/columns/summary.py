"""The published table of verdicts, and the questions it asks."""

from __future__ import annotations

from attention_audit.columns.kinds import INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET


def _question(name: str, *, meaning: str) -> tuple[Column, ...]:
    """The columns of one question of the summary."""
    return (
        Column(
            name, STRING, meaning=f"{meaning}: yes, no, undecided or not asked{', or flat' if name == 'stable' else ''}"
        ),
        Column(f"{name}_statistic", STRING, meaning="what is measured; empty where it was not asked"),
        Column(f"{name}_value", REAL, nullable=True, meaning="what this run measured; null where nothing was"),
        Column(f"{name}_low", REAL, nullable=True, meaning="lower end of the 95 % interval; null where there is none"),
        Column(f"{name}_high", REAL, nullable=True, meaning="upper end of it"),
        Column(f"{name}_floor", REAL, nullable=True, meaning="the noise floor that the interval is held against"),
        Column(f"{name}_floor_statistic", STRING, meaning="what the floor is"),
    )


QUESTIONS = ("needed", "stable", "consequential", "unique", "transferable")
"""What the summary asks of a model's attention, in this order."""

SUMMARY = Artefact(
    "summary",
    "tables/summary.parquet",
    meaning="May the attention of a model be read as an explanation: five questions in order, and the verdict. One "
    "row a data set and model.",
    columns=(
        DATASET,
        Column("paper", STRING, meaning="whose test this is: WP2019, SS2019 or JW2019; empty for a data set not run"),
        Column("model", STRING, meaning="base, <han or flan>_<encoder> or <encoder>_<attention>; empty if not run"),
        Column("seeds", INTEGER, unit="seeds", meaning="number of seeds of the model"),
        Column("verdict", STRING, meaning="the answer: yes, no or undecided, and by which question"),
        Column("gate", STRING, meaning="the first question whose answer is no (or flat); empty where there is none"),
        *_question("needed", meaning="does the model predict better with attention than with uniform weights"),
        *_question("stable", meaning="does another seed give nearly the same map"),
        *_question("consequential", meaning="do other weights give another prediction"),
        *_question("unique", meaning="does every model that predicts alike attend alike"),
        *_question("transferable", meaning="do the weights help a simpler model"),
        Column(
            "transferable_own_value",
            REAL,
            nullable=True,
            meaning="beside it: score of that model guided by them minus that with attention of its own; decides "
            "nothing",
        ),
        Column("transferable_own_low", REAL, nullable=True, meaning="lower end of its 95 % interval"),
        Column("transferable_own_high", REAL, nullable=True, meaning="upper end of it"),
        Column("transferable_own_floor", REAL, nullable=True, meaning="its noise floor"),
    ),
)
