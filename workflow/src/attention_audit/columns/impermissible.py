"""Where impermissible words are named: how much attention falls on them, and what the same model predicts without them,
test instance by test instance.
"""

from attention_audit.columns.kinds import described, flag, integer, probability, share
from attention_audit.columns.shared import LABEL, OF_TEXT_BY_LAMBDA

IMPERMISSIBLE = described("impermissible", __doc__).holds(
    **OF_TEXT_BY_LAMBDA,
    label=LABEL,
    blocked_words=integer(unit="words", meaning="impermissible words of the text"),
    mass=share(meaning="sum of the attention on them; 0 where there are none"),
    uniform_mass=share(meaning="the same under uniform attention"),
    right=flag(meaning="whether the model predicts the label"),
    right_without=flag.or_null(
        meaning="whether it does where these words are deleted from the input; null where no word is left"
    ),
    fall=probability.or_null(
        meaning="probability of the predicted class, before minus after they are deleted; null likewise"
    ),
)
