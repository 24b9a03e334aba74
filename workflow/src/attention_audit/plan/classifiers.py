"""The suite of fine-tuned Transformer classifiers that are given: the maps of their own last layer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from attention_audit.config import Config
from attention_audit.contrasts import Contrasts
from attention_audit.jobs.importing import ClassifierJob
from attention_audit.names import Look, Names
from attention_audit.plan.suite import Given, Run, Suite
from attention_audit.transformer.settings import ADVERSARIES, IMPOSED, UNIFORM, GivenClassifiers, ReadClassifier

COLOURS = ("green", "purple", "vermillion", "sky")


class FineTunedClassifiers(Suite):
    """The models of one data set, by the names in their paths: those in question, as the configuration calls them; the
    first one with uniform weights imposed, imposed; its twin, uniform; and its adversaries, which are trainings of one
    model, adversaries.
    """

    key = "hf"
    paper = "hf"
    title = "Transformer classifiers"
    about = "What may be read into a fine-tuned Transformer's own map, the first token's row of its last layer?"
    labels = Names(
        "model",
        "`labels` of plan/classifiers.py",
        {
            IMPOSED: Look("uniform weights imposed", "grey", "D"),
            UNIFORM: Look("uniform", "orange", "s"),
            ADVERSARIES: Look("adversaries", "blue", "o"),
        },
    )
    own_audits = (
        "performance",
        "predictions",
        "comparison",
        "consistency",
        "stability",
        "permutation",
        "heads",
        "contributions",
        "instance_adversary",
        "single_weight",
        "ranked_sets",
        "evidence",
        "planted",
        "cut_texts",
        "attention_maps",
        "correlation",
        "agreement",
        "located",
    )

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        named = dict.fromkeys(name for given in config.hf.values() for name in given.models)
        looks = {name: Look(name, colour, "^") for name, colour in zip(named, cycle(COLOURS), strict=False)}
        self.labels = Names(self.labels.kind, self.labels.where, looks | dict(self.labels))

    def _given(self, dataset: str) -> GivenClassifiers:
        return self.config.hf[dataset]

    @property
    def datasets(self) -> list[str]:
        return list(self.config.hf)

    @property
    def models(self) -> list[str]:
        """Of one data set; those of all data sets where the suite is not that of one."""
        return list(dict.fromkeys(name for given in self.config.hf.values() for name in given.by_model))

    @property
    def judged(self) -> list[str]:
        return [model for model in self.models if model not in (IMPOSED, UNIFORM, ADVERSARIES)]

    @property
    def base(self) -> Run | None:
        return next((Run(model, 1) for model in self.judged), None)

    @property
    def contrast(self) -> Run | None:
        return Run(ADVERSARIES, 1) if ADVERSARIES in self.models else None

    @property
    def compared(self) -> list[Run]:
        """Other models in question have weights of their own; and weights are imposed on the base only."""
        others = [model for model in self.models if model not in self.judged[1:]]
        return [run for run in self.runs(others) if run != self.base and (run.model != IMPOSED or run.seed == 1)]

    def seeds(self, model: str) -> list[int]:
        """The numbers of its trainings; of several data sets, as many as it has at most."""
        most = max(len(given.by_model.get(model, [])) for given in self.config.hf.values())
        return list(range(1, most + 1))

    def given(self, dataset: str, model: str) -> Given:
        return Given("import_classifier", tuple(self._given(dataset).by_model[model]), network=True)

    def splits(self, dataset: str) -> tuple[str, ...]:
        return ("test",)

    def reading(self, dataset: str, model: str, seed: int) -> ReadClassifier:
        section = self._given(dataset)
        return ReadClassifier(
            folder=section.by_model[model][seed - 1],
            max_length=section.max_length,
            labels=section.labels,
            imposed=model in (IMPOSED, UNIFORM),
        )

    def importing(self, dataset: str, model: str, seeds: Sequence[int]) -> ClassifierJob:
        return ClassifierJob(
            dataset=dataset,
            model=model,
            seeds=list(seeds),
            read=[self.reading(dataset, model, seed) for seed in seeds],
            threads=self.config.threads,
        )

    def contrasts(self, model: str) -> Contrasts | None:
        if self.base is None or model != self.base.model:
            return None
        return Contrasts(
            seed=self.base.seed,
            uniform=UNIFORM if UNIFORM in self.models else None,
            adversaries=[ADVERSARIES] if ADVERSARIES in self.models else [],
            chosen_on="test",
        )
