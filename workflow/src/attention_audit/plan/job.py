"""One job of a run before it runs, as Snakemake's rules, the tests and the api take it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from attention_audit.section import Section

Files = dict[str, list[str]]
"""Files of a job, by the names that its stage knows them by."""


@dataclass(frozen=True, eq=False)
class PlannedJob:
    """A job: the rule that makes it with which wildcards, which stage runs it on which files, and what it is told.

    stage: a module of `stages`. told: makes its settings, which are checked as they are made. code: hash of all that it
    runs.
    """

    rule: str
    wildcards: Mapping[str, str]
    stage: str
    inputs: Files
    outputs: Files
    told: Callable[[], Section]
    code: str

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
