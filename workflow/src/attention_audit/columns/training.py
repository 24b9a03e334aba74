"""The history of a training."""

from __future__ import annotations

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, Artefact, Column

HISTORY = Artefact(
    "history",
    "models/{dataset}/{suite}/{model}/seed{seed}.history.parquet",
    meaning="How one training went, epoch by epoch; the weights beside it are those of the selected epoch.",
    columns=(
        Column("epoch", INTEGER, unit="epoch", meaning="epoch, from 0"),
        Column("loss", REAL, unit="per text", meaning="mean training loss of the epoch"),
        Column(
            "score",
            REAL,
            meaning="what the epoch is selected by: ROC-AUC on the selection split, for an adversary minus the loss, "
            "for a HAN, a FLAN or a model of pairs accuracy on dev",
        ),
        Column("selected", FLAG, meaning="whether the stored weights are this epoch's"),
    ),
)
