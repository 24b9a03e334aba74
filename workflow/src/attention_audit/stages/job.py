"""What every stage is called with: its settings, its files by name, and somewhere to say how far it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from attention_audit.artefacts.provenance import Provenance
from attention_audit.section import Section

SettingsT = TypeVar("SettingsT", bound=Section)


@dataclass(frozen=True)
class Job(Generic[SettingsT]):
    """One run of one stage. A name stands for one file or for several in a fixed order.

    `threads`: how many cores it may use, where that changes nothing but the time it takes.
    """

    settings: SettingsT
    inputs: Mapping[str, list[Path]]
    outputs: Mapping[str, list[Path]]
    provenance: Provenance
    report: Callable[[str], None]
    threads: int = 1

    def input(self, name: str) -> Path:
        """Return the one input file of this name."""
        (path,) = self.inputs[name]
        return path

    def output(self, name: str) -> Path:
        """Return the one output file of this name."""
        (path,) = self.outputs[name]
        return path
