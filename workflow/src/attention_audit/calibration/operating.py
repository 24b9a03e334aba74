"""Operating characteristics of one question: runs drawn from populations whose answer is known."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_audit.calibration.pools import AnyPool
from attention_audit.calibration.settings import SETTINGS
from attention_audit.jobs.calibration import CalibrationJob

WANTED = 0.8
"""The share of runs in which the right word shall be said."""


def tried(pool: AnyPool, random: np.random.Generator, trainings: int, texts: int, draws: int) -> dict[str, Any]:
    """What the intervals of `draws` runs do: see columns.calibration."""
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


def calibrated(job: CalibrationJob) -> Iterator[dict[str, Any]]:
    """Rows of columns.calibration: one for each setting of the question and each size."""
    for number, setting in enumerate(SETTINGS[job.question]):
        pool = setting.make(job.sizes, job.seed + number)
        for trainings in [1] if job.question == "unique" else job.trainings:
            for texts in job.texts:
                random = np.random.default_rng([job.seed, number, trainings, texts])
                yield {
                    "question": job.question,
                    "regime": setting.regime,
                    "strength": setting.strength,
                    "trainings": trainings,
                    "texts": texts,
                    **tried(pool, random, trainings, texts, job.sizes.draws),
                }
