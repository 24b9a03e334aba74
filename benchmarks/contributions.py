"""Seconds that exact contributions, ranked sets and shuffles take on a whole test split, on one core.

    python benchmarks/contributions.py

1,725 texts as long as SST's, with two classes; at most 2 s are wanted of either of the first two audits. And 4,356
texts (as IMDb has) of 230 tokens on average with 8 classes, of which nothing is asked.
"""

import time

import splits

from attention_audit.audits.contributions import contributions, ranked_sets, shuffles
from attention_audit.audits.settings import Erasure, Permutation
from attention_audit.readout import Readout


def measure(name: str, readout: Readout, wanted: str) -> None:
    """Print what a split takes."""
    start = time.process_time()
    contributions(readout)
    between = time.process_time()
    ranked_sets(readout, Erasure())
    after = time.process_time()
    shuffles(readout, Erasure(), Permutation())
    first, second, third = between - start, after - between, time.process_time() - after
    print(
        f"{name}: {len(readout)} texts, {readout.lengths.mean():.0f} tokens: contributions {first:.2f} s, ranked sets"
        f" {second:.2f} s{wanted}, shuffles {third:.2f} s of processor time"
    )


def main() -> None:
    """Time both splits."""
    short, long = splits.parse_splits(__doc__)
    measure("SST lengths", short, " (wanted: at most 2 s each)")
    measure("long texts", long, "")


if __name__ == "__main__":
    main()
