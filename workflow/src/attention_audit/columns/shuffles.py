"""What a model decides under its own attention weights, and under random orders of them over the items that are imposed
on it, test instance by test instance. Erasures are from the weights imposed, and contributions are made of them.
"""

from attention_audit.columns.kinds import described, integer, probability, real, share
from attention_audit.columns.shared import OF_TEXT

SHUFFLES = described("shuffles", __doc__).holds(
    **OF_TEXT,
    shuffle=integer(
        meaning="0: the weights as they are; 1, 2, ...: in random orders, the first ones of the audit permutation"
    ),
    prediction=integer(unit="class", meaning="class that is predicted under these weights"),
    tvd=probability(meaning="total variation distance to the prediction under the model's own weights, all classes"),
    items=integer(unit="items", meaning="items under the last attention; 1 or more"),
    random=share.or_null(
        meaning="share of the items erased in a random order when the decision under these weights changes; of shuffle "
        "0 the mean over 10 orders, in which one that never changes it counts as 1; null where it never changes, of "
        "shuffle 0 where `smallest` is null"
    ),
    by_weight=share.or_null(meaning="the same by falling weight; null where the decision never changes"),
    smallest=share.or_null(
        meaning="the same of the fewest items that change the decision, of a Transformer the fewest found; null where "
        "none do"
    ),
    lead=real.or_null(
        unit="logit",
        meaning="what the item of the most weight adds to the logit of the class predicted under these weights beyond "
        "those of the others, c_t / (1 - p_m); null for a Transformer, whose contributions are not exact",
    ),
    fall=probability.or_null(
        meaning="probability of that class minus that without the item of the most weight, the other weights "
        "renormalised; null for a text of one item"
    ),
)
