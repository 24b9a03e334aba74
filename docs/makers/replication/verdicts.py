"""What is to be said of published numbers: number by number, and row by row.

A published number is nearly always one training, so it is held against where single trainings of ours lie: the interval
of our mean, widened by how far one training lies from it, t sd. Three trainings of one data set tell little of sd. If
trainings of the same row and measure spread alike on all data sets of a page, by Bartlett's test, their variances are
pooled, each with one less than its trainings as its weight, and t has the sum of these as its degrees of freedom. If
that test rejects it, each data set keeps its own sd.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import hypot, isnan, log, nan, sqrt
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from scipy import stats

from attention_audit.names import display_name
from attention_audit.tables.papers import ALL_ENCODERS
from attention_audit.tables.published import build_key, read_published
from attention_audit.tables.replication import (
    AT_LEAST,
    COMPATIBLE,
    NOT_COMPATIBLE,
    TOLERANCE,
    UNDECIDED,
    find_half_width,
)
from makers.replication.intervals import FEWEST, Row, find_scale, find_sd

FURTHER = Path(__file__).parent / "further.csv"
"""Further trainings of a paper's authors."""
INSIDE, OUTSIDE, UNJUDGED = "data differ: within", "data differ: outside", "no verdict"
SAME, OTHER = "the same", "other"
"""Verdicts besides those of the table of replications: where the data differ, where too few trainings say nothing of
chance, and of properties of the data."""
VERDICTS = {
    COMPATIBLE: "the published number could be one more of our trainings, so that no difference was shown",
    NOT_COMPATIBLE: "95 of 100 single trainings of ours would lie nearer; by chance alone, one number of twenty is so",
    INSIDE: "our texts are not the paper's; the published number lies where one more of our trainings could",
    OUTSIDE: "our texts are not the paper's; the published number lies elsewhere",
    UNJUDGED: f"of one training, or of fewer than {FEWEST} by an earlier version: nothing is said of chance",
    SAME: "a property of the texts, which rounds to the published one",
    OTHER: "a property of the texts, which does not",
}
JUDGED = (COMPATIBLE, NOT_COMPATIBLE, INSIDE, OUTSIDE)
"""Verdicts by an interval that holds 95 of 100 single trainings."""
LIE_OUTSIDE = (NOT_COMPATIBLE, OUTSIDE)
BY_CHANCE = 0.05
"""The share of published numbers that lie outside of such intervals by chance alone."""

SPREAD_ALIKE = 0.05
"""The probability of Bartlett's test below which trainings do not spread alike."""

Of = tuple[str, ...]


class Spread(NamedTuple):
    """The standard deviation over trainings, and its degrees of freedom."""

    sd: float
    freedom: int


class Signs(NamedTuple):
    """One row of a published table over data sets: on how many the published number is above ours, and below it.

    chance: the probability that so many or more lie on one side, where either side is equally probable: the exact test
    of signs, two-sided. difference: the mean of theirs minus ours.
    """

    row: Row
    above: int
    below: int
    chance: float
    difference: float


class Training(NamedTuple):
    """One further training of a paper's authors: what came out, and the file of their repository that has it."""

    value: float
    commit: str
    file: str


def of_row(row: Row) -> Of:
    """What tells the row and measure of a published table from all others, whatever the data set."""
    return build_key({**row, "dataset": ""})


def paper_names(row: Row) -> Iterator[Of]:
    """Under which names a paper may have the counterpart of one of our numbers."""
    yield build_key({**row, "dataset": display_name(str(row["dataset"]))})
    yield build_key({**row, "dataset": "all", "model": ALL_ENCODERS})


def rounding(row: Row) -> float:
    """Half a unit of the last digit of a published number."""
    known = (read_published().get(key) for key in paper_names(row))
    return next((fact.rounding for fact in known if fact and fact.value == row["published"]), 0.0)


def spread_alike(spreads: Sequence[Spread]) -> bool:
    """Tell whether sds may be pooled: whether Bartlett's test does not reject that their variances are equal."""
    if len(spreads) < 2:
        return False
    freedom = sum(each.freedom for each in spreads)
    pooled = sum(each.freedom * each.sd**2 for each in spreads) / freedom
    distance = freedom * log(pooled) - sum(each.freedom * log(each.sd**2) for each in spreads)
    correction = 1 + (sum(1 / each.freedom for each in spreads) - 1 / freedom) / (3 * (len(spreads) - 1))
    return bool(stats.chi2.sf(distance / correction, len(spreads) - 1) >= SPREAD_ALIKE)


