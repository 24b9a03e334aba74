"""The questions, asked of one model: from the rows of its audits to an answer each.

An answer has a word, an effect with its interval, the margin that it is held against, and a note. `answer.questions`
has the estimators, and docs/method.md what each question means. Where something cannot be asked, the note says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.choice import ENOUGH, Candidate, Choice, furthest
from attention_audit.answer.intervals import Effect
from attention_audit.answer.settings import Margins
from attention_audit.answer.words import FLAT, NOT_ASKED, UNDECIDED, YES, withheld, word
from attention_audit.contrasts import Contrasts, Subject
from attention_audit.scores import accuracy, f1
from attention_audit.tables.arrays import (
    Audits,
    Floats,
    Integers,
    by_pair,
    by_text,
    curve,
    different,
    grid,
    of_ranking,
    of_run,
)
from attention_audit.units import LN2

NOTHING = Effect(nan, nan, nan, 0, 0)
NO_TWIN = "this suite trains no twin with uniform weights"
NO_ADVERSARY = "this suite trains no adversary of a whole model"
NO_GUIDE = "this suite guides no simpler model"
NO_TWIN_GIVEN = "no twin with uniform weights is given beside this model"
NO_ADVERSARY_GIVEN = "no adversary of this model is given"
ON_TEST = "the adversary is chosen on the texts that it is measured on, as no others are given"
NO_TEXT = "no test text has two items or more"
ALONE = "this training only"
SHARED = "all trainings have one frozen encoder, and differ in attention and decoder alone"


@dataclass(frozen=True)
class Answer:
    """The answer to one question; `beside` has further columns of the summary."""

    word: str = NOT_ASKED
    effect: Effect = NOTHING
    margin: float = nan
    note: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict)


def noted(*notes: str) -> str:
    """Notes that are not empty, one after another."""
    return "; ".join(filter(None, notes))


def answered(question: str, effect: Effect, margin: float, beside: Mapping[str, Any] | None = None) -> Answer:
    """The answer of an effect: its word, and a note where it rests on one training or where its word is withheld."""
    few = "" if not withheld(question, effect.trainings, effect.texts) else "too few trainings or texts for a word"
    alone = ALONE if effect.trainings == 1 else ""
    return Answer(word(effect, margin, question), effect, margin, noted(alone, few), beside or {})


def unasked(subject: Subject, *audits: str) -> str:
    """Why the first of these audits has no rows on a model."""
    return next((subject.unasked[name] for name in audits if name in subject.unasked), NO_TEXT)


def is_flat(chance: Floats, margins: Margins) -> bool:
    """Whether shuffling a map moves it by less than a share of the largest JSD; chance: JSD to the map shuffled."""
    return bool(np.isfinite(chance).any() and np.nanmean(chance) < margins.flat * LN2)


def flattened(answer: Answer, flat: bool) -> Answer:
    """The same answer, with `flat` in the place of its word where maps are flat."""
    if not flat or answer.word == NOT_ASKED:
        return answer
    return Answer(
        FLAT, answer.effect, answer.margin, noted("shuffling a map hardly changes it", answer.note), answer.beside
    )


def chances(own: pd.DataFrame) -> Floats:
    """JSD between each map and the same map shuffled, (S, N), from the rows of `permutation` of one model."""
    return grid(own, "chance_jsd", different(own, "seed"), different(own, "id"))


def predicted(predictions: pd.DataFrame, model: str, ids: list[Any]) -> Integers:
    """The predictions of each training of a model, (S, N); 0 trainings where there are none."""
    rows = of_run(predictions, model)
    values = grid(rows, "prediction", different(rows, "seed"), ids)
    return values.astype(np.int64)


def labelled(predictions: pd.DataFrame) -> tuple[list[Any], Integers, int]:
    """The ids of the test texts, their labels (N,), and the number of classes that labels and predictions name."""
    texts = predictions.drop_duplicates("id")
    labels = texts["label"].to_numpy(np.int64)
    most = max(labels.max(initial=1), predictions["prediction"].max() if len(predictions) else 1)
    return texts["id"].tolist(), labels, int(most) + 1


def able(rows: pd.DataFrame, model: str) -> tuple[Answer, dict[str, float]]:
    """Whether a model is better than the best constant answer, in F1; and the scores of both, none without rows of it.

    rows: of `predictions`, of one data set and suite. The constant answer is the one that has the highest F1 on the
    test split itself, which favours it. It has no trainings, so it is given as many as the model has, all alike.
    """
    ids, labels, classes = labelled(rows)
    predictions = predicted(rows, model, ids)
    if not predictions.size:
        return Answer(), {}
    constants = [np.full(len(ids), number) for number in range(classes)]
    best = max(constants, key=lambda constant: f1(labels, constant, classes))
    effect = questions.gained(labels, predictions, np.tile(best, (len(predictions), 1)), classes)
    scores = {
        "f1": float(np.mean([f1(labels, row, classes) for row in predictions])),
        "constant_f1": f1(labels, best, classes),
        "accuracy": float(np.mean([accuracy(labels, row) for row in predictions])),
        "majority_accuracy": max(accuracy(labels, constant) for constant in constants),
    }
    return Answer(word(effect, 0.0), effect, 0.0), scores


def learnt(subject: Subject, audits: Audits) -> tuple[Answer, dict[str, float]]:
    """`able` of a model that the summary judges, with the reason where it is not known."""
    answer, scores = able(audits.predictions, subject.model)
    return (answer, scores) if scores else (Answer(note=unasked(subject, "predictions")), scores)


def between(audits: Audits, model: str, other: str) -> Effect | None:
    """Mean F1 of a model minus that of another, None where either has no rows."""
    ids, labels, classes = labelled(audits.predictions)
    both = [predicted(audits.predictions, name, ids) for name in (model, other)]
    return questions.gained(labels, both[0], both[1], classes) if all(map(len, both)) else None


def needed(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does the model predict better than its twin with uniform weights?"""
    if subject.contrasts is None or subject.contrasts.uniform is None:
        return Answer(note=NO_TWIN_GIVEN if subject.given else NO_TWIN)
    effect = between(audits, subject.model, subject.contrasts.uniform)
    if effect is None:
        return Answer(note=unasked(subject, "predictions"))
    return answered("needed", effect, margins.needed)


