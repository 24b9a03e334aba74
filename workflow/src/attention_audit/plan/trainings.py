"""Which trainings there are, and where the weights and readouts of every run lie.

A model that several suites list with the same data, vectors, architecture, recipe and seed is one training: it has the
name that the first of these suites gives it, and all of them read it there.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from attention_audit.corpus.encoders import ENCODERS_KEY
from attention_audit.corpus.source import find_own
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.targets import name_module

from .model import Model, Run
from .papers.madsen import Masking
from .suites import Scope
from .transformers import NamedTransformer, list_made, list_recorded


def list_modules(model: Model) -> list[str]:
    """List the modules that build a model's network, and those of the user's own maps."""
    maps = [name for each in (*model.reads, model.tokens, model.settings) for name in getattr(each, "maps", ())]
    modules = [name_module(name) for name in maps if ":" in name]
    return [*(model.architecture.modules if model.settings else ()), *modules]


class Trainings:
    """Every training of a run. Raises AuditError where two suites give one name to different models.

    homes: of every run, the one whose files it has, which is often itself. made: what is made, by names in paths.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.homes: dict[Run, Run] = {}
        self.made: dict[tuple[str, int], Run] = {}
        homes: dict[str, Run] = {}
        names: set[tuple[str, int]] = set()
        for run in (run for data in scope.asked for model in data.models.values() for run in model.runs):
            self.homes[run] = home = homes.setdefault(self._identify(run), run)
            if home is run and (run.training, run.seed) in names:
                raise AuditError(run.training, "is the name of two models, of two suites", "rename one")
            if home is run:
                names.add((run.training, run.seed))
            if home is run and not run.model.made_with:
                wildcards = self.name_wildcards(run)
                self.made["{dataset}/{model}".format(**wildcards), run.seed] = run

    def _identify(self, run: Run) -> str:
        """Return all that a training depends on but the names that suites give it."""
        model, number = run.model, run.seed - 1
        # what a model is trained on is listed before it
        references = "".join(f"{home.training} {home.seed}" for home in self.find_references(run))
        if model.settings:
            settings = model.build_settings(run.seed).model_dump_json(exclude={"model", "models", "maps"})
            return settings + references + model.name * bool(model.made_with)
        if not model.sources:
            return f"{model.rule} {references}"
        reading = model.reads[number].model_dump_json() if model.reads else ""
        return f"{model.rule} {model.data.name} {model.sources[number]} {reading}"

    def find_references(self, run: Run) -> list[Run]:
        """Return the run whose readouts a training has; often none."""
        reference = run.model.find_reference(run.seed)
        return [self.homes[reference]] if reference else []

    def find_files(self, paths: Sequence[str]) -> list[str]:
        """Find files of the user's own, in the mirror where they are not here."""
        return [str(find_own(path, self.scope.config.mirror_folder)) for path in paths]

    def list_sources(self, run: Run) -> list[str]:
        """Return what the user has of a training that is imported, a file or the files of a folder; or the readout that
        it is made of; [] where it is made here.
        """
        model = run.model
        if model.settings:
            return []
        if not model.sources:
            return [home.locate_readout() for home in self.find_references(run)]
        source = model.sources[run.seed - 1]
        return NamedTransformer(self.scope.config, source).inputs if model.network else self.find_files([source])

    def list_first_sources(self, run: Run) -> list[str]:
        """Return the files of the first training of a classifier, which must read the same words, of all others."""
        if not run.model.reads:
            return []
        judged = run.model if run.model.judged or not run.model.listed else run.model.data.judged[0]
        return NamedTransformer(self.scope.config, judged.sources[0]).inputs if run != judged.runs[0] else []

    @cached_property
    def steps(self) -> int:
        """Count how many steps the longest search has; all searches have files of so many, some without rows."""
        return max((run.model.step or 0 for run in self.homes), default=0)

    @cached_property
    def percents(self) -> list[int]:
        """Return all percentages of masked words of any data set, likewise."""
        configs = map(self.scope.config.for_dataset, self.scope.config.get_section(Masking).datasets)
        return sorted({percent for config in configs for percent in config.get_section(Masking).percent})

    def list_made(self, *rules: str) -> list[str]:
        """List what these rules make, by data set and model in their paths."""
        return list(dict.fromkeys(name for (name, _), run in self.made.items() if run.model.rule in rules))

    def list_references(self, run: Run) -> list[str]:
        """Return the readouts that a model is trained on, one for each split; often none."""
        return [home.locate_readout(split) for home in self.find_references(run) for split in SPLITS]

    def list_wholes(self, run: Run) -> list[str]:
        """Return what stands above the readouts of all trainings of the classifier of a target, with all outputs."""
        classifier = run.model.data.models[run.model.reference]
        return [self.homes[training].locate("tail") for training in classifier.runs]

    def list_others(self, run: Run) -> list[str]:
        """Return the readouts, on dev, of the other trainings of the model that a search begins with."""
        reference = run.model.find_reference(run.seed)
        runs = [another for another in reference.model.runs if another != reference] if reference else []
        return [self.homes[another].locate_readout("dev") for another in runs]

    def list_above(self, run: Run) -> list[str]:
        """Return what stands above the readouts of a training: the head of pairs, the tail of a Transformer."""
        kinds = {"head": run.model.data.pair, "tail": run.model.heads}
        return [self.homes[run].locate(kind) for kind in kinds if kinds[kind]]

    def list_records(self, model: Model) -> list[str]:
        """Return the record of the Transformer that a training reads or whose states it reads; often none."""
        if model.architecture.classifying:
            return [self.places.encoder.format(dataset=model.data.name)]
        return [self.places.transformer] if model.architecture.transformer else []

    def list_archive_records(self) -> list[str]:
        """Return the records of the archives of the encoders that this run reads, and that are fetched."""
        config, recorded = self.scope.config, list_recorded(self.scope.config)
        trained = [run for run in self.made.values() if run.model.settings]
        records = dict.fromkeys(record for run in trained for record in self.list_records(run.model))
        names = (Path(record).relative_to(config.results).with_suffix("").as_posix() for record in records)
        paths = {path for name in names for path in recorded[name]().inputs}
        paths.update(path for run in self.made.values() for path in self.list_sources(run))
        folder = f"{config.places.raw}/{ENCODERS_KEY}/records"
        encoders = list_made(config, ENCODERS_KEY).items()
        return [
            f"{folder}/{config.encoders[name].archive.file}.json" for name, each in encoders if paths & {*each.inputs}
        ]

    def find(self, dataset: str, model: str, seed: str) -> Run:
        """Find a training that is made, by the wildcards of its rule. Raises AuditError where there is none such."""
        run = self.made.get((f"{dataset}/{model}", int(seed)))
        if run is None:
            location = f"{dataset}/{model}/seed{seed}"
            raise AuditError(location, "not of this configuration", "add it there, or ask for another")
        return run

    def name_wildcards(self, run: Run) -> dict[str, str]:
        """Name the wildcards by which its rule makes a training; one job makes all steps of an order of words."""
        model = run.model.path_name
        if run.model.rule == "retrain_masked":
            model = model.rpartition("_")[0]
        return {"dataset": run.model.data.name, "model": model, "seed": str(run.seed)}
