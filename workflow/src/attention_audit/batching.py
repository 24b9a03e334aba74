"""Batches of texts of similar length: runs of them, flat arrays as padded rows, and random numbers that belong to one
text, whatever batch it is in; samples of texts; and the optimiser that descends batches.
"""

import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Array, Integers

_WATCH: ContextVar[Callable[[int], None]] = ContextVar("watch", default=lambda count: None)


@contextmanager
def watch_texts(watch: Callable[[int], None]) -> Iterator[None]:
    """Call a function, in the block, with how many texts, or copies of them, were gone through."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def pass_texts(count: int) -> None:
    """Tell who watches that texts were gone through."""
    _WATCH.get()(count)


def mark_lengths(lengths: Tensor, longest: int) -> Tensor:
    """Mark the first lengths[n] positions of row n: (N,) -> (N, longest)."""
    return torch.arange(longest, device=lengths.device) < lengths[:, None]


def cut_rows(values: Tensor, lengths: Tensor) -> list[Array]:
    """Cut the padding off the values of n texts: (n, L), (n,) -> n times (L_i,)."""
    return [row[:length] for row, length in zip(values.cpu().numpy(), lengths.tolist(), strict=True)]


def find_starts(counts: Integers) -> Integers:
    """Find where each of several lists begins that lie one after another, by the counts of what they hold."""
    return counts.cumsum() - counts


def pad_slices(flat: Tensor, start: Tensor, length: Tensor, longest: int) -> Tensor:
    """Return slices of a flat tensor, from start (B,) and of length (B,), as rows padded with zeros: (B, longest)."""
    offset = torch.arange(longest, device=flat.device)
    where = (start[:, None] + offset).clamp(max=len(flat) - 1)
    return flat[where] * (offset < length[:, None])


def cut_runs(
    widths: Integers, texts: float = math.inf, tokens: float = math.inf, padding: float = 1.0
) -> Iterator[slice]:
    """Cut a sequence of texts into runs of at most `texts` texts and at most `tokens` padded tokens.

    A run's padded tokens are its texts times the widest of them. A text wider than `tokens` is a run of its own.
    padding: its share at most in a run that has a quarter of `tokens`.
    """
    start, widest, own = 0, 0, 0
    for stop, width in enumerate(widths.tolist()):
        widest = max(widest, width)
        count = stop + 1 - start
        padded = count * widest
        sparse = own >= tokens / 4 and own + width < (1 - padding) * padded
        if count > 1 and (count > texts or padded > tokens or sparse):
            yield slice(start, stop)
            start, widest, own = stop, width, 0
        own += width
    if len(widths):
        yield slice(start, len(widths))


def sort_into_runs(widths: Integers, tokens: float, padding: float = 1.0) -> Iterator[Integers]:
    """Return the positions of texts, shortest first, in runs as those of `cut_runs`."""
    order = widths.argsort(kind="stable")
    for run in cut_runs(widths[order], tokens=tokens, padding=padding):
        yield order[run]


def sample_indices(count: int, limit: int | None) -> Integers:
    """Sample at most `limit` of `count` texts, evenly spread, in order; None: all."""
    return np.arange(count) if limit is None or count <= limit else np.arange(limit) * count // limit


def stream(purpose: str, name: str, seed: int) -> np.random.Generator:
    """Return a generator of random numbers for one text, which depends only on the purpose, the text's id and the seed.

    So a text's numbers are the same in every batch and whatever other texts there are.
    """
    digest = blake2b(f"{seed}\0{purpose}\0{name}".encode(), digest_size=16).digest()
    return np.random.default_rng(np.frombuffer(digest, "<u4"))


class Adam(torch.optim.Adam):
    """`torch.optim.Adam`, step for step, with one fused call for each group of parameters, which lie on one device.

    PyTorch wraps the methods of its optimisers for torch.compile, and their first call imports torch._dynamo: two
    seconds in which nothing is trained. Nothing is compiled here, so the methods are called without their wrappers. Its
    step also checks and sorts all tensors in Python, which takes a quarter of the step of a small model.
    """

    add_param_group = inspect.unwrap(torch.optim.Adam.add_param_group)
    zero_grad = inspect.unwrap(torch.optim.Adam.zero_grad)

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            moved = [parameter for parameter in group["params"] if parameter.grad is not None]
            for parameter in moved:
                if parameter not in self.state:
                    moments = (torch.zeros_like(parameter) for _ in range(2 + group["amsgrad"]))
                    self.state[parameter] = (parameter.new_zeros(()), *moments)
            if not moved:
                continue
            steps, first, second, *greatest = map(list, zip(*map(self.state.__getitem__, moved), strict=True))
            torch._foreach_add_(steps, 1)
            update = torch._fused_adamw_ if group["decoupled_weight_decay"] else torch._fused_adam_
            update(
                moved,
                [parameter.grad for parameter in moved],
                first,
                second,
                [*greatest, []][0],
                steps,
                lr=group["lr"],
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                amsgrad=group["amsgrad"],
                maximize=False,
            )
