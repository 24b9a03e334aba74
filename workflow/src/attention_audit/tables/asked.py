"""The questions, asked of one model: from the rows of its audits to an answer each.

An answer has a word, an effect with its interval, the margin that it is held against, and a note. `answer.questions`
has the estimators, and docs/method/questions.md what each question means. Where something cannot be asked, the note
says why.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.choice import ENOUGH, Candidate, furthest
from attention_audit.answer.intervals import Design, Effect, mean
from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import lacking
from attention_audit.answer.words import FLAT, NO, NOT_ASKED, NOTHING_NEW, UNDECIDED, YES, above, said
from attention_audit.columns.replaced import STAND_INS
from attention_audit.contrasts import Subject
from attention_audit.scores import accuracy, macro_f1
from attention_audit.tables.arrays import (
    Audits,
    Floats,
    Integers,
    by_pair,
    by_ranking,
    by_text,
    clusters,
    curve,
    different,
    grid,
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
THESE = "of these {} trainings, another may differ"
SHORT = 10
"""Words of a text up to which 5 % and 10 % of them, rounded up, are one word."""
DELETED = "deleted"
CONTRIBUTION, ERASURE = "contribution", "erasure"
"""What tells whether an item supports the prediction."""
BY_ERASURE = "by erasure of the item, since contributions are not exact in this model"
SHARED = "all trainings have one frozen encoder, and differ in attention and decoder alone"


@dataclass(frozen=True)
class Answer:
    """The answer to one question; `beside` has further columns of the summary.

    each: the effect of each training by itself, or of each pair where trainings are compared; NaN where it cannot be
    bounded, empty of one training. these: whether the word is of these trainings, and not of the next one.
    """

    word: str = NOT_ASKED
    effect: Effect = NOTHING
    margin: float = nan
    note: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict)
    these: bool = False
    each: Sequence[float] = ()


def noted(*notes: str) -> str:
    """Notes that are not empty, one after another."""
    return "; ".join(filter(None, notes))


def values_of(each: Sequence[Effect]) -> list[float]:
    """The values of several trainings, NaN where one cannot be bounded; empty of one, which is the effect itself."""
    return [float(one.value) if isfinite(one.low) else nan for one in each] if len(each) > 1 else []


def answered(
    question: str,
    margins: Margins,
    tell: Callable[..., Effect],
    together: Integers | None = None,
    beside: Mapping[str, Any] | None = None,
    each: Sequence[Effect] = (),
    margin: float | None = None,
) -> Answer:
    """The answer of an effect: its word, and a note where it is of these trainings alone or rests on too little.

    tell: the effect, with an interval of a design. together: which texts belong together, see `Design`. each: the same
    effect of each training by itself, or of each pair. margin: of what has none among `margins`.
    """
    margin = getattr(margins, question) if margin is None else margin
    effect = tell(design=Design(together))
    own = tell(design=Design(together, fixed=True)) if effect.trainings > 1 else effect
    few = lacking(question, effect.trainings, effect.independent, "group" if effect.clusters else "text")
    grouped = f"its texts are in {effect.clusters:,} groups, each of which counts as one" if effect.clusters else ""
    note = noted(ALONE if effect.trainings == 1 else "", grouped, few)
    answer = Answer(UNDECIDED, effect, margin, note, beside or {}, each=values_of(each))
    found, these = said(question, margin, effect, own, answer.each)
    if effect.trainings == 1:
        return replace(answer, word=found)
    if these:
        note = noted(note, f"{THESE.format(effect.trainings)}: [{own.low:.3f}, {own.high:.3f}]")
    elif found == UNDECIDED and above(own.low, own.high, margin) != UNDECIDED:
        note = noted(note, "trainings lie on both sides of the margin")
    return replace(answer, word=found, note=note, these=these)


def by_trainings(
    question: str, margins: Margins, together: Integers | None, *values: Floats, beside: Mapping[str, Any] | None = None
) -> Answer:
    """The answer of what `answer.questions` says of arrays (S, N), and of each training by itself."""
    told: Callable[..., Effect] = getattr(questions, question)
    each = [told(*(one[[row]] for one in values)) for row in range(len(values[0]))]
    return answered(question, margins, partial(told, *values), together, beside, each)


def unasked(subject: Subject, *audits: str) -> str:
    """Why the first of these audits has no rows on a model."""
    return next((subject.unasked[name] for name in audits if name in subject.unasked), NO_TEXT)


def flattened(answer: Answer, chance: Floats, margins: Margins) -> Answer:
    """The same answer, with `flat` in the place of its word where maps are flat: where shuffling a map moves it by less
    than a share of the largest JSD. chance: JSD to the map shuffled.
    """
    if answer.word == NOT_ASKED or not np.isfinite(chance).any() or np.nanmean(chance) >= margins.flat * LN2:
        return answer
    note = noted("shuffling a map hardly changes it", answer.note)
    return replace(answer, word=FLAT, note=note, these=False)


def predicted(predictions: pd.DataFrame, model: str, ids: list[Any]) -> Integers:
    """The predictions of each training of a model, (S, N); 0 trainings where there are none."""
    return grid(of_run(predictions, model), "prediction", ids=ids).astype(np.int64)


def labelled(predictions: pd.DataFrame) -> tuple[list[Any], Integers, int]:
    """The ids of the test texts, their labels (N,), and the number of classes that labels and predictions name."""
    texts = predictions.drop_duplicates("id")
    labels = texts["label"].to_numpy(np.int64)
    most = max(labels.max(initial=1), predictions["prediction"].max() if len(predictions) else 1)
    return texts["id"].tolist(), labels, int(most) + 1


def able(rows: pd.DataFrame, model: str, groups: Mapping[str, str] | None = None) -> tuple[Answer, dict[str, float]]:
    """Whether a model predicts better than the largest class alone; and its scores, none without rows of it.

    rows: of `predictions`, of one data set and suite. groups: what its texts share, see `Audits`. Both are held by
    their accuracy, the number that stands beside the word: yes where the interval of the difference is above 0, no
    where the accuracy is not above the majority's. However few the texts are, this word is said.
    """
    ids, labels, _ = labelled(rows)
    predictions = predicted(rows, model, ids)
    if not predictions.size:
        return Answer(), {}
    effect = questions.learnt(labels, predictions, design=Design(clusters(ids, groups or {})))
    scores = {
        "macro_f1": float(np.mean([macro_f1(labels, row) for row in predictions])),
        "accuracy": float(np.mean([accuracy(labels, row) for row in predictions])),
        "majority_accuracy": float(np.bincount(labels).max() / len(labels)),
    }
    found = NO if effect.value <= 0 else YES if effect.low > 0 else UNDECIDED
    return Answer(found, effect, 0.0), scores


def learnt(subject: Subject, audits: Audits) -> tuple[Answer, dict[str, float]]:
    """`able` of a model that the summary judges, with the reason where it is not known."""
    answer, scores = able(audits.predictions, subject.model, audits.groups)
    return (answer, scores) if scores else (Answer(note=unasked(subject, "predictions")), scores)


class Gain(NamedTuple):
    """Mean macro F1 of a model minus that of another, by the design of its interval; and, where both have as many
    trainings, of the first of both, and so on.
    """

    tell: Callable[..., Effect]
    clusters: Integers | None
    each: list[Effect]


def between(audits: Audits, model: str, other: str) -> Gain | None:
    """What a model gains over another; None where either has no rows."""
    ids, labels, classes = labelled(audits.predictions)
    one, two = (predicted(audits.predictions, name, ids) for name in (model, other))
    if not len(one) or not len(two):
        return None
    pairs = zip(one, two, strict=True) if len(one) == len(two) > 1 else ()
    each = [questions.gained(labels, mine[None], theirs[None], classes) for mine, theirs in pairs]
    return Gain(partial(questions.gained, labels, one, two, classes), clusters(ids, audits.groups), each)


def needed(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does the model predict better than its twin with uniform weights?"""
    if subject.contrasts is None or subject.contrasts.uniform is None:
        return Answer(note=NO_TWIN_GIVEN if subject.given else NO_TWIN)
    gain = between(audits, subject.model, subject.contrasts.uniform)
    if gain is None:
        return Answer(note=unasked(subject, "predictions"))
    return answered("needed", margins, gain.tell, gain.clusters, each=gain.each)


