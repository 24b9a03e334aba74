"""Which trainings there are, and where the weights and readouts of every run lie.

A model that several suites list with the same data, vectors, architecture, recipe and seed is one training: it has the
name that the first of these suites gives it, and all of them read it there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from attention_audit.corpus.source import find_own
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.targets import name_module
from attention_audit.transformer.settings import ClassifierJob, ImportJob

from .job import PlannedJob
from .model import READ_OUT, Model, Run
from .suites import Scope
from .transformers import NamedTransformer

WITH_TAIL = {"train": ("head", "tail"), "train_adversary": ("tail",), "search_adversary": ("tail",)}
"""What rules write of what stands above readouts, empty where a model has none."""


def list_modules(model: Model) -> list[str]:
    """List the modules that build a model's network, and those of the user's own maps."""
    maps = [name for each in (*model.reads, model.settings) for name in getattr(each, "maps", ())]
    own = [name_module(name) for name in maps if ":" in name]
    return [*(model.architecture.modules if model.settings else ()), *own]


class Trainings:
    """Every training of a run. Raises AuditError where two suites give one name to different models.

    homes: of every run, the one whose files it has, which is often itself. made: what is made, by names in paths.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.homes: dict[Run, Run] = {}
        self.made: dict[tuple[str, int], Run] = {}
        first: dict[str, Run] = {}
        for run in (run for data in scope.asked for model in data.models.values() for run in model.runs):
            self.homes[run] = home = first.setdefault(self._identify(run), run)
            if home is run and (run.training, run.seed) in self.made:
                raise AuditError(f"{run.training}: is the name of two models, of two suites; rename one")
            if home is run and not run.model.made_with:
                self.made[run.training, run.seed] = run

    def _identify(self, run: Run) -> str:
        """Return all that a training depends on but the names that suites give it."""
        model, number = run.model, run.seed - 1
        # what a model is trained on is listed before it
        other = "".join(f"{home.training} {home.seed}" for home in self._find_references(run))
        if model.settings:
            told = model.build_settings(run.seed).model_dump_json(exclude={"model", "models", "maps"})
            return told + other + model.name * bool(model.made_with)
        if not model.sources:
            return f"{model.rule} {other}"
        read = model.reads[number].model_dump_json() if model.reads else ""
        return f"{model.rule} {model.data.name} {model.sources[number]} {read}"

    def _find_references(self, run: Run) -> list[Run]:
        """Return the run whose readouts a training has; often none."""
        reference = run.model.find_reference(run.seed)
        return [self.homes[reference]] if reference else []

    def _place(self, paths: Sequence[str]) -> list[str]:
        return [str(find_own(path, self.scope.config.mirror_folder)) for path in paths]

    def list_sources(self, run: Run) -> list[str]:
        """Return what the user has of a training that is imported, a file or the files of a folder; or the readout that
        it is made of; [] where it is made here.
        """
        model = run.model
        if model.settings:
            return []
        if not model.sources:
            return [home.locate_readout() for home in self._find_references(run)]
        named = model.sources[run.seed - 1]
        return NamedTransformer(self.scope.config, named).inputs if model.network else self._place([named])

    @cached_property
    def steps(self) -> int:
        """Count how many steps the longest search has; all searches have files of so many, some without rows."""
        return max((run.model.step or 0 for run in self.homes), default=0)

    @cached_property
    def percents(self) -> list[int]:
        """Return all percentages of masked words of any data set, likewise."""
        configs = map(self.scope.config.for_dataset, self.scope.config.masking.datasets)
        return sorted({percent for config in configs for percent in config.masking.percent})

    def list_made(self, *rules: str) -> list[str]:
        """Return the names of what these rules make."""
        return list(dict.fromkeys(run.training for run in self.made.values() if run.model.rule in rules))

    def list_references(self, run: Run) -> list[str]:
        """Return the readouts that a model is trained on, one for each split; often none."""
        return [home.locate_readout(split) for home in self._find_references(run) for split in SPLITS]

    def list_others(self, run: Run) -> list[str]:
        """Return the readouts, on dev, of the other trainings of the model that a search begins with."""
        reference = run.model.find_reference(run.seed)
        others = [other for other in reference.model.runs if other != reference] if reference else []
        return [self.homes[other].locate_readout("dev") for other in others]

    def list_records(self, model: Model) -> list[str]:
        """Return the record of the Transformer that a training reads or whose states it reads; often none."""
        if model.architecture.classifying:
            return [self.places.encoder.format(dataset=model.data.name)]
        return [self.places.transformer] if model.architecture.transformer else []

    def plan_import(self, run: Run) -> PlannedJob:
        """Return the job that imports a training."""
        model, config = run.model, self.scope.config
        inputs = {"given": self.list_sources(run), "beside": self._place(model.beside)}
        outputs = {"readout": [run.locate_readout()]}
        told: dict[str, Any] = {"dataset": model.data.name, "model": model.name, "seed": run.seed}
        settings = ImportJob(**told)
        if model.sources:
            inputs["corpus"] = [self.places.corpus_file(model.data.name, "corpus")]
        else:
            inputs["beside"] = [home.locate("tail") for home in self._find_references(run)]
        if model.reads:
            outputs["tail"] = [run.locate("tail")]
            # it must read the same words as the training that it is compared with
            first = model if model.judged else model.data.judged[0]
            if run != first.runs[0]:
                inputs["given"] += NamedTransformer(config, first.sources[0]).inputs
            settings = ClassifierJob(
                **told,
                read=model.reads[run.seed - 1],
                first=first.reads[0],
                classes=config.corpora[model.data.name].preparation.classes,
                device=config.device,
                threads=config.threads,
            )
        return PlannedJob(
            rule=model.rule,
            wildcards=run.wildcards,
            inputs=inputs,
            outputs=outputs,
            settings=settings,
            runs=list_modules(model),
        )

    def plan_training(self, run: Run) -> PlannedJob:
        """Return the job of a training or of a search."""
        model, names, wildcards = run.model, [run.training], run.wildcards
        rule, dataset = model.rule, model.data.name
        stage = "train" if rule.startswith("train") else rule
        kinds = ["weights", "history", *WITH_TAIL.get(rule, ())]
        states = (self.places.states, self.places.pieces) if model.frozen else ()
        inputs = {file: [self.places.corpus_file(dataset, file)] for file in ("corpus", "vocabulary")}
        inputs |= {"transformer": self.list_records(model), "states": [path.format(dataset=dataset) for path in states]}
        if stage != "train":
            inputs["start"] = [home.locate("weights") for home in self._find_references(run)]
        if rule == "retrain_masked":
            order = run.training.rpartition("_")[0]
            names = [f"{order}_{percent}" for percent in self.percents]
            wildcards["model"] = order.partition("/")[2]
        else:
            inputs["reference"] = self.list_references(run)
        if rule == "search_adversary":
            names = [*(f"{run.training}_step{number}" for number in range(1, self.steps + 1)), run.training]
            inputs["others"] = self.list_others(run)
        locate = self.places.locate_run
        outputs = {kind: [locate(kind, name, run.seed) for name in names] for kind in kinds}
        # the training split is read of the chosen step of a search alone
        outputs["readouts"] = [
            locate("readout", name, run.seed, split)
            for name in names
            for split in READ_OUT[rule]
            if split != "train" or name == names[-1]
        ]
        if rule == "search_adversary":
            outputs["search"] = [run.locate("search")]
        return PlannedJob(
            rule=rule,
            wildcards=wildcards,
            stage=stage,
            inputs=inputs,
            outputs=outputs,
            settings=model.build_settings(run.seed),
            runs=list_modules(model),
        )

    def read_out(self, run: Run) -> PlannedJob:
        """Return the job that reads a trained model out on its training split."""
        job = self.plan_training(run)
        inputs = {name: paths for name, paths in job.inputs.items() if name != "reference"}
        return replace(
            job,
            rule="read_out",
            stage="read_out",
            inputs=inputs | {"weights": [run.locate("weights")]},
            outputs={"readouts": [run.locate_readout("train")]},
        )

    def plan_jobs(self) -> Iterator[PlannedJob]:
        """Return the jobs of all trainings, made here or imported, but those that read models out once more."""
        for run in self.made.values():
            yield self.plan_training(run) if run.model.settings else self.plan_import(run)

    def plan_further(self) -> Iterator[PlannedJob]:
        """Return the jobs that read models out on their training split, which many models need not."""
        return (self.read_out(run) for run in self.made.values() if run.model.rule in ("train", "train_guide"))
