"""Which map may be shown? Attention, further maps and other attributions of one model, held against each other."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.intervals import Effect, by_training, mean
from attention_audit.answer.settings import AnswerSettings
from attention_audit.contrasts import Subject
from attention_audit.names import NUMBERED, RANKINGS
from attention_audit.tables.arrays import by_pair, by_ranking, curve, different, grid, of_ranking
from attention_audit.tables.asked import noted
from attention_audit.tables.erasing import of_subjects
from attention_audit.tables.instead import measuring
from attention_audit.tables.plausibility import celled, effects_of, located_of
from attention_audit.tables.tidy import as_table

ENDS = ("random", "loo")
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


def beside_next(located: pd.DataFrame, names: Sequence[str]) -> str:
    """Whether the best of some rankings clearly does better than the second, chosen on one half of the texts and
    measured on the other.
    """
    ids = different(located, "id")
    measures = measuring([str(id_) for id_ in ids])
    falls = dict(zip((*ENDS, *names), by_ranking(located, "fall", (*ENDS, *names), ids), strict=True))
    at_hand = falls[ENDS[1]] - falls[ENDS[0]]

    def reached(name: str) -> float:
        return by_training((falls[name] - falls[ENDS[0]])[:, ~measures], at_hand[:, ~measures]).value

    # a costly ranking may be of few texts
    known = [name for name in names if np.isfinite(falls[name]).all() and np.isfinite(reached(name))]
    if len(known) < 2:
        return ""
    best, second = sorted(known, key=reached, reverse=True)[:2]
    gain = by_training((falls[best] - falls[second])[:, measures], at_hand[:, measures])
    does = "is clearly better" if gain.low > 0 else "is not clearly better"
    return f"{RANKINGS[best].label} {does} than {RANKINGS[second].label}"


def held(
    located: pd.DataFrame, map_stability: pd.DataFrame, attribution_stability: pd.DataFrame,
    plausibility: pd.DataFrame, plausible_words: pd.DataFrame, inert: float,
) -> pd.DataFrame:  # fmt: skip
    """METRICS and the number of texts of each map of one model, the best by `located` first; where this was not asked,
    the best by the first of METRICS that was.
    """
    stability = pd.concat([map_stability, attribution_stability], ignore_index=True)
    stability = stability.assign(map=stability["map"].astype(str))
    marked = pd.concat([plausibility, plausible_words], ignore_index=True)
    marked = marked[marked["annotator"].astype(str) != ""]
    names = {*different(located, "ranking"), *different(stability, "map")} - {ENDS[0]}
    if not names:
        return pd.DataFrame()
    located = located.assign(fall=curve(located))
    effects = located_of(located) if len(located) else {}
    rows: dict[str, list[dict[str, Any]]] = {}
    for name in RANKINGS.ordered(names):
        found: dict[str, Effect] = {}
        if name in effects:
            sides = questions.sides(grid(of_ranking(located, name), "falls_0"), inert)
            opposes = np.where(np.isfinite(sides), (sides < 0).astype(np.float64), np.nan)
            found = {"located": effects[name], "opposes": mean(opposes)}
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
    for name in effects.keys() & rows.keys():
        rows[name][0]["note"] = PASSES.get(name, "")
    if candidates := [name for name in order if name in effects and name != ENDS[1]]:
        best = rows[candidates[0]][0]
        best["note"] = noted(best["note"], beside_next(located, candidates))
    return pd.DataFrame([{"row": name, "note": "", **one} for name in order for one in rows[name]])


def hf_table_maps(
    located: pd.DataFrame,
    map_stability: pd.DataFrame,
    attribution_stability: pd.DataFrame,
    plausibility: pd.DataFrame,
    plausible_words: pd.DataFrame,
    subjects: Sequence[Subject | Mapping[str, Any]],
    answer: Mapping[str, Any],
) -> pd.DataFrame:
    """Attention, the further maps of a Transformer and other attributions, ordered by how well they locate the words
    that matter: a row for each data set, model and map, the best first.

    `located`: the effect of this question, with leave-one-out as 1 and random words as 0. `opposes`: the share of texts
    whose first word raises the probability of the predicted class by more than the margin `inert` when it is deleted.
    `rank_stability`: the mean Spearman correlation between trainings. `auprc`: against marked words, mean over
    annotators. The note has the cost in passes, and of the best whether it clearly does better than the second.

    All frames hold rows of any number of data sets, with the key of the suite as the column `suite`; intervals are
    those of the answer, and the columns those of columns.table.
    """
    audits = {
        "located": located, "map_stability": map_stability, "attribution_stability": attribution_stability,
        "plausibility": plausibility, "plausible_words": plausible_words,
    }  # fmt: skip
    return _of_suite("hf", audits, subjects, AnswerSettings.model_validate(answer).margins.inert)


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
    return _of_suite("own", audits, subjects, 0.0)


def _of_suite(
    suite: str, audits: Mapping[str, pd.DataFrame], subjects: Sequence[Subject | Mapping[str, Any]], inert: float
) -> pd.DataFrame:
    def rows_of(**own: pd.DataFrame) -> pd.DataFrame:
        return held(**own, inert=inert)

    own = [subject for subject in map(Subject.model_validate, subjects) if subject.suite == suite]
    tables = [of_subjects([subject], audits, rows_of, (), METRICS) for subject in own]
    return (
        pd.concat(tables, ignore_index=True)
        if tables
        else as_table(pd.DataFrame(columns=["dataset", "row", "metric", "mean"]), (), ())
    )
