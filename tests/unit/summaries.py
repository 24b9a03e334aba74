"""Rows of the summary, for tests of what reads it."""

from attention_audit.columns.tables import SUMMARY
from attention_audit.questions import QUESTIONS

BLANK = SUMMARY.blank | {f"{question}_zones": "-" for question in QUESTIONS}
"""A row in which nothing is known."""


def answer(question, zones, said, value, low, high, **more):
    """The columns of one answer; more: further ones of the question."""
    known = {"zones": zones, "said": said, "value": value, "low": low, "high": high} | more
    return {f"{question}_{name}": each for name, each in known.items()}


def row(model, *answers, dataset="sst", **more):
    """A row of one model; what is not named was not asked."""
    about = {"dataset": dataset, "suite": "wp", "paper": "WP2019", "model": model, "seeds": 2, "texts": 350}
    cells = BLANK | about | {"groups": 350} | more
    for each in answers:
        cells |= each
    return cells
