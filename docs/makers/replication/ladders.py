"""Data sets that differ in how many training texts they have, side by side: what their numbers say of size."""

from collections.abc import Iterator, Mapping, Sequence
from math import hypot, nan
from typing import NamedTuple

import pandas as pd

from attention_audit.names import display_name
from attention_audit.tables.render import write_interval
from attention_audit.tables.wording import format_number
from makers.replication.grids import grid

SHOWN = {
    "accuracy": ("ss_table3_accuracy", "accuracy"),
    "largest weight": ("table_contributions", "largest_weight"),
    "texts that flip without the top item": ("table_contributions", "top_flips"),
}
"""What is shown of each rung, by its heading: a kept table and its metric."""
SIZES = "wp_table1_datasets"
"""The kept table of the numbers of texts."""
TABLES = frozenset({SIZES, *(table for table, _ in SHOWN.values())})


class Value(NamedTuple):
    """A number with its 95 % interval; NaN where the table has none."""

    value: float
    low: float = nan
    high: float = nan

    @property
    def known(self) -> bool:
        """Whether it has an interval."""
        return self.low <= self.high

    def __str__(self) -> str:
        return f"{format_number(self.value, '')}{write_interval(self.low, self.high)}"


def only(rows: pd.DataFrame, **about: str) -> Mapping[str, float]:
    """The one row about this. Raises ValueError where there are more or none."""
    found = rows
    for name, value in about.items():
        found = found[found[name] == value]
    (row,) = found.to_dict("records")
    return {str(name): value for name, value in row.items()}


def of_rung(tables: Mapping[str, pd.DataFrame], dataset: str) -> dict[str, Value]:
    """The measures of the one model of a data set, by their headings."""
    rows = {heading: only(tables[table], dataset=dataset, metric=name) for heading, (table, name) in SHOWN.items()}
    return {heading: Value(row["mean"], row["low"], row["high"]) for heading, row in rows.items()}


def trend(first: Value, last: Value) -> str:
    """What becomes of a measure between two rungs, whose trainings are independent: nothing clear where the 95 %
    interval of the difference, made of both intervals (Zou & Donner 2008, MOVER), holds 0.
    """
    difference = last.value - first.value
    low = difference - hypot(last.value - last.low, first.high - first.value)
    high = difference + hypot(last.high - last.value, first.value - first.low)
    return "falls" if high < 0 else "rises" if low > 0 else "does not clearly change"


def climbed(tables: Mapping[str, pd.DataFrame], ladders: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Of each ladder, a table of its rungs, and which measures change from its first rung to its last.

    tables: those of TABLES, by their names. ladders: data sets with one model each, from the fewest training texts to
    the most, by the title of the ladder.
    """
    for title, rungs in ladders.items():
        sizes = [only(tables[SIZES], dataset=name, part="train", metric="instances")["mean"] for name in rungs]
        found = [of_rung(tables, name) for name in rungs]
        lines = [
            (display_name(name), format_number(size, "instances"), *map(str, values.values()))
            for name, size, values in zip(rungs, sizes, found, strict=True)
        ]
        first, *_, last = found
        told = (f"{heading}: {trend(first[heading], last[heading])}" for heading in first if first[heading].known)
        ends = " to ".join(format_number(sizes[place], "instances") for place in (0, -1))
        table = grid(["data set", "training texts", *first], lines)
        yield title, f"### {title}\n\n{table}\nFrom {ends} training texts: {'; '.join(told)}.\n"
