"""The answers of two runs side by side: a row a data set, suite, model and question."""

from collections.abc import Mapping
from math import isnan, nan
from typing import Any

import pandas as pd

from attention_audit.columns.summary import QUESTIONS
from attention_audit.tables.shown import interval
from attention_audit.tables.wording import number

ASKED = ("learnt", *QUESTIONS)
"""What is compared: whether the model has learnt its task, and the questions of the summary."""
KEYS = ["dataset", "suite", "model"]
EFFECT = ("value", "low", "high", "margin")
ABSENT = "not there"
"""The word of a model that the other run alone has."""


def _answer(row: Mapping[Any, Any] | None, question: str, run: str) -> dict[str, Any]:
    """Word, effect, interval and margin of one answer; of `learnt` the margin is 0."""
    values = {name: nan if row is None else row.get(f"{question}_{name}", 0.0) for name in EFFECT}
    return {f"word_{run}": ABSENT if row is None else row[question]} | {
        f"{name}_{run}": float(value) for name, value in values.items()
    }


def _relation(cells: Mapping[str, Any]) -> str:
    """Whether the two intervals overlap or lie apart; "" where one of them is not known."""
    bounds = [cells[name] for name in ("low_a", "high_b", "low_b", "high_a")]
    if any(map(isnan, bounds)):
        return ""
    return "overlap" if bounds[0] <= bounds[1] and bounds[2] <= bounds[3] else "apart"


def two_runs(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Columns.SUMMARY frames of two runs, a and b, as one: nine rows for each data set, suite and model of either.

    words: same or other. intervals: overlap, apart, or "" where one is not known. Data sets that neither run could have
    are left out.
    """
    runs = [
        {tuple(row[key] for key in KEYS): row for row in frame[frame["model"] != ""].to_dict("records")}
        for frame in (first, second)
    ]
    rows = []
    for key in dict.fromkeys([*runs[0], *runs[1]]):
        for question in ASKED:
            cells = _answer(runs[0].get(key), question, "a") | _answer(runs[1].get(key), question, "b")
            same = cells["word_a"] == cells["word_b"]
            rows.append(
                {
                    **dict(zip(KEYS, key, strict=True)),
                    "question": question,
                    **cells,
                    "words": "same" if same else "other",
                    "intervals": _relation(cells),
                }
            )
    blank = _answer(None, "", "a") | _answer(None, "", "b")
    return pd.DataFrame(rows, columns=[*KEYS, "question", *blank, "words", "intervals"])


def _shown(row: Mapping[Any, Any], run: str) -> str:
    value, low, high, margin = (row[f"{name}_{run}"] for name in EFFECT)
    if isnan(value):
        return str(row[f"word_{run}"])
    return f"{row[f'word_{run}']}: {number(value, '')}{interval(low, high)}, margin {margin:g}"


def side_by_side(compared: pd.DataFrame, names: tuple[str, str]) -> pd.DataFrame:
    """The same as texts, with each answer in one cell under the name of its run."""
    lines = [
        {
            "data set": row["dataset"],
            "suite": row["suite"],
            "model": row["model"],
            "question": row["question"],
            f"a: {names[0]}": _shown(row, "a"),
            f"b: {names[1]}": _shown(row, "b"),
            "words": row["words"],
            "intervals": row["intervals"],
        }
        for row in compared.to_dict("records")
    ]
    return pd.DataFrame(lines, dtype=str)
