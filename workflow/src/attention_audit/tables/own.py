"""The tables of the user's own models, of which readouts are given."""

from __future__ import annotations

import pandas as pd

from attention_audit.names import Names
from attention_audit.tables.adversary import by_run
from attention_audit.tables.performance import METRICS, of_models
from attention_audit.tables.tidy import as_table, over_seeds

MOVED = ("f1", "tvd", "jsd", "decision_flip_rate")


def own_table_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the models predict the labels of the texts, one row a model.

    From columns.PERFORMANCE rows of any number of data sets; the columns are those of columns.TABLE.
    """
    return as_table(of_models(performance, models, list(models)), list(models), METRICS)


def own_table_comparison(performance: pd.DataFrame, comparison: pd.DataFrame, models: Names) -> pd.DataFrame:
    """F1, and means over texts of TVD, JSD (nats) and flips against the first training of the model, one row a model.

    From columns.PERFORMANCE and columns.COMPARISON rows of any number of data sets; the columns are those of
    columns.TABLE.
    """
    runs = by_run(comparison, performance).rename(columns={"model": "row"})
    rows = over_seeds(runs, ["dataset", "row", "lambda", "selection", "metric"])
    return as_table(rows, list(models), MOVED)
