"""What the tables have in common: means over seeds, the paper's values, and the declared columns."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.columns.tables import TABLE
from attention_audit.errors import AuditError
from attention_audit.names import Names, display_name

from .published import facts, published


def over_seeds(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Columns `by`, mean, sd (n - 1; null for one seed) and seeds (their number) of the column `value`."""
    groups = values.groupby(list(by), sort=False, dropna=False)["value"]
    return groups.agg(mean="mean", sd="std", seeds="size").reset_index()


def beside_paper(rows: pd.DataFrame, table: str, paper: str = "WP2019") -> pd.DataFrame:
    """`rows` with a column for the published value, where the paper's `table` has one, and its note before theirs."""
    keys = rows[["dataset", "row", "metric"]].itertuples(index=False, name=None)
    found = [published(table, dataset, row, metric, paper) for dataset, row, metric in keys]
    own = rows["note"] if "note" in rows else [""] * len(rows)
    return rows.assign(
        published=[fact.value if fact else np.nan for fact in found],
        note=[join_notes(fact.note if fact else "", note) for fact, note in zip(found, own, strict=True)],
    )


def select_first(rows: pd.DataFrame, column: str) -> pd.Series:
    """Take the first value of a column of each model, by data set and model."""
    return rows.groupby(["dataset", "model"], observed=True)[column].first()


def look_up(values: Mapping[Any, Any] | pd.Series, rows: pd.DataFrame, default: Any = "") -> list[Any]:
    """Look up the value of each row of a table by its data set and row."""
    return [values.get(key, default) for key in zip(rows["dataset"], rows["row"], strict=True)]


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
        of_paper = (paper, table, display_name(dataset))
        cells = [(*key[3:], fact.value) for key, fact in facts().items() if key[:3] == of_paper] or [("", "", np.nan)]
        rows += [(dataset, *cell, f"not run: {reason}") for cell in cells]
    return fill_columns(pd.DataFrame(rows, columns=["dataset", "row", "metric", "published", "note"]))


def as_table(
    rows: pd.DataFrame | Sequence[pd.DataFrame],
    row_order: Iterable[str],
    metric_order: Iterable[str],
    *part_orders: Iterable[str],
) -> pd.DataFrame:
    """Order rows, of one frame or of several, by data set (as they come), row, lambda and metric, with the columns of
    `TABLE`.

    part_orders: of the further parts of a row's name, which "/" and "~" separate; row_order is that of the first part,
    or of the whole name. Names of the user's own stand behind `Names`. Raises AuditError for a part of a row, or a
    metric, that is not in its order.
    """
    if not isinstance(rows, pd.DataFrame):
        rows = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    rows = fill_columns(rows)
    parts = [re.split("[/~]", name, maxsplit=len(part_orders)) if part_orders else [name] for name in rows["row"]]
    of_rows = [
        ("row", *each) for each in zip(zip_longest(*parts, fillvalue=""), (row_order, *part_orders), strict=False)
    ]
    places: list[Any] = []
    for name, values, order in (
        ("dataset", rows["dataset"], rows["dataset"]),
        *of_rows,
        ("metric", rows["metric"], metric_order),
    ):
        present = dict.fromkeys(values)
        if isinstance(order, Names):
            order.refuse_unknown(present)
        known = order.extend(present) if isinstance(order, Names) else [*dict.fromkeys(order)]
        if unknown := [value for value in present if value not in known]:
            raise AuditError(
                f"{name} {unknown[0]!r} has no place in this table (known: {', '.join(known)}); "
                f"declare it where the table's function in attention_audit/tables/ orders its {name}s"
            )
        places.append([known.index(value) for value in values])
    places.insert(-1, rows["lambda"].astype(float))
    return rows.iloc[np.lexsort(places[::-1])].reset_index(drop=True)
