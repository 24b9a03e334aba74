"""What a run is about: its suites, their data sets and models, and what had to be left out, with the reason."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from attention_audit.config import Config
from attention_audit.corpus.source import explain_unavailable
from attention_audit.corpus.sources.control import ControlCorpus
from attention_audit.errors import AuditError, suggest
from attention_audit.names import Style
from attention_audit.targets import load

from .corpora import add_others
from .model import Model, Run
from .suites import SUITES, Suite


class Judged(NamedTuple):
    """A model whose attention is in question, with its suite and data set: what audits are asked of."""

    suite: Suite
    dataset: str
    model: Model

    @property
    def name(self) -> str:
        """Its name in paths."""
        return self.suite.prefix + self.model.name


class Scope:
    """The suites of a run, and the data sets of each. Raises AuditError where a data set cannot be had and may not be
    left out. looking: whether raw files are looked for, as before a run.
    """

    def __init__(self, config: Config, looking: bool = True) -> None:
        self.config = config
        self.mirror = Path(config.mirror) if config.mirror else None
        self.suites = SUITES
        named = dict.fromkeys(name for suite in SUITES.values() for name in suite.datasets(config))
        raw = Path(config.places.raw)
        self.unavailable = {
            name: reason
            for name in (named if looking else ())
            for own in reversed(add_others(config, [name]))
            if (reason := explain_unavailable(own, config.corpora[own], self.mirror, raw))
        }
        if self.unavailable and not config.skip_unavailable:
            said = "; ".join(self.unavailable.values())
            raise AuditError(f"{said}; or leave it out with skip_unavailable: true")
        self.datasets = [name for name in named if name not in self.unavailable]
        # what is worked out once lies in the object, and goes with it
        self.models: Callable[[Suite, str], dict[str, Model]] = cache(partial(Suite.list_models, config=config))

    @property
    def controls(self) -> list[str]:
        """Return the generated data sets of the run, which stand behind real ones wherever a reader sees both."""
        return [name for name in self.datasets if isinstance(self.config.corpora[name], ControlCorpus)]

    def find_suite(self, name: str) -> Suite:
        """Return a suite by its name. Raises AuditError where there is none."""
        if name not in self.suites:
            known = ", ".join(self.suites)
            likely = suggest(name, self.suites)
            raise AuditError(f"suite {name!r} is not known{likely} (known: {known}); declare it in plan/suites.yaml")
        return self.suites[name]

    def list_gaps(self, suite: Suite) -> dict[str, str]:
        """Return the data sets that were named for a suite and are left out, by reason."""
        pairs = ", ".join(other.title for other in self.suites.values() if other.pairs)
        gaps = {}
        for name in suite.datasets(self.config):
            if name in self.unavailable:
                gaps[name] = self.unavailable[name]
            elif self.config.corpora[name].pair and not suite.pairs:
                gaps[name] = f"{name} holds pairs of texts, which only these suites take: {pairs}; name it there"
        return gaps

    def list_datasets(self, suite: Suite) -> list[str]:
        """Return the data sets of a suite, in the order of the configuration."""
        gaps = self.list_gaps(suite)
        return [name for name in suite.datasets(self.config) if name not in gaps]

    @property
    def asked(self) -> Iterator[tuple[Suite, str]]:
        """Return every suite with each of its data sets."""
        return ((suite, name) for suite in self.suites.values() for name in self.list_datasets(suite))

    def list_judged(self, suite: Suite, dataset: str) -> list[Judged]:
        """Return the models whose own attention is in question; the others are what they are held against."""
        return [Judged(suite, dataset, model) for model in self.models(suite, dataset).values() if model.judged]

    def find_base(self, suite: Suite, dataset: str) -> Run | None:
        """Return the run that all others are compared with, if there is one."""
        return self.list_judged(suite, dataset)[0].model.runs[0] if suite.base else None

    def find_shown(self, suite: Suite, dataset: str) -> Run | None:
        """Return the adversary whose maps are shown beside those of the base, if there is one."""
        return next((model.runs[0] for model in self.models(suite, dataset).values() if model.shown), None)

    def list_looks(self, suite: Suite) -> dict[str, Style]:
        """Describe how the models of a suite look, by their names in rows of audits, in the order of tables."""
        looks: dict[str, Style] = {**load(suite.looks)} if suite.looks else {}
        for dataset in self.list_datasets(suite):
            for model in self.models(suite, dataset).values():
                looks.setdefault(model.family, model.look)
        return looks
