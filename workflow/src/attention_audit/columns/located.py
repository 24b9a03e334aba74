"""The file of the audit `located`."""

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, STRING, WEIGHTS, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

DELETED = (5, 10, 20, 50)
"""The shares of the words, in percent, that are deleted, beside one word alone."""

LOCATED = Artefact(
    "located",
    "audits/{dataset}/{suite}/located.parquet",
    meaning="What deleting words from the input, from the top of a ranking downward, does when the model reads the "
    "text again, test instance by test instance. Texts of one word have no rows.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column(
            "ranking",
            STRING,
            meaning="the ranking: random, attention, gradient (of the prediction, by the weights), product of the two, "
            "loo (leave-one-out: what the predicted class loses), integrated_gradients (of a sample of the texts)",
        ),
        Column("words", INTEGER, unit="words", meaning="words of the text, at least 2"),
        Column(
            "falls",
            WEIGHTS,
            unit="probability",
            meaning="what the predicted class loses without the first word, and without the first 5, 10, 20, 50 % of "
            "the words, rounded up; below 0 where it gains",
        ),
        Column("top_flips", FLAG, meaning="whether the decision changes without the first word"),
        Column(
            "fraction_removed",
            REAL,
            nullable=True,
            unit="share",
            meaning="share of the states that go, in this ranking, until the decision flips, the other weights "
            "renormalised; null where it never does, and for pairs",
        ),
    ),
)
