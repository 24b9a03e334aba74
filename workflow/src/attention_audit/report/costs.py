"""What more trainings or texts would cost here, from the times of the jobs of a run."""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath
from statistics import median_low
from typing import NamedTuple

from attention_audit.answer.deciding import More, Price
from attention_audit.artefacts.journal import Entry

SEED = re.compile(r"/readouts/.*/seed(\d+)/")


class Costs(NamedTuple):
    """CPU seconds of a suite on a data set: of what one more seed trains, of all its trainings, and of its audits."""

    seed: float
    trainings: float
    audits: float

    def minutes(self, way: More, trainings: int, texts: int) -> float:
        """CPU minutes of a longer run, which keeps the trainings that are there unless texts are added.

        trainings, texts: of the present run. Audits are asked anew of all trainings and texts; and more test texts make
        another corpus, of which everything is trained anew.
        """
        longer = (1 + way.trainings / trainings) * (1 + way.texts / texts)
        again = self.trainings if way.texts else 0.0
        return (way.trainings * self.seed + again + self.audits * longer) / 60

    def told(self, way: More, trainings: int, texts: int) -> str:
        """The same in words."""
        minutes = self.minutes(way, trainings, texts)
        return f"about {minutes:,.0f} CPU min" if minutes >= 1 else "less than 1 CPU min"


def costs_of(entries: Sequence[Entry], dataset: str, suite: str) -> Costs | None:
    """What a suite cost on a data set, by the jobs of a run; None where the jobs of its audits are not known.

    Trainings are those whose readouts the audits read. One seed of several has adversaries too, so that what another
    seed trains is the median of all, the lower one of two.
    """
    folder = ("audits", dataset, suite)
    audits = [one for one in entries if any(PurePosixPath(path).parts[-4:-1] == folder for path in one.outputs)]
    read = {path for one in audits for path in one.inputs}
    made = [(one, {seed for path in read.intersection(one.outputs) for seed in SEED.findall(path)}) for one in entries]
    by_seed: defaultdict[str, float] = defaultdict(float)
    for entry, seeds in made:
        for seed in seeds:
            by_seed[seed] += entry.cpu_seconds / len(seeds)
    if not by_seed:
        return None
    trainings = list(by_seed.values())
    return Costs(median_low(trainings), sum(trainings), sum(entry.cpu_seconds for entry in audits))


def price_of(entries: Sequence[Entry], dataset: str, suite: str) -> Price:
    """What ways cost in a suite on a data set, in words; "" where it is not known."""
    costs = costs_of(entries, dataset, suite)
    return costs.told if costs else lambda *_: ""
