"""Columns that files of several kinds have."""

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, STRING, Column

DATASET = Column("dataset", STRING, meaning="name of the data set, as in the config")

ID = Column("id", STRING, meaning="stable identity of the instance, from the raw data on")

LABEL = Column("label", INTEGER, unit="class", meaning="gold label, from 0; census.parquet names the classes")

MODEL = Column(
    "model",
    STRING,
    meaning="name of the model in its suite, such as base, guide_uniform, han_rnn or lstm_tanh",
)

LAMBDA = Column(
    "lambda",
    REAL,
    nullable=True,
    meaning="weight of the KL term in the objective of a model-consistent adversary, in the paper's formula, or of the "
    "penalty in that of a deceptive model; null for other models",
)

SEED = Column("seed", INTEGER, meaning="seed of initial weights and of batch order")

PREDICTION = Column("prediction", INTEGER, unit="class", meaning="class the model predicts")

MAX_ATTENTION = Column("max_attention", REAL, unit="share", meaning="largest attention weight of the text")

BASE_PREDICTION = Column("base_prediction", INTEGER, unit="class", meaning="class the base model predicts")

BASE_MAX_ATTENTION = Column(
    "base_max_attention", REAL, unit="share", meaning="largest attention weight of the base model in this text"
)

JSD = Column(
    "jsd", REAL, unit="nats", meaning="Jensen-Shannon divergence of the attention from the base model's; at most ln 2"
)

TVD = Column(
    "tvd",
    REAL,
    unit="probability",
    meaning="total variation distance of the prediction from the base model's, all classes",
)

FLIP = Column("decision_flip", FLAG, meaning="whether the predicted class differs from the base model's")

ITEMS = Column(
    "items",
    INTEGER,
    unit="items",
    meaning="items under the last attention: sentences in a hierarchical model, words in any other; at least 2",
)

TOKENS = Column("tokens", INTEGER, unit="tokens", meaning="tokens that can be attended to")
