"""What shuffling the attention weights over the tokens does to the prediction, test instance by test instance, and how
far shuffled maps are from the map itself.
"""

from attention_audit.columns.kinds import described, nats, probability, share
from attention_audit.columns.shared import MAX_ATTENTION, OF_TEXT, PREDICTION

PERMUTATION = described("permutation", __doc__).holds(
    **OF_TEXT,
    prediction=PREDICTION,
    max_attention=MAX_ATTENTION,
    median_tvd=probability(
        meaning="median over permutations of the total variation distance to the original prediction, all classes"
    ),
    mean_tvd=probability(meaning="mean of it over the same permutations"),
    flips=share(meaning="share of the permutations that change the decision"),
    chance_jsd=nats(meaning="Jensen-Shannon divergence of the attention from its permutations, mean over them"),
)
