"""The tables of fine-tuned Transformer classifiers."""

import pandas as pd

from attention_audit.names import Names
from attention_audit.tables.performance import METRICS, of_models
from attention_audit.tables.tidy import as_table

CUT = "cut"
UNASKED = "(imposed|uniform|adversaries|adversary|continuation|continuation_chosen|guide_.*)$"
"""The names of models that no attention of theirs is asked of."""


def hf_table_performance(performance: pd.DataFrame, cut_texts: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the models predict, and how many texts they read in part, one row a model.

    From columns.PERFORMANCE and columns.CUT_TEXTS rows of any number of data sets; the columns are those of
    columns.TABLE. Trainings of a model read the same words.
    """
    rows = of_models(performance, models, list(models))
    counts = cut_texts.groupby(["dataset", "model"], observed=True)["id"].nunique()
    cut = rows.drop_duplicates(["dataset", "row"])[["dataset", "row", "selection", "seeds"]]
    keys = zip(cut["dataset"], cut["row"], strict=True)
    cut = cut.assign(metric=CUT, mean=[float(counts.get(key, 0)) for key in keys])
    # models that others are held against are asked less
    judged = cut["row"].isin(performance["model"].unique()) & ~cut["row"].str.match(UNASKED)
    return as_table(pd.concat([rows, cut[judged]], ignore_index=True), list(models), (*METRICS, CUT))
