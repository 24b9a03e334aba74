"""Memory, time and GPUs that a job asks of a cluster, from the size of its inputs: `workflow/resources.yaml`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, TypeAdapter

from attention_audit.section import NonNegative, Section

Line = Annotated[list[NonNegative], Field(min_length=2, max_length=2)]


class Needs(Section):
    """What a job of one rule asks for: base and slope of its memory (MB) and its time (minutes)."""

    memory: Line
    minutes: Line
    gpu: bool = False

    def mem_mb(self, megabytes: float, attempt: int = 1) -> int:
        """Memory in MB for inputs of so many MB; a further attempt asks for as much again."""
        base, slope = self.memory
        return math.ceil(attempt * (base + slope * megabytes))

    def runtime(self, megabytes: float, attempt: int = 1, passes: int = 1) -> int:
        """Minutes for inputs of so many MB that are read `passes` times; a further attempt asks for as many again."""
        base, slope = self.minutes
        return math.ceil(attempt * (base + slope * megabytes * passes))


def read_needs(path: Path) -> dict[str, Needs]:
    """The needs by rule."""
    return TypeAdapter(dict[str, Needs]).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))


def megabytes(paths: Iterable[str | Path]) -> float:
    """Size of a job's inputs in MB.

    Neither weights nor files of word vectors count: the first are small, and the second are read line by line. Raises
    FileNotFoundError where another file is not there yet; Snakemake then asks again.
    """
    counted = (Path(path) for path in paths)
    return sum(p.stat().st_size for p in counted if p.suffix != ".safetensors" and p.parent.name != "vectors") / 1e6
