"""Columns that files of several kinds have."""

from .kinds import Column, Kind, flag, integer, nats, probability, real, share, text

DATASET = text("name of the data set, as in the config")
ID = text("stable identity of the instance, from the raw data on")
LABEL = integer("gold label, from 0; census.parquet names the classes", unit="class")
MODEL = text("name of the model in its suite, such as base, guide_uniform, han_rnn or lstm_tanh")
LAMBDA = real.or_null(
    "weight of the KL term in the objective of a model-consistent adversary, in the paper's formula, or of the "
    "penalty in that of a deceptive model; null for other models"
)
SEED = integer("seed of initial weights and of batch order")

OF_TRAINING = {"dataset": DATASET, "model": MODEL, "seed": SEED}
OF_TEXT = {**OF_TRAINING, "id": ID}
OF_TRAINING_BY_LAMBDA = {"dataset": DATASET, "model": MODEL, "lambda": LAMBDA, "seed": SEED}
OF_TEXT_BY_LAMBDA = {**OF_TRAINING_BY_LAMBDA, "id": ID}
"""What a row is about comes first: a trained model, or a text under one; by lambda where adversaries have rows too."""

PREDICTION = integer("class the model predicts", unit="class")
MAX_ATTENTION = share("largest attention weight of the text")
BASE_PREDICTION = integer("class the base model predicts", unit="class")
BASE_MAX_ATTENTION = share("largest attention weight of the base model in this text")
JSD = nats("Jensen-Shannon divergence of the attention from the base model's; at most ln 2")
TVD = probability("total variation distance of the prediction from the base model's, all classes")
FLIP = flag("whether the predicted class differs from the base model's")
FROM_BASE = {"jsd": JSD, "tvd": TVD, "decision_flip": FLIP}
ITEMS = integer(
    "items under the last attention: sentences in a hierarchical model, words in any other; at least 2", unit="items"
)
TOKENS = integer("tokens that can be attended to", unit="tokens")

BY_DESIGN = "planted"
"""Who marked the cues of a generated text, and the words that are planted in a real one."""


def bounds(name: str, kind: Kind, *, meaning: str) -> dict[str, Column]:
    """An effect and the bounds of its interval."""
    return {
        f"{name}_value": kind.or_null(meaning),
        f"{name}_low": kind.or_null("lower end of its 95 % interval over trainings and texts"),
        f"{name}_high": kind.or_null("upper end of it"),
    }