def pool_spreads(rows: Iterable[Row]) -> dict[Of, Spread]:
    """Pool how far trainings lie apart over data sets, by row and measure; only of those that spread alike."""
    spreads: dict[Of, list[Spread]] = {}
    for row in rows:
        if row["seeds"] > 1 and not isnan(row["one_low"]) and (sd := find_sd(row)) > 0:
            spreads.setdefault(of_row(row), []).append(Spread(sd, int(row["seeds"]) - 1))
    return {
        key: Spread(sqrt(sum(each.freedom * each.sd**2 for each in own) / freedom), freedom)
        for key, own in spreads.items()
        if spread_alike(own) and (freedom := sum(each.freedom for each in own))
    }


def judge_number(row: Row, pools: Mapping[Of, Spread]) -> Row:
    """A row of `REPLICATION` whose interval for single trainings holds that of our mean, and goes no further than the
    number can; its agreement is that of this interval.
    """
    if row["seeds"] == 0 or isnan(row["one_low"]):
        return row
    own = Spread(find_sd(row), int(row["seeds"]) - 1)
    sd, freedom = pools.get(of_row(row), own)
    # what other test texts add, where the paper has others
    of_texts = sqrt(max(row["half_width"] ** 2 - find_half_width(own.sd, int(row["seeds"])) ** 2, 0.0))
    of_one = hypot(stats.t.ppf(0.975, freedom) * sd, of_texts)
    least, most = find_scale(str(row["metric"]))
    low = max(row["ours"] - hypot(of_one, row["ours"] - row["low"]), least)
    high = min(row["ours"] + hypot(of_one, row["high"] - row["ours"]), most)
    near = rounding(row) + TOLERANCE
    # our number may be any distance above a lower bound
    within = (AT_LEAST in row["note"] or low - near <= row["published"]) and row["published"] <= high + near
    agreement = UNDECIDED if row["agreement"] == UNDECIDED else COMPATIBLE if within else NOT_COMPATIBLE
    ends = {"low": max(row["low"], least), "high": min(row["high"], most), "one_low": low, "one_high": high}
    return {**row, **ends, "agreement": agreement, "within": within}


def verdict(row: Row) -> str:
    """What is to be said of a published number and ours, one of VERDICTS, from a row of `judge_number`."""
    if row["seeds"] == 0:
        return SAME if row["agreement"] == COMPATIBLE else OTHER
    if isnan(row["one_low"]):
        return UNJUDGED
    if row["agreement"] != UNDECIDED:
        return str(row["agreement"])
    return INSIDE if row["within"] else OUTSIDE


def outside(rows: Iterable[Row]) -> tuple[int, int, float]:
    """How many numbers are held against an interval, how many lie outside, and how many would by chance alone."""
    said = [verdict(row) for row in rows]
    judged = sum(word in JUDGED for word in said)
    return judged, sum(word in LIE_OUTSIDE for word in said), BY_CHANCE * judged


def signs(rows: Iterable[Row]) -> list[Signs]:
    """One test of signs for each row and measure of a published table that has a counterpart on two data sets or more.

    A published number that ours rounds to counts for neither side, and neither does a lower bound.
    """
    groups: dict[Of, list[Row]] = {}
    for row in rows:
        if row["seeds"] and AT_LEAST not in row["note"]:
            groups.setdefault(of_row(row), []).append(row)
    found = []
    for own in groups.values():
        further = [row["published"] - row["ours"] for row in own]
        clear = [gap for gap, row in zip(further, own, strict=True) if abs(gap) > rounding(row) + TOLERANCE]
        above, below = sum(gap > 0 for gap in clear), sum(gap < 0 for gap in clear)
        if len(own) > 1:
            chance = float(stats.binomtest(above, above + below).pvalue) if clear else nan
            found.append(Signs(own[0], above, below, chance, sum(further) / len(further)))
    return found


@cache
def further() -> dict[Of, list[Training]]:
    """Further trainings of a paper's authors by the key of the published number."""
    found: dict[Of, list[Training]] = {}
    for line in pd.read_csv(FURTHER, dtype=str, keep_default_na=False).to_dict("records"):
        found.setdefault(build_key(line), []).append(Training(float(line["value"]), line["commit"], line["file"]))
    return found


def others(row: Row) -> list[Training]:
    """The authors' further trainings of the number that ours is the counterpart of."""
    return next((further()[key] for key in paper_names(row) if key in further()), [])
