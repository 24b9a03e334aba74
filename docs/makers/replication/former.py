"""Runs from before four questions were defined as they are now: what of their summaries still holds."""

from collections.abc import Mapping
from math import isnan, nan, sqrt

import pandas as pd

from attention_audit.answer.intervals import NORMAL
from attention_audit.answer.sentence import FROZEN, Instead, Said, itself, sentence
from attention_audit.answer.words import NO, NOT_ASKED, UNDECIDED, YES
from attention_audit.columns.summary import INSTEAD, QUESTIONS
from attention_audit.tables.wording import label_of

REDEFINED = ("needed", "signed", "unique", "transferable")
"""Questions that were asked otherwise in runs of which `earlier` holds."""
BESIDE_REDEFINED = ("transferable_adversary", "transferable_own")
"""Effects that stand beside these."""
BOUNDS = ("value", "low", "high")
FORMER = (
    "Some of these runs are from before needed, signed, unique and transferable were defined as they are now. Their "
    "words for these questions are left out, and their sentences are made of the others, until they are run again.\n"
)


def earlier(row: pd.Series) -> bool:
    """Whether a row of columns.SUMMARY is of a run from before the questions were defined as they are now."""
    return not isnan(row["accuracy"]) and isnan(row["macro_f1"])


def able(row: pd.Series) -> str:
    """Whether such a model is better than the largest class, from its accuracy and the number of texts alone.

    The text's part in the difference is 1, 0 or -1, so that its mean square is at most the two shares of errors.
    """
    gain, texts = row["accuracy"] - row["majority_accuracy"], max(row[f"{name}_texts"] for name in QUESTIONS)
    errors = 2 - row["accuracy"] - row["majority_accuracy"]
    return NO if gain <= 0 else YES if texts and gain > NORMAL * sqrt(errors / texts) else UNDECIDED


def restated(row: pd.Series, labels: Mapping[str, str]) -> pd.Series:
    """A row of which `earlier` holds, without the words that were defined otherwise, and a sentence of the rest."""
    row = row.copy()
    row["learnt"] = able(row)
    for question in REDEFINED:
        if row[question] != NOT_ASKED:
            row[question], row[f"{question}_note"] = NOT_ASKED, "it was defined otherwise when this was run"
        row[[f"{question}_trainings", f"{question}_texts"]] = 0
        row[[f"{question}_{part}" for part in (*BOUNDS, "margin")]] = nan
    row[[f"{effect}_{part}" for effect in BESIDE_REDEFINED for part in BOUNDS]] = nan
    answers = {
        question: Said(row[question], row[f"{question}_value"], int(row[f"{question}_trainings"]))
        for question in QUESTIONS
    }
    shown = {
        question: Instead(
            label_of(row[f"instead_by_{question}"], labels),
            row[f"instead_by_{question}_better"] == YES,
            itself(question, row[f"instead_by_{question}"]),
        )
        for question in INSTEAD
        if row[f"instead_by_{question}"]
    }
    frozen = FROZEN in row["sentence"]
    row["sentence"] = sentence(answers, Said(row["learnt"], nan, 0), shown, frozen)
    return row
