"""Synthetic readouts: attention, contributions and bias of many trainings of one model, without a network.

A text has items of some relevance; the sign of an item says whether it speaks for the text's class or against it. All
trainings see the same texts. A training's attention goes partly by relevance (`aligned`), partly by what makes it look
at this text's items for no reason: a taste that all trainings share, and one of its own.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.readout import Readout
from makers.calibration.laws import FOUR, NORMAL, RARE, deviation, fails, in_fours, lower

Floats = npt.NDArray[np.float64]

LONGEST = 24
"""Items of a synthetic text at most."""


@dataclass(frozen=True)
class World:
    """What decides synthetic readouts.

    peaked: spread of the attention's logits. aligned: the correlation of these logits with relevance, -1 to 1, in the
    mean over trainings. own: the share of the rest of their variance that each training has for itself. scale: how far
    relevance moves the logit of the class. supporting: the share of relevant items that speak for the text's class.
    cue: whether one item of a text has all relevance, in place of many with some. spread: standard deviation over
    trainings of `aligned`, and of the logarithm of `scale`. law: of their deviations, one of `laws`. fours: whether
    texts come in fours that are nearly alike. clusters: whether the trainings that are `lower` share a taste of their
    own.
    """

    peaked: float = 2.0
    aligned: float = 0.6
    own: float = 0.5
    scale: float = 1.5
    supporting: float = 0.8
    cue: bool = False
    spread: float = 0.1
    law: str = NORMAL
    fours: bool = False
    clusters: bool = False

    def but(self, name: str, value: float) -> "World":
        """The same world with another value of one of these."""
        changed: dict[str, Any] = {name: value}
        return replace(self, **changed)


class Texts:
    """N synthetic texts, from which any number of trainings can be read out."""

    def __init__(self, world: World, count: int, seed: int) -> None:
        self.world, self.seed = world, seed
        random = np.random.default_rng([seed, 0])
        alike = in_fours(count) if world.fours else np.arange(count)
        lengths = np.minimum(4 + random.poisson(7, count), LONGEST)
        labels = random.integers(0, 2, count)
        places = random.integers(0, lengths)
        self.lengths, self.labels, places = lengths[alike], labels[alike], places[alike]
        self.starts = np.cumsum(self.lengths)[:-1]
        self.firsts = np.concatenate([[0], self.starts])
        # where the items of the text lie that this one is like
        first_items = np.concatenate([[0], np.cumsum(self.lengths)])[alike]
        source = np.repeat(first_items - self.firsts, self.lengths) + np.arange(int(self.lengths.sum()))
        items = len(source)
        if world.cue:
            relevance = 0.05 * random.exponential(size=items)
            relevance[self.firsts + places] += 3
        else:
            relevance = random.exponential(size=items)
        self.signs = np.where(random.random(items) < world.supporting, 1.0, -1.0)[source]
        self.relevance = relevance[source]
        self.shared = random.standard_normal(items)[source]
        self.other = random.standard_normal(items)[source]
        self.side = np.repeat(np.where(self.labels == 1, 1.0, -1.0), self.lengths)

    def per_text(self, values: Floats) -> list[npt.NDArray[np.float32]]:
        """Values of all items, one array a text."""
        return np.split(values.astype(np.float32), self.starts)

    def attention(self, number: int, deviation: float, random: np.random.Generator) -> Floats:
        """The weights of one training, of all items of all texts; deviation: of its `aligned`, in standard ones."""
        world = self.world
        aligned = float(np.clip(world.aligned + world.spread * deviation, -1, 1))
        if fails(world.law, number):
            aligned = 0.0
        wanted = (self.relevance - self.relevance.mean()) / self.relevance.std()
        own = random.standard_normal(len(wanted))
        common = self.other if world.clusters and lower(number, 1 / FOUR) else self.shared
        taste = np.sqrt(1 - world.own) * common + np.sqrt(world.own) * own
        logits = world.peaked * (aligned * wanted + np.sqrt(1 - aligned**2) * taste)
        weights = np.exp(logits - np.repeat(np.maximum.reduceat(logits, self.firsts), self.lengths))
        normalised: Floats = weights / np.repeat(np.add.reduceat(weights, self.firsts), self.lengths)
        return normalised

    def training(self, number: int, twin: bool = False) -> Readout:
        """The readout of one training, or of a twin that deviates as it does and has a taste of its own."""
        random = np.random.default_rng([self.seed, 1, number, twin])
        apart = deviation(self.world.law, number)
        weights = self.attention(number, apart, random)
        other = random.standard_normal() if self.world.law in (NORMAL, RARE) else apart
        scale = self.world.scale * np.exp(self.world.spread * other)
        if fails(self.world.law, number):
            scale = 0.1 * self.world.scale
        pushes = scale * (self.side * self.signs * self.relevance + 0.3 * random.standard_normal(len(weights)))
        bias = 0.1 * scale * random.standard_normal()
        logits = np.add.reduceat(weights * pushes, self.firsts) + bias
        positive = 1 / (1 + np.exp(-logits))
        count = len(self.labels)
        return Readout(
            [f"text-{number}" for number in range(count)],
            self.labels.astype(np.int64),
            (logits > 0).astype(np.int64),
            np.stack([1 - positive, positive], 1).astype(np.float32),
            self.per_text(weights),
            [part[:, None] for part in self.per_text(pushes)],
            np.full((count, 1), bias, np.float32),
        )
