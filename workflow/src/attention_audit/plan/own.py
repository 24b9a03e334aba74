"""Suites of models that are given, whose models are those in question, the first one's twin and its adversaries; and
the suite of the user's own models, of which only readouts are given: nothing is trained.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from itertools import chain, cycle

from attention_audit.config import Config
from attention_audit.contrasts import ADVERSARIES, UNIFORM, Contrasts
from attention_audit.given.files import GivenModels
from attention_audit.names import Look, Names
from attention_audit.plan.suite import BESIDE_BASE, USUAL, ImportedModel, Run, Suite
from attention_audit.transformer.settings import GivenClassifiers

OTHERS = {UNIFORM: Look("uniform", "orange", "s"), ADVERSARIES: Look("adversaries", "blue", "o")}
"""How the models are called that are no models in question."""
COLOURS = ("green", "purple", "vermillion", "sky")


def unique(names: Iterable[Iterable[str]]) -> list[str]:
    """All of these names, each once, in their order."""
    return list(dict.fromkeys(chain.from_iterable(names)))


class GivenSuite(Suite):
    """Models that others have trained, by the names in their paths: those in question, as the configuration calls them;
    the first one's twin, uniform; and its adversaries, which are trainings of one model, adversaries.

    There is nothing but the test split, on which adversaries are chosen too. Models in question have a colour each;
    colours come again where there are more. further: labels of other models.
    """

    def __init__(self, config: Config, further: Mapping[str, Look] | None = None) -> None:
        super().__init__(config)
        models = unique(section.models for section in self.sections.values())
        looks = {name: Look(name, colour, "^") for name, colour in zip(models, cycle(COLOURS), strict=False)}
        self.labels = Names(self.labels.kind, self.labels.where, {**looks, **(further or {}), **self.labels})

    @property
    @abstractmethod
    def sections(self) -> Mapping[str, GivenModels | GivenClassifiers]:
        """The sections of the configuration that name the models, by data set."""

    @property
    def datasets(self) -> list[str]:
        return list(self.sections)

    @property
    def models(self) -> list[str]:
        """Of one data set; those of all data sets where the suite is not that of one."""
        return unique(section.by_model for section in self.sections.values())

    @property
    def judged(self) -> list[str]:
        return unique(section.models for section in self.sections.values())

    @property
    def base(self) -> Run | None:
        return next((Run(model, 1) for model in self.judged), None)

    @property
    def compared(self) -> list[Run]:
        """Other models in question have adversaries and weights of their own."""
        others = [model for model in self.models if model not in self.judged[1:]]
        return [run for run in self.runs(others) if run != self.base]

    def seeds(self, model: str) -> list[int]:
        """The numbers of its trainings; of several data sets, as many as it has at most."""
        most = max((len(section.by_model.get(model, [])) for section in self.sections.values()), default=0)
        return list(range(1, most + 1))

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
    """The models of one data set of which there are readouts."""

    key = "own"
    paper = "own"
    title = "Your own models"
    about = "What may be read into the maps of models that were trained elsewhere, of which readouts are given?"
    labels = Names("model", "`OTHERS` of plan/own.py", OTHERS)
    own_audits = (*USUAL, *BESIDE_BASE, "heads", "planted", "map_stability")

    @property
    def sections(self) -> dict[str, GivenModels]:
        return self.config.own

    @property
    def attending(self) -> list[str]:
        return self.models

    def given(self, dataset: str, model: str) -> ImportedModel:
        own = self.sections[dataset]
        return ImportedModel("import_readout", tuple(own.by_model[model]), (own.first,))
