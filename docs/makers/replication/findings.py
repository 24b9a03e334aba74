"""What becomes of a paper's claims: finding by finding from kept tables, then claim by claim. No verdict is by hand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from math import hypot, isnan, nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import FEWEST_TRAININGS
from attention_audit.names import display_name
from attention_audit.tables.render import write_interval
from attention_audit.tables.wording import format_number, write_subject
from makers.replication.declared import Cells, Claim, Finding
from makers.replication.intervals import FEWEST, UNKNOWN, Row, find_mean_interval
from makers.replication.kept import Kept

BACK, AGAINST, OPEN, UNSAID = "comes back", "does not come back", "open", "no interval"
"""What becomes of a finding on one data set: open where the interval holds the bound."""
REPLICATED, PARTLY, NOT, NO_VERDICT, NOT_RUN = "replicated", "in part", "not", "no verdict", "not run"
CLAIM_VERDICTS = {
    REPLICATED: "of the findings that have an interval, all come back",
    PARTLY: "some do",
    NOT: "none does, and one or more are contradicted",
    OPEN: "none does, and none is contradicted, since an interval holds the bound",
    NO_VERDICT: "no number has an interval",
    NOT_RUN: "not run, or no table of it is kept",
}
BOUND = re.compile(r"(above|below) (-?[\d.]+)")


class Value(NamedTuple):
    """A number with its 95 % interval; NaN where it has none, and where no training goes as far as is asked."""

    value: float
    low: float = nan
    high: float = nan

    @property
    def known(self) -> bool:
        """Whether it has an interval."""
        return self.low <= self.high

    def __str__(self) -> str:
        number = "none goes as far" if isnan(self.value) else format_number(self.value, "")
        return f"{number}{write_interval(self.low, self.high)}"

    def subtract(self, other: "Value", times: float = 1.0) -> "Value":
        """Subtract so many times a number of other trainings; the interval is made of both (Zou & Donner 2008,
        MOVER).
        """
        below, above = (
            hypot(self.value - self.low, times * (other.high - other.value)),
            hypot(self.high - self.value, times * (other.value - other.low)),
        )
        value = self.value - times * other.value
        return Value(value, value - below, value + above)


class Line(NamedTuple):
    """A finding on one data set of one run: what was found, and what becomes of it."""

    finding: Finding
    dataset: str
    subject: str
    value: Value
    word: str
    run: str
    code: str


def match_cells(cells: Cells, row: Row) -> bool:
    """Tell whether a row of `TABLE` or `REPLICATION` is one of these."""
    return all(re.fullmatch(pattern, str(row[column])) for column, pattern in asdict(cells).items())


def name_data(dataset: str) -> str:
    """Name a data set so that it can stand in a list."""
    name, comma, rest = display_name(dataset).partition(", ")
    return f"{name} ({rest})" if comma else name


def is_beyond(theirs: str, value: float) -> bool:
    """Tell whether a number lies on the side of a bound that is not theirs."""
    least, sign = read_bound(theirs)
    return sign * (value - least) < 0


def read_bound(theirs: str) -> tuple[float, int]:
    """Read a bound, and whether theirs lies above it (1) or below (-1). Raises ValueError where it is none."""
    bound = BOUND.fullmatch(theirs)
    if not bound:
        raise ValueError(f"no bound: {theirs}")
    return float(bound[2]), 1 if bound[1] == "above" else -1


def judge_finding(theirs: str, found: Value) -> str:
    """Judge whether a finding comes back, from its bound."""
    if not found.known:
        return UNSAID
    least, sign = read_bound(theirs)
    inside, outside = (sign * (end - least) > 0 for end in ((found.low, found.high) if sign > 0 else found[:0:-1]))
    return BACK if inside else OPEN if outside else AGAINST


def read_value(row: Row) -> Value:
    """Read the number of a row of `TABLE`; of one or two trainings its interval says nothing of others."""
    ends = (row["low"], row["high"]) if row["seeds"] >= FEWEST_TRAININGS else UNKNOWN
    return Value(row["mean"], *ends)


def read_given(row: Row) -> Value:
    """Read a number that others are held against; that of one training is taken as it is."""
    value = float(row["mean"])
    return Value(value, value, value) if row["seeds"] <= 1 else read_value(row)


def average_far(table: pd.DataFrame, finding: Finding, fewest: int) -> Iterator[Row]:
    """Average single trainings that differ in lambda alone, by data set: those that go, by the metric `finding.reach`,
    at least as far as what they are held against; NaN where none does.
    """
    for dataset, own in table.groupby("dataset", sort=False):
        rows = own.to_dict("records")
        far = [row for row in rows if match_cells(finding.cells, row) and row["metric"] == finding.reach]
        held = [row for row in rows if match_cells(finding.minus or Cells(), row) and row["metric"] == finding.reach]
        lambdas = {row["lambda"] for row in far for other in held if row["mean"] >= other["mean"]}
        values = [row for row in rows if match_cells(finding.cells, row) and row["metric"] == finding.measure]
        means = [row["mean"] for row in values if row["lambda"] in lambdas]
        if not values:
            continue
        mean = float(np.mean(means)) if means else nan
        sd = float(np.std(means, ddof=1)) if len(means) > 1 else nan
        low, high = find_mean_interval(mean, sd, len(means), fewest)
        yield {**values[0], "dataset": dataset, "mean": mean, "sd": sd, "low": low, "high": high, "seeds": len(means)}


def find_lines(finding: Finding, kept: Kept) -> Iterator[Line]:
    """Find a finding in the tables of a run: a line for each data set and row of which it is said."""
    table = kept.read_table(finding.table)
    if table is None:
        return
    every = [row for row in table.to_dict("records") if not isnan(row["mean"])]
    fewest = FEWEST_TRAININGS if kept.facts.of_present else FEWEST
    for row in average_far(table, finding, fewest) if finding.reach else every:
        asked = row["metric"] == finding.measure and match_cells(finding.cells, row)
        if not asked or (finding.datasets and row["dataset"] not in finding.datasets):
            continue
        found = read_value(row)
        if minus := finding.minus:
            measure = finding.measure if minus.metric == Cells().metric else minus.metric
            of_data = [each for each in every if (each["dataset"], each["metric"]) == (row["dataset"], measure)]
            others = [each for each in of_data if match_cells(minus, each)]
            if not others:
                continue
            found = found.subtract(read_given(others[0]), finding.times)
        word = judge_finding(finding.theirs, found)
        subject = write_subject(row, kept.facts.labels)
        yield Line(finding, str(row["dataset"]), subject, found, word, kept.run.name, kept.facts.code)


def judge_claim(lines: Iterable[Line]) -> str:
    """Judge a claim from the findings that it rests on, one of CLAIM_VERDICTS."""
    words = {line.word for line in lines}
    if not words:
        return NOT_RUN
    words -= {UNSAID}
    if BACK in words:
        return REPLICATED if words == {BACK} else PARTLY
    return NOT if AGAINST in words else OPEN if words else NO_VERDICT


def find_claim(claim: Claim, runs: Sequence[Kept]) -> list[Line]:
    """Find all findings of a claim in the runs of its page."""
    return [line for kept in runs for finding in claim.findings for line in find_lines(finding, kept)]
