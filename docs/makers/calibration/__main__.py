"""Simulate runs whose answer is known, and write docs/calibration.md of what comes out."""

import argparse
import os
import sys
from collections.abc import Sequence

from attention_audit.errors import AuditError
from makers.calibration.page import save_page
from makers.calibration.simulation import SUBJECTS, Sizes, simulate


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and write. Nothing is written before all has come out; a fault ends in one line and exit status 1."""
    parser = argparse.ArgumentParser(prog="python -m makers.calibration", description=__doc__)
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="processes that simulate side by side")
    cores, sizes = parser.parse_args(arguments).cores, Sizes()
    try:
        print(save_page(simulate([*SUBJECTS], sizes, cores), sizes))
    except AuditError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
