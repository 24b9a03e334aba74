"""Draw runs from populations whose answer is known, and count what their verdicts get wrong."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, product, repeat
from math import nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate
from attention_audit.answer.samples import average_texts
from attention_audit.answer.verdicts import BY_CLASS, NONE, Part, conclude, find_zones
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
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
SIMILARITIES = (*QUARTERS[:-1], 0.85)
SHARES = (0.75, 0.85, 0.9, 0.95, 0.98)
CHANGES = (0.01, 0.025, 0.06, 0.1, 0.2)
GAINS = (-0.02, 0.01, 0.02, 0.03, 0.06)
"""Effects that are tried, cuts among them. None is so near an end that normal trainings would be cut off there."""


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
    "located": Subject("located", make_located, QUARTERS),
    "ranks": Subject("ranks", make_ranks, SIMILARITIES),
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
    """How much is simulated: runs of each population and size, and of the worst of these anew; and texts of a run."""

    runs: int = 300
    runs_anew: int = 1500
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

    wrong: where the population is shifted until its mean lies just below a cut, or just above one, whichever is worse,
    the zone of the mean is not named. As all estimates shift with it, that is where the interval lies above the mean,
    or below it. Of `unique`, whose populations are not shifted, the zone of the truth is not named. one, two, three: so
    many zones are named at its own effect; none: no verdict.
    next: a further training lies in a zone that its range does not touch; open: that range excludes no zone.
    """
    counts = dict.fromkeys(("above", "below", "none", "one", "two", "three", "next", "open"), 0.0)
    for _ in range(runs):
        part, truths, others = population.draw(random, trainings, texts)
        zones = conclude(question, part).zones
        if zones == NONE:
            counts["none"] += 1
            continue
        counts[("one", "two", "three")[len(zones) - 1]] += 1
        decisive = part.avoided if part.avoided and place(question, truths) < place(question, truths[:1]) else None
        estimate_, truth = (decisive, truths[1]) if decisive else (part.estimate, truths[0])
        if not others:
            counts["above"] += str(place(question, truths) + 1) not in zones
        else:
            counts["above"] += estimate_.low > truth
            counts["below"] += estimate_.high < truth
            further = np.bincount(place(question, others), minlength=3) / len(others[0])
            following = find_next(question, part)
            counts["next"] += sum(share for zone, share in zip("123", further, strict=True) if zone not in following)
            counts["open"] += following == "123"
    above, below = counts.pop("above"), counts.pop("below")
    counts["wrong"] = max(above, below)
    return {name: count / runs for name, count in counts.items()}


def split_classes(split: Sequence[tuple[float, int]], runs: int) -> float:
    """Count how often two predicted classes are said to differ, of three trainings: a share of the runs."""
    random, stated = np.random.default_rng(SEED), 0
    ends = np.cumsum([0, *(texts for _, texts in split)])
    classes = np.repeat([0, 1], np.diff(ends))
    for _ in range(runs):
        tvd = np.concatenate([random.gamma(0.7, mean / 0.7, (1, texts)) for mean, texts in split], 1)
        tvd = np.minimum(tvd * random.gamma(4, 1 / 4, (3, tvd.shape[1])), 1)
        samples = [average_texts(np.where(classes == number, tvd, np.nan)) for number in range(len(split))]
        parts = [
            Part(estimate(sample, limits=(0, 1)), fewest=texts, sample=sample)
            for sample, (_, texts) in zip(samples, split, strict=True)
        ]
        whole = Part(estimate(average_texts(tvd), limits=(0, 1)))
        cell = conclude("used", whole, parts, lambda difference, level: estimate(difference, confidence=level))
        stated += cell.zones == BY_CLASS
    return stated / runs


def simulate_subject(name: str, law: str, sizes: Sizes) -> list[dict[str, Any]]:
    """Try all populations of a subject and a law of trainings: a row for each effect and size.

    The row with the most wrong verdicts is tried anew (`wrong_anew`, NaN in all others): the largest of many shares is
    large by chance too.
    """
    subject = SUBJECTS[name]
    number = [*SUBJECTS].index(name), LAWS.index(law)
    rows: list[dict[str, Any]] = []
    tried = []
    effects = subject.effects if law == NORMAL else subject.effects[1:4]
    for at, effect in enumerate(effects):
        population = subject.make(World(np.random.default_rng([SEED, *number, at]), law), effect)
        for trainings, texts in product(subject.trainings, sizes.texts):
            random = np.random.default_rng([SEED, *number, at, trainings, texts])
            about = {"subject": name, "law": law, "effect": effect, "trainings": trainings, "texts": texts}
            found = try_population(subject.question, population, random, trainings, texts, sizes.runs)
            rows.append(about | found | {"wrong_anew": nan})
            tried.append((population, random))
    worst = max(rows, key=lambda row: float(row["wrong"]))
    # its draws go on where the search has left them
    population, random = tried[rows.index(worst)]
    anew = try_population(subject.question, population, random, worst["trainings"], worst["texts"], sizes.runs_anew)
    worst["wrong_anew"] = anew["wrong"]
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
