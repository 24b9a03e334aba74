"""The file of the audit `attention_maps`."""

from attention_audit.columns.kinds import INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import BASE_PREDICTION, DATASET, ID, JSD, LABEL

ATTENTION_MAPS = Artefact(
    "attention_maps",
    "audits/{dataset}/{suite}/attention_maps.parquet",
    meaning="The attention of three models over the words of a few test instances.",
    columns=(
        DATASET,
        ID,
        LABEL,
        Column("weights", STRING, meaning="base, consistent_adversary or instance_adversary"),
        Column("probability", REAL, unit="probability", meaning="probability of the class the base model predicts"),
        BASE_PREDICTION,
        JSD,
        Column("position", INTEGER, unit="position", meaning="position of the word in the text, from 0"),
        Column("token", STRING, meaning="the word"),
        Column("attention", REAL, unit="share", meaning="attention weight of the word"),
    ),
)
