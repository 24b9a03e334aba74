"""Tables as the page shows them: strings in rows, the rows gathered by data set."""

from dataclasses import dataclass
from itertools import groupby

import pandas as pd

from attention_audit.tables.render import WORDS

DATASET = "data set"
MOST = 12
"""So many rows of a table are on the page; its files have all."""

Rows = list[list[str]]


@dataclass(frozen=True)
class Grid:
    """Title and text, perhaps empty; headings and, for each, whether it holds words; the first rows of cells by data
    set; and how many rows there are in all.

    Where the rows are not about data sets, they are one group without a name.
    """

    title: str
    text: str
    headings: list[str]
    words: list[bool]
    groups: list[tuple[str, Rows]]
    count: int


def grid_of(frame: pd.DataFrame, title: str = "", text: str = "") -> Grid:
    """Take the first rows of a frame of strings, without the columns that are empty in these; where its first column
    names the data set, rows are gathered by it.
    """
    first = frame.iloc[:MOST]
    if len(first):
        first = first.loc[:, (first != "").any()]
    rows: Rows = [[str(cell) for cell in row] for row in first.to_numpy().tolist()]
    headings = list(first.columns)
    if headings[:1] == [DATASET]:
        groups = [(name, [row[1:] for row in members]) for name, members in groupby(rows, key=lambda row: row[0])]
        headings = headings[1:]
    else:
        groups = [("", rows)] if rows else []
    return Grid(title, text, headings, [heading in WORDS for heading in headings], groups, len(frame))