def stable(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Would another training show this map?"""
    own = of_run(audits.stability, subject.model)
    if own.empty:
        return Answer(note="there is one training" if subject.seeds < 2 else unasked(subject, "stability"))
    names = ("same_top", "jsd", "tvd")
    ids = different(own, "id")
    pairs, (chance, *values) = by_pair(own, ["chance_jsd", *names], ids)
    beside = {f"stable_{name}": float(np.nanmean(each)) for name, each in zip(names, values, strict=True)}
    each = [questions.stable(values[1][[one]], chance[[one]], pairs[[one]]) for one in range(len(pairs))]
    tell = partial(questions.stable, values[1], chance, pairs)
    answer = answered("stable", margins, tell, clusters(ids, audits.groups), beside, each)
    answer = replace(answer, note=noted(SHARED if subject.frozen else "", answer.note))
    return flattened(answer, chance, margins)


def used(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does the prediction depend on these weights?"""
    own = of_run(audits.permutation, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "permutation"))
    together = clusters(different(own, "id"), audits.groups)
    beside = {"used_flips": float(own["flips"].mean())}
    return by_trainings("used", margins, together, grid(own, "mean_tvd"), beside=beside)


def ranks(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Do items with more weight matter more to the decision?"""
    own = of_run(audits.ranked_sets, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "ranked_sets"))
    removed = by_ranking(own, "fraction_removed", ("random", "attention", "smallest"))
    chance = grid(of_run(audits.permutation, subject.model), "chance_jsd")
    together = clusters(different(own, "id"), audits.groups)
    return flattened(by_trainings("ranks", margins, together, *removed), chance, margins)


def taken_away(
    located: pd.DataFrame, replaced: pd.DataFrame, margins: Margins, groups: Mapping[str, str]
) -> dict[str, Answer]:
    """The answers of `located` by the way in which words are taken away: DELETED, and each stand-in that has rows.

    Both frames hold rows of one model, of the audits of these names. groups: what texts share, see `Audits`.
    """
    found = {}
    for way, rows in {DELETED: located, **{by: replaced[replaced["by"] == by] for by in STAND_INS}}.items():
        if not rows.empty:
            falls = by_ranking(rows.assign(fall=curve(rows)), "fall", ("random", "attention", "loo"))
            together = clusters(different(rows, "id"), groups)
            found[way] = by_trainings("located", margins, together, *falls)
    return found


def compared(ways: Mapping[str, Answer]) -> str:
    """Whether the word of `located` changes with the way; "" where there is one way alone."""
    if len(ways) < 2:
        return ""
    words = {way: answer.word for way, answer in ways.items()}
    if len({*words.values()}) == 1:
        return f"{words[DELETED]} however words are taken away: {', '.join(words)}"
    told = ", ".join(f"{way} {word}" for way, word in words.items())
    return f"the word changes with how words are taken away: {told}"


def located(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Are the words with weight the words of the input that matter?"""
    own = of_run(audits.located, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "located"))
    ways = taken_away(own, of_run(audits.replaced, subject.model), margins, audits.groups)
    short = own.drop_duplicates("id")["words"] <= SHORT
    note = noted(ways[DELETED].note, compared(ways))
    return replace(ways[DELETED], note=note, beside={"located_short": float(short.mean())})


