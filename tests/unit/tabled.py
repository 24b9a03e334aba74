"""What tests of tables share: rows of performance, the cells of a table, and that a file holds it."""

import math

import pandas as pd
from labels import LABELS

from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.audits import PERFORMANCE
from attention_audit.columns.tables import OF_ROW, TABLE
from attention_audit.tables.render import render, show_table


def performance(values, dataset="sst", metric="f1", selection="dev", classes=2):
    """{model or (model, lambda): values over seeds 1, 2, ...} as columns.PERFORMANCE rows."""
    rows = [
        (dataset, *(key if isinstance(key, tuple) else (key, math.nan)), seed, selection, classes, metric, value)
        for key, scores in values.items()
        for seed, value in enumerate(scores, 1)
    ]
    return pd.DataFrame(rows, columns=PERFORMANCE.schema.names)


def name_rows(table):
    """What each row is about, as paper/model/ranking/other/part/label without what is empty."""
    return table[["paper", *OF_ROW]].apply(lambda row: "/".join(filter(None, row)), axis=1)


def cells(table, row, column="mean"):
    """{metric: value} of one row of a table, named as by `name_rows`."""
    found = table[name_rows(table) == row]
    return dict(zip(found["metric"], found[column], strict=True))


def cell(table, row, metric, **about):
    """The one row of `table` so named."""
    table = table[name_rows(table) == row]
    for name, value in {"metric": metric, **about}.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def render_lines(table, folder, show=show_table, provenance="{}"):
    """Render a table, and give its lines in markdown."""
    render(table, folder / "t", provenance, show, LABELS)
    return (folder / "t.md").read_text().splitlines()


def assert_fits(table, folder, artefact=TABLE):
    """Check that the declared columns take the table, and give it back."""
    path = folder / "table.parquet"
    write_table(path, artefact, table, Provenance("test", {}, "code"))
    found = read_frame(path, artefact)
    pd.testing.assert_frame_equal(found, table, check_dtype=False)
    return found
