"""The file of the audit `planted`."""

from attention_audit.columns.kinds import FLAG, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

PLANTED = Artefact(
    "planted",
    "audits/{dataset}/{suite}/planted.parquet",
    meaning="Where the evidence is known: whether the item that a ranking puts first is of it, test instance by test "
    "instance.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column("ranking", STRING, meaning="the ranking: attention, gradient, or product (attention x gradient)"),
        Column("on_evidence", FLAG, meaning="whether the first item holds a word of the evidence"),
        Column("chance", REAL, unit="share", meaning="share of the items that do"),
    ),
)
