"""What was measured of S trainings on N texts, as samples: each training's value, and what each text moves it by.

NaN stands where a training has no value for a text. docs/method/README.md says what each question means.

How far adversaries move a map at which change of the predictions stands at the end. A search tries some adversaries and
not those between them. So a budget of change has a bracket: the furthest adversary within it, and the frontier's next
step beyond it.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from attention_audit.arrays import Flags, Floats, Integers

from .estimates import Sample, is_clear

LEAST_FALL = 0.01
"""The least mean fall of a probability by the best words: below it, there is nothing to be found in a training."""


def score_classes(labels: Integers, predictions: Integers, classes: int) -> tuple[Floats, Floats, float]:
    """Score each of S trainings by macro F1: (S,), how far each text moves it (S, N), and one error moves their mean.

    labels (N,), predictions (S, N). All classes count alike (scores.macro_f1). Of one class, F1 = 2 hits / all, where
    `all` counts labels and predictions of this class. A text moves it by the derivative with respect to its weight: by
    2 / all where it is a hit, and by -F1 / all for its label and for its prediction.
    """
    one_hot, hit = predictions[..., None] == np.arange(classes), predictions == labels
    totals = one_hot.sum(1) + np.bincount(labels, minlength=classes)
    number = np.maximum((totals > 0).sum(1, keepdims=True), 1)
    share = np.divide(1 / number, totals, out=np.zeros(totals.shape), where=totals > 0)
    of_class = 2 * (one_hot & hit[..., None]).sum(1) * share
    weights = of_class * share * number
    shifts = np.where(hit, 2 * share[:, labels], 0.0) - weights[:, labels] - np.take_along_axis(weights, predictions, 1)
    # an error is a hit less for one class and a wrong name more for another
    error = float((np.minimum(number, 2) * share / number).sum(1).mean())
    return of_class.sum(1), shifts, error


def compare_scores(labels: Integers, model: Integers, twin: Integers, classes: int) -> tuple[Sample, float]:
    """Take macro F1 of one model less that of another, and say how far one text moves it at most, times N.

    labels (N,), predictions (S, N) of both; the first training of one is held against the first of the other, and so
    on. Where they have not as many, their means are compared, as one training.
    """
    score, shifts, error = score_classes(labels, model, classes)
    twin_score, twin_shifts, twin_error = score_classes(labels, twin, classes)
    if len(score) != len(twin_score):
        score, twin_score = (values.mean(keepdims=True) for values in (score, twin_score))
        shifts, twin_shifts = (values.mean(0, keepdims=True) for values in (shifts, twin_shifts))
    everything = np.ones(len(labels), bool)
    return Sample(score - twin_score, shifts - twin_shifts, everything), len(labels) * (error + twin_error) / 2


def compare_largest(labels: Integers, predictions: Integers) -> list[Sample]:
    """Take the accuracy of S trainings less that of always answering the most frequent class of these very texts.

    labels (N,), predictions (S, N). Of several classes that are equally frequent, there is a sample for each.
    """
    counts = np.bincount(labels)
    hits = (predictions == labels).astype(np.float64)
    return [average_texts(hits - (labels == number)) for number in np.flatnonzero(counts == counts.max())]


def make_sample(values: Floats, shifts: Floats, texts: Flags) -> Sample:
    """Make a sample in which a value that is not finite is NaN, and a text that moves it by no number moves nothing."""
    finite = np.isfinite(values), np.isfinite(shifts)
    return Sample(np.where(finite[0], values, np.nan), np.where(finite[1], shifts, 0.0), texts)


@np.errstate(invalid="ignore", divide="ignore")
def average_texts(values: Floats) -> Sample:
    """Average values text by text, (S, N)."""
    finite = np.isfinite(values)
    count = finite.sum(1, keepdims=True)
    means = np.nansum(values, 1, keepdims=True) / count
    return make_sample(means[:, 0], (values - means) / count, np.asarray(finite.any(0)))


@np.errstate(invalid="ignore", divide="ignore")
def take_share(top: Floats, bottom: Floats, groups: Integers | None = None, minimum: float = 0.0) -> Sample:
    """Divide the sum of `top` by that of `bottom`, (S, N) each.

    A training in which the bottom is not clearly above 0, or below `minimum` in the mean, is left out (NaN): nothing
    can be had in it.
    """
    finite = np.isfinite(top) & np.isfinite(bottom)
    texts: Flags = np.asarray(finite.any(0))
    top, bottom = (np.where(finite, values, 0.0) for values in (top, bottom))
    sums = bottom.sum(1)
    enough = is_clear(bottom, texts, groups) & (sums >= minimum * finite.sum(1))
    values = np.where(enough, top.sum(1) / sums, np.nan)
    return make_sample(values, (top - values[:, None] * bottom) / sums[:, None], texts)


def place_ranking(random: Floats, attention: Floats, best: Floats, groups: Integers | None = None) -> Sample:
    """Place a ranking between random words (0) and those of leave-one-out (1), by how far a prediction falls.

    (S, N) each: the mean fall of the probability of the predicted class when the first words of a random ranking, of
    attention (or another attribution), and of leave-one-out are deleted from the input.
    """
    return take_share(attention - random, best - random, groups, LEAST_FALL)


def erase(random: Floats, attention: Floats, smallest: Floats, groups: Integers | None = None) -> Sample:
    """Place a ranking between a random order (0) and the smallest set that flips the decision (1), by items erased.

    (S, N) each, in shares of the text's items. Texts that no set flips (`smallest` is NaN) are left out; a ranking that
    never flips the decision (NaN) erased all items.
    """
    random, attention = (np.where(np.isfinite(values), values, 1.0) for values in (random, attention))
    return take_share(random - attention, random - smallest, groups)


@np.errstate(invalid="ignore", divide="ignore")
def compare_shuffled(sample: Sample, shuffled: Sample) -> Sample:
    """Take 1 - sample / shuffled of two shares of what is left to be had, of the same trainings and texts: (S,) each.

    Where the shuffled map leaves nothing, the training is left out (NaN).
    """
    ratio = sample.values / shuffled.values
    shifts = -sample.moved / shuffled.values[:, None] + (sample.values / shuffled.values**2)[:, None] * shuffled.moved
    return make_sample(1 - ratio, shifts, sample.texts | shuffled.texts)


def find_sides(lead: Floats, floor: float) -> Floats:
    """Say on which side each item stands: 1 supports the prediction, -1 opposes it, 0 is inert.

    lead: what the item adds to the predicted class. An item that adds or takes at most `floor` is inert.
    """
    return np.where(np.isfinite(lead), np.sign(lead) * (np.abs(lead) > floor), np.nan)


def compare_pairs(jsd: Floats, chance: Floats, groups: Integers | None = None) -> Sample:
    """Take the similarity of two maps, 1 - JSD / JSD to the other map shuffled: (P, N) each, of P pairs."""
    return take_share(chance - jsd, chance, groups)


def weigh_dots(pairs: Integers, seeds: Integers) -> Floats:
    """Average the pairs (P, 2) that each of these trainings is in, of S that are in any: weights (S, P)."""
    member: Floats = (pairs[None] == seeds[:, None, None]).any(2).astype(np.float64)
    member = member[member.any(1)]
    return member / member.sum(1, keepdims=True)


def weigh_classes(tvd: Floats, predictions: Integers) -> float:
    """Average the change of predictions, (N,), so that all predicted classes (N,) count alike.

    Else all of a class that is 2 % of the texts might change within a budget of .05. NaN does not count.
    """
    finite = np.isfinite(tvd)
    means = [tvd[finite & (predictions == number)].mean() for number in np.unique(predictions[finite])]
    return float(np.mean(means)) if means else np.nan


class AdversaryResult(NamedTuple):
    """One adversary, a whole model: its family, lambda and seed; how far its predictions are from the base model's.

    dev, test: the TVD on either split, see `weigh_classes`. value: the similarity of its map to the base model's on
    test, 1 the same map and 0 an unrelated one; low, high: the interval over texts.
    """

    model: str
    lambda_: float
    seed: int
    dev: float
    test: float
    value: float
    low: float
    high: float


class Bracket(NamedTuple):
    """What a budget leaves open: the least similar adversary within it, and the next one beyond; None where none is."""

    budget: float
    within: AdversaryResult | None
    beyond: AdversaryResult | None

    @property
    def interval(self) -> tuple[float, float, float]:
        """Return the similarity within the budget, and where that of a further search may lie.

        Where no adversary is within the budget, the model's own map is, whose similarity is 1.
        """
        low = self.beyond.low if self.beyond else -inf
        return (self.within.value, low, self.within.high) if self.within else (1.0, low, 1.0)


def bracket_budget(adversaries: Sequence[AdversaryResult], budget: float) -> Bracket:
    """Find the least similar adversary that holds a budget on dev and on test, and the next one beyond it.

    That is the one with the least TVD on test of those that are less similar.
    """
    allowed = [each for each in adversaries if max(each.dev, each.test) <= budget]
    within = min(allowed, key=lambda each: (each.value, each.test), default=None)
    ceiling = within.value if within else 1.0
    frontier = [each for each in adversaries if each not in allowed and each.value < ceiling]
    return Bracket(budget, within, min(frontier, key=lambda each: each.test, default=None))
