"""Populations whose answer is known: what audits would measure of many trainings of one model on many texts.

A population is infinite: a run draws its trainings and its texts from it with replacement. So the whole population is
the truth. Falls, erasures, signs, distances and predictions are drawn; the package turns them into estimates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from attention_audit.answer.estimates import Estimate, estimate, join, subtract
from attention_audit.answer.samples import (
    AdversaryResult,
    Budget,
    average_classes,
    average_texts,
    bracket_budget,
    compare_pairs,
    compare_shuffled,
    find_members,
    measure_scores,
    place_ranking,
    take_share,
)
from attention_audit.answer.verdicts import Part
from attention_audit.arrays import Array, Flags, Floats, Integers
from attention_audit.questions import AVOIDED, QUESTIONS

Random = np.random.Generator
Zones = Integers

NORMAL, SKEWED, TWO_KINDS, FAILING, GROUPS = "normal", "skewed", "two kinds", "failing", "groups"
LAWS = (NORMAL, SKEWED, TWO_KINDS, FAILING, GROUPS)
"""How trainings deviate from their mean; in the last one, normally, and texts come in groups."""
LOWER, FAILED = 0.2, 0.05
"""Shares of the trainings that are of the lower kind, and that fail."""
FURTHER = 2.0
"""How much further apart trainings lie where they are skewed or of two kinds."""
LARGEST_GROUP = 7
SHUFFLES = 10
BUDGET, OTHERS = 0.10, 4
"""Mean TVD of the other trainings, within which adversaries of `unique` are sought; and how many others there are."""
LN2 = float(np.log(2))


@dataclass(frozen=True)
class World:
    """How many trainings and texts a population has, and how trainings deviate from their mean."""

    random: Random
    law: str = NORMAL
    trainings: int = 200
    texts: int = 800

    @cached_property
    def deviations(self) -> Floats:
        """How far each training lies from the mean, in standard deviations: (T, 1), quantiles of the law."""
        at = (np.arange(self.trainings)[:, None] + 0.5) / self.trainings
        if self.law == SKEWED:
            return FURTHER * (-np.log1p(-at) - 1)
        if self.law == TWO_KINDS:
            apart: Floats = FURTHER * np.where(at < LOWER, LOWER - 1, LOWER) / sqrt(LOWER * (1 - LOWER))
            return apart
        # in any order: those that fail are no others than those that do not
        normal: Floats = special.ndtri(self.random.permutation(at))
        return normal

    @cached_property
    def failed(self) -> Flags:
        """Which trainings fail, (T, 1)."""
        return (np.arange(self.trainings)[:, None] < FAILED * self.trainings) & (self.law == FAILING)

    @cached_property
    def groups(self) -> Integers:
        """The group of each text, (M,): groups of 1 to `LARGEST_GROUP` texts, or each text by itself."""
        if self.law != GROUPS:
            return np.arange(self.texts)
        sizes = self.random.integers(1, LARGEST_GROUP + 1, self.texts)
        return np.repeat(np.arange(self.texts), sizes)[: self.texts]

    def share(self, draw: Callable[..., Array], *arguments: Any) -> Array:
        """Draw one number for each group of texts, which are alike in it: (M,)."""
        return draw(*arguments, size=self.texts)[self.groups]

    def vary(self, mean: float, spread: float, failed: float = 0.0) -> Floats:
        """Draw the trainings' own values, (T, 1); those that fail have another."""
        return np.where(self.failed, failed, mean + spread * self.deviations)

    def noise(self) -> Floats:
        """Draw normal numbers, one for each training and text."""
        return self.random.standard_normal((self.trainings, self.texts))

    def draw_columns(self, random: Random, count: int) -> tuple[Integers, Integers | None]:
        """Draw so many groups of texts with replacement: the texts, and the group of each."""
        if self.law != GROUPS:
            return random.integers(0, self.texts, count), None
        starts = np.flatnonzero(np.diff(self.groups, prepend=-1))
        sizes = np.diff(starts, append=self.texts)
        chosen = random.integers(0, len(starts), count)
        numbers = np.repeat(np.arange(count), sizes[chosen])
        places = np.arange(len(numbers)) - np.repeat(np.cumsum(sizes[chosen]) - sizes[chosen], sizes[chosen])
        return np.repeat(starts[chosen], sizes[chosen]) + places, numbers


