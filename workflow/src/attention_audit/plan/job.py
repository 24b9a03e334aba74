"""One job of a run before it runs, as Snakemake's rules, the tests and the api take it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from attention_audit.code_hash import code_hash
from attention_audit.section import Section

Files = dict[str, list[str]]
"""Files of a job, by the names that its stage knows them by."""


@dataclass(frozen=True, eq=False)
class PlannedJob:
    """A job: the rule that makes it with which wildcards, on which files, and its settings.

    stage: the module of `stages` that runs it; by default it has the rule's name. runs: modules that it calls without
    importing them. prints: modules whose words it prints.
    """

    rule: str
    wildcards: Mapping[str, str]
    inputs: Files
    outputs: Files
    settings: Section
    stage: str = ""
    runs: Sequence[str] = ()
    prints: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "stage", self.stage or self.rule)

    @cached_property
    def code(self) -> str:
        """Hash all code that it runs."""
        code = code_hash(f"stages.{self.stage}", *self.runs)
        return code + code_hash(*self.prints, words=True) if self.prints else code

    @property
    def files(self) -> list[str]:
        """Return all that it makes."""
        return [path for paths in self.outputs.values() for path in paths]

    @property
    def read(self) -> list[str]:
        """Return all that it reads."""
        return [path for paths in self.inputs.values() for path in paths]
