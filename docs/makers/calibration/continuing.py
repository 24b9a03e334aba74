"""Whether undecided runs come to a word where they are continued as the summary tells: a section of the page."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np
import pandas as pd

from attention_audit.answer.deciding import BOTH, NONE, PROBABLE, TEXTS, TRAININGS, More, Present, deciding
from attention_audit.answer.intervals import Design, Effect
from attention_audit.answer.questions import gained
from attention_audit.answer.words import UNDECIDED, said
from attention_audit.tables.asked import designed, values_of
from makers.calibration.operating import MARGINS
from makers.calibration.pools import (
    AnyPool,
    Integers,
    LabelledPool,
    Pool,
    Scores,
    Sizes,
    cue_falls,
    graded_adversary,
    graded_falls,
    sudden_adversary,
    weak_falls,
)

SEED = 17
RUNS = 300
"""Undecided runs that are continued."""
WANTED = 0.7
"""Share of the ways that must come to a word."""
POPULATION = Sizes(pool_trainings=100, pool_texts=200)
SIZES = ((3, 100), (3, 350), (5, 100), (5, 350))
"""Trainings and texts of a run, in turn."""
POPULATIONS: Mapping[str, tuple[tuple[Callable[..., AnyPool], float, float], ...]] = {
    "located": ((graded_falls, 0.0, 1.0), (cue_falls, 0.1, 1.2), (weak_falls, 0.0, 1.0)),
    "needed": ((Scores(2, 1.0, positive=0.2).pool, -0.25, 0.3), (Scores(2, 2.6).pool, -0.6, 1.3)),
    "unique": ((graded_adversary, 0.0, 0.95), (sudden_adversary, 0.1, 0.98)),
}
"""By question: what makes a population, and between which strengths that of a run is drawn evenly. An effect that is
drawn so is as often near its margin as away from it; these are the populations that are quick to make."""


class Continued(NamedTuple):
    """A way that an undecided run was told, and whether it came to a yes or a no."""

    question: str
    way: More
    decided: bool


def present(question: str, pool: AnyPool, rows: Integers, columns: Integers) -> tuple[str, Present]:
    """The word of these trainings and texts of a population, and what is known of them.

    rows (2, S): the second row is of the trainings of the other model, where there is one.
    """
    tell: Callable[..., Effect]
    if isinstance(pool, LabelledPool):
        models = pool.base[rows[0]][:, columns], pool.uniform[rows[1]][:, columns]
        tell = partial(gained, pool.labels[columns], classes=pool.classes)
    elif isinstance(pool, Pool):
        models = tuple(values[rows[0] % len(values)][:, columns] for values in pool.values.values())
        tell = pool.ask
    asked = partial(designed, partial(tell, *models), Design())
    effect, own = asked(), asked(fixed=True)
    each = values_of([tell(*(values[[row]] for values in models)) for row in range(rows.shape[1])])
    margin = MARGINS[question]
    word, _ = said(question, margin, effect, own, each)
    return word, Present(question, margin, asked, effect, own, each)


def continued(runs: int = RUNS) -> list[Continued]:
    """So many undecided runs that are told a way, each continued in every way that it is told; and all that are told
    `NONE` between them.
    """
    random, found = np.random.default_rng(SEED), list[Continued]()
    kinds = [(question, *kind) for question, several in POPULATIONS.items() for kind in several]
    numbers = count()
    while runs:
        number = next(numbers)
        question, make, low, high = kinds[number % len(kinds)]
        pool = make(random.uniform(low, high), POPULATION, [SEED, number])
        trainings, texts = SIZES[number // len(kinds) % len(SIZES)]
        rows, columns = drawn(random, 1 if question == "unique" else trainings, texts)
        word, run = present(question, pool, rows, columns)
        if word != UNDECIDED:
            continue
        ways = deciding(run)
        if ways == [NONE]:
            found.append(Continued(question, NONE, decided=False))
            continue
        for way in ways:
            more_rows, more_columns = drawn(random, *way)
            longer = np.hstack([rows, more_rows]), np.hstack([columns, more_columns])
            found.append(Continued(question, way, present(question, pool, *longer)[0] != UNDECIDED))
        runs -= 1
    return found


def drawn(random: np.random.Generator, trainings: int, texts: int) -> tuple[Integers, Integers]:
    """So many trainings of two models (2, S), and texts, of a population."""
    return (
        random.integers(0, POPULATION.pool_trainings, (2, trainings)),
        random.integers(0, POPULATION.pool_texts, texts),
    )


def kind(way: More) -> str:
    """How a table calls a way; "" for none."""
    return " and ".join(name for name, number in zip(("trainings", "texts"), way, strict=True) if number)


TEXT = """## What would decide it

Beside what is undecided, the summary says how many more trainings, or more texts, would probably decide it. Here
{runs} undecided runs are continued as they were told: trainings and texts are added to those that the run has, and the
word is said anew. Effects are drawn evenly over their scale, near the margin and away from it.

A run may be told two ways, and each is tried. **{share:.0f} % of {ways} ways came to a yes or a no.** {probable:.0f} %
are foretold; wanted are at least {wanted:.0f} %. If all effects lay exactly at their margin, hardly any run would, and
none should. {nothing} other undecided runs between them were told that no number which is tried would probably decide
them: up to {trainings} more trainings, up to {texts:g} times the texts, or as many more trainings with {both} times the
texts.

| question | more | runs | came to a word |
| --- | --- | --- | --- |
{rows}
"""


def section(found: Sequence[Continued]) -> str:
    """The section of the page, from what was found."""
    frame = pd.DataFrame([(each.question, kind(each.way), each.decided) for each in found], columns=list("qwd"))
    told_something = frame[frame["w"] != ""]
    counted = told_something.groupby(["q", "w"])["d"].agg(["size", "mean"]).reset_index()
    rows = [f"| {row['q']} | {row['w']} | {row['size']} | {row['mean']:.2f} |" for row in counted.to_dict("records")]
    return TEXT.format(
        runs=RUNS,
        share=100 * told_something["d"].mean(),
        wanted=100 * WANTED,
        ways=len(told_something),
        probable=100 * PROBABLE,
        nothing=len(frame) - len(told_something),
        trainings=TRAININGS[-1],
        texts=TEXTS[-1],
        both=BOTH,
        rows="\n".join(rows),
    )
