"""Tables in Markdown, narrow enough that a reader takes them in."""

from collections.abc import Iterable, Sequence
from math import ceil

import pandas as pd

LONG = 24
"""A table of more rows is folded."""
WIDE = 11
"""Columns of a table at most."""
NAMES = frozenset({"data set", "paper", "model", "row", "λ", "texts"})
"""The columns that each part of a table has: what tells its rows apart, and on how much they rest."""


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table, without the columns that are empty in all rows."""
    lines = [[cell.replace("|", "/") for cell in row] for row in rows]
    kept = [place for place in range(len(headings)) if any(line[place] for line in lines)]
    shown = ([line[place] for place in kept] for line in (headings, ["---"] * len(headings), *lines))
    return "".join(f"| {' | '.join(line)} |\n" for line in shown)


def fold(text: str) -> str:
    """Fold a table that has more than LONG rows; GitHub and most readers open it at a click."""
    rows = text.count("\n") - 2
    return text if rows <= LONG else f"<details><summary>{rows} rows</summary>\n\n{text}\n</details>\n"


def narrow(rows: pd.DataFrame) -> str:
    """Write a table of which no part has more than WIDE columns.

    What all rows have alike is said once, above it; and what is then too wide is parted, each part with the columns of
    NAMES, and with the rows that it has a value of.
    """
    alike = [name for name in rows if len(rows) > 1 and rows[name].nunique() == 1]
    said = [f"{name} {value}" for name in alike if (value := rows[name].iloc[0])]
    rows = rows.drop(columns=alike)
    parts = [rows]
    if rows.shape[1] > WIDE:
        names = [name for name in rows if name in NAMES]
        values = [name for name in rows if name not in NAMES]
        size = ceil(len(values) / ceil(len(values) / (WIDE - len(names))))
        own = (values[start : start + size] for start in range(0, len(values), size))
        parts = [rows.loc[(rows[some] != "").any(axis=1), [*names, *some]] for some in own]
    tables = (fold(grid([*part], part.to_numpy().tolist())) for part in parts)
    return "\n".join([*([f"In all rows: {'; '.join(said)}.\n"] if said else []), *tables])
