"""The file of what each head of attention is worth."""

from attention_audit.columns.kinds import INTEGER, REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

HEADS = Artefact(
    "heads",
    "audits/{dataset}/{suite}/heads.parquet",
    meaning="Each head of several by itself, text by text: what shuffling its weights alone does, and how soon "
    "erasing in the order of its weights flips the decision.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column("head", INTEGER, meaning="number of the head, from 1; of a Transformer, in the layer that is read"),
        Column(
            "items",
            INTEGER,
            unit="items",
            meaning="words of the text that are read, and of a Transformer the marks [CLS] and [SEP]",
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
