"""The file of the audit `impermissible`."""

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, LABEL, LAMBDA, MODEL, SEED

IMPERMISSIBLE = Artefact(
    "impermissible",
    "audits/{dataset}/{suite}/impermissible.parquet",
    meaning="Where impermissible words are named: how much attention falls on them, and what the same model predicts "
    "without them, test instance by test instance.",
    columns=(
        DATASET,
        MODEL,
        LAMBDA,
        SEED,
        ID,
        LABEL,
        Column("blocked_words", INTEGER, unit="words", meaning="impermissible words of the text"),
        Column("mass", REAL, unit="share", meaning="sum of the attention on them; 0 where there are none"),
        Column("uniform_mass", REAL, unit="share", meaning="the same under uniform attention"),
        Column("right", FLAG, meaning="whether the model predicts the label"),
        Column(
            "right_without",
            FLAG,
            nullable=True,
            meaning="whether it does where these words are deleted from the input; null where no word is left",
        ),
        Column(
            "fall",
            REAL,
            nullable=True,
            unit="probability",
            meaning="probability of the predicted class, before minus after they are deleted; null likewise",
        ),
    ),
)
