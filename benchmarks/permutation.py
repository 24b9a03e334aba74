"""Seconds that 100 permutations of the attention over a whole test split take, on one core.

    python benchmarks/permutation.py

1,725 texts as long as SST's, and 4,356 (as IMDb has) of 230 tokens on average with 8 classes; at most 5 s are wanted of
either.
"""

import time

import splits

from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.readout import Readout


def measure(name: str, readout: Readout) -> None:
    """Print what a split takes."""
    settings = Permutation()
    start = time.process_time()
    permutation(readout, settings)
    seconds = time.process_time() - start
    print(
        f"{name}: {len(readout)} texts, {readout.lengths.mean():.0f} tokens, {settings.permutations} permutations:"
        f" {seconds:.1f} s of processor time (wanted: at most 5 s)"
    )


def main() -> None:
    """Time both splits."""
    short, long = splits.parse_splits(__doc__)
    measure("SST lengths", short)
    measure("long texts", long)


if __name__ == "__main__":
    main()
