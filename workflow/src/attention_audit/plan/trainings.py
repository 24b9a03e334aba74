"""Which trainings there are, and where the weights and readouts of every run lie.

A model that several suites ask for with the same data, vectors, architecture, recipe and seed is one training: it lies
under the suite that comes first in `plan.suites`, and all of them read it there.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from attention_audit.code_hash import code_hash
from attention_audit.corpus.source import placed
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.jobs.importing import ImportJob
from attention_audit.jobs.train import SearchJob, TrainJob
from attention_audit.places import Places
from attention_audit.plan.job import PlannedJob, rule_name
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import ImportedModel, Run, Suite
from attention_audit.plan.transformers import classifier_files
from attention_audit.section import Section
from attention_audit.training.settings import MaskedSettings, SearchSettings


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
        self.splits: defaultdict[RunFiles, set[str]] = defaultdict(set)
        self._identity: Callable[[str, str, Run], str] = cache(self._named)
        first: dict[str, RunFiles] = {}
        for suite, dataset, model in self._models():
            training = f"{dataset}/{suite.key}/{model}"
            for seed in suite.seeds(model):
                identity = self._identity(suite.key, dataset, Run(model, seed))
                home = first.setdefault(identity, RunFiles(training, seed, self.places))
                self.homes[suite.key, dataset, Run(model, seed)] = home
                self.splits[home].update(suite.splits_of(dataset, model))
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
            return f"{given.stage} {other}"
        if given:
            read = suite.reading(dataset, run.model, run.seed).model_dump_json() if given.network else ""
            return f"{given.stage} {dataset} {given.sources[run.seed - 1]} {read}"
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
        if seed not in self.seeds[training]:
            seeds = ", ".join(map(str, self.seeds[training]))
            raise AuditError(f"{training}: seed {seed} is none of this configuration ({seeds}); ask for one of these")
        settings = suite.training(dataset, model, seed)
        if isinstance(settings, SearchSettings):
            return SearchJob(**dict(settings), models=self.steps(training))
        if isinstance(settings, MaskedSettings):
            return settings
        return TrainJob(**dict(settings), maps=suite.maps(dataset, model))

    def given(self, training: str) -> ImportedModel | None:
        """Where a training is imported from; None where it is made here."""
        suite, dataset, model = self.split(training)
        return suite.given(dataset, model)

    def sources(self, training: str) -> list[str]:
        """What the user has of a training that is imported, a file or folder for each of its seeds; or the readouts
        that it is made of.
        """
        given = self.given(training)
        if given and given.derived:
            return [home.readout() for home in self._references(training, self.seeds[training])]
        named = [given.sources[seed - 1] for seed in self.seeds[training]] if given else []
        return classifier_files(self.scope.config, named) if given and given.network else self._placed(named)

    def beside(self, training: str) -> list[str]:
        """What else of the user's is read where a training is imported."""
        given = self.given(training)
        if given and given.derived:
            return [home.file("tail") for home in self._references(training, self.seeds[training])]
        return self._placed(given.beside if given else [])

    def _references(self, training: str, seeds: Sequence[int]) -> list[RunFiles]:
        """The runs whose readouts a training has, one for each of these seeds; often none."""
        suite, dataset, model = self.split(training)
        runs = (suite.reference(Run(model, seed)) for seed in seeds)
        return [self.home(suite, dataset, run) for run in runs if run]

    def _placed(self, paths: Sequence[str]) -> list[str]:
        return [str(placed(path, self.scope.mirror)) for path in paths]

    def import_job(self, training: str) -> ImportJob:
        """The settings of the job that imports a training."""
        suite, dataset, model = self.split(training)
        return suite.importing(dataset, model, self.seeds[training])

    def steps(self, training: str) -> list[str]:
        """The other models of a job that makes several: of a search, all but the chosen one, which has its name."""
        suite, _, model = self.split(training)
        return [name for name in suite.models if suite.trained_with(name) == model != name]

    def search_file(self, suite: Suite, dataset: str, run: Run) -> str:
        """The file that tells of the search that a run is from."""
        return self.home(suite, dataset, Run(suite.trained_with(run.model), run.seed)).file("search")

    def reference(self, training: str, seed: int) -> list[str]:
        """The readouts that a model is trained on, one for each split; often none."""
        return [home.readout(split) for home in self._references(training, [seed]) for split in SPLITS]

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

    def planned(self, training: str, seed: int) -> PlannedJob:
        """The job of a training or of a search with this seed; of one that is imported, the job of all its seeds."""
        suite, dataset, model = self.split(training)
        told: Callable[[], Section]
        if given := suite.given(dataset, model):
            runs = [RunFiles(training, own, self.places) for own in self.seeds[training]]
            stage = given.stage
            inputs = {"given": self.sources(training), "beside": self.beside(training)}
            outputs, told, named, needs = {}, partial(self.import_job, training), [], stage
        else:
            models, stage = [*self.steps(training), model], suite.stage(model)
            runs = [RunFiles(f"{dataset}/{suite.key}/{name}", seed, self.places) for name in models]
            inputs = {"vocabulary": [self.places.corpus_file(dataset, "vocabulary")]}
            inputs["reference"] = self.reference(training, seed)
            # a search begins with the weights of its reference, and so does the first mask
            start = [home.file("weights") for home in self._references(training, [seed])]
            inputs |= {"start": start} if stage != "train" else {}
            inputs |= {"others": self.others(training, seed)} if stage == "search" else {}
            inputs |= {"transformer": self.transformer(training), "states": self.states(training)}
            outputs = {kind: [run.file(kind) for run in runs] for kind in ("weights", "history")}
            outputs |= {"search": [runs[-1].file("search")]} if stage == "search" else {}
            outputs |= {"heads": [run.file("head") for run in runs]} if self.scope.config.corpora[dataset].pair else {}
            told, named = partial(self.job, training, seed), [f"seed{seed}"]
            needs = "tune" if suite.architecture(dataset, model).tuned else stage
        if suite.heads(dataset, model):
            outputs["tails"] = [run.file("tail") for run in runs]
        outputs["readouts"] = [run.readout(split) for run in runs for split in SPLITS if split in self.splits[run]]
        return PlannedJob(
            name=rule_name(stage, suite.key, dataset, model, *named),
            stage=stage,
            inputs={"corpus": [self.places.corpus_file(dataset, "corpus")]} | inputs,
            outputs=outputs,
            told=told,
            code=code_hash(f"stages.{stage}", entries=[] if given else suite.architecture(dataset, model).entries),
            log="/".join([self.places.logs, stage, training, *named]) + ".log",
            needs=(needs, "audit"),
            threads=self.scope.config.threads,
        )

    def jobs(self) -> Iterator[PlannedJob]:
        """The jobs of all trainings, each after those whose files it reads."""
        for training, seeds in self.seeds.items():
            yield from (self.planned(training, seed) for seed in (seeds[:1] if self.given(training) else seeds))
