"""The adversary of a generated token: the map that lies furthest from the model's own where the next token is kept.

Claims: if very different weights give the same next token, the model's own are not the only explanation. Jain & Wallace
2019, section 4.2.2, ask so of classifiers (`instance_adversary`).
Assumes that the weights of all layers may be chosen, each row by itself, independently of what computes them.

A map is the mean m of the rows a of L layers and H heads, of units. With prediction p and a limit epsilon of TVD, Adam
in the logits of all rows minimises

    penalty x max(0, TVD(p', p) - epsilon + margin) - JSD(m', m)

and the furthest m' on the way that keeps to epsilon counts. The penalty of each search grows while it does not keep to
its limit. A fixed one is too small in one token and in another so large that the search stays where it begins. Where it
begins matters: at 0, the gradient of JSD is 0; and far away, where the prediction is lost, so is the gradient that
leads back. docs/makers/token_adversary.py studies both.

JSD is convex in m', so that it is at most that of the unit that is furthest from m by itself (`find_ceiling`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Floats, Integers
from attention_audit.batching import Adam, stream
from attention_audit.divergence import jsd, tvd
from attention_audit.model.generator import Generator, ReadRow, join_caches
from attention_audit.transformer.states import get_piece_limit

from .generated import CHANCE_ORDERS, TokenCase, draw_unit_orders, exchange_weights, sum_units

Start = Literal["own", "tilted", "uniform", "random", "far"]
"""Where a search begins: at the model's own rows; at these, with the unit that is furthest made likelier; at uniform
rows; at random ones; at that unit alone.
"""
TILT, FAR = 2.0, 4.0
"""What the logit of the furthest unit has more, in rows that are tilted and far."""
GREATEST_PENALTY = 100.0
ROWS_AT_ONCE = 32
"""Rows that are searched together; more are no faster on a processor."""


class Search(NamedTuple):
    """How another map is searched: from which starts, with how many steps of which size. penalty: the first one; rate:
    by which part it grows at most in a step. epsilon: by how much the prediction may move (TVD); margin: how much less
    is aimed at. noise: the sd of what is added to the logits of a start.
    """

    starts: Sequence[Start] = ("own", "tilted")
    steps: int = 200
    step_size: float = 0.1
    penalty: float = 0.5
    rate: float = 0.02
    epsilon: float = 0.05
    margin: float = 0.006
    noise: float = 0.3


@dataclass
class SearchedRows:
    """The rows of one token in its last L layers, searched from S starts.

    own (L, H, P): the model's; units (L, H, U): of units; seen (U,): its map; before (K,): its prediction; logits
    (S, L, H, U): what is searched.
    """

    case: TokenCase
    own: Tensor
    units: Tensor
    seen: Tensor
    before: Tensor
    logits: Tensor

    def move(self) -> tuple[Tensor, Tensor]:
        """Return the rows that the logits stand for, (S, L, H, P), and the JSD of their map from the own one, (S,)."""
        units = self.logits.softmax(-1) * self.units.sum(-1, keepdim=True)
        rows = exchange_weights(self.own.expand(len(units), -1, -1, -1), self.case.context.items, units)
        mean = units.mean((1, 2))
        return rows, jsd(mean / mean.sum(-1, keepdim=True).clamp_min(1e-12), self.seen.expand(mean.shape))

    def measure_change(self, logits: Tensor) -> Tensor:
        """Measure by how much predictions (S, V) differ from the own one (TVD), (S,)."""
        return tvd(self.case.target.select(logits.float()).softmax(-1), self.before)


def read_map(case: TokenCase, row: ReadRow, layers: int) -> tuple[Tensor, Tensor]:
    """Read the rows of the last `layers` layers, of units (L, H, U), and their mean as a map (U,)."""
    units = sum_units(row.weights[-layers:].float(), case.context.items, len(case.context.units))
    mean = units.mean((0, 1))
    return units, mean / mean.sum().clamp_min(1e-12)


def find_ceiling(seen: Tensor) -> Tensor:
    """Return how far from a map (U,) that of each unit alone lies (JSD, nats), (U,); no map lies further than one."""
    units = torch.eye(len(seen)).to(seen)
    return jsd(units, seen.expand(units.shape))


def measure_chance(case: TokenCase, row: ReadRow, layers: int, seed: int) -> float:
    """Measure how far its shuffles lie from the map of the last `layers` layers: the mean JSD."""
    seen = read_map(case, row, layers)[1]
    orders = torch.from_numpy(draw_unit_orders(case, "chance", CHANCE_ORDERS, seed)).to(seen.device)
    return float(jsd(seen.expand(orders.shape), seen[orders]).mean())


def begin_search(case: TokenCase, row: ReadRow, search: Search, layers: int, seed: int) -> SearchedRows:
    """Place the starts of a search."""
    units, seen = read_map(case, row, layers)
    furthest = torch.zeros_like(seen)
    furthest[find_ceiling(seen).argmax()] = 1.0
    own = units.clamp_min(1e-6).log()
    centres: dict[Start, Tensor] = {
        "own": own,
        "tilted": own + TILT * furthest,
        "uniform": torch.zeros_like(own),
        "random": torch.zeros_like(own),
        "far": (FAR * furthest).expand(own.shape),
    }
    sizes = [1.0 if start == "random" else search.noise for start in search.starts]
    drawn = stream("start", case.name, seed).standard_normal((len(sizes), *units.shape), np.float32)
    noise = torch.from_numpy(drawn).to(own) * torch.tensor(sizes).to(own)[:, None, None, None]
    logits = torch.stack([centres[start] for start in search.starts]) + noise
    before = case.target.select(row.logits.float()).softmax(-1)
    return SearchedRows(case, row.weights[-layers:].float(), units, seen, before, logits.requires_grad_())


def search_maps(
    generator: Generator, cases: Sequence[TokenCase], rows: Sequence[ReadRow], search: Search, layers: int, seed: int
) -> Floats:
    """Search weights of the last `layers` layers whose map lies furthest from the model's own: the JSD (nats) of the
    furthest that keeps the prediction, of each of B cases and S starts, after 0, 1, ... steps, (B, S, 1 + steps).

    The contexts have one length. The map is the mean of these layers, and marks keep their weights.
    """
    searched = [begin_search(case, row, search, layers, seed) for case, row in zip(cases, rows, strict=True)]
    starts, (every, *shape) = len(search.starts), rows[0].weights.shape
    ids = np.repeat([case.context.ids for case in cases], starts, axis=0)
    cache = join_caches([row.cache for row in rows], starts)
    optimiser = Adam([each.logits for each in searched], lr=search.step_size)
    limit = search.epsilon - search.margin
    penalty = torch.full((len(ids),), search.penalty, device=generator.device)
    kept = torch.full((len(ids), every - layers, *shape), torch.nan, device=generator.device)
    furthest = np.zeros((len(ids), 1 + search.steps))
    for step in range(1 + search.steps):
        moved, distances = zip(*(each.move() for each in searched), strict=True)
        logits = generator.impose(ids, cache, torch.cat([kept, torch.cat(moved)], 1))
        parts = zip(searched, logits.chunk(len(searched)), strict=True)
        change, apart = torch.cat([each.measure_change(part) for each, part in parts]), torch.cat(distances)
        furthest[:, step] = apart.detach().where(change.detach() <= search.epsilon, 0.0).cpu()
        if step < search.steps:
            loss = (penalty * (change - limit).clamp(min=0) - apart).sum()
            gradients = torch.autograd.grad(loss, [each.logits for each in searched])
            for each, gradient in zip(searched, gradients, strict=True):
                each.logits.grad = gradient
            optimiser.step()
            beyond = (change.detach() / limit - 1).clamp(0, 1)
            penalty = (penalty * (search.rate * beyond).exp()).clamp(max=GREATEST_PENALTY)
    best: Floats = np.maximum.accumulate(furthest, 1).reshape(len(cases), starts, -1)
    return best


def list_groups(cases: Sequence[TokenCase], starts: int) -> Iterator[Integers]:
    """List which cases may be searched together, from so many starts each: those whose contexts have one length, as
    many as there is room for.
    """
    lengths = np.array([len(case.context.ids) for case in cases])
    for length in np.unique(lengths):
        at = np.flatnonzero(lengths == length)
        most = max(1, min(ROWS_AT_ONCE, get_piece_limit() // int(length)) // starts)
        yield from np.split(at, range(most, len(at), most))
