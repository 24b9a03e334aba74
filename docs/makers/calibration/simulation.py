"""Draw runs from populations whose answer is known, and count what their statements get wrong."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise, product, repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate
from attention_audit.answer.samples import average_texts
from attention_audit.answer.statements import BY_CLASS, NONE, Part, conclude, find_zones
from makers.calibration.populations import (
    GROUPS,
    LAWS,
    NORMAL,
    Adversaries,
    Pairs,
    Pool,
    Random,
    World,
    make_located,
    make_needed,
    make_ranks,
    make_signed,
    make_stable,
    make_unique,
    make_used,
    place,
)

SEED = 13
EIGHTHS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)
SIMILARITIES = (*EIGHTHS[:-1], 0.95)
SHARES = (0.75, 0.8, 0.85, 0.875, 0.9, 0.925, 0.95, 0.975, 0.99)
CHANGES = (0.01, 0.0175, 0.025, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2)
GAINS = (-0.02, -0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.045, 0.06)
"""Effects that are tried: each second one, cuts among them, where trainings are not normal or texts come in groups."""


class Subject(NamedTuple):
    """What is tried of a question: how its populations are made, their effects and laws, and trainings of a run.

    Of `unique`, adversaries of a search stand in the place of trainings.
    """

    question: str
    make: Callable[[World, float], Pool | Pairs | Adversaries]
    effects: Sequence[float]
    laws: Sequence[str] = LAWS
    trainings: Sequence[int] = (3, 5, 9)


SEARCHED = (NORMAL, GROUPS)
SEARCHES = (6, 15)
SUBJECTS: Mapping[str, Subject] = {
    "located": Subject("located", make_located, EIGHTHS),
    "ranks": Subject("ranks", make_ranks, EIGHTHS),
    "signed, the share": Subject("signed", partial(make_signed, shuffled=0.6), SHARES),
    "signed, avoided": Subject("signed", partial(make_signed, shuffled=0.9), SHARES),
    "used": Subject("used", make_used, CHANGES),
    "stable": Subject("stable", make_stable, SIMILARITIES),
    "needed, transferable": Subject("needed", make_needed, GAINS),
    "unique, smooth": Subject("unique", partial(make_unique, steep=0.03), SIMILARITIES, SEARCHED, SEARCHES),
    "unique, sudden": Subject("unique", partial(make_unique, steep=0.2), SIMILARITIES, SEARCHED, SEARCHES),
}


SPLITS = (((0.05, 20), (0.05, 980)), ((0.08, 150), (0.12, 150)), ((0.335, 20), (0.005, 980)))
"""Two predicted classes: the mean of `used`, and texts, of each."""


@dataclass(frozen=True)
class Sizes:
    """How much is simulated: runs of each population and size, and texts of a run."""

    runs: int = 200
    texts: Sequence[int] = (100, 300, 1000)


def find_next(question: str, part: Part) -> str:
    """Name the zones that the range of the next training touches."""
    ranges = [
        None if one is None else Estimate(low=one.next_low, high=one.next_high) for one in (part.estimate, part.avoided)
    ]
    return find_zones(question, Part(ranges[0] or Estimate(), ranges[1]))


def try_population(
    question: str, population: Pool | Pairs | Adversaries, random: Random, trainings: int, texts: int, runs: int
) -> dict[str, float]:
    """Draw runs of one size from a population, and give shares of the runs.

    wrong: the zone of the trainings' true value is not said. missed: their interval does not hold it. one, two, three:
    so many zones are said; none: no statement. next: a further training lies in a zone that its range does not touch;
    taken: in one that the statement does not name. open: that range excludes no zone.
    """
    counts = dict.fromkeys(("wrong", "missed", "none", "one", "two", "three", "next", "taken", "open"), 0.0)
    for _ in range(runs):
        part, values, others = population.draw(random, trainings, texts)
        zones = conclude(question, part).zones
        if zones == NONE:
            counts["none"] += 1
            continue
        counts[("one", "two", "three")[len(zones) - 1]] += 1
        counts["wrong"] += str(place(question, values) + 1) not in zones
        counts["missed"] += not part.estimate.low <= values[0] <= part.estimate.high
        if others:
            further = np.bincount(place(question, others), minlength=3) / len(others[0])
            following = find_next(question, part)
            counts["next"] += sum(share for zone, share in zip("123", further, strict=True) if zone not in following)
            counts["taken"] += sum(share for zone, share in zip("123", further, strict=True) if zone not in zones)
            counts["open"] += following == "123"
    return {name: count / runs for name, count in counts.items()}


def split_classes(split: Sequence[tuple[float, int]], runs: int) -> float:
    """Count how often two predicted classes are stated apart, of three trainings: a share of the runs."""
    random, stated = np.random.default_rng(SEED), 0
    ends = np.cumsum([0, *(texts for _, texts in split)])
    for _ in range(runs):
        tvd = np.concatenate([random.gamma(0.7, mean / 0.7, (1, texts)) for mean, texts in split], 1)
        tvd = np.minimum(tvd * random.gamma(4, 1 / 4, (3, tvd.shape[1])), 1)
        parts = [Part(estimate(average_texts(tvd[:, start:end]), limits=(0, 1))) for start, end in pairwise(ends)]
        stated += conclude("used", Part(estimate(average_texts(tvd), limits=(0, 1))), parts).zones == BY_CLASS
    return stated / runs


def simulate_subject(name: str, law: str, sizes: Sizes) -> list[dict[str, Any]]:
    """Try all populations of a subject and a law of trainings: a row for each effect and size."""
    subject = SUBJECTS[name]
    number = [*SUBJECTS].index(name), LAWS.index(law)
    rows = []
    for at, effect in enumerate(subject.effects if law == NORMAL else subject.effects[::2]):
        population = subject.make(World(np.random.default_rng([SEED, *number, at]), law), effect)
        for trainings, texts in product(subject.trainings, sizes.texts):
            random = np.random.default_rng([SEED, *number, at, trainings, texts])
            about = {"subject": name, "law": law, "effect": effect, "trainings": trainings, "texts": texts}
            found = try_population(subject.question, population, random, trainings, texts, sizes.runs)
            rows.append(about | found)
    return rows


def simulate(subjects: Sequence[str], sizes: Sizes, cores: int) -> pd.DataFrame:
    """Try subjects, in so many processes: the rows of `simulate_subject`. They depend on no number of processes."""
    tasks = [(name, law) for name in subjects for law in SUBJECTS[name].laws]
    # two processes with many threads each, of matrices that are small, wait for one another most of the time
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"))
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as pool:
        found = []
        for task, rows in zip(tasks, pool.map(simulate_subject, *zip(*tasks, strict=True), repeat(sizes)), strict=True):
            print(", ".join(task), file=sys.stderr)
            found.append(rows)
    return pd.DataFrame(chain.from_iterable(found))
