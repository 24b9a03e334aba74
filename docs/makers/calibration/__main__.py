"""Simulate runs whose answer is known, and write docs/calibration.md and its figure of what comes out."""

import argparse
import os
import sys
from collections.abc import Sequence

from attention_audit.errors import AuditError
from makers.calibration.operating import operating
from makers.calibration.page import write
from makers.calibration.pools import Sizes
from makers.calibration.populations import SETTINGS
from makers.calibration.simulation import simulated


def parser() -> argparse.ArgumentParser:
    """Its words."""
    parser = argparse.ArgumentParser(prog="python -m makers.calibration", description=__doc__)
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="processes that simulate side by side")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and write. Nothing is written before all has come out; a fault ends in one line and exit status 1."""
    call, sizes = parser().parse_args(arguments), Sizes()
    found = simulated([*SETTINGS], sizes, call.cores)
    try:
        print(*write(operating(found), found, sizes), sep="\n")
    except AuditError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