def signed(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Does a highlighted item speak for the prediction?"""
    own = of_run(audits.contributions, subject.model)
    if own.empty:
        return Answer(note=unasked(subject, "contributions"))
    ids = different(own, "id")
    side, by = sides(own, different(own, "seed"), ids, margins.inert)
    known = side[np.isfinite(side)]
    beside = {
        "signed_by": by,
        "signed_opposes": float((known < 0).mean()) if known.size else nan,
        "signed_inert": float((known == 0).mean()) if known.size else nan,
        "signed_against": float(own["against"].mean()),
    }
    answer = by_trainings("signed", margins, clusters(ids, audits.groups), side, beside=beside)
    return replace(answer, note=noted(BY_ERASURE if by == ERASURE else "", answer.note))


def sides(own: pd.DataFrame, seeds: list[Any], ids: list[Any], inert: float) -> tuple[Floats, str]:
    """On which side the top item of each text stands, as `questions.sides`, (S, N); and what tells so.

    own: rows of `contributions` of one model. It is the item's exact contribution to the logit where there is one: it
    moves the probability by at most a quarter of itself, whatever else the text says. Else the item is erased.
    """
    lead = grid(own, "top_lead", seeds, ids)
    if np.isfinite(lead).any():
        return questions.sides(lead, 4 * inert), CONTRIBUTION
    return questions.sides(grid(own, "top_fall", seeds, ids), inert), ERASURE


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
    trained = audits.consistency[audits.consistency["model"].isin(contrasts.adversaries)]
    choice = furthest([Candidate.of(row) for row in trained.to_dict("records")], margins.tvd)
    found = choice.chosen
    if found is None:
        nearest = f"the nearest has {choice.nearest:.3f} in the mean"
        none = f"no adversary is surely within a TVD of {margins.tvd:g} on {contrasts.chosen_on}: {nearest}"
        beside: dict[str, Any] = {"unique_near": 0}
        return Answer(UNDECIDED, margin=margins.unique, note=noted(ALONE, none), beside=beside)
    moved = of_run(audits.comparison, found.model, found.seed, found.lambda_)
    own = of_run(audits.permutation, subject.model, contrasts.seed)
    if moved.empty or own.empty:
        return Answer(note=unasked(subject, "permutation"))
    ids = different(moved, "id")
    jsd, chance = by_text(moved, "jsd", ids), by_text(own, "chance_jsd", ids)
    design = Design(clusters(ids, audits.groups))
    changed = mean(by_text(moved, "tvd", ids)[None], -1.0, design=design)
    gain = beyond(moved, of_run(audits.stability, subject.model), contrasts.seed, design)
    beside = {
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
        both = by_text(moved, "contribution_jsd", ids), by_text(own, "contribution_chance_jsd", ids)
        beside |= bounds("unique_contribution", questions.unique(*both, design=design))
        beside["unique_contribution_same_top"] = float(moved["contribution_same_top"].astype(np.float64).mean())
    answer = answered("unique", margins, partial(questions.unique, jsd, chance), design.clusters, beside)
    if answer.word == YES and not choice.searched:
        few = f"only {choice.near} adversaries have a TVD between half the budget and the budget; yes needs {ENOUGH}"
        answer = replace(answer, word=UNDECIDED, note=noted(answer.note, few))
    if answer.word == NO:
        answer = refuted(answer, changed, margins.tvd, gain)
    answer = replace(answer, note=noted(answer.note, ON_TEST if contrasts.chosen_on == "test" else ""))
    return flattened(answer, chance, margins)


def beyond(moved: pd.DataFrame, stability: pd.DataFrame, seed: int, design: Design) -> Effect | None:
    """How much further an adversary goes than the other trainings do, in nats; None where there are none.

    moved: rows of `comparison` of the adversary. stability: rows of that audit of the model. seed: the training that
    the adversary is trained against.
    """
    pairs = stability[(stability["seed"] == seed) | (stability["other"] == seed)]
    if pairs.empty:
        return None
    ids = different(moved, "id")
    _, (jsd,) = by_pair(pairs, ["jsd"], ids)
    return questions.further(by_text(moved, "jsd", ids), jsd, design=design)


def refuted(answer: Answer, changed: Effect, budget: float, gain: Effect | None) -> Answer:
    """Return the answer `no` of `unique`, where its adversary shows what it is to show; else why it does not.

    changed: its TVD on test, which is to be within the budget. gain: how much further it goes than other trainings,
    None where there are none.
    """
    found = UNDECIDED
    if not changed.high <= budget:
        where = f"{changed.value:.3f} [{changed.low:.3f}, {changed.high:.3f}]"
        why = f"on test the adversary has a TVD of {where}, not surely within {budget:g}"
    elif gain is None:
        why = "no other training says how far seeds go"
    elif gain.low > 0:
        return answer
    else:
        found, why = NOTHING_NEW, "the adversary goes no further than another training does by itself"
    return replace(answer, word=found, note=noted(answer.note, why))


def transferable(subject: Subject, audits: Audits, margins: Margins) -> Answer:
    """Do the weights say something about words beyond this model?

    Beside it: what the model's maps are worth to the MLP beyond an adversary's, and beyond attention of its own.
    """
    guides = subject.contrasts.guides if subject.contrasts else None
    if guides is None:
        return Answer(note=NO_GUIDE)
    gain = between(audits, guides.judged, guides.uniform)
    if gain is None:
        return Answer(note=unasked(subject, "predictions"))
    beside: dict[str, float] = {}
    for name, guide in (("adversary", guides.adversary), ("own", guides.own)):
        other = between(audits, guides.judged, guide)
        beside |= bounds(f"transferable_{name}", other.tell(design=Design(other.clusters)) if other else None)
    return answered("transferable", margins, gain.tell, gain.clusters, beside, gain.each)


ASKED: Mapping[str, Callable[[Subject, Audits, Margins], Answer]] = {
    ask.__name__: ask for ask in (needed, stable, used, ranks, located, signed, unique, transferable)
}
"""Every question, as in columns.summary.QUESTIONS."""
