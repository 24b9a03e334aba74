"""How far every model is from the base model on the development split, where an adversary may be chosen without a look
at the test split; one row a model and seed.
"""

from attention_audit.columns.kinds import described, nats, probability
from attention_audit.columns.shared import OF_TRAINING_BY_LAMBDA

CONSISTENCY = described("consistency", __doc__).holds(
    **OF_TRAINING_BY_LAMBDA,
    tvd=probability(
        meaning="mean total variation distance of the predictions from the base model's, where all classes that the "
        "base model predicts count alike"
    ),
    jsd=nats(meaning="mean Jensen-Shannon divergence of the attention from the base model's; at most ln 2"),
    chance_jsd=nats(meaning="the same divergence with this model's weights shuffled, mean over permutations"),
)
