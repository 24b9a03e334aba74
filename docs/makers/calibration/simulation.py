"""Operating characteristics of the intervals: runs drawn from populations whose answer is known."""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product, repeat
from typing import Any

import numpy as np
import pandas as pd
import torch

from attention_audit.answer.intervals import Effect
from attention_audit.answer.sizes import FEWEST, spare
from makers.calibration.pools import AnyPool, Floats, Sizes
from makers.calibration.populations import SETTINGS

SEED = 13
WANTED = 0.8
"""The share of runs in which the right word shall be said."""


def bounds(effects: Sequence[Effect]) -> tuple[Floats, Floats]:
    """Lower and upper bounds; a run in which no text tells anything says nothing, and misses nothing."""
    low, high = (np.array([getattr(effect, name) for effect in effects]) for name in ("low", "high"))
    return np.nan_to_num(low, nan=-np.inf), np.nan_to_num(high, nan=np.inf)


def reached(name: str, low: Floats, high: Floats) -> dict[str, float]:
    """The lower bound that `WANTED` of the runs reach: were the margin here, so many would say yes; and the upper bound
    that so many do not pass, likewise for no.
    """
    return {
        f"{name}low": float(np.quantile(low, 1 - WANTED, method="inverted_cdf")),
        f"{name}high": float(np.quantile(high, WANTED, method="inverted_cdf")),
    }


def tried(
    question: str, pool: AnyPool, random: np.random.Generator, trainings: int, texts: int, draws: int
) -> dict[str, Any]:
    """What the intervals of `draws` runs do.

    truth: the effect in the whole population. coverage: the share of the runs whose 95 % interval holds it. wrong: the
    larger share, of yes and of no, of those whose word of the next training would be wrong, were the margin at the
    truth. own_wrong: of those whose word of these trainings would be wrong, were the margin at the effect of these
    trainings in all texts. The rest: see `reached`, of the interval and of that of these trainings alone.
    """
    truth = pool.truth()
    runs = [pool.draw(random, trainings, texts) for _ in range(draws)]
    low, high = bounds([run.effect for run in runs])
    own_low, own_high = bounds([run.own for run in runs])
    own_truth = np.array([run.own_truth for run in runs])
    further = spare(question, truth, trainings)
    return {
        "truth": truth,
        "coverage": float(((low <= truth) & (truth <= high)).mean()),
        "wrong": max(float((low > truth + further).mean()), float((high < truth - further).mean())),
        "own_wrong": max(float((own_low > own_truth).mean()), float((own_high < own_truth).mean())),
        **reached("", low, high),
        **reached("own_", own_low, own_high),
    }


def of_population(question: str, number: int, sizes: Sizes) -> list[dict[str, Any]]:
    """What is found of one population of a question, the `number`-th of its settings: a row for each size of a run."""
    setting = SETTINGS[question][number]
    pool = setting.make(sizes, SEED + number)
    return [
        {
            "question": question,
            "regime": setting.regime,
            "strength": setting.strength,
            "trainings": trainings,
            "texts": texts,
            **tried(
                question, pool, np.random.default_rng([SEED, number, trainings, texts]), trainings, texts, sizes.draws
            ),
        }
        for trainings, texts in product(
            [1] if question == "unique" else sizes.trainings,
            # no word is said of fewer texts
            [max(texts, FEWEST.get(question, 0)) for texts in sizes.texts],
        )
    ]


def simulated(questions: Sequence[str], sizes: Sizes, cores: int) -> pd.DataFrame:
    """A row for each population of these questions, number of trainings and number of texts: see `tried`.

    `cores` processes have a population each at a time. How far it is, is said on stderr. The numbers depend on no
    number of processes.
    """
    tasks = [(question, number) for question in questions for number in range(len(SETTINGS[question]))]
    # two processes with many threads each, of matrices that are small, wait for one another most of the time
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"))
    # a forked process may inherit the locks of PyTorch's threads
    context = multiprocessing.get_context("spawn")
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(cores, context, torch.set_num_threads, (1,)) as pool:
        for place, found in enumerate(pool.map(of_population, *zip(*tasks, strict=True), repeat(sizes)), start=1):
            rows += found
            about = f"{found[0]['question']}, {found[0]['regime']} {found[0]['strength']:g}"
            mean = np.mean([row["coverage"] for row in found])
            print(f"{place} of {len(tasks)}: {about}: coverage {mean:.3f}", file=sys.stderr)
    return pd.DataFrame(rows)
