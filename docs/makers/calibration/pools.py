"""Populations whose answer is known: what every question would be told of infinitely many trainings and texts.

A pool holds what the audits measure of many trainings on many texts. The pool itself is the population: its value is
the truth, and a run is a draw of S trainings and N texts from it, both with replacement, as from an infinite
population. Where texts are nearly alike, N clusters of four are drawn, and the question is told which they are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, combinations_with_replacement, product
from math import isfinite, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.answer.intervals import PLAIN, Design, Effect
from attention_audit.answer.questions import gained, located, ranks, scored, sides, signed, stable, unique, used
from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import TEXTS, TRAININGS
from attention_audit.audits.erasure import erasable, left, reordered, until_flip
from attention_audit.audits.permutation import orders, permuted
from attention_audit.audits.rankings import RANKERS, SMALLEST, falling
from attention_audit.divergence import jsd, tvd
from attention_audit.readout import Readout
from makers.calibration.laws import FOUR, NORMAL, deviations, failing, in_fours
from makers.calibration.readouts import LONGEST, Texts, World

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Random = np.random.Generator


@dataclass(frozen=True)
class Sizes:
    """How much is simulated.

    draws: runs at each size, which is one of `trainings` and one of `texts`. pool_trainings, pool_texts: of each
    population. pool_pairs: trainings of a population of which all pairs are compared. shuffles: of each map.
    """

    draws: int = 600
    trainings: Sequence[int] = TRAININGS
    texts: Sequence[int] = TEXTS
    pool_trainings: int = 200
    pool_texts: int = 200
    pool_pairs: int = 60
    shuffles: int = 4


RANKED = ("random", "attention", SMALLEST)


def drawn(random: Random, count: int, texts: int, fours: bool) -> tuple[Integers, Integers | None]:
    """So many of `count` texts, and their clusters: one by one, or so many clusters of four."""
    if not fours:
        return random.integers(0, count, texts), None
    first = FOUR * random.integers(0, count // FOUR, texts)
    return (first[:, None] + np.arange(FOUR)).ravel(), np.arange(FOUR * texts) // FOUR


class Run(NamedTuple):
    """What a run finds: the effect, and the same with the interval of its trainings alone.

    own_truth: the effect of these trainings in all texts of the population.
    """

    effect: Effect
    own: Effect
    own_truth: float


def found(ask: Callable[..., Effect], clusters: Integers | None, own_truth: float) -> Run:
    """What a run finds, by the design of the interval."""
    return Run(ask(design=Design(clusters)), ask(design=Design(clusters, fixed=True)), own_truth)


@dataclass(frozen=True)
class Pool:
    """What a question is told of T trainings on M texts, by the names of its arguments: arrays (T, M) each.

    ask: the question, of such arrays. fours: whether texts come in fours.
    """

    values: Mapping[str, Floats]
    ask: Callable[..., Effect]
    fours: bool = False

    def truth(self) -> float:
        """The effect in the whole population."""
        return self.ask(**self.values).value

    @cached_property
    def each(self) -> Floats:
        """The effect of each training in all texts, (T,); NaN where it cannot be bounded."""
        count = len(next(iter(self.values.values())))
        alone = [self.ask(**{name: values[[row]] for name, values in self.values.items()}) for row in range(count)]
        return np.array([effect.value if isfinite(effect.low) else nan for effect in alone])

    def draw(self, random: Random, trainings: int, texts: int) -> Run:
        """What is found with so many trainings and texts."""
        first = next(iter(self.values.values()))
        rows = random.integers(0, len(first), trainings)
        columns, clusters = drawn(random, first.shape[1], texts, self.fours)
        chosen = np.ix_(rows, columns)
        ask = partial(self.ask, **{name: values[chosen] for name, values in self.values.items()})
        return found(ask, clusters, float(np.nanmean(self.each[rows])))


@dataclass(frozen=True)
class LabelledPool:
    """Predictions of T trainings of two models on M texts of known labels, for questions of F1."""

    labels: npt.NDArray[np.int64]
    base: npt.NDArray[np.int64]
    uniform: npt.NDArray[np.int64]
    classes: int
    fours: bool = False

    def truth(self) -> float:
        """The difference in F1 in the whole population."""
        return gained(self.labels, self.base, self.uniform, self.classes).value

    @cached_property
    def scores(self) -> tuple[Floats, Floats]:
        """F1 of each training of either model, in all texts, (T,) each."""
        one, other = (scored(self.labels, own, self.classes)[0] for own in (self.base, self.uniform))
        return one, other

    def draw(self, random: Random, trainings: int, texts: int) -> Run:
        """What is found with so many trainings of each model, and texts."""
        rows, others = (random.integers(0, len(self.base), trainings) for _ in range(2))
        columns, clusters = drawn(random, len(self.labels), texts, self.fours)
        base, uniform = self.base[np.ix_(rows, columns)], self.uniform[np.ix_(others, columns)]
        ask = partial(gained, self.labels[columns], base, uniform, self.classes)
        one, other = self.scores
        return found(ask, clusters, float(one[rows].mean() - other[others].mean()))


@dataclass(frozen=True)
class PairedPool:
    """Distances between T trainings on M texts, for the question of stability: (T, T, M) each, symmetric.

    On the diagonal are those between a training and its twin: a training that is drawn twice is two of its kind.
    """

    jsd: npt.NDArray[np.float32]
    chance: npt.NDArray[np.float32]
    fours: bool = False

    @cached_property
    def sums(self) -> tuple[Floats, Floats]:
        """The sums of both over all texts, (T, T) each."""
        return self.jsd.sum(2, dtype=np.float64), self.chance.sum(2, dtype=np.float64)

    def truth(self) -> float:
        """The stability over all pairs and texts."""
        return 1 - float(self.jsd.mean(dtype=np.float64) / self.chance.mean(dtype=np.float64))

    def draw(self, random: Random, trainings: int, texts: int) -> Run:
        """What is found with all pairs of so many trainings, and texts."""
        rows = random.integers(0, len(self.jsd), trainings)
        pairs = np.array(list(combinations(range(trainings), 2)))
        columns, clusters = drawn(random, self.jsd.shape[2], texts, self.fours)
        one, other = rows[pairs].T
        chosen = one[:, None], other[:, None], columns[None]
        jsd, chance = (values[chosen].astype(np.float64) for values in (self.jsd, self.chance))
        all_jsd, all_chance = (values[one, other].sum() for values in self.sums)
        return found(partial(stable, jsd, chance, pairs), clusters, 1 - float(all_jsd / all_chance))


AnyPool = Pool | LabelledPool | PairedPool


@dataclass(frozen=True)
class Setting:
    """A population to be made: of which regime, at which strength of what moves the effect."""

    regime: str
    strength: float
    make: Callable[[Sizes, int], AnyPool]


def trainings_of(world: World, trainings: int, texts: int, seed: int) -> Iterator[Readout]:
    """The readouts of so many synthetic trainings on the same texts."""
    synthetic = Texts(world, texts, seed)
    return (synthetic.training(number) for number in range(trainings))


def permuted_tvd(readout: Readout, shuffles: int) -> Floats:
    """The mean TVD of each text under permuted weights, (N,)."""
    moved = np.empty(len(readout))
    for texts in readout.batches(torch.float64):
        before = texts.predict(texts.attention[None])
        after = texts.predict(texts.permuted(orders(texts, readout.ids, shuffles, 0)))
        moved[texts.members] = tvd(after, before).mean(0).numpy()
    return moved


def used_pool(world: World, sizes: Sizes, seed: int) -> Pool:
    """What permuted weights do to every training and text."""
    readouts = trainings_of(world, sizes.pool_trainings, sizes.pool_texts, seed)
    return Pool({"tvd": np.stack([permuted_tvd(readout, sizes.shuffles) for readout in readouts])}, used, world.fours)


def erased(readout: Readout) -> dict[str, Floats]:
    """The share of items erased until the flip (N,), by ranking; NaN where the decision never flips."""
    removed = {name: np.empty(len(readout)) for name in RANKED}
    for texts in erasable(readout):
        for name in RANKED:
            positions = falling(RANKERS[name](texts, readout.ids, 0), texts.lengths)
            first, _ = until_flip(texts, left(reordered(texts.votes, positions)))
            removed[name][texts.members] = (first / texts.lengths).where(first > 0, torch.nan).numpy()
    return removed


def ranks_pool(world: World, sizes: Sizes, seed: int) -> Pool:
    """How many items each ranking erases until the decision flips."""
    found = [erased(readout) for readout in trainings_of(world, sizes.pool_trainings, sizes.pool_texts, seed)]
    return Pool({name: np.stack([one[name] for one in found]) for name in RANKED}, ranks, world.fours)


def top_lead(readout: Readout) -> Floats:
    """What the item of the highest weight adds to the logit of the predicted class beyond the other's, (N,)."""
    leads = np.empty(len(readout))
    for texts in erasable(readout):
        top = falling(texts.attention, texts.lengths)[:, :1]
        leads[texts.members] = (texts.attention * texts.margin).gather(1, top)[:, 0].numpy()
    return leads


