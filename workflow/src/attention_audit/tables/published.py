"""The numbers that the papers publish, which tables show beside this run's.

Sources: Wiegreffe & Pinter 2019 (arXiv 1908.04626), tables 1-3. Serrano & Smith 2019 (arXiv 1906.03731), tables 1-3.
Jain & Wallace 2019 (arXiv 1902.10186v3), tables 1 and 2, with the digits of a later run whose output comes with their
code, and as quoted by Wiegreffe & Pinter. From J&W's output the files with one correlation each are used, since its
summary of all three exchanges the names of leave-one-out and gradient. Pruthi et al. 2020 (doi
10.18653/v1/2020.acl-main.432), table 3, in percent, without those that it gives as an upper bound; and the independent
rerun of that table, Habacker, Harrison, Parisot & Snijders 2021 (ReScience C 7, 2). Mohankumar et al. 2020 (arXiv
2004.14243), table 2, and two reruns of it for the ML Reproducibility Challenge 2020; of the second one, by its output
(KacperKubara/Transparency, commit 8530670, table2_latex.txt). Conicity is that of the authors' code.
"""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from attention_audit.columns.tables import OF_ROW
from attention_audit.names import display_name

RERUN = "Table 3, rerun by Habacker et al. 2021"
"""The independent rerun of a table of Pruthi et al. 2020, among the tables of that paper."""


FACT_KEY = ("paper", "table", "dataset", *OF_ROW, "metric")
"""What tells a published number from all others."""


class Fact(NamedTuple):
    """A published number, a note that readers need for a comparison (often ""), and half a unit of its last digit.

    test_texts: the size of the paper's test split, where it is known to be drawn otherwise than ours; else None.
    """

    value: float
    note: str
    rounding: float
    test_texts: int | None = None


def find_rounding(number: str) -> float:
    """Find half a unit of a number's last written digit: 0.005 for 0.90, and 0.5 for 19."""
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


@cache
def read_published() -> dict[tuple[str, ...], Fact]:
    """Read every published number by KEY: paper and data set have their names in tables and in the paper."""
    with files("attention_audit.tables").joinpath("published.csv").open() as handle:
        return {
            build_key(row): Fact(
                float(row["value"]), row["note"], find_rounding(row["value"]), int(row["test_texts"] or 0) or None
            )
            for row in csv.DictReader(handle)
        }


def build_key(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """Build the key of a published number from a row with the columns of KEY, of which empty ones may be left out."""
    return tuple(str(row.get(name, "")) for name in FACT_KEY)


def find_fact(table: str, row: Mapping[Any, Any], paper: str = "WP2019") -> Fact | None:
    """Find the number that a paper's table has for a row of `TABLE`, of which blank columns may be left out; else
    None.
    """
    about = {"paper": paper, "table": table, "dataset": display_name(row["dataset"])}
    return read_published().get(build_key({**row, **about}))
