"""What the tables have in common: means over seeds, the paper's values, and the declared columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.columns.tables import TABLE
from attention_audit.errors import AuditError
from attention_audit.tables.published import published, published_rows


def over_seeds(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Columns `by`, mean, sd (n - 1; null for one seed) and seeds (their number) of the column `value`."""
    groups = values.groupby(list(by), sort=False, dropna=False)["value"]
    return groups.agg(mean="mean", sd="std", seeds="size").reset_index()


def beside_paper(rows: pd.DataFrame, table: str, paper: str = "WP2019") -> pd.DataFrame:
    """`rows` with columns for the published value and its note, where the paper's `table` has them."""
    keys = rows[["dataset", "row", "metric"]].itertuples(index=False, name=None)
    facts = [published(table, dataset, row, metric, paper) for dataset, row, metric in keys]
    return rows.assign(
        published=[fact.value if fact else np.nan for fact in facts],
        note=[fact.note if fact else "" for fact in facts],
    )


def look_up(values: Mapping[Any, Any] | pd.Series, rows: pd.DataFrame, names: Sequence[str], default: Any) -> list[Any]:
    """Look up the value of each row by its columns `names`."""
    return [values.get(key, default) for key in zip(*(rows[name] for name in names), strict=True)]


def join_notes(*notes: str) -> str:
    """Join notes that are not empty."""
    return "; ".join(filter(None, notes))


def fill_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Take the columns of `TABLE`; those that the rows have not are blank."""
    blank = {name: value for name, value in TABLE.blank.items() if name not in rows}
    return rows.assign(**blank)[list(TABLE.schema.names)]


def gaps(reasons: Mapping[str, str], table: str, paper: str = "WP2019") -> pd.DataFrame:
    """Rows for data sets that were not available: with the paper's values only, or one empty row where it has none.

    `reasons` says, by data set, why it was not available. The columns are those of `TABLE`, so that the rows can
    be appended to a table.
    """
    rows = []
    for dataset, reason in reasons.items():
        cells = list(published_rows(table, dataset, paper)) or [("", "", np.nan)]
        rows += [(dataset, *cell, f"not run: {reason}") for cell in cells]
    return fill_columns(pd.DataFrame(rows, columns=["dataset", "row", "metric", "published", "note"]))


def ranks_of(values: pd.Series, order: Sequence[str]) -> pd.Series:
    """The place of each value in an order. Raises AuditError for the first value that is not in it."""
    if unknown := [value for value in values.unique() if value not in order]:
        raise AuditError(
            f"{values.name} {unknown[0]!r} has no place in this table (known: {', '.join(order)}); "
            f"declare it where the table's function in attention_audit/tables/ orders its {values.name}s"
        )
    return values.map({name: place for place, name in enumerate(dict.fromkeys(order))})


def as_table(
    rows: pd.DataFrame | Sequence[pd.DataFrame], row_order: Iterable[str], metric_order: Sequence[str]
) -> pd.DataFrame:
    """`rows`, of one frame or of several, with the columns of `TABLE`, ordered by data set (as in `rows`), row, lambda
    and metric.

    Raises AuditError for a row or metric that is in neither order.
    """
    if not isinstance(rows, pd.DataFrame):
        rows = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    rows = fill_columns(rows).reset_index(drop=True)
    orders = {"dataset": rows["dataset"].unique(), "row": row_order, "metric": metric_order}
    ranks = rows.assign(**{name: ranks_of(rows[name], list(order)) for name, order in orders.items()})
    return rows.loc[ranks.sort_values(["dataset", "row", "lambda", "metric"], kind="stable").index].reset_index(
        drop=True
    )