def stable(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Would another training show this map?"""
    own = of_run(audits.stability, subject.model)
    if own.empty:
        return Answer(note="there is one training" if subject.seeds < 2 else unasked(subject, "stability"))
    pairs, (jsd, chance, tvd, top) = by_pair(own, ["jsd", "chance_jsd", "tvd", "same_top"], different(own, "id"))
    beside = {
        "stable_same_top": float(np.nanmean(top)),
        "stable_jsd": float(np.nanmean(jsd)),
        "stable_tvd": float(np.nanmean(tvd)),
    }
    answer = answered("stable", questions.stable(jsd, chance, pairs), margins.stable, beside)
    if subject.frozen:
        answer = replace(answer, note=noted(SHARED, answer.note))
    return flattened(answer, is_flat(chance, margins))


def used(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does the prediction depend on these weights?"""
    own = of_run(audits.permutation, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "permutation"))
    moved = grid(own, "mean_tvd", different(own, "seed"), different(own, "id"))
    return answered("used", questions.used(moved), margins.used, {"used_flips": float(own["flips"].mean())})


def ranks(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Do items with more weight matter more to the decision?"""
    own = of_run(audits.ranked_sets, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "ranked_sets"))
    seeds, ids = different(own, "seed"), different(own, "id")
    random, attention, smallest = (
        grid(of_ranking(own, name), "fraction_removed", seeds, ids) for name in ("random", "attention", "smallest")
    )
    answer = answered("ranks", questions.ranks(random, attention, smallest), margins.ranks)
    return flattened(answer, is_flat(chances(of_run(audits.permutation, subject.model)), margins))


def located(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Are the words with weight the words of the input that matter?"""
    own = of_run(audits.located, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "located"))
    own = own.assign(fall=curve(own))
    seeds, ids = different(own, "seed"), different(own, "id")
    falls = (grid(of_ranking(own, name), "fall", seeds, ids) for name in ("random", "attention", "loo"))
    return answered("located", questions.located(*falls), margins.located)


