"""Suites of models that are given, whose models are those in question, the first one's twin and its adversaries; and
the suite of the user's own models, of which only readouts are given: nothing is trained.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle

from attention_audit.config import Config
from attention_audit.contrasts import ADVERSARIES, UNIFORM, Contrasts
from attention_audit.jobs.importing import ImportJob
from attention_audit.names import Look, Names
from attention_audit.plan.suite import BESIDE_BASE, USUAL, ImportedModel, Run, Suite

OTHERS = {UNIFORM: Look("uniform", "orange", "s"), ADVERSARIES: Look("adversaries", "blue", "o")}
"""How the models are called that are no models in question."""
COLOURS = ("green", "purple", "vermillion", "sky")


def looks_of(models: Iterable[str]) -> Mapping[str, Look]:
    """The models in question by the user's names, each with a colour; colours come again where there are more."""
    return {name: Look(name, colour, "^") for name, colour in zip(dict.fromkeys(models), cycle(COLOURS), strict=False)}


class GivenSuite(Suite):
    """Models that others have trained: there is nothing but the test split, on which adversaries are chosen too."""

    @property
    def shown_adversary(self) -> Run | None:
        return Run(ADVERSARIES, 1) if ADVERSARIES in self.models else None

    def splits(self, dataset: str) -> tuple[str, ...]:
        return ("test",)

    def compared_models(self, model: str) -> Contrasts | None:
        if self.base is None or model != self.base.model:
            return None
        return Contrasts(
            seed=self.base.seed,
            uniform=UNIFORM if UNIFORM in self.models else None,
            adversaries=[ADVERSARIES] if ADVERSARIES in self.models else [],
            chosen_on="test",
        )


class OwnReadouts(GivenSuite):
    """The models of one data set, by the names in their paths: those in question, as the configuration calls them; the
    first one's twin, uniform; and its adversaries, which are trainings of one model, adversaries.
    """

    key = "own"
    paper = "own"
    title = "Your own models"
    about = "What may be read into the maps of models that were trained elsewhere, of which readouts are given?"
    labels = Names("model", "`OTHERS` of plan/own.py", OTHERS)
    own_audits = (*USUAL, *BESIDE_BASE, "heads", "planted")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        named = looks_of(name for given in config.own.values() for name in given.models)
        self.labels = Names(self.labels.kind, self.labels.where, {**named, **OTHERS})

    @property
    def datasets(self) -> list[str]:
        return list(self.config.own)

    @property
    def models(self) -> list[str]:
        """Of one data set; those of all data sets where the suite is not that of one."""
        return list(dict.fromkeys(name for given in self.config.own.values() for name in given.by_model))

    @property
    def judged(self) -> list[str]:
        return [model for model in self.models if model not in (UNIFORM, ADVERSARIES)]

    @property
    def attending(self) -> list[str]:
        return self.models

    @property
    def base(self) -> Run | None:
        return next((Run(model, 1) for model in self.judged), None)

    @property
    def compared(self) -> list[Run]:
        """Other models in question have adversaries of their own, which are not given."""
        others = {UNIFORM, ADVERSARIES, *(model for model in self.judged[:1])}
        return [run for run in super().compared if run.model in others]

    def seeds(self, model: str) -> list[int]:
        """The numbers of its trainings; of several data sets, as many as it has at most."""
        most = max((len(given.by_model.get(model, [])) for given in self.config.own.values()), default=0)
        return list(range(1, most + 1))

    def given(self, dataset: str, model: str) -> ImportedModel:
        own = self.config.own[dataset]
        return ImportedModel("import_readout", tuple(own.by_model[model]), (own.first,))

    def importing(self, dataset: str, model: str, seeds: Sequence[int]) -> ImportJob:
        return ImportJob(dataset=dataset, model=model, seeds=list(seeds))
