"""What maps of generated tokens may be read as, in a run."""

import pandas as pd

from attention_audit.answer.verdicts import NONE
from attention_audit.names import Names

from .tidy import join_notes, order_rows


def hf_table_generated(generated: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show the answers on maps of generated tokens: a row for each data set, model, map and question that has a value,
    with the estimate and its 95 % interval. The note has the verdict, with the value of the nearest words.

    From columns.GENERATED rows of any number of data sets; the columns are those of columns.TABLE.
    """
    shown = generated[generated["value"].notna()]
    said = shown["verdict"].where(shown["zones"] != NONE, "")
    about = shown["tokens"].mask(shown.duplicated(["dataset", "model"]), "")
    notes = [join_notes(*parts) for parts in zip(said, shown["note"], about, strict=True)]
    names = {"map": "ranking", "question": "part", "value": "mean", "trainings": "seeds"}
    table = shown.rename(columns=names).assign(metric="estimate", note=notes)
    return order_rows(table, model=models)
