"""The history of a training, and the steps of a search."""

from attention_audit.columns.kinds import Artefact, flag, integer, nats, probability, real, share, text
from attention_audit.columns.shared import SEED

HISTORY = Artefact(
    "history",
    "models/{dataset}/{suite}/{model}/seed{seed}.history.parquet",
    meaning="How one training went, epoch by epoch; the weights beside it are those of the selected epoch.",
).holds(
    epoch=integer(unit="epoch", meaning="epoch, from 0"),
    loss=real(unit="per text", meaning="mean training loss of the epoch"),
    score=real(
        meaning="what the epoch is selected by: ROC-AUC on the selection split, for an adversary minus the loss, for a "
        "HAN, a FLAN or a model of pairs accuracy on dev"
    ),
    selected=flag(meaning="whether the stored weights are this epoch's"),
)

SEARCH = Artefact(
    "search",
    "models/{dataset}/{suite}/{model}/seed{seed}.search.parquet",
    meaning="One search by continuation, step by step; every step is a model, and one of them is chosen.",
).holds(
    seed=SEED,
    step=integer(meaning="number of the step, from 1"),
    model=text(meaning="name of its model, as in paths"),
    **{"lambda": real(meaning="weight of the KL term in its objective, in the paper's formula")},
    began=integer.or_null(meaning="step whose weights it began with; null for the base model with softened scores"),
    epochs=integer(unit="epochs", meaning="epochs of the step"),
    tvd=probability(meaning="mean TVD of the predictions from the base model's, on dev, all predicted classes alike"),
    jsd=nats(meaning="mean JSD of the attention from the base model's, on dev"),
    similarity=share(meaning="1 - this JSD / that to the step's map shuffled: 1 the same map, 0 an unrelated one"),
    within=flag(meaning="whether the TVD is within the tolerance"),
    chosen=flag(meaning="whether it is the chosen one: the least similar within the tolerance"),
)
