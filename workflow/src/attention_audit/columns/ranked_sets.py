"""What erasing items from the top of a ranking downward does, test instance by test instance."""

from attention_audit.columns.kinds import described, integer, probability, share, text, weights
from attention_audit.columns.shared import ITEMS, OF_TEXT

BINS = (1, 5, 10, 20, 50)
"""The shares of the items, in percent, at which the curves are measured."""

RANKED_SETS = described("ranked_sets", __doc__).holds(
    **OF_TEXT,
    ranking=text(
        meaning="the ranking, such as random, attention, gradient, or product (attention x gradient, the order of the "
        "exact contributions); smallest: the fewest items that change the decision"
    ),
    items=ITEMS,
    removed=integer(unit="items", meaning="items erased when the decision first changes; -1 where it never does"),
    fraction_removed=share.or_null(meaning="removed / items; null where the decision never changes"),
    comprehensiveness=probability.or_null(
        meaning="attention-comprehensiveness: what the predicted class loses when the attention on the first 1, 5, 10, "
        "20, 50 % of the items is erased, on average (AOPC); null for smallest"
    ),
    sufficiency=probability.or_null(
        meaning="attention-sufficiency: what it loses when only they keep their attention, on average (AOPC)"
    ),
    comprehensiveness_curve=weights.or_null(
        unit="probability", meaning="attention-comprehensiveness at each of these shares"
    ),
    sufficiency_curve=weights.or_null(unit="probability", meaning="attention-sufficiency at each of these shares"),
)
