"""What was measured of S trainings on N texts, as samples: each training's value, and what each text moves it by.

NaN stands where a training has no value for a text. docs/method/README.md says what each question means.

How far adversaries move a map at which change of the predictions stands at the end. A search tries some adversaries and
not those between them. So a budget of change has a bracket: the furthest adversary within it, and the frontier's next
step beyond it.
"""

from collections.abc import Sequence
from math import inf, sqrt
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


def measure_scores(labels: Integers, predictions: Integers, classes: int) -> tuple[Sample, float]:
    """Take macro F1 of S trainings, and say how far one text moves it at most, times N: labels (N,), (S, N)."""
    scores, shifts, error = score_classes(labels, predictions, classes)
    return Sample(scores, shifts, np.ones(len(labels), bool)), len(labels) * error


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
    return make_sample(1 - ratio, shifts, sample.texts | shuffled.texts)._replace(ratio=True)


def place_order(
    random: Floats,
    ranking: Floats,
    smallest: Floats,
    groups: Integers | None,
    shuffled: Sample,
) -> Sample:
    """Place a ranking between shuffled weights (0) and the smallest set that flips the decision (1), by items erased.

    random, ranking, smallest: see `erase`. shuffled: what rankings by shuffled weights erase beyond the smallest set,
    as a share of what random orders do under them.
    """
    random, ranking = (np.where(np.isfinite(values), values, 1.0) for values in (random, ranking))
    return compare_shuffled(take_share(ranking - smallest, random - smallest, groups), shuffled)


def find_sides(lead: Floats, floor: float) -> Floats:
    """Say on which side each item stands: 1 supports the prediction, -1 opposes it, 0 is inert.

    lead: what the item adds to the predicted class. An item that adds or takes at most `floor` is inert.
    """
    return np.where(np.isfinite(lead), np.sign(lead) * (np.abs(lead) > floor), np.nan)


def compare_pairs(jsd: Floats, chance: Floats, groups: Integers | None = None) -> Sample:
    """Take the similarity of two maps, 1 - JSD / JSD to the other map shuffled: (P, N) each, of P pairs."""
    return take_share(chance - jsd, chance, groups)


def find_members(pairs: Integers, seeds: Integers) -> Flags:
    """Find which of S trainings are in which of the pairs (P, 2) of their seeds: (S, P)."""
    return np.asarray((pairs[None] == seeds[:, None, None]).any(2))


def average_classes(tvd: Floats, predictions: Integers) -> Sample:
    """Average the change of predictions, (N,), so that all predicted classes (N,) count alike: a sample of one.

    Else all of a class that is 2 % of the texts might change within a budget of .05. NaN does not count.
    """
    finite = np.isfinite(tvd)
    numbers = np.unique(predictions[finite])
    values, shifts = np.full(len(numbers), np.nan), np.zeros(len(tvd))
    for row, number in enumerate(numbers):
        of_class = finite & (predictions == number)
        values[row] = tvd[of_class].mean()
        shifts[of_class] = (tvd[of_class] - values[row]) / (of_class.sum() * len(numbers))
    return Sample(np.array([values.mean() if len(values) else np.nan]), shifts[None], finite)


def weigh_classes(tvd: Floats, predictions: Integers) -> float:
    """Return the value of `average_classes`."""
    return float(average_classes(tvd, predictions).values[0])


class AdversaryResult(NamedTuple):
    """One adversary, a whole model: its family, lambda and seed; how far its predictions are from the base model's.

    dev, test: the TVD on either split, see `average_classes`. value: the similarity of its map to the base model's on
    test, 1 the same map and 0 an unrelated one; low, high: the interval over texts. moved (K,): what each group of
    texts moves the TVD on test by.
    """

    model: str
    lambda_: float
    seed: int
    dev: float
    test: float
    value: float
    low: float
    high: float
    moved: Floats


class Budget(NamedTuple):
    """How far predictions may move (TVD), on dev and on test.

    moved (K,): what each group of texts moves the test value by; 0 of a tolerance, which has no chance.
    """

    dev: float
    test: float
    moved: Floats


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


def measure_excess(adversary: AdversaryResult, budgets: Sequence[Budget]) -> tuple[float, float]:
    """Measure by how much an adversary's TVD on test exceeds a budget, less and plus one standard error over texts.

    Of several budgets that counts which leaves the most room.
    """
    ends = []
    for budget in budgets:
        shifts = adversary.moved - budget.moved
        deviations, count = shifts - shifts.mean(), len(shifts)
        error = sqrt(count / (count - 1) * float(deviations @ deviations)) if count > 1 else inf
        ends.append((adversary.test - budget.test - error, adversary.test - budget.test + error))
    lows, highs = zip(*ends, strict=True)
    return min(lows), min(highs)


def bracket_budget(adversaries: Sequence[AdversaryResult], budgets: Sequence[Budget]) -> Bracket:
    """Find the least similar adversary that is within a budget, and the next one that is not.

    Within is whose TVD is below the budget on dev and, with one standard error added, on test. The next one has the
    least TVD of those that are above the budget even with one standard error taken off, and less similar than all that
    are not.
    """
    excesses = [measure_excess(each, budgets) for each in adversaries]
    largest_dev = max(budget.dev for budget in budgets)
    judged = [*zip(adversaries, excesses, strict=True)]
    allowed = [each for each, (_, high) in judged if each.dev <= largest_dev and high <= 0]
    within = min(allowed, key=lambda each: (each.value, each.test), default=None)
    ceiling = min((each.value for each, (low, _) in judged if low <= 0), default=1.0)
    frontier = [each for each, (low, _) in judged if low > 0 and each.value < ceiling]
    budget = max(budget.test for budget in budgets)
    return Bracket(budget, within, min(frontier, key=lambda each: each.test, default=None))
