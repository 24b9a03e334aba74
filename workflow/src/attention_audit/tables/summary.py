"""May this attention be read as an explanation? Five questions to every model, each with a noise floor.

| question | value | noise floor | good |
|---|---|---|---|
| needed | F1 of base - F1 of uniform | difference of two trainings of base by seeds alone | above |
| stable | JSD between seeds | half the JSD to the other seed's map shuffled | below |
| consequential | median TVD when weights are permuted | TVD between seeds; with one seed epsilon | above |
| - by erasure | decisions that flip without the top item | without a random other one | above |
| unique | JSD of the consistent adversary at the seeds' own TVD | JSD between seeds | below |
| transferable | F1 of the MLP guided by base - by uniform | difference of two trainings of the latter | above |

All intervals are 95 % intervals. For a difference in F1 it is Welch's interval over seeds. It is not paired: the same
seed makes two different networks no more alike, and with few seeds pairing costs half of the degrees of freedom. The
other intervals bootstrap the difference of value and floor over texts and seeds, with the same draws for both, and then
add the floor. So they include how uncertain the floor is, and noise that value and floor share cancels. tables.verdict
turns values, intervals and floors into words.

The questions come from Wiegreffe & Pinter 2019, sections 3 and 4; Jain & Wallace 2019, section 4.2.1; and Serrano &
Smith 2019, section 4. The noise floors and the words are this package's own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from attention_audit.audits.bootstrap import bootstrap, difference, mean
from attention_audit.columns.summary import QUESTIONS, SUMMARY
from attention_audit.contrasts import Contrasts, Subject
from attention_audit.tables.resampling import SEED, Floats, estimate
from attention_audit.tables.verdict import FLAT, UNDECIDED, Answer, gate, verdict, word
from attention_audit.units import LN2

FLATNESS = 0.01 * LN2
"""Maps are flat where shuffling one changes it by less than one percent of the largest possible JSD (nats)."""

NO_OWN = (nan,) * 4

REPEATABILITY = 1.96
"""A normal value lies within this many standard deviations of its mean 95 times in 100."""


class Audits(NamedTuple):
    """Rows of the audits; each frame also has the key of the suite as the column `suite`."""

    performance: pd.DataFrame
    comparison: pd.DataFrame
    stability: pd.DataFrame
    permutation: pd.DataFrame
    single_weight: pd.DataFrame

    def of(self, dataset: str, suite: str) -> Audits:
        """The rows of one data set and suite."""
        return Audits(*(frame[(frame["dataset"] == dataset) & (frame["suite"] == suite)] for frame in self))


def grid(rows: pd.DataFrame, value: str, seeds: Sequence[Any], ids: Sequence[Any]) -> Floats:
    """A column by seed and text, (S, N); NaN where there is no row."""
    at_seed, at_id = (pd.Index(keys).get_indexer(rows[name]) for name, keys in (("seed", seeds), ("id", ids)))
    known = (at_seed >= 0) & (at_id >= 0)
    values = np.full((len(seeds), len(ids)), nan)
    values[at_seed[known], at_id[known]] = rows[value].to_numpy(np.float64)[known]
    return values


def seeds_and_ids(rows: pd.DataFrame) -> tuple[list[int], list[str]]:
    """The seeds and the ids of texts that occur in the rows, in order of appearance."""
    return rows["seed"].unique().tolist(), rows["id"].unique().tolist()


def against(values: Floats, floors: Floats, resamples: int) -> tuple[float, float, float, float]:
    """Mean of the values, low, high, and mean of the floors. values, floors: (S, N), NaN where there is none.

    The interval is that of the difference of the two means, with the floor added to both bounds.
    """
    bounds = bootstrap(difference(mean), values, floors, seed=SEED, resamples=resamples)
    floor = float(np.nanmean(floors))
    return float(np.nanmean(values)), bounds.low + floor, bounds.high + floor, floor


def gain(performance: pd.DataFrame, model: str, other: str, yardstick: str) -> tuple[float, float, float, float]:
    """Mean F1 of a model minus that of another, low and high (Welch), and the floor of `yardstick`, one of the two.

    Where a model's F1 has the standard deviation s over seeds, two of its trainings differ by less than REPEATABILITY x
    s x sqrt(2) 95 times in 100: seeds alone explain a difference of that size, so it is the floor. With one seed, all
    but the difference are NaN; where either model is missing, the difference is NaN too.
    """
    f1 = performance[performance["metric"] == "f1"]
    scores = {name: f1.loc[f1["model"] == name, "value"] for name in (model, other)}
    value = float(scores[model].mean() - scores[other].mean())
    if min(map(len, scores.values())) < 2:
        return value, nan, nan, nan
    floor = REPEATABILITY * float(scores[yardstick].std()) * sqrt(2)
    if not any(values.var() for values in scores.values()):
        return value, value, value, floor
    with warnings.catch_warnings():
        # where all seeds of one model have the same score, scipy warns that its variance, 0, may be imprecise
        warnings.simplefilter("ignore", RuntimeWarning)
        low, high = stats.ttest_ind(*scores.values(), equal_var=False).confidence_interval()
    return value, float(low), float(high), floor


def gained(performance: pd.DataFrame, model: str, other: str, yardstick: str, names: tuple[str, str]) -> Answer:
    """Whether a model scores higher than another by more than seeds explain; `names` describe value and floor."""
    value, low, high, floor = gain(performance, model, other, yardstick)
    if isnan(value):
        return Answer()
    return Answer(word(low, high, floor, good_above=True), names[0], value, low, high, floor, names[1])


def needed(performance: pd.DataFrame, model: str, contrasts: Contrasts) -> Answer:
    """Does the model predict better than its twin with uniform weights?"""
    names = (
        f"F1 of {model} minus F1 of {contrasts.uniform}",
        f"difference of two trainings of {model} that seeds alone explain",
    )
    return gained(performance, model, contrasts.uniform, model, names)


def transferable(performance: pd.DataFrame, model: str, contrasts: Contrasts) -> Answer:
    """Do the model's weights help a simpler model more than uniform ones?"""
    names = (
        f"F1 of the MLP guided by {model} minus guided by uniform",
        "difference of two trainings of the uniform guide that seeds alone explain",
    )
    return gained(performance, contrasts.guided, contrasts.guided_uniform, contrasts.guided_uniform, names)


