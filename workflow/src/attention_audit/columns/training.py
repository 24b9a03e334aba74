"""The history of a training, and the steps of a search."""

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import SEED

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

SEARCH = Artefact(
    "search",
    "models/{dataset}/{suite}/{model}/seed{seed}.search.parquet",
    meaning="One search by continuation, step by step; every step is a model, and one of them is chosen.",
    columns=(
        SEED,
        Column("step", INTEGER, meaning="number of the step, from 1"),
        Column("model", STRING, meaning="name of its model, as in paths"),
        Column("lambda", REAL, meaning="weight of the KL term in its objective, in the paper's formula"),
        Column(
            "began",
            INTEGER,
            nullable=True,
            meaning="step whose weights it began with; null for the base model with softened scores",
        ),
        Column("epochs", INTEGER, unit="epochs", meaning="epochs of the step"),
        Column("tvd", REAL, unit="probability", meaning="mean TVD of the predictions from the base model's, on dev"),
        Column("jsd", REAL, unit="nats", meaning="mean JSD of the attention from the base model's, on dev"),
        Column("within", FLAG, meaning="whether the TVD is within the budget"),
        Column("chosen", FLAG, meaning="whether it is the chosen one: the furthest (JSD) within the budget"),
    ),
)
