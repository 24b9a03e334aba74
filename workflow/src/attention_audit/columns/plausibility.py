"""The files of the audits `plausibility` and `plausible_words`."""

from attention_audit.columns.kinds import described, integer, share, text
from attention_audit.columns.shared import OF_TEXT_BY_LAMBDA

MEASURES = ("auprc", "f1", "iou", "mass")
"""What is measured of an attribution beside marked words."""
PLANTED = "planted"
"""Who marked the cues of a generated text, and the words that are planted in a real one."""
COLUMNS = {
    **OF_TEXT_BY_LAMBDA,
    "annotator": text(
        meaning="whose marks: people, the source or the generator by name; empty for the words that more than half of "
        "several annotators marked",
    ),
    "attribution": text(
        meaning="what scores the words; random: the mean over all orders, which is also what uniform weights get; "
        "frequency: rarer words in the training split first; others: the other annotators",
    ),
    "words": integer(unit="words", meaning="words of the text that the model reads"),
    "marked": integer(unit="words", meaning="how many of them are marked; none or all have no scores"),
    "auprc": share.or_null(
        meaning="average precision of the order of the words; equal scores get the mean over their orders"
    ),
    "f1": share.or_null(
        meaning="token F1 of the words with the highest scores, as many as are marked; of others: of their majority",
    ),
    "iou": share.or_null(meaning="the same words and the marked ones: shared / in either"),
    "mass": share.or_null(
        meaning="share of the scores that is on marked words, marks of a tokenizer counted among the items of a "
        "readout; null where scores have a sign",
    ),
}

PLAUSIBILITY = described(
    "plausibility",
    "How well attention, and what else a readout says of the items, points to marked words: a row a text, "
    "annotator and attribution, with floors and ceiling among them.",
).holds(**COLUMNS)

PLAUSIBLE_WORDS = described(
    "plausible_words",
    "How well attributions that run the network again point to marked words: a row a text, annotator and "
    "attribution; integrated gradients of a sample of the texts.",
).holds(**COLUMNS)