def stable(stability: pd.DataFrame, resamples: int) -> Answer:
    """Is the distance between two seeds' maps less than half of the distance to an unrelated map of the same shape?

    For weights that vary little, half the distance is the point where two seeds' maps share as much as they differ in.
    """
    if stability.empty:
        return Answer()
    seeds, ids = seeds_and_ids(stability)
    moved, chance = (grid(stability, name, seeds, ids) for name in ("jsd", "chance_jsd"))
    value, low, high, floor = against(moved, chance / 2, resamples)
    return Answer(
        FLAT if 2 * floor < FLATNESS else word(low, high, floor, good_above=False),
        "JSD between seeds (nats)",
        value,
        low,
        high,
        floor,
        "half the JSD to the other seed's map with its weights shuffled",
    )


def permuted(permutation: pd.DataFrame, stability: pd.DataFrame, epsilon: float, resamples: int) -> Answer:
    """Do shuffled weights change the prediction more than another seed does?

    With one seed the floor is epsilon: the TVD up to which the per-instance adversary counts predictions as the same.
    """
    if permutation.empty:
        return Answer()
    seeds, ids = seeds_and_ids(permutation)
    moved = grid(permutation, "median_tvd", seeds, ids)
    several = len(stability) > 0
    floors = grid(stability, "tvd", seeds, ids) if several else np.full(moved.shape, epsilon)
    value, low, high, floor = against(moved, floors, resamples)
    return Answer(
        word(low, high, floor, good_above=True),
        "median TVD under permuted weights",
        value,
        low,
        high,
        floor,
        "TVD between seeds" if several else "TVD that the per-instance adversary counts as none (one seed)",
    )


