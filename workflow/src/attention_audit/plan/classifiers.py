"""The suite of Transformer classifiers, given or fine-tuned here: the maps of their own last layer."""

from collections.abc import Iterable

from attention_audit.config import Config
from attention_audit.contrasts import UNIFORM, Contrasts
from attention_audit.jobs.importing import ClassifierJob, ImportJob
from attention_audit.model.architecture import Architecture
from attention_audit.names import MAPS, Look, Names
from attention_audit.plan.four_tests import ADVERSARY, CONTINUATION, GUIDES, LOOKS, FourTests
from attention_audit.plan.own import OTHERS, GivenSuite, OwnReadouts, unique
from attention_audit.plan.suite import ATTRIBUTED, ImportedModel, Run, Schedule, Suite
from attention_audit.plan.transformers import classifier_of, encoder_width, read_alone, recipe_of
from attention_audit.training.fine_tuning import ClassifierTuning
from attention_audit.training.settings import DeceptionObjective, Objective, Recipe
from attention_audit.transformer.settings import IMPOSED, MARKS, Backbone, GivenClassifiers, ReadClassifier

IMPOSE = "impose_uniform"
"""The rule that makes readouts with uniform weights imposed."""
LOOK_IMPOSED = Look("uniform weights imposed", "grey", "D")
LIAR = "liar"
LOOK_LIAR = Look("liar", "vermillion", "o")


class OfTransformers(Suite):
    """What the suite is called and asked, whoever has trained the models of a data set."""

    key = "hf"
    paper = "hf"
    title = "Transformer classifiers"
    about = "What may be read into a fine-tuned Transformer's own map, the classified token's row of its last layer?"
    own_audits = (
        *(*OwnReadouts.own_audits, "cut_texts", "evidence", "correlation", "agreement", "attribution_stability"),
        *ATTRIBUTED,
    )


