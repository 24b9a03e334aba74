"""Seconds that the per-instance adversary takes on a test split like SST's, on one core.

    python benchmarks/instance_adversary.py

1,725 texts, from 6 to 52 tokens long and 18.7 on average, 5 restarts of 500 steps; at most 8 s are wanted.
"""

import argparse
import time

import numpy as np
import torch

from attention_audit.audits.instance_adversary import instance_adversary
from attention_audit.audits.settings import InstanceAdversary
from attention_audit.readout import Readout


def random_readout(texts: int) -> Readout:
    """A readout such as a trained two-class model gives: peaked attention, a few telling words."""
    random = np.random.default_rng(0)
    lengths = np.clip(np.rint(random.gamma(4.2, 18.7 / 4.2, texts)), 6, 52).astype(np.int64)
    attention = [random.dirichlet(np.full(n, 0.3)).astype(np.float32) for n in lengths]
    contribution = [random.normal(0, 3, (n, 1)).astype(np.float32) for n in lengths]
    logits = np.array([a @ z[:, 0] for a, z in zip(attention, contribution, strict=True)])
    positive = 1 / (1 + np.exp(-logits))
    return Readout(
        ids=[str(number) for number in range(texts)],
        labels=random.integers(0, 2, texts),
        predictions=(positive > 0.5).astype(np.int64),
        probabilities=np.stack([1 - positive, positive], axis=1).astype(np.float32),
        attention=attention,
        contribution=contribution,
        bias=np.zeros((texts, 1), np.float32),
    )


def main() -> None:
    """Time one search over the whole split."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1725, help="texts in the split (default 1725)")
    call = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    readout, settings = random_readout(call.texts), InstanceAdversary()
    wall, own = time.perf_counter(), time.process_time()
    instance_adversary(readout, settings, print)
    print(
        f"{call.texts} texts x {settings.restarts} restarts x {settings.steps} steps: "
        f"{time.perf_counter() - wall:.1f} s, {time.process_time() - own:.1f} s of processor time (wanted: at most 8 s)"
    )


if __name__ == "__main__":
    main()
