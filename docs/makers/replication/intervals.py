"""The one definition of intervals in the record, whatever version made a run.

An interval is of the mean over all trainings of a recipe: with n trainings that spread by sd,

    mean +- t sd / sqrt(n),    t = 0.975 quantile of Student's t with n - 1 degrees of freedom.

Versions from 0.5 on compute it themselves, from FEWEST_TRAININGS trainings, and widen it by the chance of the test
texts where a number is a mean over texts. Earlier versions had texts as their only source of chance, or drew trainings
anew, which with few of them is too short. So their intervals are computed anew, of trainings alone, from the kept sd
or the kept values of each training, if there are `FEWEST` or more; else the number stands alone. Trainings that agree
in every digit tell nothing of how far others would lie, so they have no interval either.
"""

from collections.abc import Mapping, Sequence
from math import inf, isnan, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import FEWEST_TRAININGS, find_student
from attention_audit.answer.verdicts import NONE, list_touched, say_zones
from attention_audit.questions import QUESTIONS
from attention_audit.tables.replication import UNDECIDED, find_half_width
from attention_audit.tables.wording import write_heading

FEWEST = 5
"""Trainings of an earlier version that make an interval."""
OF_TRAININGS = frozenset({"f1", "accuracy", "roc_auc"})
"""Metrics whose intervals have always been those of trainings alone."""
UNBOUNDED = frozenset({"located", "ranks", "racu"})
"""Metrics that may lie beyond the ends of their scales."""
OF_TEXTS = frozenset({"racu", "fraction_removed"})
"""Metrics whose intervals are of texts alone in all versions."""
SHARES = frozenset({"used", "signed"})
"""Questions whose estimates lie between 0 and 1."""
TOO_FEW = f"an earlier version's run of fewer than {FEWEST} trainings"
NOT_KEPT = "what makes this verdict of an earlier version's run is not kept"
Row = Mapping[Any, Any]
Ends = tuple[float, float]
UNKNOWN: Ends = (nan, nan)


def find_scale(metric: str) -> Ends:
    """Find the least and the largest value that a number can have."""
    if metric.startswith("tau") and metric != "tau_sd":
        return -1.0, 1.0
    return 0.0, 100.0 if write_heading(metric).endswith("(%)") else inf if metric.endswith("ratio") else 1.0


def find_mean_interval(mean: float, sd: float, trainings: int, fewest: int = FEWEST) -> Ends:
    """Find the interval of a mean over trainings; NaN where there are too few, or where all have the same value."""
    if trainings < fewest or not sd > 0:
        return UNKNOWN
    half = find_student(trainings) * sd / sqrt(trainings)
    return mean - half, mean + half


def find_sd(row: Row) -> float:
    """Find the sd over trainings from the intervals of a row of `REPLICATION`; NaN where they do not tell it."""
    trainings = int(row["seeds"])
    if row["chance"] == "seeds":
        return float(row["half_width"]) / find_half_width(1.0, trainings)
    if row["metric"] in OF_TRAININGS and trainings > 1:
        return (row["high"] - row["low"]) / 2 * sqrt(trainings) / find_student(trainings)
    return nan


def renew_row(row: Row, of_present: bool) -> Row:
    """Give a row of `TABLE` its interval. of_present: whether this version's definition made the row."""
    of_present = of_present and row["metric"] not in OF_TEXTS
    if of_present and not isnan(row["low"]):
        return row
    low, high = find_mean_interval(row["mean"], row["sd"], row["seeds"], FEWEST_TRAININGS if of_present else FEWEST)
    difference = row["other"] and not row["ranking"]
    if not difference and row["metric"] not in UNBOUNDED:
        least, most = find_scale(str(row["metric"]))
        low, high = max(low, least), min(high, most)
    return {**row, "low": low, "high": high}


def renew_number(row: Row, of_present: bool) -> Row:
    """Give a row of `REPLICATION` of an earlier version its intervals, those of a single training too."""
    if of_present or not row["seeds"]:
        return row
    low, high = find_mean_interval(row["ours"], find_sd(row), row["seeds"])
    if not isnan(low):
        return {**row, "low": low, "high": high}
    unknown = dict.fromkeys(("low", "high", "one_low", "one_high", "half_width"), nan)
    return {**row, **unknown, "chance": "", "agreement": UNDECIDED}


def renew_answers(row: Row, of_present: bool) -> Row:
    """Give a row of `SUMMARY` of an earlier version its intervals and verdicts, from the values of each training.

    Of some verdicts more is needed than these values: those of `signed` have a second estimate, and those of `unique`
    are of one search.
    """
    if of_present:
        return row
    renewed = {key: value for name in QUESTIONS for key, value in renew_answer(row, name).items()}
    return {**row, **renewed, "plausibility_low": nan, "plausibility_high": nan}


def renew_answer(row: Row, question: str) -> Row:
    """Give one question of an earlier version's row what `renew_answers` says."""
    each: Sequence[float] = [value for value in row[f"{question}_each"] if not isnan(value)]
    trainings, sd = len(each), float(np.std(each, ddof=1)) if len(each) > 1 else nan
    # a training is in all pairs that its mean is of: see attention_audit.answer.estimates
    stretch, factor = ((trainings - 1) / (trainings - 2), 2.0) if question == "stable" and trainings > 2 else (1.0, 1.0)
    value = float(row[f"{question}_value"])
    low, high = find_mean_interval(value, factor * stretch * sd, trainings)
    reach = find_half_width(stretch * sd, trainings) if not isnan(low) else nan
    least, most = (0.0, 1.0) if question in SHARES else (-inf, inf)
    known = not isnan(low) and question != "signed"
    zones = list_touched(low, high, QUESTIONS[question].cuts) if known else NONE
    enough = TOO_FEW if trainings < FEWEST and question != "unique" else NOT_KEPT
    return {
        **{
            f"{question}_{end}": min(max(bound, least), most)
            for end, bound in {
                "low": low,
                "high": high,
                "next_low": value - reach,
                "next_high": value + reach,
            }.items()
        },
        f"{question}_zones": zones,
        f"{question}_said": say_zones(zones) if known else "",
        f"{question}_reason": "" if known else row[f"{question}_reason"] or enough,
        f"{question}_clause": "",
        f"{question}_classes": "[]",
    }


RENEWALS = {"table": renew_row, "replication": renew_number, "summary": renew_answers}
"""By the kind of table."""


def renew_intervals(table: pd.DataFrame, kind: str, of_present: bool) -> pd.DataFrame:
    """Give all numbers of a kept table the intervals of this record."""
    if kind not in RENEWALS or table.empty:
        return table
    return pd.DataFrame([RENEWALS[kind](row, of_present) for row in table.to_dict("records")], columns=table.columns)
