"""Populations whose answer is known: what every question would be told of very many trainings and texts.

A pool holds what the audits measure of some hundred trainings on some hundred texts. The pool itself is the population:
its value is the truth, and a run is a draw of S trainings and N texts from it, the texts with replacement. Trainings
are drawn without, since a training and itself are no pair.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.answer.intervals import Effect
from attention_audit.answer.questions import gained, located, ranks, sides, signed, stable, unique, used
from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import TEXTS, TRAININGS
from attention_audit.audits.erasure import erasable, left, reordered, until_flip
from attention_audit.audits.permutation import orders, permuted
from attention_audit.audits.rankings import RANKERS, SMALLEST, falling
from attention_audit.divergence import jsd, tvd
from attention_audit.readout import Readout
from makers.calibration.readouts import LONGEST, Texts, World

Floats = npt.NDArray[np.float64]
Random = np.random.Generator


@dataclass(frozen=True)
class Sizes:
    """How much is simulated.

    draws: runs at each size, which is one of `trainings` and one of `texts`. pool_trainings, pool_texts: of each
    population. pool_pairs: trainings of a population of which all pairs are compared. shuffles: of each map.
    """

    draws: int = 300
    trainings: Sequence[int] = TRAININGS
    texts: Sequence[int] = TEXTS
    pool_trainings: int = 60
    pool_texts: int = 300
    pool_pairs: int = 60
    shuffles: int = 4


RANKED = ("random", "attention", SMALLEST)


@dataclass(frozen=True)
class Pool:
    """What a question is told of T trainings on M texts, by the names of its arguments: arrays (T, M) each.

    ask: the question, of such arrays.
    """

    values: Mapping[str, Floats]
    ask: Callable[..., Effect]

    def truth(self) -> float:
        """The effect in the whole population."""
        return self.ask(**self.values).value

    def draw(self, random: Random, trainings: int, texts: int) -> Effect:
        """What is found with so many trainings and texts."""
        first = next(iter(self.values.values()))
        chosen = np.ix_(random.permutation(len(first))[:trainings], random.integers(0, first.shape[1], texts))
        return self.ask(**{name: values[chosen] for name, values in self.values.items()})


@dataclass(frozen=True)
class LabelledPool:
    """Predictions of T trainings of two models on M texts of known labels, for questions of F1."""

    labels: npt.NDArray[np.int64]
    base: npt.NDArray[np.int64]
    uniform: npt.NDArray[np.int64]
    classes: int

    def truth(self) -> float:
        """The difference in F1 in the whole population."""
        return gained(self.labels, self.base, self.uniform, self.classes).value

    def draw(self, random: Random, trainings: int, texts: int) -> Effect:
        """What is found with so many trainings of each model, and texts."""
        rows, others = (random.permutation(len(self.base))[:trainings] for _ in range(2))
        columns = random.integers(0, len(self.labels), texts)
        base, uniform = self.base[np.ix_(rows, columns)], self.uniform[np.ix_(others, columns)]
        return gained(self.labels[columns], base, uniform, self.classes)


@dataclass(frozen=True)
class PairedPool:
    """Distances between T trainings on M texts, for the question of stability: (T, T, M) each, symmetric."""

    jsd: npt.NDArray[np.float32]
    chance: npt.NDArray[np.float32]

    def _asked(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Effect:
        pairs = np.array(list(combinations(range(len(rows)), 2)))
        one, other = rows[pairs].T
        chosen = one[:, None], other[:, None], columns[None]
        return stable(self.jsd[chosen].astype(np.float64), self.chance[chosen].astype(np.float64), pairs)

    def truth(self) -> float:
        """The stability over all pairs and texts."""
        above = np.triu_indices(len(self.jsd), 1)
        return 1 - float(self.jsd[above].mean(dtype=np.float64) / self.chance[above].mean(dtype=np.float64))

    def draw(self, random: Random, trainings: int, texts: int) -> Effect:
        """What is found with all pairs of so many trainings, and texts."""
        rows = random.permutation(len(self.jsd))[:trainings]
        return self._asked(rows, random.integers(0, self.jsd.shape[2], texts))


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
    return Pool({"tvd": np.stack([permuted_tvd(readout, sizes.shuffles) for readout in readouts])}, used)


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
    return Pool({name: np.stack([one[name] for one in found]) for name in RANKED}, ranks)


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
    return Pool({"side": sides(np.stack(list(map(top_lead, readouts))), 4 * Margins().inert)}, signed)


def stable_pool(world: World, sizes: Sizes, seed: int) -> PairedPool:
    """The distances between all pairs of trainings, and to the other's map shuffled."""
    maps, shuffled = [], []
    for readout in trainings_of(world, sizes.pool_pairs, sizes.pool_texts, seed):
        map_, other = torch.zeros(len(readout), LONGEST), torch.zeros(sizes.shuffles, len(readout), LONGEST)
        for texts in readout.batches(torch.float32):
            length = texts.attention.shape[1]
            map_[texts.members, :length] = texts.attention
            other[:, texts.members, :length] = permuted(texts.attention, orders(texts, readout.ids, sizes.shuffles, 0))
        maps.append(map_)
        shuffled.append(other)
    count = len(maps)
    every = torch.stack(maps)
    moved, chance = np.zeros((2, count, count, sizes.pool_texts), np.float32)
    for row in range(count - 1):
        later = every[row + 1 :]
        moved[row, row + 1 :] = moved[row + 1 :, row] = jsd(every[row], later).numpy()
        to_shuffled = torch.stack([jsd(every[row], other).mean(0) for other in shuffled[row + 1 :]]).numpy()
        chance[row, row + 1 :] = chance[row + 1 :, row] = to_shuffled
    return PairedPool(moved, chance)


