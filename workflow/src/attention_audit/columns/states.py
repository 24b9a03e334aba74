"""The file beside the states of a frozen Transformer."""

from attention_audit.columns.kinds import FLAG, INTEGER, STRING, Artefact, Column
from attention_audit.columns.shared import ID

PIECES = Artefact(
    "pieces",
    "states/{dataset}/pieces.parquet",
    meaning="What a frozen Transformer reads of each text. Its states of the words lie beside this file, in "
    "states.npy: row after row, text after text, and behind those of a pair one row, the summary of the query.",
    columns=(
        ID,
        Column("split", STRING, meaning="train, dev or test"),
        Column("words", INTEGER, unit="words", meaning="words that are read, each with a row of states.npy"),
        Column("query_words", INTEGER, unit="words", meaning="words of the query that are read; 0 for a single text"),
        Column("pieces", INTEGER, unit="pieces", meaning="pieces that are read, marks included"),
        Column("truncated", FLAG, meaning="whether the text, or its query, was cut at the most pieces"),
        Column("unknown", INTEGER, unit="words", meaning="words without a piece, read as the tokenizer's unknown word"),
    ),
)
