"""The questions, asked of one model: from the rows of its audits to an answer each.

An answer has a word, an effect with its interval, the margin that it is held against, and a note. `answer.questions`
has the estimators, and docs/method.md what each question means. Where something cannot be asked, the note says why.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.choice import ENOUGH, Candidate, Choice, furthest
from attention_audit.answer.intervals import Effect, mean
from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import lacking
from attention_audit.answer.words import FLAT, NO, NOT_ASKED, NOTHING_NEW, UNDECIDED, YES, word
from attention_audit.contrasts import Contrasts, Subject
from attention_audit.scores import accuracy, macro_f1
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
CONTRIBUTION, ERASURE = "contribution", "erasure"
"""What tells whether an item supports the prediction."""
BY_ERASURE = "by erasure of the item, since contributions are not exact in this model"
SHARED = "all trainings have one frozen encoder, and differ in attention and decoder alone"


@dataclass(frozen=True)
class Answer:
    """The answer to one question; `beside` has further columns of the summary.

    these: whether the word is of each of these trainings, since together they do not tell of another one.
    """

    word: str = NOT_ASKED
    effect: Effect = NOTHING
    margin: float = nan
    note: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict)
    these: bool = False


def noted(*notes: str) -> str:
    """Notes that are not empty, one after another."""
    return "; ".join(filter(None, notes))


def answered(
    question: str,
    effect: Effect,
    margin: float,
    beside: Mapping[str, Any] | None = None,
    each: Sequence[Effect] = (),
) -> Answer:
    """The answer of an effect: its word, and a note where it rests on one training or on too little.

    each: the same effect of each training by itself, with intervals that know of the texts alone. Where all trainings
    together do not decide, what each of them says stands, if all say the same: two trainings never answer less than
    one. It is then said of these trainings, and not of another one.
    """
    found = word(effect, margin, question)
    few = lacking(question, effect.trainings, effect.texts)
    alone = ALONE if effect.trainings == 1 else ""
    answer = Answer(found, effect, margin, noted(alone, few), beside or {})
    own = [word(one, margin, question) for one in each]
    if found != UNDECIDED or len(own) < 2:
        return answer
    if set(own) in ({YES}, {NO}):
        note = f"of each of these {len(own)} trainings; together they do not tell of another one"
        return replace(answer, word=own[0], note=note, these=True)
    return replace(answer, note=noted(answer.note, f"training by training: {', '.join(own)}"))


def by_itself(question: Callable[..., Effect], *values: Floats) -> list[Effect]:
    """What a question is told of each training alone, from arrays (S, N)."""
    return [question(*(one[[row]] for one in values)) for row in range(len(values[0]))]


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
    return replace(answer, word=FLAT, note=noted("shuffling a map hardly changes it", answer.note), these=False)


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
    """Whether a model predicts better than the largest class alone; and its scores, none without rows of it.

    rows: of `predictions`, of one data set and suite. Both are held by their accuracy, the number that stands beside
    the word: yes where the interval of the difference is above 0, no where the accuracy is not above the majority's.
    However few the texts are, this word is said.
    """
    ids, labels, _ = labelled(rows)
    predictions = predicted(rows, model, ids)
    if not predictions.size:
        return Answer(), {}
    effect = questions.learnt(labels, predictions)
    scores = {
        "macro_f1": float(np.mean([macro_f1(labels, row) for row in predictions])),
        "accuracy": float(np.mean([accuracy(labels, row) for row in predictions])),
        "majority_accuracy": float(np.bincount(labels).max() / len(labels)),
    }
    found = NO if effect.value <= 0 else YES if effect.low > 0 else UNDECIDED
    return Answer(found, effect, 0.0), scores


def learnt(subject: Subject, audits: Audits) -> tuple[Answer, dict[str, float]]:
    """`able` of a model that the summary judges, with the reason where it is not known."""
    answer, scores = able(audits.predictions, subject.model)
    return (answer, scores) if scores else (Answer(note=unasked(subject, "predictions")), scores)


def between(audits: Audits, model: str, other: str) -> list[Effect]:
    """Mean macro F1 of a model minus that of another: of all trainings; then, where both have as many, of the first of
    both, and so on. None where either model has no rows.
    """
    ids, labels, classes = labelled(audits.predictions)
    one, two = (predicted(audits.predictions, name, ids) for name in (model, other))
    if not len(one) or not len(two):
        return []
    pairs = zip(one, two, strict=True) if len(one) == len(two) > 1 else ()
    each = [questions.gained(labels, mine[None], theirs[None], classes) for mine, theirs in pairs]
    return [questions.gained(labels, one, two, classes), *each]


def needed(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does the model predict better than its twin with uniform weights?"""
    if subject.contrasts is None or subject.contrasts.uniform is None:
        return Answer(note=NO_TWIN_GIVEN if subject.given else NO_TWIN)
    effects = between(audits, subject.model, subject.contrasts.uniform)
    if not effects:
        return Answer(note=unasked(subject, "predictions"))
    return answered("needed", effects[0], margins.needed, each=effects[1:])


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
    beside, each = {"used_flips": float(own["flips"].mean())}, by_itself(questions.used, moved)
    return answered("used", questions.used(moved), margins.used, beside, each)


