"""corpus, vocabulary, weights and readouts of the base model -> weights, history and readouts of all adversaries of a
search by continuation, and the search itself, of one seed.

The steps of a search are models of their own, and the chosen one is written once more, under its own name. Where
nothing has changed that decides the weights, all of them are kept, as those of trainings are, and a search that was
ended goes on with its first missing step.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from attention_audit.artefacts.parquet import made_by, read_table, write_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.columns.training import SEARCH
from attention_audit.jobs.train import SearchJob
from attention_audit.model.network import Network
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, load_weights
from attention_audit.stages.searching import Found, furthest, search
from attention_audit.stages.trainer import KEPT, Trainer
from attention_audit.stages.training import peak_memory
from attention_audit.training.loop import Trained

Settings = SearchJob


class Files(NamedTuple):
    """The files of a search: of its steps in order, then of the chosen one; readouts of a model one a split that is
    read out.
    """

    weights: list[Path]
    history: list[Path]
    readouts: list[list[Path]]
    tails: list[Path | None]
    search: Path


def files_of(job: Job[SearchJob]) -> Files:
    """The output files of a job."""
    # a model has a folder
    readouts = [[*paths] for _, paths in groupby(job.outputs["readouts"], key=attrgetter("parent"))]
    tails: list[Path | None] = [*job.outputs.get("tails", [])] or [None] * len(readouts)
    return Files(job.outputs["weights"], job.outputs["history"], readouts, tails, job.output("search"))


def search_columns(found: Sequence[Found], chosen: int, settings: SearchJob) -> dict[str, list[Any]]:
    """Columns of columns.training:SEARCH; `chosen`: the place of the chosen step."""
    return {
        "seed": [settings.seed] * len(found),
        "step": list(range(1, len(found) + 1)),
        "model": settings.models,
        "lambda": [each.step.lambda_ for each in found],
        "began": [None if each.began is None else each.began + 1 for each in found],
        "epochs": [len(each.trained.history) for each in found],
        "tvd": [each.step.tvd for each in found],
        "jsd": [each.step.jsd for each in found],
        "within": [each.step.tvd <= settings.budget for each in found],
        "chosen": [place == chosen for place in range(len(found))],
    }


def kept(trainer: Trainer, files: Files) -> bool:
    """Whether the weights of an earlier run are there, of all steps and of the chosen one."""
    return made_by(files.search, SEARCH, trainer.provenance, trainer.seed) and all(
        trainer.kept(*pair) is not None for pair in zip(files.weights, files.history, strict=True)
    )


def earlier_steps(trainer: Trainer, files: Files, report: Callable[[str], None]) -> Iterator[Trained]:
    """The steps that an earlier run has made, up to the first that is missing: what follows began with its weights."""
    for step, pair in enumerate(zip(files.weights[:-1], files.history[:-1], strict=True), start=1):
        trained = trainer.kept(*pair)
        if trained is None:
            return
        report(f"step {step}/{len(files.weights) - 1}: {KEPT}")
        yield trained


def sought(job: Job[SearchJob], trainer: Trainer, model: Network, files: Files) -> None:
    """Search, and write each step when it is made, the chosen one once more, and then the search.

    The weights of all steps together may be larger than memory, so each is held no longer than the search needs it.
    """
    earlier = earlier_steps(trainer, files, job.report)
    found: list[Found] = []
    for place, each in enumerate(search(model, job.settings, trainer.splits, job.report, earlier)):
        trainer.keep(files.weights[place], files.history[place], each.trained)
        found.append(replace(each, trained=replace(each.trained, weights={})))
    chosen = furthest([each.step for each in found], job.settings.budget)
    trained = replace(found[chosen].trained, weights=read_weights(files.weights[chosen]))
    trainer.keep(files.weights[-1], files.history[-1], trained)
    columns = search_columns(found, chosen, job.settings)
    write_table(files.search, SEARCH, columns, trainer.provenance, trainer.seed)


def run(job: Job[SearchJob]) -> None:
    """Search, and read all models out on every split."""
    trainer, settings = Trainer(job), job.settings
    files = files_of(job)
    model = build_model(trainer.material, settings.architecture, settings.seed).to(trainer.device)
    if kept(trainer, files):
        job.report(KEPT)
    else:
        load_weights(model, job.input("start"))
        sought(job, trainer, model, files)
    for weights, readouts, tail in zip(files.weights, files.readouts, files.tails, strict=True):
        load_weights(model, weights)
        trainer.read_out(model, readouts, tail)
    settled = next(row for row in read_table(files.search, SEARCH).to_pylist() if row["chosen"])
    job.report(f"chosen: step {settled['step']}, TVD {settled['tvd']:.4f}, JSD {settled['jsd']:.4f} on dev")
    job.report(trainer.texts)
    if memory := peak_memory(trainer.device):
        job.report(memory)
