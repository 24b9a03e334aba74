"""Which trainings there are, and where the weights and readouts of every run lie.

A model that several suites ask for with the same data, vectors, architecture, recipe and seed is one training: it lies
under the suite that comes first in `plan.suites`, and all of them read it there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from attention_audit.code_hash import code_hash
from attention_audit.corpus.source import placed
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.jobs.train import SearchJob, TrainJob
from attention_audit.places import Places
from attention_audit.plan.job import PlannedJob
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import READ_OUT, Run, Suite
from attention_audit.plan.transformers import classifier_files
from attention_audit.training.settings import MaskedSettings, SearchSettings

WITH_TAIL = {"train": ("head", "tail"), "train_adversary": ("tail",), "search_adversary": ("tail",)}
"""What rules write of what stands above readouts, empty where a model has none."""


@dataclass(frozen=True)
class RunFiles:
    """Where the files of a run lie: `training` is <data set>/<suite>/<model>."""

    training: str
    seed: int
    places: Places

    def file(self, kind: str) -> str:
        """Its file of this name in `Places`: its weights, the history of its training, the steps of its search, the
        head that models of pairs have, or the tail that Transformers have.
        """
        path: str = getattr(self.places, kind)
        return path.format(training=self.training, seed=self.seed)

    def readout(self, split: str = "test") -> str:
        """Its readout of one split."""
        return self.places.readout.format(training=self.training, seed=self.seed, split=split)


class Trainings:
    """Every training of a run."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.homes: dict[tuple[str, str, Run], RunFiles] = {}
        self.seeds: dict[str, tuple[int, ...]] = {}
        self._identity: Callable[[str, str, Run], str] = cache(self._named)
        first: dict[str, RunFiles] = {}
        for suite, dataset, model in self._models():
            training = f"{dataset}/{suite.key}/{model}"
            for seed in suite.seeds(model):
                identity = self._identity(suite.key, dataset, Run(model, seed))
                home = first.setdefault(identity, RunFiles(training, seed, self.places))
                self.homes[suite.key, dataset, Run(model, seed)] = home
            own = [
                seed
                for seed in suite.seeds(model)
                if self.home(suite, dataset, Run(model, seed)) == RunFiles(training, seed, self.places)
            ]
            if own and suite.trained_with(model) == model:
                self.seeds[training] = tuple(own)

    def _models(self) -> Iterator[tuple[Suite, str, str]]:
        for suite in self.scope.suites.values():
            for dataset in self.scope.datasets_of(suite):
                own = self.scope.for_dataset(suite, dataset)
                for model in own.models:
                    yield own, dataset, model

    def _named(self, key: str, dataset: str, run: Run) -> str:
        """All that a training depends on but the names that suites give it."""
        suite = self.scope.for_dataset(self.scope.suites[key], dataset)
        reference = suite.reference(run)
        other = self._identity(key, dataset, reference) if reference else ""
        given = suite.given(dataset, run.model)
        if given and given.derived:
            return f"{given.rule} {other}"
        if given:
            read = suite.reading(dataset, run.model, run.seed).model_dump_json() if given.network else ""
            return f"{given.rule} {dataset} {given.sources[run.seed - 1]} {read}"
        maker = suite.trained_with(run.model)
        settings = suite.training(dataset, maker, run.seed).model_dump_json(exclude={"model"})
        return settings + other + run.model.removeprefix(maker) * (run.model != maker)

    def home(self, suite: Suite, dataset: str, run: Run) -> RunFiles:
        """Where the files of a run lie."""
        return self.homes[suite.key, dataset, run]

    def split(self, training: str) -> tuple[Suite, str, str]:
        """Suite, data set and model of a training. Raises AuditError where this configuration has no such training."""
        if training not in self.seeds:
            raise AuditError(f"{training}: not a training of this configuration; add it there, or ask for another")
        dataset, key, model = training.split("/")
        return self.scope.for_dataset(self.scope.suites[key], dataset), dataset, model

    def job(self, training: str, seed: int) -> TrainJob | SearchJob | MaskedSettings:
        """The settings of the job of a training or of a search. Raises AuditError where it has not this seed."""
        suite, dataset, model = self.split(training)
        settings = suite.training(dataset, model, seed)
        if isinstance(settings, SearchSettings):
            return SearchJob(**dict(settings), models=self.steps(training))
        if isinstance(settings, MaskedSettings):
            return settings
        return TrainJob(**dict(settings), maps=suite.maps(dataset, model))

    def sources(self, training: str, seed: int) -> list[str]:
        """What the user has of a training that is imported, a file or the files of a folder; or the readout that it is
        made of; [] where it is made here.
        """
        suite, dataset, model = self.split(training)
        given = suite.given(dataset, model)
        if given is None:
            return []
        if given.derived:
            return [home.readout() for home in self._references(training, seed)]
        named = [given.sources[seed - 1]]
        return classifier_files(self.scope.config, named) if given.network else self._placed(named)

    def _references(self, training: str, seed: int) -> list[RunFiles]:
        """The run whose readouts a training has; often none."""
        suite, dataset, model = self.split(training)
        run = suite.reference(Run(model, seed))
        return [self.home(suite, dataset, run)] if run else []

    def _placed(self, paths: Sequence[str]) -> list[str]:
        return [str(placed(path, self.scope.mirror)) for path in paths]

    def steps(self, training: str) -> list[str]:
        """The other models of a job that makes several: of a search, all but the chosen one, which has its name."""
        suite, _, model = self.split(training)
        return [name for name in suite.models if suite.trained_with(name) == model != name]

    @cached_property
    def search_steps(self) -> list[str]:
        """The models of the steps of the longest search; all searches have files of them, some without rows."""
        searches = (self.steps(training) for training in self.seeds if self.rule(training) == "search_adversary")
        return max(searches, key=len, default=[])

    @cached_property
    def percents(self) -> list[int]:
        """All percentages of masked words of any data set, likewise."""
        configs = map(self.scope.config.for_dataset, self.scope.config.masking.datasets)
        return sorted({percent for config in configs for percent in config.masking.percent})

    def rule(self, training: str) -> str:
        """The rule that makes a training."""
        suite, dataset, model = self.split(training)
        given = suite.given(dataset, model)
        return given.rule if given else suite.rule(model)

    def made_by(self, *rules: str) -> list[str]:
        """The trainings that these rules make."""
        return [training for training in self.seeds if self.rule(training) in rules]

    def search_file(self, suite: Suite, dataset: str, run: Run) -> str:
        """The file that tells of the search that a run is from."""
        return self.home(suite, dataset, Run(suite.trained_with(run.model), run.seed)).file("search")

    def reference(self, training: str, seed: int) -> list[str]:
        """The readouts that a model is trained on, one for each split; often none."""
        return [home.readout(split) for home in self._references(training, seed) for split in SPLITS]

    def others(self, training: str, seed: int) -> list[str]:
        """The readouts, on dev, of the other trainings of the model that a search begins with."""
        suite, dataset, model = self.split(training)
        if (run := suite.reference(Run(model, seed))) is None:
            return []
        seeds = (other for other in self.seeds[f"{dataset}/{suite.key}/{run.model}"] if other != run.seed)
        return [self.home(suite, dataset, Run(run.model, other)).readout("dev") for other in seeds]

    def transformer(self, training: str) -> list[str]:
        """The record of the Transformer that a training reads or whose states it reads; often none."""
        suite, dataset, model = self.split(training)
        architecture = suite.architecture(dataset, model)
        if architecture.classifying:
            return [self.places.encoder.format(dataset=dataset)]
        return [self.places.transformer] if architecture.transformer else []

    def states(self, training: str) -> list[str]:
        """The states of a frozen Transformer that a training reads, and what they are of; often none."""
        suite, dataset, model = self.split(training)
        frozen = not suite.given(dataset, model) and suite.architecture(dataset, model).frozen
        return [self.places.states.format(dataset=dataset), self.places.pieces.format(dataset=dataset)] * frozen

    @staticmethod
    def wildcards(training: str, seed: int) -> dict[str, str]:
        """What a training is called in paths."""
        return dict(zip(("dataset", "suite", "model", "seed"), (*training.split("/"), str(seed)), strict=True))

    def imported(self, training: str, seed: int) -> PlannedJob:
        """The job that imports a training."""
        suite, dataset, model = self.split(training)
        rule, run = self.rule(training), RunFiles(training, seed, self.places)
        inputs = {"given": self.sources(training, seed)}
        if rule == "impose_uniform":
            inputs["beside"] = [home.file("tail") for home in self._references(training, seed)]
        else:
            inputs["corpus"] = [self.places.corpus_file(dataset, "corpus")]
        if (given := suite.given(dataset, model)) and given.beside:
            inputs["beside"] = self._placed(given.beside)
        tail = {"tail": [run.file("tail")]} if rule == "read_classifier" else {}
        return PlannedJob(
            rule=rule,
            wildcards=self.wildcards(training, seed),
            stage=rule,
            inputs=inputs,
            outputs={"readout": [run.readout()]} | tail,
            told=partial(suite.importing, dataset, model, seed),
            code=code_hash(f"stages.{rule}"),
        )

    def trained(self, training: str, seed: int) -> PlannedJob:
        """The job of a training or of a search with this seed."""
        suite, dataset, model = self.split(training)
        rule, names, wildcards = suite.rule(model), [model], self.wildcards(training, seed)
        stage = "train" if rule.startswith("train") else rule
        inputs = {file: [self.places.corpus_file(dataset, file)] for file in ("corpus", "vocabulary")}
        inputs |= {"transformer": self.transformer(training), "states": self.states(training)}
        kinds = ["weights", "history", *WITH_TAIL.get(rule, ())]
        if stage != "train":
            inputs["start"] = [home.file("weights") for home in self._references(training, seed)]
            del wildcards["model"]
        if rule == "retrain_masked":
            wildcards["order"] = model.rpartition("_")[0]
            names = [f"{wildcards['order']}_{percent}" for percent in self.percents]
        else:
            inputs["reference"] = self.reference(training, seed)
        if rule == "search_adversary":
            names = [*self.search_steps, model]
            inputs["others"] = self.others(training, seed)
        runs = [RunFiles(f"{dataset}/{suite.key}/{name}", seed, self.places) for name in names]
        outputs = {kind: [run.file(kind) for run in runs] for kind in kinds}
        # the training split is read of the chosen step of a search alone
        outputs["readouts"] = [
            run.readout(split) for run in runs for split in READ_OUT[rule] if split != "train" or run is runs[-1]
        ]
        if rule == "search_adversary":
            outputs["search"] = [runs[-1].file("search")]
        return PlannedJob(
            rule=rule,
            wildcards=wildcards,
            stage=stage,
            inputs=inputs,
            outputs=outputs,
            told=partial(self.job, training, seed),
            code=code_hash(f"stages.{stage}", entries=suite.architecture(dataset, model).entries),
        )

    def read_out(self, training: str, seed: int) -> PlannedJob:
        """The job that reads a trained model out on its training split."""
        run, job = RunFiles(training, seed, self.places), self.trained(training, seed)
        suite, dataset, model = self.split(training)
        inputs = {name: paths for name, paths in job.inputs.items() if name != "reference"}
        return PlannedJob(
            rule="read_out",
            wildcards=job.wildcards,
            stage="read_out",
            inputs=inputs | {"weights": [run.file("weights")]},
            outputs={"readouts": [run.readout("train")]},
            told=job.told,
            code=code_hash("stages.read_out", entries=suite.architecture(dataset, model).entries),
        )

    def jobs(self) -> Iterator[PlannedJob]:
        """The jobs of all trainings, made here or imported, but those that read models out once more."""
        for training, seeds in self.seeds.items():
            suite, dataset, model = self.split(training)
            plan = self.imported if suite.given(dataset, model) else self.trained
            yield from (plan(training, seed) for seed in seeds)

    def further(self) -> Iterator[PlannedJob]:
        """The jobs that read models out on their training split, which many models need not."""
        for training in self.made_by("train", "train_guide"):
            yield from (self.read_out(training, seed) for seed in self.seeds[training])