def signed(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does a highlighted word speak for the prediction?"""
    own = of_run(audits.contributions, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "contributions"))
    fall = grid(own, "top_fall", different(own, "seed"), different(own, "id"))
    beside = {"signed_against": float(own["against"].mean())}
    return answered("signed", questions.signed(fall, margins.rise), margins.signed, beside)


def searched(audits: Audits, contrasts: Contrasts, budget: float) -> Choice:
    """The adversary that is chosen among all that were trained, by the rows of `consistency`."""
    rows = audits.consistency[audits.consistency["model"].isin(contrasts.adversaries)]
    columns = (rows[name].tolist() for name in ("model", "lambda", "seed", "tvd", "jsd"))
    return furthest([Candidate(*row) for row in zip(*columns, strict=True)], budget)


def distances(moved: pd.DataFrame, own: pd.DataFrame, jsd: str, chance: str) -> tuple[Floats, Floats]:
    """How far an adversary moves the map of each text, and how far shuffling does, (N,) each; NaN where unknown."""
    ids = different(moved, "id")
    return by_text(moved, jsd, ids), by_text(own, chance, ids)


def bounds(name: str, effect: Effect | None) -> dict[str, float]:
    """The columns of an effect that stands beside an answer."""
    value, low, high, *_ = effect or NOTHING
    return {f"{name}_value": value, f"{name}_low": low, f"{name}_high": high}


def unique(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Would no other map do? Measured on test, on the adversary that dev has chosen.

    `yes` needs a search that went up to the budget: at least ENOUGH adversaries between half of it and all of it.
    """
    contrasts = subject.contrasts
    if contrasts is None or not contrasts.adversaries:
        return Answer(note=NO_ADVERSARY_GIVEN if subject.given else NO_ADVERSARY)
    if audits.consistency.empty or audits.comparison.empty:
        return Answer(note=unasked(subject, "consistency", "comparison"))
    choice = searched(audits, contrasts, margins.tvd)
    on_test = ON_TEST if contrasts.chosen_on == "test" else ""
    found = choice.chosen
    if found is None:
        nearest = f"the nearest has {choice.nearest:.3f}"
        note = noted(ALONE, f"no adversary has a TVD of at most {margins.tvd:g} on {contrasts.chosen_on}: {nearest}")
        return Answer(UNDECIDED, margin=margins.unique, note=note, beside={"unique_near": 0})
    moved = of_run(audits.comparison, found.model, found.seed, found.lambda_)
    own = of_run(audits.permutation, subject.model, contrasts.seed)
    if moved.empty or own.empty:
        return Answer(note=unasked(subject, "permutation"))
    jsd, chance = distances(moved, own, "jsd", "chance_jsd")
    beside: dict[str, Any] = {
        "unique_model": found.model,
        "unique_lambda": found.lambda_,
        "unique_seed": found.seed,
        "unique_dev_tvd": found.tvd,
        "unique_tvd": float(moved["tvd"].mean()),
        "unique_jsd": float(moved["jsd"].mean()),
        "unique_same_top": float(moved["same_top"].mean()),
        "unique_near": choice.near,
    }
    if moved["contribution_jsd"].notna().any():
        contribution = questions.unique(*distances(moved, own, "contribution_jsd", "contribution_chance_jsd"))
        beside |= bounds("unique_contribution", contribution)
        beside["unique_contribution_same_top"] = float(moved["contribution_same_top"].astype(np.float64).mean())
    answer = answered("unique", questions.unique(jsd, chance), margins.unique, beside)
    if answer.word == YES and not choice.searched:
        few = f"only {choice.near} adversaries have a TVD between half the budget and the budget; yes needs {ENOUGH}"
        answer = Answer(UNDECIDED, answer.effect, answer.margin, noted(answer.note, few), beside)
    answer = Answer(answer.word, answer.effect, answer.margin, noted(answer.note, on_test), beside)
    return flattened(answer, is_flat(chance, margins))


def transferable(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Do the weights say something about words beyond this model?

    Beside it: what the model's maps are worth to the MLP beyond an adversary's, and beyond attention of its own.
    """
    guides = subject.contrasts.guides if subject.contrasts else None
    if guides is None:
        return Answer(note=NO_GUIDE)
    effect = between(audits, guides.judged, guides.uniform)
    if effect is None:
        return Answer(note=unasked(subject, "predictions"))
    beside = {
        **bounds("transferable_adversary", between(audits, guides.judged, guides.adversary)),
        **bounds("transferable_own", between(audits, guides.judged, guides.own)),
    }
    return answered("transferable", effect, margins.transferable, beside)


ASKED: Mapping[str, Callable[[Subject, Audits, Margins], Answer]] = {
    "needed": needed,
    "stable": stable,
    "used": used,
    "ranks": ranks,
    "located": located,
    "signed": signed,
    "unique": unique,
    "transferable": transferable,
}
"""Every question, as in columns.summary.QUESTIONS."""
