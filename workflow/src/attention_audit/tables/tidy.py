"""What the tables share: means over seeds, the paper's value beside ours, and the declared columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.artefacts.schema import TABLE
from attention_audit.tables.published import published

DEFAULTS: dict[str, Any] = {
    "lambda": np.nan,
    "sd": np.nan,
    "seeds": 0,
    "published": np.nan,
    "selection": "",
    "note": "",
}


def over_seeds(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Columns `by`, mean, sd (n - 1; null for one seed) and seeds (their number) of the column `value`."""
    groups = values.groupby(list(by), sort=False, dropna=False)["value"]
    return groups.agg(mean="mean", sd="std", seeds="size").reset_index()


def beside_paper(rows: pd.DataFrame, table: str) -> pd.DataFrame:
    """`rows` with the value and the note that the paper's `table` has for each, where it has any."""
    keys = rows[["dataset", "row", "metric"]].itertuples(index=False, name=None)
    facts = [published(table, *key) for key in keys]
    return rows.assign(
        published=[fact.value if fact else np.nan for fact in facts],
        note=[fact.note if fact else "" for fact in facts],
    )


def as_table(rows: pd.DataFrame, row_order: Sequence[str], metric_order: Sequence[str]) -> pd.DataFrame:
    """`rows` with the columns of schema.TABLE, ordered by data set (as given), row, lambda and metric."""
    rows = rows.assign(**{name: value for name, value in DEFAULTS.items() if name not in rows}).reset_index(drop=True)
    orders = {"dataset": rows["dataset"].unique(), "row": row_order, "metric": metric_order}
    ranks = rows.assign(**{name: rows[name].map(list(order).index) for name, order in orders.items()})
    ordered = ranks.sort_values(["dataset", "row", "lambda", "metric"], kind="stable").index
    return rows.loc[ordered].reset_index(drop=True)[list(TABLE.schema.names)]
