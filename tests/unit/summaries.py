"""Rows of the summary, for tests of what reads it."""

from typing import Any

from attention_audit.columns.tables import SUMMARY
from attention_audit.questions import QUESTIONS

NAN = float("nan")
BLANK: dict[str, Any] = SUMMARY.blank | {f"{question}_zones": "-" for question in QUESTIONS}
"""A row in which nothing is known."""


def answer(question: str, zones: str, said: str, value: float, low: float, high: float, **more: Any) -> dict[str, Any]:
    """The columns of one answer; more: further ones of the question."""
    known = {"zones": zones, "said": said, "value": value, "low": low, "high": high} | more
    return {f"{question}_{name}": each for name, each in known.items()}


def row(model: str, *answers: dict[str, Any], dataset: str = "sst", **more: Any) -> dict[str, Any]:
    """A row of one model; what is not named was not asked."""
    about = {"dataset": dataset, "suite": "wp", "paper": "WP2019", "model": model, "seeds": 2, "texts": 350}
    cells = BLANK | about | {"groups": 350} | more
    for each in answers:
        cells |= each
    return cells
