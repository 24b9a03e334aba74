"""The file of what each head of a Transformer is worth."""

from __future__ import annotations

from attention_audit.columns.kinds import INTEGER, REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

HEADS = Artefact(
    "heads",
    "audits/{dataset}/{suite}/heads.parquet",
    meaning="Each head of a Transformer by itself, text by text: what shuffling its weights alone does, and how soon "
    "erasing in the order of its weights flips the decision.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column("head", INTEGER, meaning="number of the head in the last layer, from 1"),
        Column(
            "items", INTEGER, unit="items", meaning="words of the text that are read, and the marks [CLS] and [SEP]"
        ),
        Column(
            "mean_tvd",
            REAL,
            unit="probability",
            meaning="mean change of the prediction (TVD) when the weights of this head alone are shuffled",
        ),
        Column("flips", REAL, unit="share", meaning="share of these permutations that change the decision"),
        Column(
            "fraction_removed",
            REAL,
            nullable=True,
            unit="share",
            meaning="share of the items erased in all heads, from this head's highest weight downward, until the "
            "decision flips; null where it never does",
        ),
    ),
)
