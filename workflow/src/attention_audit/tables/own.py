"""The tables of the user's own models, of which readouts are given."""

import pandas as pd

from attention_audit.names import Names
from attention_audit.tables.performance import METRICS, of_models
from attention_audit.tables.tidy import as_table


def own_table_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the models predict the labels of the texts, one row a model.

    From columns.PERFORMANCE rows of any number of data sets; the columns are those of columns.TABLE.
    """
    return as_table(of_models(performance, models, list(models)), list(models), METRICS)
