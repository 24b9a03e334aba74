"""corpus, vocabulary, weights and readouts of the base model -> weights, history and readouts of all adversaries of a
search by continuation, and the search itself, for every seed.

The steps of a search are models of their own, and the chosen one is written once more, under its own name. Where
nothing has changed that decides the weights, all of them are kept, as those of trainings are, and a search that was
ended goes on with its first missing step.
"""

from __future__ import annotations

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
from attention_audit.stages.searching import Found, search
from attention_audit.stages.trainer import KEPT, Trainer, reporter
from attention_audit.stages.training import peak_memory
from attention_audit.training.continuation import furthest
from attention_audit.training.loop import Trained

Settings = SearchJob


class Files(NamedTuple):
    """The files of one seed: of its steps in order, then of the chosen one; readouts of a model one a split that is
    read out.
    """

    weights: list[Path]
    history: list[Path]
    readouts: list[list[Path]]
    tails: list[Path | None]
    search: Path


def files_of(job: Job[SearchJob], number: int) -> Files:
    """The output files of the `number`-th seed, from 1."""
    models = len(job.settings.models) + 1
    weights, history = (job.outputs[name][models * (number - 1) : models * number] for name in ("weights", "history"))
    places = range(models * (number - 1), models * number)
    # a model has a folder for each seed
    folders = [[*paths] for _, paths in groupby(job.outputs["readouts"], key=attrgetter("parent"))]
    readouts = [folders[place] for place in places]
    written = job.outputs.get("tails")
    tails = [written[place] if written else None for place in places]
    return Files(weights, history, readouts, tails, job.outputs["search"][number - 1])


def search_columns(found: Sequence[Found], chosen: int, seed: int, settings: SearchJob) -> dict[str, list[Any]]:
    """Columns of columns.training:SEARCH; `chosen`: the place of the chosen step."""
    return {
        "seed": [seed] * len(found),
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


def kept(trainer: Trainer, number: int, seed: int, files: Files) -> bool:
    """Whether the weights of an earlier run are there, of all steps and of the chosen one."""
    return made_by(files.search, SEARCH, trainer.provenance(number), seed) and all(
        trainer.kept(number, seed, *pair) is not None for pair in zip(files.weights, files.history, strict=True)
    )


def earlier_steps(
    trainer: Trainer, number: int, seed: int, files: Files, report: Callable[[str], None]
) -> Iterator[Trained]:
    """The steps that an earlier run has made, up to the first that is missing: what follows began with its weights."""
    for step, pair in enumerate(zip(files.weights[:-1], files.history[:-1], strict=True), start=1):
        trained = trainer.kept(number, seed, *pair)
        if trained is None:
            return
        report(f"step {step}/{len(files.weights) - 1}: {KEPT}")
        yield trained


def sought(job: Job[SearchJob], trainer: Trainer, number: int, seed: int, model: Network, files: Files) -> None:
    """Search with a seed, and write each step when it is made, the chosen one once more, and then the search.

    The weights of all steps together may be larger than memory, so each is held no longer than the search needs it.
    """
    report = reporter(job, f"seed {seed} ({number}/{len(job.settings.seeds)})")
    earlier = earlier_steps(trainer, number, seed, files, report)
    found: list[Found] = []
    for place, each in enumerate(search(model, seed, job.settings, trainer.splits, report, earlier)):
        trainer.keep(number, seed, files.weights[place], files.history[place], each.trained)
        found.append(replace(each, trained=replace(each.trained, weights={})))
    chosen = furthest([each.step for each in found], job.settings.budget)
    trained = replace(found[chosen].trained, weights=read_weights(files.weights[chosen]))
    trainer.keep(number, seed, files.weights[-1], files.history[-1], trained)
    columns = search_columns(found, chosen, seed, job.settings)
    write_table(files.search, SEARCH, columns, trainer.provenance(number), seed)


def run(job: Job[SearchJob]) -> None:
    """Search with each of the seeds, one after another, and read all models out on every split."""
    trainer, settings = Trainer(job), job.settings
    for number, seed in enumerate(settings.seeds, start=1):
        report = reporter(job, f"seed {seed} ({number}/{len(settings.seeds)})")
        files = files_of(job, number)
        trainer.prepare(number)
        model = build_model(trainer.material, settings.architecture, seed).to(trainer.device)
        if kept(trainer, number, seed, files):
            report(KEPT)
        else:
            load_weights(model, job.inputs["start"][number - 1])
            sought(job, trainer, number, seed, model, files)
        for weights, readouts, tail in zip(files.weights, files.readouts, files.tails, strict=True):
            load_weights(model, weights)
            trainer.read_out(model, seed, readouts, tail)
        settled = next(row for row in read_table(files.search, SEARCH).to_pylist() if row["chosen"])
        report(f"chosen: step {settled['step']}, TVD {settled['tvd']:.4f}, JSD {settled['jsd']:.4f} on dev")
    job.report(trainer.texts)
    if memory := peak_memory(trainer.device):
        job.report(memory)
