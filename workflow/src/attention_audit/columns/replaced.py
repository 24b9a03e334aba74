"""What replacing words of the input does, from the top of a ranking downward, when the model reads the text again, test
instance by test instance. Rankings, texts and numbers of words are those of `located`.
"""

from attention_audit.columns.kinds import described, integer, text, weights
from attention_audit.columns.shared import OF_TEXT

UNKNOWN, LIKELY, MASK = "unknown", "likely", "mask"
STAND_INS = (UNKNOWN, LIKELY, MASK)
"""The values of the column `by`."""

REPLACED = described("replaced", __doc__).holds(
    **OF_TEXT,
    ranking=text(meaning="the ranking, as in located"),
    by=text(
        meaning="what stands in for a word: unknown (the unknown word), likely (another word of the training texts, "
        "drawn by how often they have it), or mask (the mask of a Transformer's tokenizer)"
    ),
    words=integer(unit="words", meaning="words of the text, at least 2"),
    falls=weights(
        unit="probability",
        meaning="what the predicted class loses where the first word is replaced, and the first 5, 10, 20, 50 % of the "
        "words, rounded up; below 0 where it gains",
    ),
)
