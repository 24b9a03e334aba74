"""Which trainings there are, and where the weights and readouts of every run lie.

A model that several suites ask for with the same data, vectors, architecture, recipe and seed is one training: it lies
under the suite that comes first in `plan.suites`, and all of them read it there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attention_audit.corpus.availability import placed
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.jobs.importing import ImportJob
from attention_audit.jobs.train import SearchJob, TrainJob
from attention_audit.places import Places
from attention_audit.plan.remembered import remembered
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import ImportedModel, Run, Suite
from attention_audit.plan.transformers import classifier_files
from attention_audit.training.settings import SearchSettings


@dataclass(frozen=True)
class RunFiles:
    """Where the files of a run lie: `training` is <data set>/<suite>/<model>."""

    training: str
    seed: int
    places: Places

    @property
    def weights(self) -> str:
        """Its weights."""
        return self.places.weights.format(training=self.training, seed=self.seed)

    @property
    def head(self) -> str:
        """Its head, which models of pairs have."""
        return self.places.head.format(training=self.training, seed=self.seed)

    @property
    def tail(self) -> str:
        """Its tail, which Transformers have."""
        return self.places.tail.format(training=self.training, seed=self.seed)

    def readout(self, split: str = "test") -> str:
        """Its readout of one split."""
        return self.places.readout.format(training=self.training, seed=self.seed, split=split)


@dataclass(frozen=True)
class TrainRule:
    """Trainings that one rule of Snakemake makes, a job each seed: its name, a pattern of them, and the files of a job.

    seeds: of those that are imported, whose job reads all; () for those that are made here. pairs: whether they are of
    models of pairs, whose heads are written too. members: what follows the training's name in the names of the models
    that it makes: nothing, but for the steps of a search. splits: those that each is read out on.
    stage: what makes them. tails: whether they are of Transformers, whose tails are written too. needs: the entry of
    resources.yaml that says what their jobs need; "" for that of all others.
    """

    name: str
    pattern: str
    pairs: bool = False
    members: tuple[str, ...] = ("",)
    splits: tuple[tuple[str, ...], ...] = (SPLITS,)
    stage: str = "train"
    tails: bool = False
    needs: str = ""
    seeds: tuple[int, ...] = ()

    def files(self, path: str) -> list[str]:
        """The files of every member (and split) by `path`, a pattern of `Places`; {training} stays, and {seed} does
        unless the job reads all seeds.
        """
        return [
            path.replace("{training}", "{training}" + member).replace("{seed}", seed).replace("{split}", split)
            for seed in (map(str, self.seeds) if self.seeds else ["{seed}"])
            for member, splits in zip(self.members, self.splits, strict=True)
            for split in (splits if "{split}" in path else [""])
        ]


class Trainings:
    """Every training of a run."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.homes: dict[tuple[str, str, Run], RunFiles] = {}
        self.seeds: dict[str, tuple[int, ...]] = {}
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
                own = self.scope.on(suite, dataset)
                for model in own.models:
                    yield own, dataset, model

    @remembered
    def _identity(self, key: str, dataset: str, run: Run) -> str:
        """All that a training depends on but the names that suites give it."""
        suite = self.scope.on(self.scope.suites[key], dataset)
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
        return self.scope.on(self.scope.suites[key], dataset), dataset, model

    def job(self, training: str, seed: int, training_code: str, search_code: str) -> TrainJob | SearchJob:
        """The settings of the job of a training or of a search, with the hash of the code that decides its weights.

        Raises AuditError where it has not this seed.
        """
        suite, dataset, model = self.split(training)
        if seed not in self.seeds[training]:
            seeds = ", ".join(map(str, self.seeds[training]))
            raise AuditError(f"{training}: seed {seed} is none of this configuration ({seeds}); ask for one of these")
        settings = suite.training(dataset, model, seed)
        if isinstance(settings, SearchSettings):
            return SearchJob(**dict(settings), models=self.steps(training), training_code=search_code)
        return TrainJob(**dict(settings), training_code=training_code)

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
        return classifier_files(named, self.scope.mirror) if given and given.network else self._placed(named)

    def beside(self, training: str) -> list[str]:
        """What else of the user's is read where a training is imported."""
        given = self.given(training)
        if given and given.derived:
            return [home.tail for home in self._references(training, self.seeds[training])]
        return self._placed(given.beside if given else [])

    def _references(self, training: str, seeds: Sequence[int]) -> list[RunFiles]:
        """The runs whose readouts a training has, one for each of these seeds; often none."""
        suite, dataset, model = self.split(training)
        runs = (suite.reference(Run(model, seed)) for seed in seeds)
        return [self.home(suite, dataset, run) for run in runs if run]

    def _placed(self, paths: Sequence[str]) -> list[str]:
        return [str(placed(path, self.scope.mirror)) for path in paths]

    def files(self, training: str) -> list[str]:
        """The weights of a training, where it is made here, and its readouts, of all its seeds."""
        suite, dataset, model = self.split(training)
        homes = [self.home(suite, dataset, Run(model, seed)) for seed in self.seeds[training]]
        weights = [] if self.given(training) else [home.weights for home in homes]
        return weights + [home.readout(split) for home in homes for split in suite.splits_of(dataset, model)]

    def import_job(self, training: str) -> ImportJob:
        """The settings of the job that imports a training."""
        suite, dataset, model = self.split(training)
        return suite.importing(dataset, model, self.seeds[training])

    def searches(self, training: str) -> bool:
        """Whether a training is a search."""
        suite, _, model = self.split(training)
        return suite.search_step(model) is not None

    def steps(self, training: str) -> list[str]:
        """The models of a search but for the chosen one, which has its name."""
        suite, _, model = self.split(training)
        return [name for name in suite.models if suite.trained_with(name) == model != name]

    def search_file(self, suite: Suite, dataset: str, run: Run) -> str:
        """The file that tells of the search that a run is from."""
        home = self.home(suite, dataset, Run(suite.trained_with(run.model), run.seed))
        return self.places.search.format(training=home.training, seed=home.seed)

    def start(self, training: str, seed: int) -> list[str]:
        """The weights that a search begins with."""
        return [home.weights for home in self._references(training, [seed])]

    def reference(self, training: str, seed: int) -> list[str]:
        """The readouts that a model is trained on, one for each split; often none."""
        return [home.readout(split) for home in self._references(training, [seed]) for split in SPLITS]

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

    def needs(self, training: str) -> str:
        """The entry of resources.yaml of a training that fine-tunes a Transformer; "" for any other."""
        suite, dataset, model = self.split(training)
        return "tune" if suite.architecture(dataset, model).tuned else ""

    def passes(self, training: str) -> int:
        """How often a training job reads its corpus: its epochs."""
        suite, dataset, model = self.split(training)
        return suite.training(dataset, model, self.seeds[training][0]).most_epochs

    def rules(self) -> list[TrainRule]:
        """The rules that make all trainings: a rule for those whose jobs write the same files and need the same."""
        groups: dict[tuple[str, bool, str, bool, tuple[str, ...]], list[str]] = {}
        for training in self.seeds:
            suite, dataset, model = self.split(training)
            if not self.searches(training) and not self.given(training):
                pairs, heads = self.scope.config.corpora[dataset].pair, suite.heads(dataset, model)
                alike = (suite.key, pairs, self.needs(training), heads, suite.splits_of(dataset, model))
                groups.setdefault(alike, []).append(training)
        rules: dict[str, TrainRule] = {}
        for (key, pairs, needs, tails, splits), members in groups.items():
            suite, _, model = self.split(members[0])
            alone = sum(other == key for other, *_ in groups) == 1
            name = f"train_{key}" if alone else re.sub(r"\W", "_", f"train_{key}_{suite.family(model)}")
            name = name if name not in rules else f"{name}_{len(rules)}"
            rules[name] = TrainRule(name, pattern_of(members), pairs, splits=(splits,), needs=needs, tails=tails)
        return list(rules.values())

    def search_rules(self) -> list[TrainRule]:
        """The rules that make all searches, likewise."""
        groups: dict[tuple[str, tuple[str, ...], bool, tuple[tuple[str, ...], ...]], list[str]] = {}
        for training in self.seeds:
            if self.searches(training):
                suite, dataset, model = self.split(training)
                every = [*self.steps(training), model]
                members = tuple(name.removeprefix(model) for name in every)
                splits = tuple(suite.splits_of(dataset, name) for name in every)
                alike = (suite.key, members, suite.heads(dataset, model), splits)
                groups.setdefault(alike, []).append(training)
        keys = [key for key, *_ in groups]
        return [
            TrainRule(
                f"search_{key}" + f"_{number}" * (keys.count(key) > 1),
                pattern_of(made),
                members=members,
                splits=splits,
                needs=self.needs(made[0]),
                tails=tails,
            )
            for number, ((key, members, tails, splits), made) in enumerate(groups.items(), start=1)
        ]

    def import_rules(self) -> list[TrainRule]:
        """The rules that import all trainings that are given, likewise."""
        groups: dict[tuple[str, str, tuple[int, ...], tuple[str, ...], bool], list[str]] = {}
        for training, seeds in self.seeds.items():
            if given := self.given(training):
                suite, dataset, model = self.split(training)
                alike = (given.stage, suite.key, seeds, suite.splits_of(dataset, model), suite.heads(dataset, model))
                groups.setdefault(alike, []).append(training)
        keys = [(stage, key) for stage, key, *_ in groups]
        return [
            TrainRule(
                f"{stage}_{key}" + f"_{number}" * (keys.count((stage, key)) > 1),
                pattern_of(made),
                seeds=seeds,
                splits=(splits,),
                stage=stage,
                tails=tails,
            )
            for number, ((stage, key, seeds, splits, tails), made) in enumerate(groups.items(), start=1)
        ]


def pattern_of(trainings: list[str]) -> str:
    """A regular expression of these trainings, which are <data set>/<suite>/<model>, and of no others."""
    models: dict[str, list[str]] = {}
    for training in trainings:
        dataset, model = training.split("/", 1)
        models.setdefault(dataset, []).append(re.escape(model))
    datasets: dict[tuple[str, ...], list[str]] = {}
    for dataset, members in models.items():
        datasets.setdefault(tuple(members), []).append(re.escape(dataset))
    return "|".join(f"(?:{'|'.join(names)})/(?:{'|'.join(members)})" for members, names in datasets.items())
