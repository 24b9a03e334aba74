"""The numbers that the papers give, for the tables to show beside ours.

Sources: Wiegreffe & Pinter 2019 (arXiv 1908.04626), tables 1-3; Jain & Wallace 2019 (arXiv 1902.10186v3), tables 1 and
2, in the digits of a later run whose output comes with their code, and as quoted by Wiegreffe & Pinter; Serrano & Smith
2019 (arXiv 1906.03731), tables 1-3. Of that output, the files of one correlation each are taken: the summary of all
three has leave-one-out under the name of the gradient, and the gradient under that of leave-one-out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import pandas as pd

from attention_audit.names import display_name


class Fact(NamedTuple):
    """A published number, what a reader must know to compare with it (often ""), and half a unit of its last digit."""

    value: float
    note: str
    rounding: float


def half_a_unit(number: str) -> float:
    """Half a unit of the last digit that is written: of 0.90 it is 0.005, of 19 it is 0.5."""
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


@cache
def facts() -> dict[tuple[str, ...], Fact]:
    """Every published number by paper (WP2019, JW2019, SS2019), table, data set (the paper's name), row and metric."""
    with files("attention_audit.tables").joinpath("published.csv").open() as handle:
        frame = pd.read_csv(handle, dtype=str, keep_default_na=False)
    keys = frame[["paper", "table", "dataset", "row", "metric"]].itertuples(index=False, name=None)
    values, roundings = frame["value"].astype(float), frame["value"].map(half_a_unit)
    return {key: Fact(*fact) for key, *fact in zip(keys, values, frame["note"], roundings, strict=True)}


def published(table: str, dataset: str, row: str, metric: str, paper: str = "WP2019") -> Fact | None:
    """What `paper` gives in `table` for our data set, row and metric; None where it gives nothing."""
    return facts().get((paper, table, display_name(dataset), row, metric))


def published_rows(table: str, dataset: str, paper: str) -> Iterator[tuple[str, str, float]]:
    """Row, metric and value of all that `paper` gives in `table` for our data set."""
    for key, fact in facts().items():
        if key[:3] == (paper, table, display_name(dataset)):
            yield key[3], key[4], fact.value
