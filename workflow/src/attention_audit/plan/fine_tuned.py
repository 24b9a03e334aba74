"""The Transformer classifiers of one data set that are fine-tuned here, and asked Wiegreffe & Pinter's four tests."""

from collections.abc import Sequence

from attention_audit.config import Config
from attention_audit.jobs.importing import ImportJob
from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.corpora import vectors_of
from attention_audit.plan.four_tests import ADVERSARY, CONTINUATION, GUIDES, LOOKS, FourTests
from attention_audit.plan.suite import ImportedModel, Run, Schedule, Suite
from attention_audit.plan.transformers import encoder_width, recipe_of
from attention_audit.training.fine_tuning import ClassifierAdversary, ClassifierRecipe, ClassifierTuning
from attention_audit.training.settings import Recipe
from attention_audit.transformer.settings import IMPOSED, MARKS, Backbone

IMPOSE = "impose"
"""The stage that makes readouts with uniform weights imposed."""
LOOK_IMPOSED = Look("uniform weights imposed", "grey", "D")


class TrainedClassifierSuite(FourTests):
    """The models of the four tests, whose base model is a classifier that is fine-tuned from one encoder, and whose map
    is the mean of the heads of its last layer. The twin has uniform weights there; imposed is the base model itself,
    with uniform weights imposed there.

    `models`, `seeds` and the like are those of the data set; key, title and audits are those of the suite that it is
    part of (`plan.classifiers`).
    """

    labels = Names("model", "`labels` of plan/fine_tuned.py", {**LOOKS, IMPOSED: LOOK_IMPOSED})

    def __init__(self, config: Config, dataset: str) -> None:
        super().__init__(config)
        self.dataset = dataset

    def for_dataset(self, dataset: str) -> Suite:
        return self

    @property
    def recipe(self) -> ClassifierRecipe:
        """The recipe of the data set."""
        return recipe_of(self.config, self.dataset)

    @property
    def datasets(self) -> list[str]:
        return [self.dataset]

    @property
    def models(self) -> list[str]:
        return [*super().models, IMPOSED]

    @property
    def compared(self) -> list[Run]:
        return [*super().compared, Run(IMPOSED, self.base.seed)]

    def reference(self, run: Run) -> Run | None:
        return Run("base", run.seed) if run.model == IMPOSED else super().reference(run)

    def given(self, dataset: str, model: str) -> ImportedModel | None:
        return ImportedModel(IMPOSE) if model == IMPOSED else None

    def importing(self, dataset: str, model: str, seeds: Sequence[int]) -> ImportJob:
        return ImportJob(dataset=dataset, model=model, seeds=list(seeds))

    def selection(self, dataset: str, model: str) -> str:
        return super().selection(dataset, "base" if model == IMPOSED else model)

    @property
    def adversary(self) -> ClassifierAdversary:
        return self.recipe.adversary

    @property
    def lent(self) -> float:
        return self.recipe.guides.adversary_lambda

    @property
    def base_seeds(self) -> list[int]:
        return self.recipe.seeds

    @property
    def tuning(self) -> ClassifierTuning:
        return self.recipe.tuning

    @property
    def marks(self) -> int:
        return MARKS

    def architecture(self, dataset: str, model: str) -> Architecture:
        if attention := GUIDES.get(model):
            guides, vectors = self.recipe.guides, vectors_of(self.config, dataset)
            return Architecture(
                encoder="affine",
                attention=attention,
                embedding=vectors.dimension if vectors else guides.embedding,
                pretrained=vectors is not None,
                hidden=guides.hidden,
                attention_hidden=guides.attention,
            )
        return Architecture(
            encoder="transformer",
            attention="even_heads" if model == "uniform" else "heads",
            embedding=1,
            pretrained=False,
            hidden=encoder_width(self.config, dataset),
            attention_hidden=1,
            transformer=Backbone(path=self.recipe.path, frozen=False, max_length=self.config.hf[dataset].max_length),
        )

    def schedule(self, dataset: str, model: str) -> Schedule:
        guides, adversary = self.recipe.guides, self.recipe.adversary
        recipe = Recipe(selection=self.tuning.selection, learning_rate=guides.learning_rate)
        if model.startswith(ADVERSARY):
            return Schedule(recipe, adversary.epochs, adversary.patience)
        return Schedule(recipe, adversary.continuation.epochs if model == CONTINUATION else guides.epochs)
