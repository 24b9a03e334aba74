"""Which map may be shown? Attention, further maps and other attributions of one model, held against each other."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate
from attention_audit.answer.intervals import Effect, mean
from attention_audit.answer.samples import find_sides
from attention_audit.answer.settings import AnswerSettings
from attention_audit.contrasts import Subject
from attention_audit.names import NUMBERED, RANKINGS
from attention_audit.tables.arrays import Audits, by_pair, different, grid, groups_of, of_ranking
from attention_audit.tables.asked import Measured
from attention_audit.tables.asked import located as locate
from attention_audit.tables.erasing import of_subjects
from attention_audit.tables.instead import LOO, RANDOM
from attention_audit.tables.plausibility import celled, effects_of
from attention_audit.tables.tidy import as_table
from attention_audit.tables.wording import class_names

METRICS = ("located", "opposes", "rank_stability", "auprc")
PASSES: Mapping[str, str] = {
    "attention": "1 F",
    "gradient": "1 F",
    "product": "1 F",
    "loo": "L F",
    "integrated_gradients": "1 F + 1 B a step",
    **dict.fromkeys(
        ("mean_row", "received", "largest_head", "rollout", "value_norm", "globenc", "alti", *NUMBERED), "1 F"
    ),
    "flow": "1 F + P flows",
    **dict.fromkeys(("attcat", "gradient_attention", "input_gradient", "attn_lrp"), "1 F + 1 B"),
    **dict.fromkeys(("decompx", "value_zeroing"), "about P F"),
    **dict.fromkeys(("lime", "kernel_shap"), "1 F a sample"),
}
"""What a text costs: F a pass forth and B one back, L the number of words, P that of pieces."""


def held(
    measured: Measured | None, located: pd.DataFrame, map_stability: pd.DataFrame, attribution_stability: pd.DataFrame,
    plausibility: pd.DataFrame, plausible_words: pd.DataFrame,
) -> pd.DataFrame:  # fmt: skip
    """METRICS and the number of texts of each map of one model, the best by `located` first; where this was not asked,
    the best by the first of METRICS that was.
    """
    rankings = {*different(located, "ranking")}
    stability = pd.concat([map_stability, attribution_stability], ignore_index=True)
    stability = stability.assign(map=stability["map"].astype(str))
    marked = pd.concat([plausibility, plausible_words], ignore_index=True)
    marked = marked[marked["annotator"].astype(str) != ""]
    names = {*rankings, *different(stability, "map")} - {RANDOM}
    if not names:
        return pd.DataFrame()
    cells = {name: locate(measured, name) for name in names & rankings} if measured else {}
    rows: dict[str, list[dict[str, Any]]] = {}
    for name in RANKINGS.ordered(names):
        found: dict[str, Effect | Estimate] = {}
        if measured and name in cells:
            sides = find_sides(grid(of_ranking(located, name), "falls_0"), measured.margins.inert)
            opposes = np.where(np.isfinite(sides), (sides < 0).astype(np.float64), np.nan)
            found = {"located": cells[name].part.estimate, "opposes": mean(opposes)}
        stable = stability[stability["map"] == name]
        if len(stable):
            pairs, (rho,) = by_pair(stable, ["rho"], different(stable, "id"))
            found["rank_stability"] = mean(rho, -1.0)._replace(trainings=len(np.unique(pairs)))
        of_marks = marked[marked["attribution"].astype(str) == name]
        if len(of_marks):
            found["auprc"], _ = effects_of(of_marks, ["auprc"])["auprc"]
        rows[name] = [celled(metric, effect) for metric, effect in found.items()]
        first = next(iter(found.values()))
        rows[name].append({"metric": "texts", "seeds": first.trainings, "mean": float(first.texts)})
    order = sorted(rows, key=lambda name: -float(np.nan_to_num(rows[name][0]["mean"], nan=-np.inf)))
    for name, cell in cells.items():
        own = "the yardstick" if name == LOO else cell.said or cell.reason
        rows[name][0]["note"] = "; ".join(filter(None, [own, PASSES.get(name, "")]))
    return pd.DataFrame([{"row": name, "note": "", **one} for name in order for one in rows[name]])


def hf_table_maps(
    predictions: pd.DataFrame,
    located: pd.DataFrame,
    map_stability: pd.DataFrame,
    attribution_stability: pd.DataFrame,
    plausibility: pd.DataFrame,
    plausible_words: pd.DataFrame,
    corpus: Mapping[str, pd.DataFrame],
    census: Mapping[str, pd.DataFrame],
    subjects: Sequence[Subject | Mapping[str, Any]],
    answer: Mapping[str, Any],
) -> pd.DataFrame:
    """Attention, the further maps of a Transformer and other attributions, ordered by how well they locate the words
    that matter: a row for each data set, model and map, the best first.

    `located`: the estimate of this question, with leave-one-out as 1 and random words as 0; that of attention is the
    summary's. `opposes`: the share of texts whose first word raises the probability of the predicted class by more than
    the margin `inert` when it is deleted. `rank_stability`: the mean Spearman correlation between trainings. `auprc`:
    against marked words, mean over annotators. The note has the statement of `located`, and the cost in passes.

    All frames of audits hold rows of any number of data sets, with the key of the suite as the column `suite`;
    intervals are those of the answer, and the columns those of `TABLE`. corpus, census: see `tables.summary`.
    """
    audits = {
        "located": located, "map_stability": map_stability, "attribution_stability": attribution_stability,
        "plausibility": plausibility, "plausible_words": plausible_words,
    }  # fmt: skip
    margins, groups, names = AnswerSettings.model_validate(answer).margins, groups_of(corpus), class_names(census)
    nothing = located.iloc[:0].assign(by="")
    frames: dict[str, Any] = dict.fromkeys(Audits._fields, nothing) | {"predictions": predictions, "located": located}

    def measure(subject: Subject) -> Measured:
        own = Audits(**frames).of(subject.dataset, subject.suite, groups.get(subject.dataset, {}))
        return Measured(subject, own, margins, names.get(subject.dataset, {}))

    return _of_suite("hf", audits, subjects, measure)


def own_table_maps(
    map_stability: pd.DataFrame, plausibility: pd.DataFrame, subjects: Sequence[Subject | Mapping[str, Any]]
) -> pd.DataFrame:
    """The same of what readouts carry: `rank_stability` of attention and of further maps, and `auprc`; a row for each
    data set, model and map, the most stable first. Both frames hold rows of the suite `own`, and no other.
    """
    stability, marked = map_stability.assign(suite="own"), plausibility.assign(suite="own")
    audits = {
        "located": stability.iloc[:0].rename(columns={"map": "ranking"}),
        "map_stability": stability, "attribution_stability": stability.iloc[:0],
        "plausibility": marked, "plausible_words": marked.iloc[:0],
    }  # fmt: skip
    return _of_suite("own", audits, subjects)


def _of_suite(
    suite: str,
    audits: Mapping[str, pd.DataFrame],
    subjects: Sequence[Subject | Mapping[str, Any]],
    measure: Callable[[Subject], Measured] | None = None,
) -> pd.DataFrame:
    """The table of the models of a suite. measure: takes what `located` is asked of; None where it is not."""
    own = [subject for subject in map(Subject.model_validate, subjects) if subject.suite == suite]
    tables = [
        of_subjects([subject], audits, partial(held, measure and measure(subject)), (), METRICS) for subject in own
    ]
    return (
        pd.concat(tables, ignore_index=True)
        if tables
        else as_table(pd.DataFrame(columns=["dataset", "row", "metric", "mean"]), (), ())
    )
