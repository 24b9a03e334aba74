"""Tests of attributions by erasing words in other ways than the summary does, for the models of all suites."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.columns.replaced import STAND_INS
from attention_audit.contrasts import Subject
from attention_audit.names import RANKINGS
from attention_audit.tables.arrays import groups_of, means, of_run, of_suite
from attention_audit.tables.asked import DELETED, compared, taken_away, unasked
from attention_audit.tables.tidy import as_table

ROUNDING = 1e-6
"""Changes of a probability that are no larger come from the rounding of a network's float32."""
CLEAR = AnswerSettings().margins.inert
"""From this rise on, a violation is a clear one: so much does the question `signed` call inert by default."""
VIOLATIONS = ("erased", "erased_clearly", "deleted", "deleted_clearly")


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
    none, the model has one empty row, with the reason why it was not asked. The columns are those of columns.table.
    """
    frames, order = [], dict[str, None]()
    for subject in map(Subject.model_validate, subjects):
        name = f"{subject.paper}/{subject.model}"
        own = {
            key: of_run(of_suite(rows, subject.dataset, subject.suite), subject.model) for key, rows in audits.items()
        }
        found = rows_of(**own)
        if found.empty:
            reason = {"metric": "", "mean": np.nan, "note": f"not asked: {unasked(subject, *audits)}"}
            found = pd.DataFrame([{"row": "", "seeds": subject.seeds} | reason])
        found["row"] = [f"{name}/{part}" if part else name for part in found["row"]]
        frames.append(found.assign(dataset=subject.dataset))
        order |= dict.fromkeys([name, *([f"{name}/{part}" for part in parts] or found["row"])])
    nothing = pd.DataFrame(columns=["dataset", "row", "metric", "mean"])
    return as_table(pd.concat(frames, ignore_index=True) if frames else nothing, list(order), [*metrics, "texts", ""])


def violations(falls: pd.Series, name: str) -> dict[str, pd.Series]:
    """Whether the probability of the predicted class rises without the first item, from its falls: at all, and clearly.

    NaN where a fall is.
    """
    known = {name: falls < -ROUNDING, f"{name}_clearly": falls < -CLEAR}
    return {key: flags.astype(float).where(falls.notna()) for key, flags in known.items()}


def violated(single_weight: pd.DataFrame, located: pd.DataFrame) -> pd.DataFrame:
    """VIOLATIONS and the number of texts of one model, by ranking."""
    parts = []
    for rows, fall, name in ((single_weight, "top_fall", "erased"), (located, "falls_0", "deleted")):
        # all draws of the other item have one top item
        once = rows.drop_duplicates(["seed", "id", "ranking"])
        if not once.empty:
            own = once.assign(**violations(once[fall], name))
            parts.append(means(own, ["ranking"], (name, f"{name}_clearly")).assign(note=""))
    if not parts:
        return pd.DataFrame()
    # of how many texts: where words were deleted from a sample, of this one
    return pd.concat(parts, ignore_index=True).drop_duplicates(["row", "metric"], keep="last")


def table_violation(
    single_weight: pd.DataFrame, located: pd.DataFrame, subjects: Sequence[Subject | Mapping[str, Any]]
) -> pd.DataFrame:
    """In which share of the texts does the item that a ranking puts first oppose the prediction?

    The faithfulness violation test of Liu et al. 2022: an attribution that says "this supports the prediction" of its
    first item is violated where the probability of the predicted class rises without it. `erased`: its attention is
    zeroed and the other weights renormalised (`single_weight`). `deleted`: the word is deleted from the input, which is
    read again (`located`). `clearly`: the probability rises by more than CLEAR.

    One row for each data set, model and ranking. Both frames hold rows of any number of data sets and suites, with the
    key of the suite as the column `suite`; intervals are those of the answer, and the columns those of columns.table.
    """
    audits = {"single_weight": single_weight, "located": located}
    return of_subjects(subjects, audits, violated, list(RANKINGS), VIOLATIONS)


def in_distribution(
    located: pd.DataFrame, replaced: pd.DataFrame, margins: Margins, groups: Mapping[str, Mapping[str, str]]
) -> pd.DataFrame:
    """The effects of one model, deleted and replaced, with a note that says whether the word of the answer changes.

    groups: what texts share, by data set and id.
    """
    if located.empty or replaced.empty:
        return pd.DataFrame()
    ways = taken_away(located, replaced, margins, groups.get(str(located["dataset"].iloc[0]), {}))
    found = [
        {"metric": f"located_{way}", "mean": value, "low": low, "high": high, "seeds": trainings}
        for way, answer in ways.items()
        for value, low, high, trainings, *_ in [answer.effect]
    ]
    effect = ways[DELETED].effect
    texts = {"metric": "texts", "mean": float(effect.texts), "seeds": effect.trainings}
    return pd.DataFrame([*found, texts]).assign(row="", note=compared(ways))


def table_replaced(
    replaced: pd.DataFrame,
    located: pd.DataFrame,
    subjects: Sequence[Subject | Mapping[str, Any]],
    answer: Mapping[str, Any],
    corpus: Mapping[str, pd.DataFrame],
) -> pd.DataFrame:
    """Does the answer of `located` change where words are replaced, in the place of being deleted?

    The effect of the question `located`, from the same rankings and numbers of words: with the words deleted from the
    input, and with others in their place (`columns.replaced.STAND_INS`). One row for each data set and model, whose
    note has the word of each. answer: the settings of this name. corpus: see `tables.summary`.

    Both frames hold rows of any number of data sets and suites, with the key of the suite as the column `suite` and the
    list `falls` as columns; the columns are those of columns.table.
    """
    margins = AnswerSettings.model_validate(answer).margins
    audits = {"replaced": replaced, "located": located}
    metrics = [f"located_{way}" for way in (DELETED, *STAND_INS)]
    return of_subjects(
        subjects, audits, partial(in_distribution, margins=margins, groups=groups_of(corpus)), (), metrics
    )


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
    columns.table.
    """
    return of_subjects(subjects, {"soft": soft}, softly, list(RANKINGS), SOFT)