def erased(single_weight: pd.DataFrame, resamples: int) -> Answer:
    """Do more decisions flip without the item of the highest weight than without a random other one?"""
    tops = single_weight[(single_weight["ranking"] == "attention") & (single_weight["draw"] == "corrected")]
    if tops.empty:
        return Answer()
    seeds, ids = seeds_and_ids(tops)
    top, other = (grid(tops, name, seeds, ids) for name in ("top_flips", "other_flips"))
    value, low, high, floor = against(top, other, resamples)
    return Answer(
        word(low, high, floor, good_above=True),
        "share of decisions that flip without the top item",
        value,
        low,
        high,
        floor,
        "share that flip without a random other item",
    )


def reach(at: Floats, tvd: Floats, jsd: Floats) -> Floats:
    """The greatest JSD that K adversaries reach at a TVD of at most `at`, NaN where all of them have a greater TVD.

    at (...), tvd and jsd (..., K) -> (...). The frontier is the greatest JSD up to each TVD; between two neighbouring
    adversaries it is linear.
    """
    order = np.argsort(tvd, -1)
    cost, gain = np.take_along_axis(tvd, order, -1), np.take_along_axis(jsd, order, -1)
    best = np.maximum.accumulate(gain, -1)
    place = (cost <= at[..., None]).sum(-1) - 1
    last = cost.shape[-1] - 1
    left, right = np.clip(place, 0, last)[..., None], np.clip(place + 1, 0, last)[..., None]
    c0, c1, j0, j1 = (
        np.take_along_axis(values, side, -1)[..., 0]
        for values, side in ((cost, left), (cost, right), (best, left), (best, right))
    )
    share = np.divide(at - c0, c1 - c0, out=np.zeros_like(at), where=c1 > c0)
    return np.where(place >= 0, j0 + share * (j1 - j0), nan)


def excess(means: Floats, adversaries: int) -> Floats:
    """How much greater the adversaries' JSD is than the seeds', at the seeds' TVD: (..., 2 + 2K) -> (..., 1).

    means: TVD and JSD between seeds, then the TVD of K adversaries, then their JSD. Where every adversary has a greater
    TVD than the seeds, the frontier begins at the base model itself, whose TVD and JSD are 0.
    """
    costs, gains = means[..., 2 : 2 + adversaries], means[..., 2 + adversaries :]
    nothing = np.zeros_like(means[..., :1])
    reached = reach(means[..., 0], np.concatenate([nothing, costs], -1), np.concatenate([nothing, gains], -1))
    return (reached - means[..., 1])[..., None]


def unique(comparison: pd.DataFrame, model: str, contrasts: Contrasts, resamples: int) -> Answer:
    """Is every consistent adversary's attention at most as far away as another seed's, at the seeds' own TVD?

    The adversaries of all lambdas and seeds are points of one frontier and are not resampled. Where every adversary
    changes the predictions more than another seed does, the search shows neither that a distant map with the same
    predictions exists nor that it does not: the answer is undecided, and the value is that of the adversary with the
    least TVD.
    """
    seeded, searched = (comparison[comparison["model"] == name] for name in (model, contrasts.adversary))
    if seeded.empty or searched.empty:
        return Answer()
    seeds, ids = seeds_and_ids(seeded)
    between = np.stack([grid(seeded, name, seeds, ids) for name in ("tvd", "jsd")], -1)
    runs = [run for _, run in searched.groupby(["lambda", "seed"], sort=False)]
    points = np.stack(
        [grid(run, name, run["seed"].unique().tolist(), ids)[0] for name in ("tvd", "jsd") for run in runs], -1
    )
    values = np.concatenate([between, np.broadcast_to(points, (len(seeds), *points.shape))], -1)
    means = values.mean((0, 1))
    tvd, floor = means[:2].tolist()
    costs, gains = np.split(means[2:], 2)
    statistic, floor_statistic = f"JSD of the adversary at the seeds' TVD of {tvd:.3f} (nats)", "JSD between seeds"
    reached = float(reach(np.asarray(tvd), costs, gains))
    if isnan(reached):
        nearest = int(costs.argmin())
        statistic = f"JSD of the nearest adversary, TVD {costs[nearest]:.3f}, seeds {tvd:.3f} (nats)"
        return Answer(UNDECIDED, statistic, float(gains[nearest]), floor=floor, floor_statistic=floor_statistic)
    bounds = estimate(values, resamples, partial(excess, adversaries=len(runs)))
    low, high = float(bounds.low[0]) + floor, float(bounds.high[0]) + floor
    return Answer(word(low, high, floor, good_above=False), statistic, reached, low, high, floor, floor_statistic)