def signed_pool(world: World, sizes: Sizes, seed: int) -> Pool:
    """On which side the top item stands, of every training and text."""
    readouts = trainings_of(world, sizes.pool_trainings, sizes.pool_texts, seed)
    return Pool({"side": sides(np.stack(list(map(top_lead, readouts))), 4 * Margins().inert)}, signed, world.fours)


def stable_pool(world: World, sizes: Sizes, seed: int) -> PairedPool:
    """The distances between all pairs of trainings, and to the other's map shuffled."""
    synthetic = Texts(world, sizes.pool_texts, seed)
    maps, shuffled = [], []
    for number, twin in product(range(sizes.pool_pairs), (False, True)):
        readout = synthetic.training(number, twin)
        map_, mixed = torch.zeros(len(readout), LONGEST), torch.zeros(sizes.shuffles, len(readout), LONGEST)
        for texts in readout.batches(torch.float32):
            length = texts.attention.shape[1]
            map_[texts.members, :length] = texts.attention
            mixed[:, texts.members, :length] = permuted(texts.attention, orders(texts, readout.ids, sizes.shuffles, 0))
        maps.append(map_)
        shuffled.append(mixed)
    count = sizes.pool_pairs
    moved, chance = np.zeros((2, count, count, sizes.pool_texts), np.float32)
    for one, other in combinations_with_replacement(range(count), 2):
        # a training's own partner is its twin
        partner = 2 * other + (one == other)
        moved[one, other] = moved[other, one] = jsd(maps[2 * one], maps[partner]).numpy()
        chance[one, other] = chance[other, one] = jsd(maps[2 * one], shuffled[partner]).mean(0).numpy()
    return PairedPool(moved, chance, world.fours)


