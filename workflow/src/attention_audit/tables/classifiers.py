"""The tables of fine-tuned Transformer classifiers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.contrasts import Subject
from attention_audit.names import Names
from attention_audit.tables.performance import METRICS, of_models
from attention_audit.tables.tidy import as_table

CUT = "cut"


def hf_table_performance(
    performance: pd.DataFrame,
    cut_texts: pd.DataFrame,
    models: Names,
    subjects: Sequence[Subject | Mapping[str, Any]],
) -> pd.DataFrame:
    """How well the models predict, and how many texts they read in part, one row a model.

    From columns.PERFORMANCE and columns.CUT_TEXTS rows of any number of data sets; the columns are those of
    columns.TABLE. Trainings of a model read the same words. subjects: the models whose attention is judged; those that
    they are held against are not counted.
    """
    rows = of_models(performance, models, list(models))
    counts = cut_texts.groupby(["dataset", "model"], observed=True)["id"].nunique()
    cut = rows.drop_duplicates(["dataset", "row"])[["dataset", "row", "selection", "seeds"]]
    keys = zip(cut["dataset"], cut["row"], strict=True)
    cut = cut.assign(metric=CUT, mean=[float(counts.get(key, 0)) for key in keys])
    judged = {(each.dataset, each.model) for each in map(Subject.model_validate, subjects)}
    asked = [key in judged for key in zip(cut["dataset"], cut["row"], strict=True)]
    return as_table(pd.concat([rows, cut[asked]], ignore_index=True), list(models), (*METRICS, CUT))