class Run(NamedTuple):
    """What a run finds, and what is so.

    truths: the mean over all trainings on all texts; of `signed` also that of the exceptions avoided. others: the true
    values of further trainings, (T,) each; empty where there are none.
    """

    part: Part
    truths: Sequence[float]
    others: Sequence[Floats]


def place(question: str, values: Sequence[npt.ArrayLike]) -> Zones:
    """Find the zone, 0 to 2, of values; of `signed` the lower one of both."""
    cuts = (QUESTIONS[question].cuts, AVOIDED)
    found = [np.searchsorted(bounds, value) for bounds, value in zip(cuts, values, strict=False)]
    lowest: Zones = np.min(found, axis=0)
    return lowest


Measure = Callable[..., Part]


@dataclass(frozen=True)
class Pool:
    """What T trainings measure on M texts: arrays (T, M), and what makes a part of them and of the groups of texts."""

    world: World
    measure: Measure
    arrays: Sequence[npt.NDArray[np.generic]]

    @cached_property
    def truths(self) -> list[Floats]:
        """The value of each training on all texts, (T,)."""
        part = self.measure(*self.arrays, groups=None)
        return [np.array(one.each) for one in (part.estimate, part.avoided) if one is not None]

    def draw(self, random: Random, trainings: int, texts: int) -> Run:
        """Draw a run."""
        rows = random.integers(0, self.world.trainings, trainings)
        columns, groups = self.world.draw_columns(random, texts)
        part = self.measure(*(values[rows][:, columns] for values in self.arrays), groups=groups)
        return Run(part, [float(values.mean()) for values in self.truths], self.truths)


def measure_located(random: Floats, attention: Floats, best: Floats, groups: Integers | None) -> Part:
    """Ask `located`."""
    return Part(estimate(place_ranking(random, attention, best, groups), groups))


def make_located(world: World, effect: float) -> Pool:
    """Falls of the probability, most of which a few texts have."""
    best = world.share(world.random.beta, 0.8, 1.6) * np.exp(0.2 * world.noise())
    random = best * world.random.beta(1, 6, best.shape)
    attention = random + (best - random) * (world.vary(effect, 0.06) + 0.4 * world.noise())
    return Pool(world, measure_located, (random, attention, best))


def measure_ranks(own: Floats, room: Floats, shuffled: Floats, imposed: Floats, groups: Integers | None) -> Part:
    """Ask `ranks`: items erased beyond the smallest set, of those of a random order, by the own and a shuffled map."""
    by_chance = take_share(shuffled, imposed, groups)
    return Part(estimate(compare_shuffled(take_share(own, room, groups), by_chance), groups, (-inf, 1)))


def make_ranks(world: World, effect: float) -> Pool:
    """Items erased until the decision flips; a shuffled map erases four fifths of what a random order does."""
    room = world.share(world.random.beta, 3, 3) * np.exp(0.1 * world.noise())
    imposed = room * np.exp(0.1 * world.noise())
    own = room * (0.8 * np.maximum(1 - world.vary(effect, 0.06), 0)) * world.random.gamma(2, 1 / 2, room.shape)
    shuffled = imposed * (0.8 + 0.4 * world.noise() / sqrt(SHUFFLES))
    return Pool(world, measure_ranks, (own, room, shuffled, imposed))


def measure_signed(supports: Floats, exceptions: Floats, groups: Integers | None) -> Part:
    """Ask `signed`: whether the top item supports the prediction, and how often those of shuffled maps do not."""
    ones = np.ones_like(supports)
    avoided = compare_shuffled(take_share(1 - supports, ones), take_share(exceptions, ones))
    return Part(estimate(average_texts(supports), groups, (0, 1)), estimate(avoided, groups, (-inf, 1)))


