"""Rows of the summary, for tests of what reads it."""

from typing import Any

from attention_audit.columns.summary import QUESTIONS, SUMMARY

NAN = float("nan")
BLANK: dict[str, Any] = SUMMARY.blank | dict.fromkeys([*QUESTIONS, "learnt"], "not asked")
"""A row in which nothing is known."""


def answer(question: str, word: str, value: float, low: float, high: float, margin: float = 0.5) -> dict[str, Any]:
    """The columns of one answer."""
    values = {"value": value, "low": low, "high": high} | ({} if question == "learnt" else {"margin": margin})
    return {question: word} | {f"{question}_{name}": number for name, number in values.items()}


def row(model: str, *answers: dict[str, Any], dataset: str = "sst") -> dict[str, Any]:
    """A row of one model; what is not named was not asked."""
    cells = BLANK | {"dataset": dataset, "suite": "wp", "model": model, "sentence": "It is so."}
    for each in answers:
        cells |= each
    return cells
