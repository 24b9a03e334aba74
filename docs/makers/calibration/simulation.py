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

from makers.calibration.pools import AnyPool, Sizes
from makers.calibration.populations import SETTINGS

SEED = 13
WANTED = 0.8
"""The share of runs in which the right word shall be said."""


def tried(pool: AnyPool, random: np.random.Generator, trainings: int, texts: int, draws: int) -> dict[str, Any]:
    """What the intervals of `draws` runs do.

    truth: the effect in the whole population. coverage, above, below: shares of the runs whose 95 % interval holds the
    truth, or lies as a whole above it, or below it. low: the lower bound that `WANTED` of the runs reach: were the
    margin here, so many would say yes; high: the upper bound that so many do not pass, likewise for no.
    """
    truth = pool.truth()
    effects = [pool.draw(random, trainings, texts) for _ in range(draws)]
    # a run in which no text tells anything says nothing, and misses nothing
    low = np.nan_to_num([effect.low for effect in effects], nan=-np.inf)
    high = np.nan_to_num([effect.high for effect in effects], nan=np.inf)
    above, below = float((low > truth).mean()), float((high < truth).mean())
    return {
        "truth": truth,
        "coverage": 1 - above - below,
        "above": above,
        "below": below,
        "low": float(np.quantile(low, 1 - WANTED, method="inverted_cdf")),
        "high": float(np.quantile(high, WANTED, method="inverted_cdf")),
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
            **tried(pool, np.random.default_rng([SEED, number, trainings, texts]), trainings, texts, sizes.draws),
        }
        for trainings, texts in product([1] if question == "unique" else sizes.trainings, sizes.texts)
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
