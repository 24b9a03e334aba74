"""The numbers that the papers give, for the tables to show beside ours.

Sources: Wiegreffe & Pinter 2019 (arXiv 1908.04626), tables 1-3; Jain & Wallace 2019 as quoted there in table 2;
Serrano & Smith 2019 (arXiv 1906.03731), tables 1-3 and section 5.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import pandas as pd

from attention_audit.names import display_name


class Fact(NamedTuple):
    """A published number, and what a reader must know to compare with it (often "")."""

    value: float
    note: str


@cache
def facts() -> dict[tuple[str, ...], Fact]:
    """Every published number by paper (WP2019, JW2019, SS2019), table, data set (the paper's name), row and metric."""
    with files("attention_audit.tables").joinpath("published.csv").open() as handle:
        frame = pd.read_csv(handle, dtype=str, keep_default_na=False)
    keys = frame[["paper", "table", "dataset", "row", "metric"]].itertuples(index=False, name=None)
    values = frame["value"].astype(float)
    return {key: Fact(*fact) for key, *fact in zip(keys, values, frame["note"], strict=True)}


def published(table: str, dataset: str, row: str, metric: str, paper: str = "WP2019") -> Fact | None:
    """What `paper` gives in `table` for our data set, row and metric; None where it gives nothing."""
    return facts().get((paper, table, display_name(dataset), row, metric))


def published_rows(table: str, dataset: str, paper: str) -> Iterator[tuple[str, str, float]]:
    """Row, metric and value of all that `paper` gives in `table` for our data set."""
    for key, fact in facts().items():
        if key[:3] == (paper, table, display_name(dataset)):
            yield key[3], key[4], fact.value
