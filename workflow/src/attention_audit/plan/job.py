"""One job of a run before it runs, as Snakemake's rules, the tests and the api take it."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from attention_audit.section import Section

Files = dict[str, list[str]]
"""Files of a job, by the names that its stage knows them by."""


@dataclass(frozen=True, eq=False)
class PlannedJob:
    """A job: what its rule is called, which stage runs it on which files, and what it is told.

    name: of its rule, which no other job has. stage: a module of `stages`. told: makes its settings, which are checked
    as they are made. code: hash of all that it runs. log: the file that receives its messages. needs: entries of
    resources.yaml, of which the first that is there counts; () where it is too small to be sent to a cluster. threads:
    cores that it may use. pictured: of a picture that Snakemake's own report shows, its caption, a file as the rules
    name it, its category and its labels.
    """

    name: str
    stage: str
    inputs: Files
    outputs: Files
    told: Callable[[], Section]
    code: str
    log: str
    needs: tuple[str, ...] = ()
    threads: int = 1
    pictured: Mapping[str, Any] | None = None

    @cached_property
    def settings(self) -> Section:
        """What it is told."""
        return self.told()

    @property
    def files(self) -> list[str]:
        """All that it makes."""
        return [path for paths in self.outputs.values() for path in paths]

    @property
    def read(self) -> list[str]:
        """All that it reads."""
        return [path for paths in self.inputs.values() for path in paths]


def ranks(jobs: Sequence[PlannedJob]) -> dict[str, int]:
    """How many jobs are behind each one in the longest chain of files that begins with it, by the names of the rules.

    The job with the most behind it goes first where several may, so that no core waits at the end of a run.
    """
    readers: defaultdict[str, list[PlannedJob]] = defaultdict(list)
    for job in jobs:
        for path in job.read:
            readers[path].append(job)

    @cache
    def behind(job: PlannedJob) -> int:
        return max((1 + behind(reader) for path in job.files for reader in readers[path]), default=0)

    return {job.name: behind(job) for job in jobs}


def rule_name(*parts: str | int) -> str:
    """The name of a rule. Hyphens and dots stay, so that no two jobs have the same one."""
    return re.sub(r"[^\w.-]", "_", "_".join(map(str, parts)))
