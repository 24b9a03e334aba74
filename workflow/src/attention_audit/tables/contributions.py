"""What attention is to the exact contributions, of the models of all suites; the papers have no such table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.columns.contributions import TOP
from attention_audit.contrasts import Subject
from attention_audit.tables.means import means
from attention_audit.tables.tidy import as_table

AUDIT = "contributions"
METRICS = ("tau", "overlap", "against", "top_against", "top_fall", "top_flips")


def measured(rows: pd.DataFrame) -> pd.DataFrame:
    """`rows` with the columns METRICS as numbers, NaN where a text has no value.

    Of a text of at most TOP items the overlap is 1 by construction, so it counts as none. top_against: whether the item
    of the most attention speaks against the prediction.
    """
    return rows.assign(
        overlap=rows["overlap"].where(rows["items"] > TOP),
        top_against=(rows["top_contributions_0"] < 0).astype(float),
        top_flips=rows["top_flips"].astype(float),
    )


def table_contributions(
    contributions: pd.DataFrame,
    subjects: Sequence[Subject | Mapping[str, Any]],
) -> pd.DataFrame:
    """Is attention proportional to what each item adds to the decision? One row for each data set and model.

    `contributions` holds rows of the audit of this name of any number of data sets and suites, with the key of the
    suite as the column `suite`, and the contribution of the first item as top_contributions_0. Intervals are those of
    the answer. A model that was not asked has one empty row, with the reason. The columns are those of columns.table.
    """
    judged = [Subject.model_validate(subject) for subject in subjects]
    frames = []
    for subject in judged:
        about = {"dataset": subject.dataset, "row": f"{subject.paper}/{subject.model}"}
        if reason := subject.unasked.get(AUDIT):
            empty = {"metric": "", "mean": np.nan, "seeds": subject.seeds, "note": f"not asked: {reason}"}
            frames.append(pd.DataFrame([about | empty]))
            continue
        here = (contributions[name] == getattr(subject, name) for name in ("dataset", "suite", "model"))
        rows = measured(contributions[np.logical_and.reduce(list(here))])
        frames.append(means(rows, ["model"], METRICS, signed=("tau", "top_fall")).assign(**about, note=""))
    nothing = pd.DataFrame(columns=["dataset", "row", "metric", "mean"])
    rows = pd.concat(frames, ignore_index=True) if frames else nothing
    order = dict.fromkeys(f"{subject.paper}/{subject.model}" for subject in judged)
    return as_table(rows, list(order), [*METRICS, "texts", ""])
