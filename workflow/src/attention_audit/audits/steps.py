"""The steps of an audit in memory, and a bar that shows them."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from attention_audit.batching import watch_texts

SHORT_COST = 0.01
"""How long a short step takes beside reading a training of 50 texts out, which is 1."""
BAR_FORMAT = "{percentage:3.0f}%|{bar:20}| {elapsed}, remain {remaining}{postfix}; {desc}"


@dataclass(frozen=True)
class AuditStep:
    """Reads or asks something of a model at hand. cost: how long it takes, see `SHORT_COST`. passes: how many texts, or
    copies of them, it goes through, in `goes` of as many texts, which take such shares of its cost. answers: the
    questions that are answered then.
    """

    take: Callable[[], None]
    name: str = ""
    cost: float = SHORT_COST
    passes: int = 1
    goes: Sequence[float] = (1.0,)
    answers: Sequence[str] = ()


def take_steps(
    steps: Sequence[AuditStep],
    count: int,
    progress: bool = False,
    write_lines: Callable[[Sequence[str]], Sequence[str]] | None = None,
) -> None:
    """Take steps; if asked, beside a bar that says for which questions, and how many of `count` texts and how much time
    remain, and above it the lines of questions once they are answered.
    """
    if not progress:
        for step in steps:
            step.take()
        return
    # it comes with the library `transformers`, and warns as it is imported where notebooks have no widgets
    tqdm, done = import_module("tqdm.auto").tqdm, 0.0
    # costs are guesses, of which the mean speed is the steadiest
    with tqdm(total=sum(step.cost for step in steps), bar_format=BAR_FORMAT, miniters=0, smoothing=0) as bar:
        for step in steps:
            bar.set_description_str(step.name)
            with watch_texts(partial(move_bar, bar, step, done, [], count)):
                step.take()
            done += step.cost
            bar.update(done - bar.n)
            for line in write_lines(step.answers) if write_lines and step.answers else ():
                bar.write(line, file=sys.stderr)


def move_bar(bar: Any, step: AuditStep, done: float, passed: list[int], texts: int, count: int) -> None:
    """Move a bar on within a step, where so many more texts or copies were gone through."""
    passed.append(count)
    gone, ends = min(1.0, sum(passed) / step.passes), np.cumsum([0.0, *step.goes])
    share = float(np.interp(gone * len(step.goes), range(len(ends)), ends / ends[-1]))
    bar.set_postfix_str(f"{round(texts * (1 - share))} of {texts} texts", refresh=False)
    bar.update(done + step.cost * share - bar.n)
