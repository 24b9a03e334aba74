"""What a run is about: its suites and data sets, and what of them had to be left out, with the reason."""

from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.source import unavailable
from attention_audit.corpus.sources.control import ControlCorpus
from attention_audit.errors import AuditError, did_you_mean
from attention_audit.plan.corpora import raw_paths, source_of, with_others
from attention_audit.plan.suite import Suite
from attention_audit.plan.suites import SUITES


class Scope:
    """The suites of a run, and the data sets of each. Raises AuditError where a data set cannot be had and may not be
    left out, or where two suites have one key. looking: whether raw files are looked for, as before a run.
    """

    def __init__(self, config: Config, suites: Collection[type[Suite]] = SUITES, looking: bool = True) -> None:
        self.config = config
        self.mirror = Path(config.mirror) if config.mirror else None
        self.suites = {suite.key: suite(config) for suite in suites}
        if len(self.suites) < len(suites):
            raise AuditError(f"two suites have the same key ({', '.join(suite.key for suite in suites)}); rename one")
        named = dict.fromkeys(name for suite in self.suites.values() for name in suite.datasets)
        raw = Path(config.places.raw)
        sought = named if looking else {}
        self.unavailable = {
            name: reason
            for name in sought
            for own in reversed(with_others(config, [name]))
            if (reason := unavailable(own, config.corpora[own], self.mirror, raw))
        }
        if self.unavailable and not config.skip_unavailable:
            said = "; ".join(self.unavailable.values())
            raise AuditError(f"{said}; or leave it out with skip_unavailable: true")
        self.datasets = [name for name in named if name not in self.unavailable]
        # what is worked out once lies in the object, and goes with it
        self.for_dataset: Callable[[Suite, str], Suite] = cache(self._for_dataset)
        self.marked: Callable[[str], bool] = cache(self._marked)

    @property
    def controls(self) -> list[str]:
        """The generated data sets of the run, which stand behind real ones wherever a reader sees both."""
        return [name for name in self.datasets if isinstance(self.config.corpora[name], ControlCorpus)]

    def suite(self, key: str) -> Suite:
        """A suite by its key. Raises AuditError where there is none."""
        if key not in self.suites:
            known = ", ".join(self.suites)
            likely = did_you_mean(key, self.suites)
            raise AuditError(f"suite {key!r} is not known{likely} (known: {known}); declare it in plan/suites.py")
        return self.suites[key]

    def _for_dataset(self, suite: Suite, dataset: str) -> Suite:
        """A suite with the configuration of one data set; the same object at each call."""
        return self.suites[suite.key].for_dataset(dataset)

    def _marked(self, dataset: str) -> bool:
        """Whether words of the texts of a data set are marked, or known to decide the label."""
        return source_of(self.config, dataset).marked(raw_paths(self.config, dataset, self.mirror))

    def gaps(self, suite: Suite) -> dict[str, str]:
        """The data sets that were named for a suite and are left out, by reason."""
        pairs = ", ".join(other.title for other in self.suites.values() if other.takes_pairs)
        gaps = {}
        for name in suite.datasets:
            if name in self.unavailable:
                gaps[name] = self.unavailable[name]
            elif self.config.corpora[name].pair and not suite.takes_pairs:
                gaps[name] = f"{name} holds pairs of texts, which only these suites take: {pairs}; name it there"
        return gaps

    def datasets_of(self, suite: Suite) -> list[str]:
        """The data sets of a suite, in the order of the configuration."""
        gaps = self.gaps(suite)
        return [name for name in suite.datasets if name not in gaps]
