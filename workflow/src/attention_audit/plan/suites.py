"""The suites: sets of models that are asked the same audits, those of a paper or a user's own; and what a run is about:
its suites, their data sets and models, and what had to be left out, with the reason.
"""

from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.source import explain_unavailable
from attention_audit.corpus.sources.control import ControlCorpus
from attention_audit.errors import AuditError, suggest
from attention_audit.names import Style

from .corpora import add_others
from .model import DataSet, Model, Suite
from .papers import given, jain_wallace, madsen, mohankumar, pruthi, serrano_smith, wiegreffe_pinter

SUITES = {
    suite.name: suite
    for suite in (
        wiegreffe_pinter.SUITE,
        serrano_smith.SUITE,
        jain_wallace.SUITE,
        pruthi.SUITE,
        mohankumar.SUITE,
        madsen.SUITE,
        given.READOUTS,
        given.CLASSIFIERS,
    )
}
"""By name, in the order in which they train and are shown."""


def find_suite(name: str) -> Suite:
    """Return a suite by its name. Raises AuditError where there is none."""
    if name not in SUITES:
        raise AuditError("", f"suite {name!r} is not known{suggest(name, SUITES)}", f"name one of {', '.join(SUITES)}")
    return SUITES[name]


class Scope:
    """The suites of a run, and the data sets of each. Raises AuditError where a data set cannot be had and may not be
    left out. looking: whether raw files are looked for, as before a run.

    asked: every suite with each of its data sets. datasets: all of them. unavailable: those left out, by reason.
    """

    def __init__(self, config: Config, looking: bool = True) -> None:
        self.config = config
        datasets = dict.fromkeys(name for suite in SUITES.values() for name in suite.datasets(config))
        raw = Path(config.places.raw)
        self.unavailable = {
            name: reason
            for name in (datasets if looking else ())
            for source in reversed(add_others(config, [name]))
            if (reason := explain_unavailable(source, config.corpora[source], config.mirror_folder, raw))
        }
        if self.unavailable and not config.skip_unavailable:
            reasons = "; ".join(self.unavailable.values())
            raise AuditError("", reasons, "or leave it out with skip_unavailable: true")
        self.datasets = [name for name in datasets if name not in self.unavailable]
        self.asked = [
            DataSet(suite, name, config)
            for suite in SUITES.values()
            for gaps in [self.list_gaps(suite)]
            for name in suite.datasets(config)
            if name not in gaps
        ]

    @property
    def controls(self) -> list[str]:
        """Return the generated data sets of the run, which stand behind real ones wherever a reader sees both."""
        return [name for name in self.datasets if isinstance(self.config.corpora[name], ControlCorpus)]

    @property
    def judged(self) -> list[Model]:
        """Return the models whose attention is in question, and not their generated tokens; those of generated data
        sets last.
        """
        models = (model for data in self.asked for model in data.judged if model.tokens is None)
        return sorted(models, key=lambda model: model.data.name in self.controls)

    @property
    def generating(self) -> list[Model]:
        """Return the language models whose generated tokens are in question."""
        return [model for data in self.asked for model in data.judged if model.tokens is not None]

    def list_gaps(self, suite: Suite) -> dict[str, str]:
        """Return the data sets that were named for a suite and are left out, by reason."""
        titles = ", ".join(reader.title for reader in SUITES.values() if reader.pairs)
        gaps = {}
        for name in suite.datasets(self.config):
            if name in self.unavailable:
                gaps[name] = self.unavailable[name]
            elif self.config.corpora[name].pair and not suite.pairs:
                gaps[name] = f"{name} holds pairs of texts, which only these suites take: {titles}; name it there"
        return gaps

    def find_data(self, suite: str, dataset: str) -> DataSet:
        """Return a data set of a suite, by the names of both."""
        return next(data for data in self.asked if (data.suite.name, data.name) == (suite, dataset))

    def list_asked(self, suite: Suite) -> list[DataSet]:
        """Return the data sets of a suite, in the order of the configuration."""
        return [data for data in self.asked if data.suite is suite]

    def list_datasets(self, suite: Suite) -> list[str]:
        """Return the names of the data sets of a suite."""
        return [data.name for data in self.list_asked(suite)]

    def list_looks(self, suite: Suite) -> dict[str, Style]:
        """Describe how the models of a suite look, by their names in rows of audits, in the order of tables."""
        looks = dict(suite.looks)
        for data in self.list_asked(suite):
            for model in data.models.values():
                if model.listed:
                    looks.setdefault(model.family, model.look)
        return looks
