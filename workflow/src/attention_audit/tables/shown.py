"""Tables as strings, wide and rounded, as readers see them: one function for each kind of table.

Each takes a table and the labels of its names (from `tables.wording.labels_of`), and raises AuditError for a name
without a label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from attention_audit.columns.summary import QUESTIONS
from attention_audit.names import display_name
from attention_audit.tables.wording import heading, label_of, named, number


class Block(NamedTuple):
    """Rows of strings, with a title above them and a remark; title and remark may be empty."""

    rows: pd.DataFrame
    title: str = ""
    text: str = ""


Shown = Callable[[pd.DataFrame, Mapping[str, str]], list[Block]]
"""The type of the functions of this module: from a table and labels to blocks."""


def uncertain(cell: pd.Series, metric: str) -> str:
    """A mean with its interval or, where there is none, its sd over seeds."""
    low, high, sd = (number(cell[name], metric) for name in ("low", "high", "sd"))
    return number(cell["mean"], metric) + (f" [{low}, {high}]" if low else f" ± {sd}" if sd else "")


def wide(table: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.table: one row for each data set, row and lambda; one column for each metric, and one for the
    paper's value where there is any.
    """
    lines = []
    published = set(table.loc[table["published"].notna(), "metric"])
    for _, cells in table.groupby(["dataset", "row", "lambda"], sort=False, dropna=False):
        dataset, row, lambda_ = cells[["dataset", "row", "lambda"]].iloc[0]
        line = {
            "data set": display_name(dataset),
            "row": named(row, labels),
            "λ": "" if math.isnan(lambda_) else f"{lambda_:g}",
        }
        for metric in filter(None, table["metric"].unique()):
            cell = cells[cells["metric"] == metric]
            line[heading(metric)] = uncertain(cell.iloc[0], metric) if len(cell) else ""
            if metric in published:
                theirs = cell["published"].iloc[0] if len(cell) else math.nan
                line[f"paper: {heading(metric)}"] = number(theirs, metric, paper=True)
        seeds = cells["seeds"].max()
        line["seeds"] = str(seeds) if seeds else ""
        line["epoch selected on"] = ", ".join(dict.fromkeys(filter(None, cells["selection"])))
        line["note"] = "; ".join(dict.fromkeys(filter(None, cells["note"])))
        lines.append(line)
    frame = pd.DataFrame(lines, dtype=str)
    return [Block(frame.loc[:, (frame != "").any()])]


def verdicts(controls: pd.DataFrame, _labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.controls; the two bounds become one condition."""
    conditions = [
        f"{least:.3f} to {most:.3f}" if least <= most else f"≥ {least:.3f}" if math.isnan(most) else f"≤ {most:.3f}"
        for least, most in zip(controls["least"], controls["most"], strict=True)
    ]
    frame = pd.DataFrame(
        {
            "data set": controls["dataset"],
            "claim": controls["claim"],
            "statistic": controls["statistic"],
            "value": [f"{value:z.3f}" for value in controls["value"]],
            "must be": conditions,
            "holds": ["yes" if holds else "NO" for holds in controls["holds"]],
        },
        dtype=str,
    )
    return [Block(frame)]


def findings(claims: pd.DataFrame, _labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.claims, with the interval beside the value."""
    ours, low, high = ([f"{value:.3g}" for value in claims[name]] for name in ("ours", "low", "high"))
    frame = pd.DataFrame(
        {
            "data set": [display_name(dataset) for dataset in claims["dataset"]],
            "claim": claims["claim"],
            "statistic": claims["statistic"],
            "ours": [f"{value} [{least}, {most}]" for value, least, most in zip(ours, low, high, strict=True)],
            "paper": claims["theirs"],
            "holds": ["yes" if holds else "NO" for holds in claims["holds"]],
        },
        dtype=str,
    )
    return [Block(frame)]


def interval(low: float, high: float, metric: str = "") -> str:
    """An interval in brackets; "" where a bound is NaN."""
    return "" if math.isnan(low) or math.isnan(high) else f" [{number(low, metric)}, {number(high, metric)}]"


def answered(row: pd.Series, question: str) -> str:
    """One answer: the word, the value with its interval, and the floor."""
    value, low, high, floor = (float(row[f"{question}_{name}"]) for name in ("value", "low", "high", "floor"))
    if math.isnan(value):
        return str(row[question])
    against = "" if math.isnan(floor) else f"; floor {number(floor, '')}"
    return f"{row[question]}: {number(value, '')}{interval(low, high)}{against}"


def answers(summary: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.summary: a block with the answers, then one that says what was measured for each question."""
    lines = [
        {
            "data set": display_name(row["dataset"]),
            "paper": named(row["paper"], labels),
            "model": named(row["model"], labels),
            "seeds": str(row["seeds"]),
            **{question: answered(row, question) for question in QUESTIONS},
            "verdict": row["verdict"],
        }
        for _, row in summary.iterrows()
    ]
    measured = [
        pd.DataFrame(
            {
                "question": question,
                "measured": summary[f"{question}_statistic"],
                "noise floor": summary[f"{question}_floor_statistic"],
            }
        )
        for question in QUESTIONS
    ]
    legend = pd.concat(measured).drop_duplicates()
    columns = ["data set", "paper", "model", "seeds", *QUESTIONS, "verdict"]
    text = "In brackets 95 % intervals. `docs/method.md` says how the words follow from the numbers."
    return [
        Block(pd.DataFrame(lines, columns=columns, dtype=str)),
        Block(legend[legend["measured"] != ""].astype(str), "What was measured", text),
    ]


NOTHING_PUBLISHED = "No published number has a counterpart in this run: none of its data sets is one of the papers'."


def comparisons(replication: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.replication, with a block for each paper and table."""
    blocks = []
    for _, rows in replication.groupby(["paper", "table"], sort=False):
        paper, table = (str(rows[name].iloc[0]) for name in ("paper", "table"))
        lines = [
            {
                "data set": display_name(row["dataset"]),
                "row": named(row["row"], labels),
                "metric": heading(row["metric"]),
                "published": number(row["published"], row["metric"], paper=True),
                "ours": number(row["ours"], row["metric"]) + interval(row["low"], row["high"], row["metric"]),
                "difference": number(row["difference"], row["metric"]),
                "single trainings of ours": interval(row["one_low"], row["one_high"], row["metric"]).strip(),
                "seeds": str(row["seeds"]) if row["seeds"] else "",
                "within seeds": row["within_seeds"],
                "note": row["note"],
            }
            for _, row in rows.iterrows()
        ]
        frame = pd.DataFrame(lines, dtype=str)
        title = f"{label_of(paper, labels)}, {table[:1].lower()}{table[1:]}"
        blocks.append(Block(frame.loc[:, (frame != "").any()], title))
    columns = ["data set", "row", "metric", "published", "ours", "difference", "within seeds", "note"]
    return blocks or [Block(pd.DataFrame(columns=columns, dtype=str), text=NOTHING_PUBLISHED)]
