"""The test texts that a Transformer reads in part, as they are too long for it."""

from attention_audit.columns.kinds import described, integer
from attention_audit.columns.shared import OF_TEXT

CUT_TEXTS = described("cut_texts", __doc__).holds(
    **OF_TEXT,
    words=integer(unit="words", meaning="words of the text"),
    read=integer(unit="words", meaning="how many of them are read, of which the first or the last may be cut"),
)