@dataclass(frozen=True)
class Scores:
    """How well two models predict synthetic texts, the second worse by `gap`.

    A text is right where ability + ease > 0: ability varies over trainings (`spread`), ease is normal and partly one
    for all trainings. classes: of the labels. positive: the share of class 1, of two classes. ability: of the first
    model, and with the law of its deviations. fours: whether texts come in fours.
    """

    classes: int
    ability: float
    positive: float = 0.5
    spread: float = 0.03
    law: str = NORMAL
    fours: bool = False

    def pool(self, gap: float, sizes: Sizes, seed: int) -> LabelledPool:
        """Predictions of both models, of which both have as many trainings."""
        random = np.random.default_rng(seed)
        texts = sizes.pool_texts
        if self.classes == 2:
            labels = (random.random(texts) < self.positive).astype(np.int64)
        else:
            labels = random.integers(0, self.classes, texts)
        alike = in_fours(texts) if self.fours else np.arange(texts)
        labels = labels[alike]
        mistaken = (labels + random.integers(1, self.classes, texts)[alike]) % self.classes
        ease = 0.8 * random.standard_normal(texts)[alike]

        def predictions(ability: float, law: str) -> npt.NDArray[np.int64]:
            of_training = ability + self.spread * deviations(law, sizes.pool_trainings)
            of_training = np.where(failing(law, sizes.pool_trainings), 0.0, of_training)
            noise = 0.6 * random.standard_normal((sizes.pool_trainings, texts))
            return np.where(of_training + ease + noise > 0, labels, mistaken)

        base, uniform = predictions(self.ability, self.law), predictions(self.ability - gap, NORMAL)
        return LabelledPool(labels, base, uniform, self.classes, self.fours)


def skilled(mean: float, trainings: int, spread: float = 0.08, law: str = NORMAL) -> Floats:
    """A skill of each training, (trainings, 1), of this mean."""
    skills: Floats = np.where(failing(law, trainings), 0.0, mean + spread * deviations(law, trainings))
    return skills


def graded_falls(skill: float, sizes: Sizes, seed: int) -> Pool:
    """Falls of the probability where every text has some word to lose, and rankings find it in part."""
    random = np.random.default_rng(seed)
    shape = sizes.pool_trainings, sizes.pool_texts
    best = random.beta(0.8, 1.6, sizes.pool_texts) * np.exp(0.2 * random.standard_normal(shape))
    chance = best * random.beta(1, 6, shape)
    attention = chance + (best - chance) * (skilled(skill, shape[0]) + 0.4 * random.standard_normal(shape))
    return falls_pool(chance, attention, best)


