"""How the cost of an audit grows: processor seconds of `audit` of random readouts, on one core, as one size is doubled.

    python benchmarks/growth.py

Printed are seconds, and how many times longer than at half of the size: 2 is linear. What costs no more than its fixed
part shows less. Sizes that stay are those of `PLAIN`.
"""

import argparse
import time
from collections.abc import Mapping

import numpy as np
import torch

from attention_audit import api

PLAIN: Mapping[str, int] = {"texts": 250, "words": 30, "classes": 2, "trainings": 2}
SIZES: Mapping[str, tuple[int, ...]] = {
    "texts": (250, 500, 1000, 2000, 4000),
    "words": (125, 250, 500, 1000, 2000),
    "classes": (6, 12, 25, 50),
    "trainings": (5, 10, 20),
}
TEXTS_OF_MANY_WORDS = 50


def make_readouts(texts: int, words: int, classes: int, trainings: int) -> list[api.GivenReadout]:
    """Make trainings with peaked attention on the same random texts, whose classes their words lean to."""
    random = np.random.default_rng(0)
    written = [[f"w{number}" for number in random.integers(0, 5000, words)] for _ in range(texts)]
    labels = random.integers(0, classes, texts)
    readouts = []
    for _ in range(trainings):
        attention = random.dirichlet(np.full(words, 0.3), texts)
        contribution = random.normal(0, 1, (texts, words, classes))
        contribution[np.arange(texts), :, labels] += 1
        logits = torch.from_numpy(np.einsum("tl,tlc->tc", attention, contribution))
        bias, probabilities = np.zeros(classes), logits.softmax(1).numpy()
        readouts.append(api.readout(written, [*attention], [*contribution], bias, labels.tolist(), probabilities))
    return readouts


def measure(sizes: Mapping[str, int]) -> float:
    """Return the processor seconds of one audit."""
    readouts = make_readouts(**sizes)
    start = time.process_time()
    api.audit(readouts, settings={"threads": 1})
    return time.process_time() - start


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="*", choices=[*SIZES], default=[*SIZES])
    call = parser.parse_args()
    torch.set_num_threads(1)
    measure(PLAIN)
    for name in call.sizes:
        plain = dict(PLAIN) | {"texts": TEXTS_OF_MANY_WORDS if name == "words" else PLAIN["texts"]}
        before = (0, 0.0)
        for size in SIZES[name]:
            seconds = measure(plain | {name: size})
            times = f", {seconds / before[1]:.2f} times those of {before[0]:,}" if before[0] else ""
            print(f"{size:,} {name}: {seconds:.1f} s{times}", flush=True)
            before = size, seconds


if __name__ == "__main__":
    main()
