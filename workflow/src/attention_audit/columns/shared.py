"""Columns that files of several kinds have."""

from attention_audit.columns.kinds import Column, Kind, flag, integer, nats, probability, real, share, text

DATASET = text(meaning="name of the data set, as in the config")
ID = text(meaning="stable identity of the instance, from the raw data on")
LABEL = integer(unit="class", meaning="gold label, from 0; census.parquet names the classes")
MODEL = text(meaning="name of the model in its suite, such as base, guide_uniform, han_rnn or lstm_tanh")
LAMBDA = real.or_null(
    meaning="weight of the KL term in the objective of a model-consistent adversary, in the paper's formula, or of the "
    "penalty in that of a deceptive model; null for other models"
)
SEED = integer(meaning="seed of initial weights and of batch order")

OF_TRAINING = {"dataset": DATASET, "model": MODEL, "seed": SEED}
OF_TEXT = {**OF_TRAINING, "id": ID}
OF_TRAINING_BY_LAMBDA = {"dataset": DATASET, "model": MODEL, "lambda": LAMBDA, "seed": SEED}
OF_TEXT_BY_LAMBDA = {**OF_TRAINING_BY_LAMBDA, "id": ID}
"""What a row is about comes first: a trained model, or a text under one; by lambda where adversaries have rows too."""

PREDICTION = integer(unit="class", meaning="class the model predicts")
MAX_ATTENTION = share(meaning="largest attention weight of the text")
BASE_PREDICTION = integer(unit="class", meaning="class the base model predicts")
BASE_MAX_ATTENTION = share(meaning="largest attention weight of the base model in this text")
JSD = nats(meaning="Jensen-Shannon divergence of the attention from the base model's; at most ln 2")
TVD = probability(meaning="total variation distance of the prediction from the base model's, all classes")
FLIP = flag(meaning="whether the predicted class differs from the base model's")
FROM_BASE = {"jsd": JSD, "tvd": TVD, "decision_flip": FLIP}
ITEMS = integer(
    unit="items",
    meaning="items under the last attention: sentences in a hierarchical model, words in any other; at least 2",
)
TOKENS = integer(unit="tokens", meaning="tokens that can be attended to")

BY_DESIGN = "planted"
"""Who marked the cues of a generated text, and the words that are planted in a real one."""


def bounds(name: str, kind: Kind, *, meaning: str) -> dict[str, Column]:
    """An effect and the bounds of its interval."""
    return {
        f"{name}_value": kind.or_null(meaning=meaning),
        f"{name}_low": kind.or_null(meaning="lower end of its 95 % interval over trainings and texts"),
        f"{name}_high": kind.or_null(meaning="upper end of it"),
    }