class TrainedClassifierSuite(OfTransformers, FourTests):
    """The models of the four tests, whose base model is a classifier that is fine-tuned from one encoder, and whose map
    is the mean of the heads of its last layer. The twin has uniform weights there; imposed is the base model itself,
    with uniform weights imposed there. `models`, `seeds` and the like are those of one data set.
    """

    labels = Names("model", "`labels` of plan/classifiers.py", {**LOOKS, LIAR: LOOK_LIAR, IMPOSED: LOOK_IMPOSED})

    def __init__(self, config: Config, dataset: str) -> None:
        super().__init__(config)
        self.dataset = dataset
        self.recipe = recipe_of(config, dataset)
        self.adversary, self.guides, self.base_seeds = self.recipe.adversary, self.recipe.guides, self.recipe.seeds

    def for_dataset(self, dataset: str) -> Suite:
        return self

    @property
    def datasets(self) -> list[str]:
        return [self.dataset]

    @property
    def models(self) -> list[str]:
        return [*super().models, IMPOSED]

    @property
    def attending(self) -> list[str]:
        return [*super().attending, *self.judged[1:]]

    @property
    def judged(self) -> list[str]:
        return [*super().judged, *([LIAR] if self.recipe.liar else [])]

    @property
    def compared(self) -> list[Run]:
        return [*super().compared, Run(IMPOSED, self.base.seed)]

    def compared_models(self, model: str) -> Contrasts | None:
        return None if model == LIAR else super().compared_models(model)

    def objective(self, dataset: str, model: str) -> Objective:
        if model == LIAR and self.recipe.liar:
            return DeceptionObjective(lambda_=self.recipe.liar)
        return super().objective(dataset, model)

    def reference(self, run: Run) -> Run | None:
        return Run("base", run.seed) if run.model == IMPOSED else super().reference(run)

    def given(self, dataset: str, model: str) -> ImportedModel | None:
        return ImportedModel(IMPOSE) if model == IMPOSED else None

    def selection(self, dataset: str, model: str) -> str:
        return super().selection(dataset, "base" if model == IMPOSED else model)

    def maps(self, dataset: str, model: str) -> list[str]:
        return self.config.hf[dataset].maps if model in self.judged else []

    @property
    def tuning(self) -> ClassifierTuning:
        return self.recipe.tuning

    @property
    def special_tokens(self) -> int:
        return MARKS

    def architecture(self, dataset: str, model: str) -> Architecture:
        if attention := GUIDES.get(model):
            guides = self.recipe.guides
            return Architecture(
                encoder="affine",
                attention=attention,
                **self.embedded(dataset, guides.embedding),
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
        if model == CONTINUATION:
            return Schedule(recipe, adversary.continuation.epochs, pace=adversary.continuation.pace)
        return Schedule(recipe, self.tuning.epochs if model == LIAR else guides.epochs)


class GivenClassifierSuite(OfTransformers, GivenSuite):
    """The classifiers of one data set, as `GivenSuite` has them; and imposed, the first one with uniform weights
    imposed. Of all data sets together, those too that are fine-tuned here.
    """

    labels = Names("model", "`labels` of plan/classifiers.py", {IMPOSED: LOOK_IMPOSED, **OTHERS})

    def __init__(self, config: Config) -> None:
        tuned = [name for name, section in config.hf.items() if section.recipe is not None]
        self.tuned = [TrainedClassifierSuite(config.for_dataset(name), name) for name in tuned]
        for section in config.hf.values():
            MAPS.refuse_unknown(section.maps)
        looks: dict[str, Look] = {}
        for suite in self.tuned:
            looks |= dict(suite.labels)
        super().__init__(config, looks)

    def for_dataset(self, dataset: str) -> Suite:
        return next((suite for suite in self.tuned if suite.dataset == dataset), None) or super().for_dataset(dataset)

    @property
    def sections(self) -> dict[str, GivenClassifiers]:
        return {name: section for name, section in self.config.hf.items() if section.recipe is None}

    @property
    def datasets(self) -> list[str]:
        return list(self.config.hf)

    @property
    def models(self) -> list[str]:
        return unique([*map(self._read, self.sections), *(suite.models for suite in self.tuned)])

    def _read(self, dataset: str) -> Iterable[str]:
        """The models that are given. On a map that does not decide alone, no weights can be imposed."""
        section = self.sections[dataset]
        decides = self.layer(dataset, next(iter(section.models))) is None
        return [name for name in section.by_model if name != IMPOSED or decides]

    @property
    def judged(self) -> list[str]:
        return unique([super().judged, *(suite.judged for suite in self.tuned)])

    @property
    def base(self) -> Run | None:
        return super().base if self.sections else next((suite.base for suite in self.tuned), None)

    @property
    def compared(self) -> list[Run]:
        """Weights are imposed on the base only."""
        return [run for run in super().compared if run.model != IMPOSED or run.seed == 1]

    def seeds(self, model: str) -> list[int]:
        """As of all models that are given; or the seeds of one that is fine-tuned here."""
        tuned = (suite.seeds(model) for suite in self.tuned if model in suite.models)
        return super().seeds(model) or next(tuned, [])

    def family(self, model: str) -> str:
        return next((suite.family(model) for suite in self.tuned if model in suite.models), model)

    def reference(self, run: Run) -> Run | None:
        """Weights are imposed on the first model."""
        return Run(self.judged[0], run.seed) if run.model == IMPOSED else None

    def given(self, dataset: str, model: str) -> ImportedModel:
        if model == IMPOSED:
            return ImportedModel(IMPOSE)
        return ImportedModel("read_classifier", tuple(self.sections[dataset].by_model[model]), network=True)

    def layer(self, dataset: str, model: str) -> int | None:
        section = self.sections[dataset]
        return read_alone(self.config, section.by_model[model], section.layer, section.long)

    def reading(self, dataset: str, model: str, seed: int) -> ReadClassifier:
        section = self.sections[dataset]
        named = classifier_of(self.config, section.by_model[model][seed - 1])
        return ReadClassifier(
            # a job looks for the user's own itself, as they may lie elsewhere where it runs
            folder=str(named.folder) if named.made else named.path,
            max_length=section.max_length,
            long=section.long,
            labels=section.labels_of(model),
            imposed=model == UNIFORM,
            layer=self.layer(dataset, model),
            maps=self.maps(dataset, model),
            prompt=section.prompt,
        )

    def maps(self, dataset: str, model: str) -> list[str]:
        section = self.sections[dataset]
        return section.maps if model in section.models else []

    def importing(self, dataset: str, model: str, seed: int) -> ImportJob:
        if model == IMPOSED:
            return super().importing(dataset, model, seed)
        return ClassifierJob(
            dataset=dataset,
            model=model,
            seed=seed,
            read=self.reading(dataset, model, seed),
            first=self.reading(dataset, model, 1),
            classes=self.config.corpora[dataset].preparation.classes,
            device=self.config.device,
            threads=self.config.threads,
        )
