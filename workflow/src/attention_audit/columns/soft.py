"""What erasing parts of the words' vectors does, in proportion to the scores of an attribution, test instance by test
instance. Attributions and texts are those of `located`.
"""

from attention_audit.columns.kinds import described, probability, share, text
from attention_audit.columns.shared import OF_TEXT

SOFT = described("soft", __doc__).holds(
    **OF_TEXT,
    ranking=text(meaning="the attribution whose scores say how much is erased, called as the rankings of located"),
    nothing=probability(
        meaning="1 minus what the predicted class loses where all vectors are erased; 1 where it gains"
    ),
    comprehensiveness=share.or_null(
        meaning="what it loses where each number of a word's vector is erased with the word's score as probability, "
        "in shares of 1 - nothing; from 0 to 1; null where nothing is lost by erasing all"
    ),
    sufficiency=share.or_null(
        meaning="1 minus what it loses where each number is kept with that probability, less nothing, in shares of 1 - "
        "nothing; from 0 to 1; null likewise"
    ),
    shuffled_comprehensiveness=share.or_null(meaning="comprehensiveness of the same scores, shuffled over the words"),
    shuffled_sufficiency=share.or_null(meaning="sufficiency of these"),
)
