"""The memory, time and GPUs that a job asks of a cluster, from the size of its inputs and `workflow/resources.yaml`."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, TypeAdapter

from attention_audit.section import NonNegative, Section

Line = Annotated[list[NonNegative], Field(min_length=2, max_length=2)]


class Needs(Section):
    """What a job of one kind asks for: memory (MB) and minutes, each as a base and an increase per MB of input.

    further: other resources by name, which a site may need, such as slurm_partition.
    """

    memory: Line
    minutes: Line
    gpu: bool = False
    further: dict[str, str | int] = Field(default_factory=dict)

    def mem_mb(self, megabytes: float, attempt: int = 1) -> int:
        """Memory in MB for inputs of `megabytes`; the second attempt asks for twice as much, and so on."""
        base, slope = self.memory
        return math.ceil(attempt * (base + slope * megabytes))

    def runtime(self, megabytes: float, attempt: int = 1, passes: int = 1) -> int:
        """Minutes for inputs of `megabytes` that are read `passes` times; the second attempt asks for twice as many."""
        base, slope = self.minutes
        return math.ceil(attempt * (base + slope * megabytes * passes))


def read_needs(path: Path) -> dict[str, Needs]:
    """The needs of every rule, by the rule's name."""
    return TypeAdapter(dict[str, Needs]).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))


def megabytes(paths: Iterable[str | Path]) -> float:
    """Size of a job's inputs in MB.

    Weights, files of word vectors and arrays do not count: weights are small, word vectors are read line by line, and
    arrays are read where they lie. Raises FileNotFoundError where any other input does not exist yet; Snakemake then
    asks again later.
    """
    counted = (Path(path) for path in paths)
    left_out = {".safetensors", ".npy"}
    return sum(p.stat().st_size for p in counted if p.suffix not in left_out and p.parent.name != "vectors") / 1e6