def answers(subject: Subject, audits: Audits, epsilon: float, resamples: int) -> dict[str, Answer]:
    """All five answers on one model, in order; `audits` has the rows of its data set and suite.

    Questions that compare the model with other models are not asked where it has no contrasts. `consequential` is
    answered by permutation where the suite has that audit, else by erasure.
    """
    model, contrasts = subject.model, subject.contrasts
    own = Audits(*(frame[frame["model"] == model] for frame in audits))
    return {
        "needed": needed(audits.performance, model, contrasts) if contrasts else Answer(),
        "stable": stable(own.stability, resamples),
        "consequential": erased(own.single_weight, resamples)
        if own.permutation.empty
        else permuted(own.permutation, own.stability, epsilon, resamples),
        "unique": unique(audits.comparison, model, contrasts, resamples) if contrasts else Answer(),
        "transferable": transferable(audits.performance, model, contrasts) if contrasts else Answer(),
    }


def columns_of(answers: Mapping[str, Answer], own: Sequence[float]) -> dict[str, Any]:
    """The columns of columns.summary after the verdict; `own` are the four that do not enter into any answer."""
    columns = {
        f"{question}_{name}".removesuffix("_word"): value
        for question, answer in answers.items()
        for name, value in answer._asdict().items()
    }
    names = (f"transferable_own_{name}" for name in ("value", "low", "high", "floor"))
    return columns | dict(zip(names, own, strict=True))


def row(subject: Subject, audits: Audits, epsilon: float, resamples: int) -> dict[str, Any]:
    """One row of columns.summary."""
    answered = answers(subject, audits, epsilon, resamples)
    words = {question: answer.word for question, answer in answered.items()}
    own: Sequence[float] = NO_OWN
    if subject.contrasts:
        guide = subject.contrasts.guided_own
        own = gain(audits.performance, subject.contrasts.guided, guide, guide)
    about = subject.model_dump(include={"dataset", "paper", "model", "seeds"})
    return about | {"verdict": verdict(words), "gate": gate(words)} | columns_of(answered, own)


def not_run(reasons: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Rows for data sets that were not available; `reasons` says why, by data set."""
    empty = columns_of({question: Answer() for question in QUESTIONS}, NO_OWN)
    for dataset, reason in reasons.items():
        about = {"dataset": dataset, "paper": "", "model": "", "seeds": 0}
        yield about | {"verdict": f"not run: {reason}", "gate": ""} | empty


def summary(
    subjects: Sequence[Subject | Mapping[str, Any]],
    performance: pd.DataFrame,
    comparison: pd.DataFrame,
    stability: pd.DataFrame,
    permutation: pd.DataFrame,
    single_weight: pd.DataFrame,
    reasons: Mapping[str, str],
    epsilon: float,
    resamples: int,
) -> pd.DataFrame:
    """One row for each data set and model, with the columns of columns.summary.

    The frames hold rows of the audits of these names, of any number of data sets and suites, with the key of the suite
    as the column `suite`. `epsilon`: the prediction change (TVD) that counts as none where a model has one seed.
    `reasons`: why data sets were not run, by data set.
    """
    audits = Audits(performance, comparison, stability, permutation, single_weight)
    judged = [Subject.model_validate(subject) for subject in subjects]
    keys = dict.fromkeys((subject.dataset, subject.suite) for subject in judged)
    parts = {key: audits.of(*key) for key in keys}
    rows = [row(subject, parts[subject.dataset, subject.suite], epsilon, resamples) for subject in judged]
    return pd.DataFrame([*rows, *not_run(reasons)], columns=SUMMARY.schema.names)
