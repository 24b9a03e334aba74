"""Data sets that differ in how many training texts they have, side by side: what their numbers say of size."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from attention_audit.names import display_name
from attention_audit.tables.wording import format_number
from makers.replication.findings import Value, read_value
from makers.replication.grids import grid

SHOWN = {
    "accuracy": ("ss_table3_accuracy", {"metric": "accuracy"}),
    "largest weight": ("table_contributions", {"metric": "largest_weight"}),
    "texts that flip without the top item": ("table_contributions", {"metric": "top_flips"}),
    "texts that the gradient flips first / those that attention does": (
        "ss_table_pairwise",
        {"metric": "earlier_ratio", "ranking": "gradient", "other": "attention"},
    ),
}
"""What is shown of each rung, by its heading: a kept table, and what its row is about."""
SIZES = "wp_table1_datasets"
"""The kept table of the numbers of texts."""
TABLES = frozenset({SIZES, *(table for table, _ in SHOWN.values())})


def only(rows: pd.DataFrame, **about: str) -> Mapping[str, float]:
    """The one row about this. Raises ValueError where there are more or none."""
    found = rows
    for name, value in about.items():
        found = found[found[name] == value]
    (row,) = found.to_dict("records")
    return {str(name): value for name, value in row.items()}


def of_rung(tables: Mapping[str, pd.DataFrame], dataset: str) -> dict[str, Value]:
    """The measures of the one model of a data set, by their headings; those of which a table is kept."""
    return {
        heading: read_value(only(tables[table], dataset=dataset, **about))
        for heading, (table, about) in SHOWN.items()
        if table in tables
    }


def trend(first: Value, last: Value) -> str:
    """What becomes of a measure between two rungs, whose trainings are independent: nothing clear where the 95 %
    interval of the difference holds 0.
    """
    if not (first.known and last.known):
        return "no interval, so no verdict"
    difference = last.subtract(first)
    return "falls" if difference.high < 0 else "rises" if difference.low > 0 else "does not clearly change"


def climbed(tables: Mapping[str, pd.DataFrame], ladders: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Of each ladder, a table of its rungs, and which measures change from its first rung to its last.

    tables: those of TABLES that are kept of a run, by their names. ladders: data sets with one model each, from the
    fewest training texts to the most, by the title of the ladder; rungs that the run has not are left out.
    """
    known = {*tables[SIZES]["dataset"]}
    for title, declared in ladders.items():
        rungs = [name for name in declared if name in known]
        if len(rungs) < 2:
            continue
        sizes = [only(tables[SIZES], dataset=name, part="train", metric="instances")["mean"] for name in rungs]
        found = [of_rung(tables, name) for name in rungs]
        lines = [
            (display_name(name), format_number(size, "instances"), *map(str, values.values()))
            for name, size, values in zip(rungs, sizes, found, strict=True)
        ]
        first, last = found[0], found[-1]
        told = (f"{heading}: {trend(first[heading], last[heading])}" for heading in first)
        ends = " to ".join(format_number(sizes[place], "instances") for place in (0, -1))
        table = grid(["data set", "training texts", *first], lines)
        yield title, f"### {title}\n\n{table}\nFrom {ends} training texts: {'; '.join(told)}.\n"
