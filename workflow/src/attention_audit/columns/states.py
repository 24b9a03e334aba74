"""What a frozen Transformer reads of each text. Its states of the words lie beside this file, in states.npy: row after
row, text after text, and behind those of a pair one row, the summary of the query.
"""

from attention_audit.columns.kinds import described, flag, integer, text
from attention_audit.columns.shared import ID

PIECES = described("pieces", __doc__, "states/{dataset}/pieces.parquet").holds(
    id=ID,
    split=text(meaning="train, dev or test"),
    words=integer(unit="words", meaning="words that are read, each with a row of states.npy"),
    query_words=integer(unit="words", meaning="words of the query that are read; 0 for a single text"),
    pieces=integer(unit="pieces", meaning="pieces that are read, marks included"),
    truncated=flag(meaning="whether the text, or its query, was cut at the most pieces"),
    unknown=integer(unit="words", meaning="words without a piece, read as the tokenizer's unknown word"),
)