@dataclass(frozen=True)
class Scores:
    """How well two models predict synthetic texts, the second worse by `gap`.

    A text is right where ability + ease > 0: ability varies over trainings (`spread`), ease is normal and partly one
    for all trainings. classes: of the labels. positive: the share of class 1, of two classes. ability: of the first
    model.
    """

    classes: int
    ability: float
    positive: float = 0.5
    spread: float = 0.03

    def pool(self, gap: float, sizes: Sizes, seed: int) -> LabelledPool:
        """Predictions of both models, of which both have as many trainings."""
        random = np.random.default_rng(seed)
        texts = sizes.pool_texts
        if self.classes == 2:
            labels = (random.random(texts) < self.positive).astype(np.int64)
        else:
            labels = random.integers(0, self.classes, texts)
        mistaken = (labels + random.integers(1, self.classes, texts)) % self.classes
        ease = 0.8 * random.standard_normal(texts)

        def predictions(ability: float) -> npt.NDArray[np.int64]:
            of_training = ability + self.spread * random.standard_normal((sizes.pool_trainings, 1))
            noise = 0.6 * random.standard_normal((sizes.pool_trainings, texts))
            return np.where(of_training + ease + noise > 0, labels, mistaken)

        return LabelledPool(labels, predictions(self.ability), predictions(self.ability - gap), self.classes)


def skilled(random: Random, mean: float, trainings: int, spread: float = 0.08) -> Floats:
    """A skill of each training, (trainings, 1), of this mean."""
    skills: Floats = mean + spread * random.standard_normal((trainings, 1))
    return skills


def graded_falls(skill: float, sizes: Sizes, seed: int) -> Pool:
    """Falls of the probability where every text has some word to lose, and rankings find it in part."""
    random = np.random.default_rng(seed)
    shape = sizes.pool_trainings, sizes.pool_texts
    best = random.beta(0.8, 1.6, sizes.pool_texts) * np.exp(0.2 * random.standard_normal(shape))
    chance = best * random.beta(1, 6, shape)
    attention = chance + (best - chance) * (skilled(random, skill, shape[0]) + 0.4 * random.standard_normal(shape))
    return falls_pool(chance, attention, best)


def cue_falls(skill: float, sizes: Sizes, seed: int) -> Pool:
    """Falls where one word decides each text: a ranking has found it or has not."""
    random = np.random.default_rng(seed)
    shape = sizes.pool_trainings, sizes.pool_texts
    decided = np.where(random.random(sizes.pool_texts) < 0.7, 0.9, 0.0)
    hard = random.random(sizes.pool_texts)
    found = hard + 0.3 * random.standard_normal(shape) < skilled(random, skill, shape[0])
    best = decided * (random.random(shape) < 0.95)
    return falls_pool(decided * (random.random(shape) < 0.1), decided * found, best)


def uneven_falls(skill: float, sizes: Sizes, seed: int) -> Pool:
    """Falls as in `cue_falls`, of trainings of which every other one takes a class for granted, whose texts lose little
    of its probability.
    """
    pool = cue_falls(skill, sizes, seed)
    random = np.random.default_rng([seed, 1])
    granted = random.random((sizes.pool_trainings, 1)) < 0.5
    loses = np.where(granted & (random.random(sizes.pool_texts) < 0.8), 0.05, 1.0)
    return falls_pool(*(loses * pool.values[name] for name in ("random", "attention", "best")))


def weak_falls(skill: float, sizes: Sizes, seed: int) -> Pool:
    """Falls where no single word matters much, so that leave-one-out itself gains little over a random ranking."""
    random = np.random.default_rng(seed)
    shape = sizes.pool_trainings, sizes.pool_texts
    text = 0.08 * random.standard_normal(sizes.pool_texts)
    chance = text + 0.06 * random.standard_normal(shape)
    gain = 0.03 + 0.02 * random.exponential(size=sizes.pool_texts) + 0.05 * random.standard_normal(shape)
    attention = chance + skilled(random, skill, shape[0]) * gain + 0.05 * random.standard_normal(shape)
    return falls_pool(chance, attention, chance + gain)


def falls_pool(chance: Floats, attention: Floats, best: Floats) -> Pool:
    """A pool of falls of the predicted class's probability."""
    return Pool({"random": chance, "attention": attention, "best": best}, located)


def furthest(jsd: Floats, chance: Floats) -> Effect:
    """`unique` of one adversary, from arrays with one row."""
    return unique(jsd[0], chance[0])


def graded_adversary(kept: float, sizes: Sizes, seed: int) -> Pool:
    """Adversaries that move every text's map some way."""
    random = np.random.default_rng(seed)
    shape = 1, sizes.pool_texts
    chance = 0.6 * random.beta(4, 2, shape)
    moved = np.minimum(random.gamma(4, (1 - kept) / 4, shape) * chance, np.log(2))
    return Pool({"jsd": moved, "chance": chance}, furthest)


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
