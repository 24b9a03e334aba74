"""Tables as the page shows them: strings in rows, the rows gathered by data set."""

from dataclasses import dataclass
from itertools import compress, groupby

import pandas as pd

from attention_audit.tables.render import WORDS

DATASET = "data set"
LONG = 24
"""A table of more rows is folded."""

Rows = list[list[str]]


@dataclass(frozen=True)
class Grid:
    """Title and text, perhaps empty; headings and, for each, whether it holds words; rows of cells by data set.

    Where the rows are not about data sets, they are one group without a name.
    """

    title: str
    text: str
    headings: list[str]
    words: list[bool]
    groups: list[tuple[str, Rows]]

    @property
    def folded(self) -> bool:
        """Whether it is too long to stand open; its groups are then opened one by one."""
        return sum(len(rows) for _, rows in self.groups) > LONG

    @property
    def folds(self) -> "list[Grid]":
        """One a group, which gives it its title, without the columns that the group leaves empty."""
        return [self._fold(*group) for group in self.groups]

    def _fold(self, name: str, rows: Rows) -> "Grid":
        kept = [any(column) for column in zip(*rows, strict=True)]
        members = [list(compress(row, kept)) for row in rows]
        return Grid(name, "", list(compress(self.headings, kept)), list(compress(self.words, kept)), [("", members)])


def grid_of(frame: pd.DataFrame, title: str = "", text: str = "") -> Grid:
    """A frame of strings; where its first column names the data set, rows are gathered by it."""
    rows: Rows = [[str(cell) for cell in row] for row in frame.to_numpy().tolist()]
    headings = list(frame.columns)
    if headings[:1] == [DATASET]:
        groups = [(name, [row[1:] for row in members]) for name, members in groupby(rows, key=lambda row: row[0])]
        headings = headings[1:]
    else:
        groups = [("", rows)] if rows else []
    return Grid(title, text, headings, [heading in WORDS for heading in headings], groups)