def make_signed(world: World, effect: float, shuffled: float) -> Pool:
    """Sides of top items, of which texts decide a half. shuffled: the share that shuffled maps reach."""
    place = special.ndtr(sqrt(0.5) * (world.share(world.random.normal) + world.noise()))
    supports = (place < np.clip(world.vary(effect, 0.01, shuffled), 0, 1)).astype(np.float64)
    hard = world.share(world.random.beta, 4 * (1 - shuffled), 4 * shuffled)
    return Pool(world, measure_signed, (supports, world.random.binomial(SHUFFLES, hard, supports.shape) / SHUFFLES))


def measure_used(tvd: Floats, groups: Integers | None) -> Part:
    """Ask `used`."""
    return Part(estimate(average_texts(tvd), groups, (0, 1)))


def make_used(world: World, effect: float) -> Pool:
    """Changes of predictions, most of which a few texts have."""
    texts = world.share(world.random.gamma, 0.7, 1 / 0.7)
    changes = world.random.gamma(4, 1 / 4, (world.trainings, world.texts))
    own = np.maximum(world.vary(effect, 0.25 * effect), 0)
    return Pool(world, measure_used, (np.minimum(own * texts * changes, 1),))


def measure_needed(labels: Integers, base: Integers, twin: Integers, groups: Integers | None) -> Part:
    """Ask `needed`, of macro F1; `transferable` is the same of two other models."""
    (one, scale), (other, other_scale) = (measure_scores(labels[0], each, 3) for each in (base, twin))
    return Part(estimate(subtract(one, other), groups, (-1, 1), scale=(scale + other_scale) / 2))


def make_needed(world: World, effect: float) -> Pool:
    """Predictions of three classes of unequal size; a training that fails is right in a third of the texts."""
    labels = world.share(world.random.choice, (0, 0, 0, 0, 0, 1, 1, 1, 2, 2))
    wrong = (labels + world.share(world.random.integers, 1, 3)) % 3
    ease = world.share(world.random.normal)
    twin = replace(world, law=NORMAL).vary(0.8, 0.01)
    base, other = (
        np.where(special.ndtr(sqrt(0.6) * ease + sqrt(0.4) * world.noise()) < skill, labels, wrong)
        for skill in (world.vary(0.8 + effect, 0.01, 1 / 3), world.random.permutation(twin))
    )
    return Pool(world, measure_needed, (np.broadcast_to(labels, base.shape), base, other))


@dataclass(frozen=True)
class Pairs:
    """Distances between T trainings on M texts, and to the other's map shuffled: (T, T, M) each, symmetric.

    On the diagonal are those between a training and another one of its kind.
    """

    world: World
    jsd: Floats
    chance: Floats

    @cached_property
    def truths(self) -> Floats:
        """The similarity of each pair on all texts, (T, T)."""
        similarity: Floats = 1 - self.jsd.sum(2) / self.chance.sum(2)
        return similarity

    def draw(self, random: Random, trainings: int, texts: int) -> Run:
        """Draw a run, of which all pairs are compared."""
        rows = random.integers(0, self.world.trainings, trainings)
        pairs = np.array([*combinations(range(trainings), 2)])
        columns, groups = self.world.draw_columns(random, texts)
        one, other = rows[pairs].T
        jsd, chance = (values[one, other][:, columns] for values in (self.jsd, self.chance))
        sample = compare_pairs(jsd, chance, groups)
        part = Part(estimate(sample, groups, (-inf, 1), members=find_members(pairs, np.arange(trainings))))
        return Run(part, [float(self.truths.mean())], [self.truths[rows].mean(0)])