def cue_falls(
    skill: float, sizes: Sizes, seed: int, spread: float = 0.08, law: str = NORMAL, fours: bool = False
) -> Pool:
    """Falls where one word decides each text: a ranking has found it or has not."""
    random = np.random.default_rng(seed)
    shape = sizes.pool_trainings, sizes.pool_texts
    alike = in_fours(sizes.pool_texts) if fours else np.arange(sizes.pool_texts)
    decided = np.where(random.random(sizes.pool_texts) < 0.7, 0.9, 0.0)[alike]
    hard = random.random(sizes.pool_texts)[alike]
    found = hard + 0.3 * random.standard_normal(shape) < skilled(skill, shape[0], spread, law)
    best = decided * (random.random(shape) < 0.95)
    return falls_pool(decided * (random.random(shape) < 0.1), decided * found, best, fours)


def uneven_falls(skill: float, sizes: Sizes, seed: int) -> Pool:
    """Falls as in `cue_falls`, of trainings of which every other one takes a class for granted, whose texts lose little
    of its probability.
    """
    pool = cue_falls(skill, sizes, seed)
    random = np.random.default_rng([seed, 1])
    granted = random.random((sizes.pool_trainings, 1)) < 0.5
    loses = np.where(granted & (random.random(sizes.pool_texts) < 0.8), 0.05, 1.0)
    chance, attention, best = (loses * pool.values[name] for name in ("random", "attention", "best"))
    return falls_pool(chance, attention, best)


def weak_falls(skill: float, sizes: Sizes, seed: int) -> Pool:
    """Falls where no single word matters much, so that leave-one-out itself gains little over a random ranking."""
    random = np.random.default_rng(seed)
    shape = sizes.pool_trainings, sizes.pool_texts
    text = 0.08 * random.standard_normal(sizes.pool_texts)
    chance = text + 0.06 * random.standard_normal(shape)
    gain = 0.03 + 0.02 * random.exponential(size=sizes.pool_texts) + 0.05 * random.standard_normal(shape)
    attention = chance + skilled(skill, shape[0]) * gain + 0.05 * random.standard_normal(shape)
    return falls_pool(chance, attention, chance + gain)


def falls_pool(chance: Floats, attention: Floats, best: Floats, fours: bool = False) -> Pool:
    """A pool of falls of the predicted class's probability."""
    return Pool({"random": chance, "attention": attention, "best": best}, located, fours)


def furthest(jsd: Floats, chance: Floats, design: Design = PLAIN) -> Effect:
    """`unique` of one adversary, from arrays with one row."""
    return unique(jsd[0], chance[0], design=design)


def graded_adversary(kept: float, sizes: Sizes, seed: int, fours: bool = False) -> Pool:
    """Adversaries that move every text's map some way."""
    random = np.random.default_rng(seed)
    shape = 1, sizes.pool_texts
    alike = in_fours(sizes.pool_texts) if fours else np.arange(sizes.pool_texts)
    chance = 0.6 * random.beta(4, 2, shape)[:, alike]
    moved = np.minimum(random.gamma(4, (1 - kept) / 4, shape)[:, alike] * chance, np.log(2))
    return Pool({"jsd": moved, "chance": chance}, furthest, fours)


def sudden_adversary(kept: float, sizes: Sizes, seed: int) -> Pool:
    """Adversaries that keep the maps of some texts and give others an unrelated one, which is more peaked."""
    random = np.random.default_rng(seed)
    shape = 1, sizes.pool_texts
    chance = 0.5 * random.beta(2, 2, shape)
    moved = np.where(random.random(shape) < kept, 0.01, 1.2) * chance
    return Pool({"jsd": np.minimum(moved, np.log(2)), "chance": chance}, furthest)


def flat_adversary(kept: float, sizes: Sizes, seed: int) -> Pool:
    """Adversaries of nearly flat maps: small distances, whose sizes differ much from text to text."""
    random = np.random.default_rng(seed)
    shape = 1, sizes.pool_texts
    chance = 0.02 * random.lognormal(0, 1, shape)
    moved = (1 - kept) * chance * random.lognormal(-0.18, 0.6, shape)
    return Pool({"jsd": moved, "chance": chance}, furthest)
