"""Tests of attributions by erasing words in other ways than the summary does, for the models of all suites."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.contrasts import Subject
from attention_audit.names import RANKINGS
from attention_audit.tables.arrays import means, of_run, of_suite
from attention_audit.tables.asked import find_reason
from attention_audit.tables.tidy import as_table

ROUNDING = 1e-6
"""Changes of a probability that are no larger come from the rounding of a network's float32."""


def of_subjects(
    subjects: Sequence[Subject | Mapping[str, Any]],
    audits: Mapping[str, pd.DataFrame],
    rows_of: Callable[..., pd.DataFrame],
    parts: Sequence[str],
    metrics: Sequence[str],
) -> pd.DataFrame:
    """One table of what `rows_of` says of each model, called with the model's rows of each audit.

    It returns rows named by the part that comes after paper and model, "" for the model as a whole. parts: all of
    these, in order; none: in the order in which the first model has them. Where it returns
    none, the model has one empty row, with the reason why it was not asked. The columns are those of `TABLE`.
    """
    frames, order = [], dict[str, None]()
    for subject in map(Subject.model_validate, subjects):
        name = f"{subject.paper}/{subject.model}"
        own = {
            key: of_run(of_suite(rows, subject.dataset, subject.suite), subject.model) for key, rows in audits.items()
        }
        found = rows_of(**own)
        if found.empty:
            reason = {"metric": "", "mean": np.nan, "note": f"not asked: {find_reason(subject, *audits)}"}
            found = pd.DataFrame([{"row": "", "seeds": subject.seeds} | reason])
        found["row"] = [f"{name}/{part}" if part else name for part in found["row"]]
        frames.append(found.assign(dataset=subject.dataset))
        order |= dict.fromkeys([name, *([f"{name}/{part}" for part in parts] or found["row"])])
    nothing = pd.DataFrame(columns=["dataset", "row", "metric", "mean"])
    return as_table(pd.concat(frames, ignore_index=True) if frames else nothing, list(order), [*metrics, "texts", ""])


SOFT = ("comprehensiveness", "comprehensiveness_gain", "sufficiency", "sufficiency_gain")


def softly(soft: pd.DataFrame) -> pd.DataFrame:
    """SOFT and the number of texts of one model, by attribution."""
    gains = {f"{name}_gain": soft[name] - soft[f"shuffled_{name}"] for name in ("comprehensiveness", "sufficiency")}
    found = means(soft.assign(**gains), ["ranking"], SOFT, signed=[*gains])
    return found.assign(note="") if len(soft) else pd.DataFrame()


def table_soft(soft: pd.DataFrame, subjects: Sequence[Subject | Mapping[str, Any]]) -> pd.DataFrame:
    """Soft normalised comprehensiveness and sufficiency of attributions, and how much of both is due to the order.

    Zhao & Aletras 2023. `gain`: beyond what the same scores reach when they are shuffled over the words. One row for
    each data set, model and attribution. `soft` holds rows of the audit of this name, of any number of data sets and
    suites, with the key of the suite as the column `suite`; intervals are those of the answer, and the columns those of
    `TABLE`.
    """
    return of_subjects(subjects, {"soft": soft}, softly, list(RANKINGS), SOFT)