def make_stable(world: World, effect: float) -> Pairs:
    """Maps of which trainings share a part, two that fail nothing; kinds share .4 less with one another."""
    world = replace(world, trainings=40, texts=world.texts // 2)
    deviations, failed = world.deviations, world.failed
    shared = effect + 0.05 * (deviations + deviations.T)
    if world.law == TWO_KINDS:
        shared = effect - 0.4 * (deviations != deviations.T)
    shared = np.minimum(np.where(failed | failed.T, 0.0, shared), 1)
    shape = (world.trainings, world.trainings, world.texts)
    sharp = np.exp(0.3 * world.random.standard_normal((world.trainings, 1)))
    chance = (0.3 * np.sqrt(sharp * sharp.T))[..., None] * world.share(world.random.beta, 2, 2)
    jsd = chance * (1 - shared)[..., None] * world.random.gamma(3, 1 / 3, shape)
    upper = np.triu(np.ones(shape[:2], bool))[..., None]
    return Pairs(world, np.where(upper, jsd, jsd.swapaxes(0, 1)), chance)


@dataclass(frozen=True)
class Adversaries:
    """All adversaries that a search may find, in the order of their lambda: TVD, JSD, JSD to a shuffled map, (A, M).

    others (T, M): the TVD of the other trainings, whose mean is the budget.
    """

    world: World
    tvd: Floats
    jsd: Floats
    chance: Floats
    predictions: Integers
    others: Floats

    @cached_property
    def truth(self) -> float:
        """The least similarity of all adversaries within the budget, on all texts; 1 where none is."""
        near = self.measure_tvd(self.tvd)[0] <= self.measure_tvd(self.others)[0].mean()
        return float((1 - self.jsd.sum(1) / self.chance.sum(1))[near].min(initial=1.0))

    def measure_tvd(self, tvd: Floats, columns: Integers | None = None) -> tuple[Floats, Floats]:
        """Measure the TVD of each row on some texts, by default all, and what each of these moves it by."""
        columns = np.arange(self.world.texts) if columns is None else columns
        samples = [average_classes(row, self.predictions[columns]) for row in tvd[:, columns]]
        return np.array([sample.values[0] for sample in samples]), np.concatenate([each.moved for each in samples])

    def draw(self, random: Random, trainings: int, texts: int) -> Run:
        """Draw a search of so many adversaries, evenly spread from a random one on; dev has as many texts as test."""
        step = self.world.trainings // trainings
        rows = np.arange(random.integers(0, step), self.world.trainings, step)
        columns, groups = self.world.draw_columns(random, texts)
        other_columns, everything = self.world.draw_columns(random, texts)[0], np.ones(len(columns), bool)
        dev, _ = self.measure_tvd(self.tvd[rows], other_columns)
        test, moved = self.measure_tvd(self.tvd[rows], columns)
        budgets, budget_moved = self.measure_tvd(self.others, columns)
        budget = Budget(
            float(self.measure_tvd(self.others, other_columns)[0].mean()), float(budgets.mean()),
            join(budget_moved, everything, groups).mean(0),
        )  # fmt: skip
        sample = compare_pairs(self.jsd[rows][:, columns], self.chance[rows][:, columns], groups)
        found = estimate(sample, groups, (-inf, 1))
        adversaries = [
            AdversaryResult("", 0.0, 0, *one)
            for one in zip(
                dev, test, found.each, found.each_low, found.each_high, join(moved, everything, groups), strict=True
            )
            if isfinite(one[2])
        ]
        value, low, high = bracket_budget(adversaries, [budget]).interval
        part = Part(Estimate(value, low, high, texts=found.texts, groups=found.groups, trainings=1, made=1))
        return Run(part, [self.truth], [])


def make_unique(world: World, effect: float, steep: float) -> Adversaries:
    """Adversaries whose maps are the less similar the further their predictions are: `effect` at the budget.

    steep: the similarity that is lost where the TVD grows by a tenth of the budget.
    """
    world = replace(world, trainings=120)
    tvd = np.geomspace(0.02, 0.4, world.trainings)[:, None]
    lost = steep * (tvd / BUDGET - 1) * 10
    shared = np.minimum(effect - lost + 0.03 * np.abs(world.random.standard_normal(tvd.shape)), 0.98)
    chance = 0.5 * world.share(world.random.beta, 2, 2) * np.exp(0.1 * world.noise())
    jsd = chance * (1 - np.maximum(shared, -0.3)) * world.random.gamma(3, 1 / 3, chance.shape)
    texts = world.share(world.random.gamma, 0.7, 1 / 0.7) * world.random.gamma(4, 1 / 4, chance.shape)
    predictions = world.share(world.random.integers, 0, 2).astype(np.int64)
    others = (
        BUDGET * world.share(world.random.gamma, 0.7, 1 / 0.7) * world.random.gamma(4, 1 / 4, (OTHERS, world.texts))
    )
    return Adversaries(
        world, np.minimum(tvd * texts, 1), np.minimum(jsd, LN2), chance, predictions, np.minimum(others, 1)
    )
