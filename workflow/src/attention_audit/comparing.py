"""The answers of two finished runs side by side, from the summaries in their folders of results."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.artefacts.files import whole
from attention_audit.columns.summary import QUESTIONS
from attention_audit.errors import AuditError
from attention_audit.report.facts import summary_of
from attention_audit.tables.shown import interval
from attention_audit.tables.wording import number

USAGE = "compare: name two folders of results, as in `python -m attention_audit compare results runs/b`"
ASKED = ("learnt", *QUESTIONS)
"""What is compared: whether the model has learnt its task, and the questions of the summary."""
KEYS = ["dataset", "suite", "model"]
EFFECT = ("value", "low", "high", "margin")
ABSENT = "not there"
"""The word of a model that the other run alone has."""
ONLY = {"a": "only in a", "b": "only in b"}
"""What is said of such a model's words in the place of same or other."""


def _answers(summary: pd.DataFrame) -> pd.DataFrame:
    """Word, effect, interval and margin by data set, suite, model and question; of `learnt` the margin is 0."""
    models = summary[summary["model"] != ""].assign(learnt_margin=0.0).set_index(KEYS)
    names = {question: [question, *(f"{question}_{name}" for name in EFFECT)] for question in ASKED}
    parts = {question: models[own].set_axis(["word", *EFFECT], axis=1) for question, own in names.items()}
    return pd.concat(parts, names=["question"]).reorder_levels([*KEYS, "question"])


def two_runs(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Columns.SUMMARY frames of two runs, a and b, as one: nine rows for each data set, suite and model of either.

    words: same or other, or one of ONLY. intervals: overlap, apart, or "" where one is not known. Data sets that
    neither run could have are left out.
    """
    runs = {"a": _answers(first), "b": _answers(second)}
    models = dict.fromkeys(key[:-1] for answers in runs.values() for key in answers.index)
    keys = [(*model, question) for model in models for question in ASKED]
    index = pd.MultiIndex.from_tuples(keys, names=[*KEYS, "question"])
    both = pd.concat([answers.reindex(index).add_suffix(f"_{run}") for run, answers in runs.items()], axis=1)
    both = both.fillna({"word_a": ABSENT, "word_b": ABSENT}).reset_index()
    known = both[["low_a", "high_a", "low_b", "high_b"]].notna().all(axis=1)
    overlap = (both["low_a"] <= both["high_b"]) & (both["low_b"] <= both["high_a"])
    return both.assign(
        words=np.select(
            [both["word_b"] == ABSENT, both["word_a"] == ABSENT, both["word_a"] == both["word_b"]],
            [*ONLY.values(), "same"],
            "other",
        ),
        intervals=np.where(known, np.where(overlap, "overlap", "apart"), ""),
    )


def _shown(row: Mapping[Any, Any], run: str) -> str:
    value, low, high, margin = (row[f"{name}_{run}"] for name in EFFECT)
    if isnan(value):
        return str(row[f"word_{run}"])
    return f"{row[f'word_{run}']}: {number(value, '')}{interval(low, high)}, margin {margin:g}"


def side_by_side(compared: pd.DataFrame, names: tuple[str, str]) -> pd.DataFrame:
    """The same as texts, with each answer in one cell under the name of its run."""
    answers = {
        f"{run}: {name}": [_shown(row, run) for row in compared.to_dict("records")]
        for run, name in zip("ab", names, strict=True)
    }
    shown = compared[[*KEYS, "question"]].rename(columns={"dataset": "data set"}).assign(**answers)
    return shown.assign(words=compared["words"], intervals=compared["intervals"]).astype(str)


def apart(compared: pd.DataFrame) -> Iterator[str]:
    """The models that only one run has, a line for each run, data set and suite."""
    for words in ONLY.values():
        models = compared.loc[compared["words"] == words, KEYS].drop_duplicates()
        for (dataset, suite), rows in models.groupby(KEYS[:2], sort=False):
            yield f"- {words}: {dataset}, {suite}: {', '.join(rows['model'])}"


def comparing(folders: Sequence[Path], into: Path | None) -> str:
    """The comparison as Markdown: what differs in number, the answers that both runs have, and whose only one has.

    into: where it is written too, as .csv with every digit and as .md; None for nowhere. Raises AuditError where there
    are not two folders, or where one has no summary.
    """
    if len(folders) != 2:
        raise AuditError(USAGE)
    compared = two_runs(*map(summary_of, folders))
    shared = compared[~compared["words"].isin(ONLY.values())]
    intervals = shared["intervals"]
    counted = (
        f"a: {folders[0]}, b: {folders[1]}. {(shared['words'] == 'other').sum()} of {len(shared)} words that both have "
        f"differ; {(intervals == 'apart').sum()} of {(intervals != '').sum()} pairs of intervals lie apart."
    )
    rest = "\n".join(["Models that only one of the runs has:\n", *lines]) if (lines := [*apart(compared)]) else ""
    beside = side_by_side(shared, (str(folders[0]), str(folders[1]))).to_markdown(index=False) if len(shared) else ""
    text = "\n\n".join(filter(None, (counted, beside, rest))) + "\n"
    if into:
        with whole(into.with_name(f"{into.name}.csv")) as path:
            compared.to_csv(path, index=False)
        with whole(into.with_name(f"{into.name}.md")) as path:
            path.write_text(text, encoding="utf-8")
    return text
