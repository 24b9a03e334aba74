"""What deleting words from the input, from the top of a ranking downward, does when the model reads the text again,
test instance by test instance. Texts of one word have no rows.
"""

from attention_audit.columns.kinds import described, flag, integer, share, text, weights
from attention_audit.columns.shared import OF_TEXT

DELETED = (5, 10, 20, 50)
"""The shares of the words, in percent, that are deleted, beside one word alone."""

LOCATED = described("located", __doc__).holds(
    **OF_TEXT,
    ranking=text(
        meaning="the ranking: random, attention, gradient (of the prediction, by the weights), product of the two, loo "
        "(leave-one-out: what the predicted class loses), integrated_gradients (of a sample of the texts)"
    ),
    words=integer(unit="words", meaning="words of the text, at least 2"),
    falls=weights(
        unit="probability",
        meaning="what the predicted class loses without the first word, and without the first 5, 10, 20, 50 % of the "
        "words, rounded up; below 0 where it gains",
    ),
    top_flips=flag(meaning="whether the decision changes without the first word"),
    fraction_removed=share.or_null(
        meaning="share of the states that go, in this ranking, until the decision flips, the other weights "
        "renormalised; null where it never does, and for pairs"
    ),
)