def ranks(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Do items with more weight matter more to the decision?"""
    own = of_run(audits.ranked_sets, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "ranked_sets"))
    seeds, ids = different(own, "seed"), different(own, "id")
    removed = [
        grid(of_ranking(own, name), "fraction_removed", seeds, ids) for name in ("random", "attention", "smallest")
    ]
    each = by_itself(questions.ranks, *removed)
    answer = answered("ranks", questions.ranks(*removed), margins.ranks, each=each)
    return flattened(answer, is_flat(chances(of_run(audits.permutation, subject.model)), margins))


def located(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Are the words with weight the words of the input that matter?"""
    own = of_run(audits.located, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "located"))
    own = own.assign(fall=curve(own))
    seeds, ids = different(own, "seed"), different(own, "id")
    falls = [grid(of_ranking(own, name), "fall", seeds, ids) for name in ("random", "attention", "loo")]
    each = by_itself(questions.located, *falls)
    return answered("located", questions.located(*falls), margins.located, each=each)


def signed(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does a highlighted item speak for the prediction?"""
    own = of_run(audits.contributions, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "contributions"))
    side, by = sides(own, different(own, "seed"), different(own, "id"), margins.inert)
    known = side[np.isfinite(side)]
    beside = {
        "signed_by": by,
        "signed_opposes": float((known < 0).mean()) if known.size else nan,
        "signed_inert": float((known == 0).mean()) if known.size else nan,
        "signed_against": float(own["against"].mean()),
    }
    answer = answered("signed", questions.signed(side), margins.signed, beside, by_itself(questions.signed, side))
    inexact = BY_ERASURE if by == ERASURE else ""
    return replace(answer, note=noted(inexact, answer.note))


def sides(own: pd.DataFrame, seeds: list[Any], ids: list[Any], inert: float) -> tuple[Floats, str]:
    """On which side the top item of each text stands, as `questions.sides`, (S, N); and what tells so.

    own: rows of `contributions` of one model. It is the item's exact contribution to the logit where there is one: it
    moves the probability by at most a quarter of itself, whatever else the text says. Else the item is erased.
    """
    lead = grid(own, "top_lead", seeds, ids)
    if np.isfinite(lead).any():
        return questions.sides(lead, 4 * inert), CONTRIBUTION
    return questions.sides(grid(own, "top_fall", seeds, ids), inert), ERASURE


def searched(audits: Audits, contrasts: Contrasts, budget: float) -> Choice:
    """The adversary that is chosen among all that were trained, by the rows of `consistency`."""
    rows = audits.consistency[audits.consistency["model"].isin(contrasts.adversaries)]
    return furthest([Candidate.of(row) for row in rows.to_dict("records")], budget)


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

    `yes` needs a search that went up to the budget: at least ENOUGH adversaries between half of it and all of it. `no`
    needs an adversary whose predictions hold the budget on test too, with the upper end of the interval over texts; and
    which goes further than any other training does by itself, since else it shows nothing new (Wiegreffe & Pinter
    2019, figure 5, has both).
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
        nearest = f"the nearest has {choice.nearest:.3f} in the mean"
        none = f"no adversary is surely within a TVD of {margins.tvd:g} on {contrasts.chosen_on}: {nearest}"
        note = noted(ALONE, none)
        return Answer(UNDECIDED, margin=margins.unique, note=note, beside={"unique_near": 0})
    moved = of_run(audits.comparison, found.model, found.seed, found.lambda_)
    own = of_run(audits.permutation, subject.model, contrasts.seed)
    if moved.empty or own.empty:
        return Answer(note=unasked(subject, "permutation"))
    jsd, chance = distances(moved, own, "jsd", "chance_jsd")
    changed = mean(by_text(moved, "tvd", different(moved, "id"))[None], -1.0)
    gain = beyond(moved, of_run(audits.stability, subject.model), contrasts.seed)
    beside: dict[str, Any] = {
        "unique_model": found.model,
        "unique_lambda": found.lambda_,
        "unique_seed": found.seed,
        "unique_dev_tvd": found.tvd,
        "unique_tvd": changed.value,
        "unique_tvd_high": changed.high,
        **bounds("unique_further", gain),
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
        answer = replace(answer, word=UNDECIDED, note=noted(answer.note, few))
    if answer.word == NO:
        answer = refuted(answer, changed, gain, margins.tvd)
    answer = replace(answer, note=noted(answer.note, on_test))
    return flattened(answer, is_flat(chance, margins))


def beyond(moved: pd.DataFrame, stability: pd.DataFrame, seed: int) -> Effect | None:
    """How much further an adversary goes than the other trainings do, in nats; None where there are none.

    moved: rows of `comparison` of the adversary. stability: rows of that audit of the model. seed: the training that
    the adversary is trained against.
    """
    pairs = stability[(stability["seed"] == seed) | (stability["other"] == seed)]
    if pairs.empty:
        return None
    ids = different(moved, "id")
    _, (jsd,) = by_pair(pairs, ["jsd"], ids)
    return questions.further(by_text(moved, "jsd", ids), jsd)


def refuted(answer: Answer, changed: Effect, gain: Effect | None, budget: float) -> Answer:
    """The answer `no` of `unique`, where its adversary shows what it is to show; else why it does not.

    changed: its TVD on test. gain: how much further it goes than other trainings, None where there are none.
    """
    if not changed.high <= budget:
        where = f"{changed.value:.3f} [{changed.low:.3f}, {changed.high:.3f}]"
        why = f"on test the adversary has a TVD of {where}, not surely within {budget:g}"
        return replace(answer, word=UNDECIDED, note=noted(answer.note, why))
    if gain is None:
        return replace(answer, word=UNDECIDED, note=noted(answer.note, "no other training says how far seeds go"))
    if gain.low > 0:
        return answer
    why = "the adversary goes no further than another training does by itself"
    return replace(answer, word=NOTHING_NEW, note=noted(answer.note, why))


def transferable(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Do the weights say something about words beyond this model?

    Beside it: what the model's maps are worth to the MLP beyond an adversary's, and beyond attention of its own.
    """
    guides = subject.contrasts.guides if subject.contrasts else None
    if guides is None:
        return Answer(note=NO_GUIDE)
    effects = between(audits, guides.judged, guides.uniform)
    if not effects:
        return Answer(note=unasked(subject, "predictions"))
    against = {"adversary": guides.adversary, "own": guides.own}
    beside: dict[str, float] = {}
    for name, guide in against.items():
        beside |= bounds(f"transferable_{name}", next(iter(between(audits, guides.judged, guide)), None))
    return answered("transferable", effects[0], margins.transferable, beside, effects[1:])


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
