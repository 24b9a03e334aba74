"""Which trainings there are, and where the weights and readouts of every run lie.

A model that several suites list with the same data, vectors, architecture, recipe and seed is one training: it has the
name that the first of these suites gives it, and all of them read it there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from attention_audit.corpus.source import find_own
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.jobs.importing import ClassifierJob, ImportJob
from attention_audit.places import Places
from attention_audit.targets import name_module

from .job import PlannedJob
from .model import READ_OUT, Model, Run
from .scope import Scope
from .suites import Suite
from .transformers import NamedTransformer

WITH_TAIL = {"train": ("head", "tail"), "train_adversary": ("tail",), "search_adversary": ("tail",)}
"""What rules write of what stands above readouts, empty where a model has none."""


@dataclass(frozen=True)
class RunFiles:
    """Where the files of a run lie: `training` is <data set>/<model>."""

    training: str
    seed: int
    places: Places

    def locate(self, kind: str) -> str:
        """Its file of this name in `Places`: its weights, the history of its training, the steps of its search, the
        head that models of pairs have, or the tail that Transformers have.
        """
        path: str = getattr(self.places, kind)
        return path.format(training=self.training, seed=self.seed)

    def locate_readout(self, split: str = "test") -> str:
        """Its readout of one split."""
        return self.places.readout.format(training=self.training, seed=self.seed, split=split)


def list_modules(model: Model) -> list[str]:
    """List the modules that build a model's network, and those of the user's own maps."""
    maps = [name for each in (*model.reads, model.settings) for name in getattr(each, "maps", ())]
    own = [name_module(name) for name in maps if ":" in name]
    return [*(model.architecture.modules if model.settings else ()), *own]


class Trainings:
    """Every training of a run. Raises AuditError where two suites give one name to different models.

    homes: where the files of every run of a suite on a data set lie. made: who lists what is made under which name,
    with which seed.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.homes: dict[tuple[str, str, Run], RunFiles] = {}
        self.made: dict[tuple[str, int], tuple[Suite, str, Model]] = {}
        self._identity: Callable[[str, str, Run], str] = cache(self._identify)
        first: dict[str, RunFiles] = {}
        for suite, dataset in scope.asked:
            for model in scope.models(suite, dataset).values():
                training = f"{dataset}/{suite.prefix}{model.name}"
                for run in model.runs:
                    own, identity = RunFiles(training, run.seed, self.places), self._identity(suite.name, dataset, run)
                    self.homes[suite.name, dataset, run] = home = first.setdefault(identity, own)
                    if home is own and (training, run.seed) in self.made:
                        raise AuditError(f"{training}: is the name of two models, of two suites; rename one")
                    if home is own and not model.made_with:
                        self.made[training, run.seed] = (suite, dataset, model)

    def _identify(self, suite: str, dataset: str, run: Run) -> str:
        """Return all that a training depends on but the names that suites give it."""
        models = self.scope.models(self.scope.suites[suite], dataset)
        model, reference = models[run.model], models[run.model].find_reference(run.seed)
        other = self._identity(suite, dataset, reference) if reference else ""
        if model.settings:
            told = model.build_settings(run.seed).model_dump_json(exclude={"model", "models", "maps"})
            return told + other + model.name * bool(model.made_with)
        if not model.sources:
            return f"{model.rule} {other}"
        number = run.seed - 1
        read = model.reads[number].model_dump_json() if model.reads else ""
        return f"{model.rule} {dataset} {model.sources[number]} {read}"

    def find_home(self, suite: Suite, dataset: str, run: Run) -> RunFiles:
        """Find where the files of a run lie."""
        return self.homes[suite.name, dataset, run]

    def list_sources(self, training: str, seed: int) -> list[str]:
        """Return what the user has of a training that is imported, a file or the files of a folder; or the readout that
        it is made of; [] where it is made here.
        """
        _, _, model = self.made[training, seed]
        if model.settings:
            return []
        if not model.sources:
            return [home.locate_readout() for home in self._find_references(training, seed)]
        named = model.sources[seed - 1]
        return NamedTransformer(self.scope.config, named).inputs if model.network else self._place([named])

    def _find_references(self, training: str, seed: int) -> list[RunFiles]:
        """Return the run whose readouts a training has; often none."""
        suite, dataset, model = self.made[training, seed]
        run = model.find_reference(seed)
        return [self.find_home(suite, dataset, run)] if run else []

    def _place(self, paths: Sequence[str]) -> list[str]:
        return [str(find_own(path, self.scope.mirror)) for path in paths]

    @cached_property
    def steps(self) -> int:
        """Count how many steps the longest search has; all searches have files of so many, some without rows."""
        models = (model for asked in self.scope.asked for model in self.scope.models(*asked).values())
        return max((model.step or 0 for model in models), default=0)

    @cached_property
    def percents(self) -> list[int]:
        """Return all percentages of masked words of any data set, likewise."""
        configs = map(self.scope.config.for_dataset, self.scope.config.masking.datasets)
        return sorted({percent for config in configs for percent in config.masking.percent})

    def list_made(self, *rules: str) -> list[str]:
        """Return the names of what these rules make."""
        return list(dict.fromkeys(training for (training, _), (*_, model) in self.made.items() if model.rule in rules))

    def list_references(self, training: str, seed: int) -> list[str]:
        """Return the readouts that a model is trained on, one for each split; often none."""
        return [home.locate_readout(split) for home in self._find_references(training, seed) for split in SPLITS]

    def list_others(self, training: str, seed: int) -> list[str]:
        """Return the readouts, on dev, of the other trainings of the model that a search begins with."""
        suite, dataset, model = self.made[training, seed]
        models, run = self.scope.models(suite, dataset), model.find_reference(seed)
        others = [other for other in models[run.model].runs if other != run] if run else []
        return [self.find_home(suite, dataset, other).locate_readout("dev") for other in others]

    def list_records(self, dataset: str, model: Model) -> list[str]:
        """Return the record of the Transformer that a training reads or whose states it reads; often none."""
        if model.architecture.classifying:
            return [self.places.encoder.format(dataset=dataset)]
        return [self.places.transformer] if model.architecture.transformer else []

    def list_states(self, dataset: str, model: Model) -> list[str]:
        """Return the states of a frozen Transformer that a training reads, and what they are of; often none."""
        return [getattr(self.places, kind).format(dataset=dataset) for kind in ("states", "pieces") if model.frozen]

    @staticmethod
    def name_wildcards(training: str, seed: int) -> dict[str, str]:
        """Return what a training is called in paths."""
        return dict(zip(("dataset", "model", "seed"), (*training.split("/"), str(seed)), strict=True))

    def plan_import(self, training: str, seed: int) -> PlannedJob:
        """Return the job that imports a training."""
        _, dataset, model = self.made[training, seed]
        run = RunFiles(training, seed, self.places)
        inputs = {"given": self.list_sources(training, seed), "beside": self._place(model.beside)}
        if model.reads and seed > 1:
            # it must read the same words as the first training does
            inputs["given"] += NamedTransformer(self.scope.config, model.sources[0]).inputs
        if model.sources:
            inputs["corpus"] = [self.places.corpus_file(dataset, "corpus")]
        else:
            inputs["beside"] = [home.locate("tail") for home in self._find_references(training, seed)]
        tail = {"tail": [run.locate("tail")]} if model.reads else {}
        return PlannedJob(
            rule=model.rule,
            wildcards=self.name_wildcards(training, seed),
            inputs=inputs,
            outputs={"readout": [run.locate_readout()]} | tail,
            make_settings=partial(self._describe_import, dataset, model, seed),
            runs=list_modules(model),
        )

    def _describe_import(self, dataset: str, model: Model, seed: int) -> ImportJob:
        """Return what the job of an imported training is told."""
        if not model.reads:
            return ImportJob(dataset=dataset, model=model.name, seed=seed)
        config = self.scope.config
        return ClassifierJob(
            dataset=dataset,
            model=model.name,
            seed=seed,
            read=model.reads[seed - 1],
            first=model.reads[0],
            classes=config.corpora[dataset].preparation.classes,
            device=config.device,
            threads=config.threads,
        )

    def plan_training(self, training: str, seed: int) -> PlannedJob:
        """Return the job of a training or of a search with this seed."""
        _, dataset, model = self.made[training, seed]
        rule, names, wildcards = model.rule, [training], self.name_wildcards(training, seed)
        stage = "train" if rule.startswith("train") else rule
        inputs = {file: [self.places.corpus_file(dataset, file)] for file in ("corpus", "vocabulary")}
        inputs |= {"transformer": self.list_records(dataset, model), "states": self.list_states(dataset, model)}
        kinds = ["weights", "history", *WITH_TAIL.get(rule, ())]
        if stage != "train":
            inputs["start"] = [home.locate("weights") for home in self._find_references(training, seed)]
        if rule == "retrain_masked":
            order = training.rpartition("_")[0]
            names = [f"{order}_{percent}" for percent in self.percents]
            wildcards["model"] = order.partition("/")[2]
        else:
            inputs["reference"] = self.list_references(training, seed)
        if rule == "search_adversary":
            names = [*(f"{training}_step{number}" for number in range(1, self.steps + 1)), training]
            inputs["others"] = self.list_others(training, seed)
        runs = [RunFiles(name, seed, self.places) for name in names]
        outputs = {kind: [run.locate(kind) for run in runs] for kind in kinds}
        # the training split is read of the chosen step of a search alone
        outputs["readouts"] = [
            run.locate_readout(split) for run in runs for split in READ_OUT[rule] if split != "train" or run is runs[-1]
        ]
        if rule == "search_adversary":
            outputs["search"] = [runs[-1].locate("search")]
        return PlannedJob(
            rule=rule,
            wildcards=wildcards,
            stage=stage,
            inputs=inputs,
            outputs=outputs,
            make_settings=partial(model.build_settings, seed),
            runs=list_modules(model),
        )

    def read_out(self, training: str, seed: int) -> PlannedJob:
        """Return the job that reads a trained model out on its training split."""
        run, job = RunFiles(training, seed, self.places), self.plan_training(training, seed)
        inputs = {name: paths for name, paths in job.inputs.items() if name != "reference"}
        return PlannedJob(
            rule="read_out",
            wildcards=job.wildcards,
            inputs=inputs | {"weights": [run.locate("weights")]},
            outputs={"readouts": [run.locate_readout("train")]},
            make_settings=job.make_settings,
            runs=job.runs,
        )

    def plan_jobs(self) -> Iterator[PlannedJob]:
        """Return the jobs of all trainings, made here or imported, but those that read models out once more."""
        for (training, seed), (*_, model) in self.made.items():
            yield self.plan_training(training, seed) if model.settings else self.plan_import(training, seed)

    def plan_further(self) -> Iterator[PlannedJob]:
        """Return the jobs that read models out on their training split, which many models need not."""
        for (training, seed), (*_, model) in self.made.items():
            if model.rule in ("train", "train_guide"):
                yield self.read_out(training, seed)
