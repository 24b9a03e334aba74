"""Generated tokens: what each depends on, of the pieces that are read before it.

A case is a token of a context. Its map is the row of the position that predicts it, the mean over layers and heads;
what is asked of it:

- `used`: other weights in this row, in all layers together, which is one decoding step (`model.generator`); beside it
  the last layer alone. Units of the context exchange their weights, in proportion within a unit. Marks, and so the
  first piece, keep theirs. Wrong weights in all layers ruin most models: that they do is necessary, and says little.
- `located`, `ranks`, `signed`: units of the context are deleted. The probability is that of the token among the whole
  vocabulary, or among the tokens that it is told from.
- `unique`: `token_adversary` searches another map.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Floats, Integers
from attention_audit.batching import stream
from attention_audit.divergence import detect_flips, jsd, tvd
from attention_audit.errors import AuditError
from attention_audit.model.generator import (
    MIN_SHARING,
    Generator,
    ReadRow,
    TokenTarget,
)
from attention_audit.names import LAST_ROW, MEAN_ROW, NEAREST, SHUFFLED
from attention_audit.transformer.contexts import Context

from .settings import Permutation

SHUFFLES = 3
"""Orders of the units whose weights are imposed."""
CHANCE_ORDERS = 10
"""Orders of the units of a map by which its distance from others by chance is measured."""
FIRST_TOKENS = 5
"""Tokens of a distribution that are shown."""


class TokenCase(NamedTuple):
    """A token and its context. name: of the case; text: the number of its prompt; step: of the token, from 0; written:
    the token as it is read.
    """

    name: str
    text: int
    step: int
    context: Context
    target: TokenTarget
    written: str

    def fold(self, pieces: Tensor) -> Floats:
        """Sum values of pieces to those of units, without marks: (..., P) -> (..., U)."""
        folded: Floats = sum_units(pieces.double(), self.context.items, len(self.context.units)).cpu().numpy()
        return folded


def exchange_weights(weights: Tensor, items: Integers, units: Tensor) -> Tensor:
    """Give units other weights: weights of pieces (..., P), of these items, and of units (..., U) -> (..., P).

    Pieces of a unit share its weight as before, alike where they have none; marks keep theirs.
    """
    item = torch.from_numpy(items).to(weights.device)
    is_mark, place = item < 0, item.clamp(min=0)
    counts = torch.bincount(item[~is_mark], minlength=units.shape[-1]).clamp(min=1)
    total = sum_units(weights, items, units.shape[-1])[..., place]
    share = (weights / total).where(total > 0, 1 / counts[place].to(weights))
    return weights.where(is_mark, share * units[..., place])


def sum_units(weights: Tensor, items: Integers, count: int) -> Tensor:
    """Sum weights of pieces (..., P) to those of so many units, without marks, (..., U)."""
    item = torch.from_numpy(items).to(weights.device)
    sums = weights.new_zeros(*weights.shape[:-1], count + 1)
    return sums.index_add(-1, item % (count + 1), weights)[..., :-1]


def share_out(units: Floats) -> Tensor:
    """Return a map of units as shares that sum to 1, (..., U)."""
    values = torch.from_numpy(units)
    return values / values.sum(-1, keepdim=True).clamp_min(1e-12)


def draw_unit_orders(case: TokenCase, purpose: str, count: int, seed: int) -> Integers:
    """Draw orders of the units of a case, (count, U)."""
    positions = np.tile(np.arange(len(case.context.units)), (count, 1))
    return stream(purpose, case.name, seed).permuted(positions, axis=1)


def compare_maps(case: TokenCase, own: Floats, other: Floats, seed: int) -> tuple[float, float, bool]:
    """Compare two maps of units, (U,): their JSD, the mean JSD where one is shuffled, and whether the same unit is
    first.
    """
    a, b = share_out(own), share_out(other)
    orders = draw_unit_orders(case, "chance", CHANCE_ORDERS, seed)
    chance = jsd(a.expand(CHANCE_ORDERS, -1), b[torch.from_numpy(orders)]).mean()
    return float(jsd(a, b)), float(chance), bool(a.argmax() == b.argmax())


@torch.no_grad()
def impose_others(generator: Generator, case: TokenCase, row: ReadRow, settings: Permutation) -> dict[str, float]:
    """Impose other weights on the row of a case: mean_tvd, flips (shuffled in all layers), uniform_tvd (likewise),
    last_tvd (shuffled in the last layer), chance_jsd (the map from its shuffles).

    Raises AuditError where the model's own weights, imposed, give other logits than its own.
    """
    context, weights = case.context, row.weights
    units = sum_units(weights, context.items, len(context.units))
    orders = torch.from_numpy(draw_unit_orders(case, "permutation", SHUFFLES, settings.seed)).to(weights.device)
    shuffled = torch.stack([exchange_weights(weights, context.items, units[..., order]) for order in orders])
    even = exchange_weights(weights, context.items, units.mean(-1, keepdim=True).expand(units.shape))
    last = torch.full_like(shuffled, torch.nan)
    last[:, -1] = shuffled[:, -1]
    logits = generator.impose(context.ids, row.cache, torch.cat([weights[None], even[None], shuffled, last]))
    apart = float((logits[0] - row.logits).abs().max())
    if not apart <= generator.tolerance:
        fault = f"under its own weights, imposed, a logit differs by {apart:.2g} from its own"
        raise AuditError(str(generator.network.folder), f"{fault}, more than {generator.tolerance:g}", "use judge")
    before, *after = case.target.select(torch.cat([row.logits[None], logits[1:]]).double()).softmax(-1)
    changes = tvd(torch.stack(after), before)
    mean = share_out(case.fold(weights.mean((0, 1))))
    return {
        "mean_tvd": float(changes[1 : 1 + SHUFFLES].mean()),
        "flips": float(detect_flips(before, torch.stack(after[1 : 1 + SHUFFLES])).double().mean()),
        "uniform_tvd": float(changes[0]),
        "last_tvd": float(changes[1 + SHUFFLES :].mean()),
        "chance_jsd": float(jsd(mean.expand(SHUFFLES, -1), mean[orders.cpu()]).mean()),
    }


def list_row_maps(case: TokenCase, row: ReadRow, seed: int) -> dict[str, Floats]:
    """List the maps that every case has, as scores of units (U,)."""
    mean = case.fold(row.weights.mean((0, 1)))
    return {
        MEAN_ROW: mean,
        LAST_ROW: case.fold(row.weights[-1].mean(0)),
        NEAREST: np.arange(len(mean), dtype=np.float64),
        SHUFFLED: mean[draw_unit_orders(case, "control", 1, seed)[0]],
    }


@dataclass
class TokenPredictions:
    """What a decoder predicts of contexts without some of their units: the probabilities of the likeliest rival and of
    the token itself.

    A context is named as the list of its units, each the numbers of its case and its place. first: the tokens that are
    likeliest without one unit, and their probabilities, by the case and the place, which is None of all units.
    """

    generator: Generator
    cases: Sequence[TokenCase]
    rounded: bool = False
    known: dict[tuple[tuple[int, int], ...], Floats] = field(default_factory=dict)
    first: dict[tuple[int, int | None], list[tuple[int, float]]] = field(default_factory=dict)

    def predict(self, texts: Iterable[Sequence[Any]]) -> Floats:
        """Predict (n, 2) of n contexts; of those that were not asked before, in batches."""
        keys = [tuple(units) for units in texts]
        new = [key for key in dict.fromkeys(keys) if key not in self.known]
        together: dict[int, list[tuple[tuple[int, int], ...]]] = {}
        for key in new:
            together.setdefault(self.cases[key[0][0]].text, []).append(key)
        self._ask([key for group in together.values() if len(group) < MIN_SHARING for key in group])
        for text, group in together.items():
            if len(group) >= MIN_SHARING:
                longest = max((case.context.ids for case in self.cases if case.text == text), key=len)
                self._ask(group, longest)
        return np.stack([self.known[key] for key in keys])

    def _ask(self, keys: Sequence[tuple[tuple[int, int], ...]], longest: Integers | None = None) -> None:
        if not keys:
            return
        contexts = [self.cases[key[0][0]].context.keep([place for _, place in key]) for key in keys]
        whole = None if longest is None else (longest, self.generator.make_cache(longest))
        for at, logits in self.generator.iterate_next(contexts, whole):
            for number, row in zip(at.tolist(), logits, strict=True):
                key = keys[number]
                case = self.cases[key[0][0]]
                self.known[key] = case.target.compare(row.double()).cpu().numpy()
                gone = {*range(len(case.context.units))} - {place for _, place in key}
                if len(gone) <= 1:
                    likeliest = row.double().softmax(-1).topk(FIRST_TOKENS)
                    listed = zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
                    self.first[key[0][0], min(gone, default=None)] = [*listed]
