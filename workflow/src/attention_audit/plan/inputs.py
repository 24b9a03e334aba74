"""What each rule reads: a function for each kind of input, which Snakemake calls with the wildcards of a job.

A rule names its functions; here stands which files they mean. Nothing is listed before it is asked for.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from snakemake.iocontainers import Wildcards

from attention_audit.errors import AuditError

from . import corpora
from .audits import ListRuns
from .exhibits import FIGURES, TABLES
from .file_checks import link_own
from .model import Model, Run
from .plan import Plan
from .transformers import list_recorded

ListFiles = Callable[[Wildcards], list[str]]
"""Lists input files of a job."""
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def ask(question: Callable[..., Any], *arguments: Any) -> Any:
    """Ask the plan. Ends the run in a line for each fault, as Snakemake would show a traceback."""
    try:
        return question(*arguments)
    except AuditError as error:
        sys.exit("\n".join(f"error: {line}" for line in str(error).splitlines()))


def end_on_fault(function: FunctionT) -> FunctionT:
    """Let a function that rules call with the wildcards of a job end the run in a line for each fault."""

    @wraps(function)
    def call(*arguments: Any) -> Any:
        return ask(function, *arguments)

    return call  # type: ignore[return-value]


def end_in_lines(kind: type) -> type:
    """Let all methods of a class that rules call end the run with a line for each fault."""
    for name, method in [*vars(kind).items()]:
        if callable(method) and not name.startswith("_"):
            setattr(kind, name, end_on_fault(method))
    return kind


class PlanAsker:
    """Asks the plan of a run for what the wildcards of a job name."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._config = plan, plan.config
        self._places, self._trainings = plan.config.places, plan.trainings
        self._linked = dict[str, str]()

    def _find_model(self, wildcards: Wildcards) -> Model:
        return self._plan.asked.find_model(wildcards.dataset, wildcards.model)

    def _find_run(self, wildcards: Wildcards) -> Run:
        return self._trainings.find(wildcards.dataset, wildcards.model, wildcards.seed)


