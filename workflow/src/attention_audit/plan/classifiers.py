"""The suite of Transformer classifiers, given or fine-tuned here: the maps of their own last layer."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path

from attention_audit.config import Config
from attention_audit.contrasts import UNIFORM
from attention_audit.jobs.importing import ClassifierJob, ImportJob
from attention_audit.names import Names
from attention_audit.plan.fine_tuned import IMPOSE, LOOK_IMPOSED, TrainedClassifierSuite
from attention_audit.plan.own import OTHERS, GivenSuite, OwnReadouts, looks_of
from attention_audit.plan.suite import ATTRIBUTED, ImportedModel, Run, Suite
from attention_audit.plan.transformers import layers_of
from attention_audit.transformer.settings import IMPOSED, ReadClassifier


class OfTransformers(Suite):
    """What the suite is called and asked, whoever has trained the models of a data set."""

    key = "hf"
    paper = "hf"
    title = "Transformer classifiers"
    about = "What may be read into a fine-tuned Transformer's own map, the first token's row of its last layer?"
    own_audits = (*OwnReadouts.own_audits, "cut_texts", "correlation", "agreement", *ATTRIBUTED)


class OfRecipe(OfTransformers, TrainedClassifierSuite):
    """The models of one data set that are fine-tuned here."""


class GivenClassifierSuite(OfTransformers, GivenSuite):
    """The models of one data set, by the names in their paths. Of those that are given: the ones in question, as the
    configuration calls them; the first one with uniform weights imposed, imposed; its twin, uniform; and its
    adversaries, which are trainings of one model, adversaries. Those that are fine-tuned here are in
    `plan.fine_tuned`.
    """

    labels = Names("model", "`labels` of plan/classifiers.py", {IMPOSED: LOOK_IMPOSED, **OTHERS})

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.tuned = [
            OfRecipe(config.for_dataset(name), name)
            for name, section in config.hf.items()
            if section.recipe is not None
        ]
        self._given = {name: section for name, section in config.hf.items() if section.recipe is None}
        looks = dict(looks_of(name for given in self._given.values() for name in given.models))
        for suite in self.tuned:
            looks |= dict(suite.labels)
        looks |= dict(self.labels)
        self.labels = Names(self.labels.kind, self.labels.where, looks)

    def for_dataset(self, dataset: str) -> Suite:
        return next((suite for suite in self.tuned if suite.dataset == dataset), None) or super().for_dataset(dataset)

    @property
    def datasets(self) -> list[str]:
        return list(self.config.hf)

    def _every(self, models: Iterable[str], of_tuned: Callable[[OfRecipe], Iterable[str]]) -> list[str]:
        """Models that are given, and those that are fine-tuned, each once."""
        return list(dict.fromkeys([*models, *chain.from_iterable(map(of_tuned, self.tuned))]))

    @property
    def models(self) -> list[str]:
        """Of one data set; those of all data sets where the suite is not that of one."""
        given = chain.from_iterable(map(self._read, self._given))
        return self._every(given, lambda suite: suite.models)

    def _read(self, dataset: str) -> list[str]:
        """The models that are given. On a map that does not decide alone, no weights can be imposed."""
        section = self._given[dataset]
        first = next(iter(section.models))
        return [name for name in section.by_model if name != IMPOSED or self.layer(dataset, first) is None]

    @property
    def judged(self) -> list[str]:
        given = chain.from_iterable(given.models for given in self._given.values())
        return self._every(given, lambda suite: suite.judged)

    @property
    def base(self) -> Run | None:
        return next((Run(model, 1) for given in self._given.values() for model in given.models), None) or next(
            (suite.base for suite in self.tuned), None
        )

    @property
    def compared(self) -> list[Run]:
        """Other models in question have weights of their own; and weights are imposed on the base only."""
        others = [model for model in self.models if model not in self.judged[1:]]
        return [run for run in self.runs(others) if run != self.base and (run.model != IMPOSED or run.seed == 1)]

    def seeds(self, model: str) -> list[int]:
        """The numbers of its trainings, or the seeds of one that is fine-tuned here; of several data sets, as many as
        it has at most.
        """
        most = max((len(given.by_model.get(model, [])) for given in self._given.values()), default=0)
        tuned = next((suite.seeds(model) for suite in self.tuned if model in suite.models), [])
        return list(range(1, most + 1)) or tuned

    def family(self, model: str) -> str:
        return next((suite.family(model) for suite in self.tuned if model in suite.models), model)

    def reference(self, run: Run) -> Run | None:
        """Weights are imposed on the first model."""
        return Run(self.judged[0], run.seed) if run.model == IMPOSED else None

    def given(self, dataset: str, model: str) -> ImportedModel:
        if model == IMPOSED:
            return ImportedModel(IMPOSE)
        return ImportedModel("import_classifier", tuple(self._given[dataset].by_model[model]), network=True)

    def layer(self, dataset: str, model: str) -> int | None:
        layer, mirror = self._given[dataset].layer, Path(self.config.mirror) if self.config.mirror else None
        if layer is None:
            return None
        folders = self._given[dataset].by_model[model]
        return None if all(layer == layers_of(folder, mirror) for folder in folders) else layer

    def reading(self, dataset: str, model: str, seed: int) -> ReadClassifier:
        section = self._given[dataset]
        return ReadClassifier(
            folder=section.by_model[model][seed - 1],
            max_length=section.max_length,
            labels=section.labels,
            imposed=model == UNIFORM,
            layer=self.layer(dataset, model),
        )

    def importing(self, dataset: str, model: str, seeds: Sequence[int]) -> ImportJob:
        if model == IMPOSED:
            return ImportJob(dataset=dataset, model=model, seeds=list(seeds))
        return ClassifierJob(
            dataset=dataset,
            model=model,
            seeds=list(seeds),
            read=[self.reading(dataset, model, seed) for seed in seeds],
            device=self.config.device,
            threads=self.config.threads,
        )