@end_in_lines
class Inputs(PlanAsker):
    """The functions of a run's rules."""

    def _link(self, paths: Sequence[str]) -> list[str]:
        linked = [*map(link_own, paths)]
        self._linked.update(zip(linked, paths, strict=True))
        return linked

    def unlink(self, path: str) -> str:
        """Return a path of the user's as it is written, where Snakemake has a link."""
        return self._linked.get(path, path)

    # raw files -> corpora

    def list_raw_files(self, wildcards: Wildcards) -> list[str]:
        """List the raw files of a data set, and the corpus that it takes texts from."""
        return self._link(corpora.list_read(self._config, wildcards.dataset))

    def list_tokenizer(self, wildcards: Wildcards) -> list[str]:
        """List the files of the Transformer whose pieces stand in the place of words; often none."""
        tokenizer = corpora.find_tokenizer(self._config, wildcards.dataset)
        return self._link(tokenizer.inputs) if tokenizer else []

    def list_vectors(self, wildcards: Wildcards) -> list[str]:
        """List the file of a data set's word vectors."""
        return self._link(corpora.list_vectors(self._config, wildcards.dataset))

    def list_records(self, wildcards: Wildcards) -> list[str]:
        """List the records of all files that are fetched for a data set."""
        raw = corpora.list_records(self._config, [wildcards.dataset])
        return raw + corpora.list_vector_records(self._config, wildcards.dataset)

    # archives -> Transformers

    def find_archive(self, wildcards: Wildcards) -> str:
        """Find the archive of an encoder."""
        return f"{self._places.raw}/encoders/{self._config.encoders[wildcards.encoder].archive.file}"

    def find_archive_record(self, wildcards: Wildcards) -> str:
        """Find the record of the archive of an encoder."""
        return f"{self._places.raw}/encoders/records/{self._config.encoders[wildcards.encoder].archive.file}.json"

    def find_built_words(self, wildcards: Wildcards) -> str:
        """Find the vocabulary that a classifier is built from."""
        return self._places.corpus_file(self._config.built[wildcards.classifier].dataset, "vocabulary")

    def list_transformer_files(self, wildcards: Wildcards) -> list[str]:
        """List the files of a Transformer that is recorded."""
        return self._link(list_recorded(self._config)[wildcards.transformer]().inputs)

    # corpora -> trainings

    def list_transformer(self, wildcards: Wildcards) -> list[str]:
        """List the record of the Transformer that a training reads; often none."""
        return self._trainings.list_records(self._find_run(wildcards).model)

    def list_states(self, wildcards: Wildcards) -> list[str]:
        """List the states, and the pieces, of a frozen Transformer under a training; often none."""
        paths = (self._places.states, self._places.pieces) if self._find_run(wildcards).model.frozen else ()
        return [path.format(dataset=wildcards.dataset) for path in paths]

    def list_reference(self, wildcards: Wildcards) -> list[str]:
        """List the readouts that a model is trained on, a split each; often none."""
        return self._trainings.list_references(self._find_run(wildcards))

    def list_start(self, wildcards: Wildcards) -> list[str]:
        """List the weights that a search, or masking, begins with."""
        return [home.locate("weights") for home in self._trainings.find_references(self._find_run(wildcards))]

    def list_others(self, wildcards: Wildcards) -> list[str]:
        """List the readouts, on dev, of the other trainings of the model that a search begins with."""
        return self._trainings.list_others(self._find_run(wildcards))

    # what is given -> readouts

    def list_given(self, wildcards: Wildcards) -> list[str]:
        """List what the user has of a training; of a classifier, of the first one too, whose words it must read."""
        run = self._find_run(wildcards)
        return self._link(self._trainings.list_sources(run) + self._trainings.list_first_sources(run))

    def list_beside(self, wildcards: Wildcards) -> list[str]:
        """List the readout of the first training, beside which one is checked."""
        return self._trainings.find_files(self._find_run(wildcards).model.beside)

    def find_whole(self, wildcards: Wildcards) -> str:
        """Find the readout of all outputs of the classifier of a target."""
        run = self._find_run(wildcards)
        return self._trainings.find_references(run)[0].locate_readout()

    def list_wholes(self, wildcards: Wildcards) -> list[str]:
        """List the tails, and all outputs, of all trainings of the classifier of a target."""
        return self._trainings.list_wholes(self._find_run(wildcards))

    def list_mapped(self, wildcards: Wildcards) -> list[str]:
        """List the files of the classifier of a target that has further maps; often none."""
        run = self._find_run(wildcards)
        return self._link(self._trainings.list_sources(run)) if run.model.reads[0].maps else []

    def list_tail(self, wildcards: Wildcards) -> list[str]:
        """List the tail of the classifier on which uniform weights are imposed."""
        return [home.locate("tail") for home in self._trainings.find_references(self._find_run(wildcards))]

    # readouts -> audits

    def list_readouts(self, list_runs: ListRuns, split: str = "test") -> ListFiles:
        """List the readouts of these trainings of a model on a split, where they are read out there."""
        return end_on_fault(
            lambda wildcards: [
                self._trainings.homes[run].locate_readout(split)
                for run in list_runs(self._find_model(wildcards))
                if split in run.model.splits
            ]
        )

    def list_above(self, list_runs: ListRuns) -> ListFiles:
        """List what stands above these readouts: the heads of pairs of texts, the tails of Transformers."""
        return end_on_fault(
            lambda wildcards: [
                path for run in list_runs(self._find_model(wildcards)) for path in self._trainings.list_above(run)
            ]
        )

    def list_searches(self, list_runs: ListRuns) -> ListFiles:
        """List the searches by continuation that made some of these trainings."""

        def list_files(wildcards: Wildcards) -> list[str]:
            steps = (run for run in list_runs(self._find_model(wildcards)) if run.model.step is not None)
            searches = dict.fromkeys(Run(run.model.maker, run.seed) for run in steps)
            return [self._trainings.homes[run].locate("search") for run in searches]

        return end_on_fault(list_files)

    def list_decoders(self, wildcards: Wildcards) -> list[str]:
        """List the files of all trainings of a language model."""
        sources = map(self._trainings.list_sources, self._find_model(wildcards).runs)
        return self._link([path for paths in sources for path in paths])

    def list_instance_adversary(self, wildcards: Wildcards) -> list[str]:
        """List the rows of the per-instance adversary, where the model is asked it."""
        model, audits = self._find_model(wildcards), self._plan.asked
        return [audits.locate(model, "instance_adversary")] if audits.is_asked(model, "instance_adversary") else []

    # trainings -> attributions -> audits

    def list_attributed(self, wildcards: Wildcards) -> Mapping[str, Sequence[str]]:
        """List, by name, the readout of one training, what stands above it, and what it takes to run it again: files
        of a classifier that is given, or the weights, vocabulary and Transformer of a model that is trained here.
        """
        run = Run(self._find_model(wildcards), int(wildcards.seed))
        home = self._trainings.homes[run]
        files = {"readout": [home.locate_readout()], "above": self._trainings.list_above(run)}
        if run.model.settings is None:
            return files | {"given": self._link(self._trainings.list_sources(home))}
        return files | {
            "weights": [home.locate("weights")],
            "vocabulary": [self._places.corpus_file(wildcards.dataset, "vocabulary")],
            "transformer": self._trainings.list_records(run.model),
        }

    def list_attributed_source(self, wildcards: Wildcards) -> Sequence[str]:
        """List the files of a classifier that is given."""
        return self.list_attributed(wildcards).get("given", [])

    def list_attributions(self, wildcards: Wildcards) -> list[str]:
        """List the attributions of all trainings of a model."""
        of_model = self._places.attributions.format(dataset=wildcards.dataset, model=wildcards.model, seed="{seed}")
        return [of_model.format(seed=seed) for seed in self._find_model(wildcards).seeds]

    # audits -> tables, figures and pages

    def list_shown(self, wildcards: Wildcards) -> Mapping[str, Sequence[str]]:
        """List what a table or a figure reads, by name; perhaps of one data set."""
        exhibit = (TABLES | FIGURES)[wildcards.get("table") or wildcards.figure]
        return self._plan.exhibits.list_inputs(exhibit, wildcards.get("dataset", ""))

    def list_explored(self, wildcards: Wildcards) -> Mapping[str, Sequence[str]]:
        """List what the explorer reads, by name."""
        return self._plan.pages.list_explored()

    def list_reported(self, wildcards: Wildcards) -> Mapping[str, Sequence[str]]:
        """List what the report reads, by name."""
        return self._plan.pages.list_reported()
