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
from typing import Any

from attention_audit.artefacts.parquet import made_by, read_table, write_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.columns.training import SEARCH
from attention_audit.jobs.train import SearchJob
from attention_audit.model.network import Network
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, load_weights
from attention_audit.stages.searching import Found, furthest, search
from attention_audit.stages.train import KEPT, Trainer
from attention_audit.training.loop import Trained

Settings = SearchJob


Files = list[tuple[Path, Path]]
"""Weights and history of the steps of a search in order, then of the chosen one."""


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


def kept(path: Path, trainer: Trainer, files: Files) -> bool:
    """Whether the search of an earlier run is there, with the weights of all steps and of the chosen one."""
    found = made_by(path, SEARCH, trainer.provenance, trainer.seed)
    return found and all(trainer.kept(*pair) is not None for pair in files)


def earlier_steps(trainer: Trainer, files: Files, report: Callable[[str], None]) -> Iterator[Trained]:
    """The steps that an earlier run has made, up to the first that is missing: what follows began with its weights."""
    for step, pair in enumerate(files[:-1], start=1):
        trained = trainer.kept(*pair)
        if trained is None:
            return
        report(f"step {step}/{len(files) - 1}: {KEPT}")
        yield trained


def sought(job: Job[SearchJob], trainer: Trainer, model: Network, files: Files) -> None:
    """Search, and write each step when it is made, the chosen one once more, and then the search.

    The weights of all steps together may be larger than memory, so each is held no longer than the search needs it.
    """
    earlier = earlier_steps(trainer, files, job.report)
    found: list[Found] = []
    for place, each in enumerate(search(model, job.settings, trainer.splits, job.report, earlier)):
        trainer.keep(*files[place], each.trained)
        found.append(replace(each, trained=replace(each.trained, weights={})))
    chosen = furthest([each.step for each in found], job.settings.budget)
    trained = replace(found[chosen].trained, weights=read_weights(files[chosen][0]))
    trainer.keep(*files[-1], trained)
    columns = search_columns(found, chosen, job.settings)
    write_table(job.output("search"), SEARCH, columns, trainer.provenance, trainer.seed)


def run(job: Job[SearchJob]) -> None:
    """Search, and read all models out on every split."""
    trainer, settings = Trainer(job), job.settings
    files = [*zip(job.outputs["weights"], job.outputs["history"], strict=True)]
    # a model has a folder of readouts
    readouts = [[*paths] for _, paths in groupby(job.outputs["readouts"], key=attrgetter("parent"))]
    tails: Sequence[Path | None] = job.outputs.get("tails") or [None] * len(readouts)
    model = build_model(trainer.material, settings.architecture, settings.seed).to(trainer.device)
    if kept(job.output("search"), trainer, files):
        job.report(KEPT)
    else:
        load_weights(model, job.input("start"))
        sought(job, trainer, model, files)
    for (weights, _), paths, tail in zip(files, readouts, tails, strict=True):
        load_weights(model, weights)
        trainer.read_out(model, paths, tail)
    settled = next(row for row in read_table(job.output("search"), SEARCH).to_pylist() if row["chosen"])
    job.report(f"chosen: step {settled['step']}, TVD {settled['tvd']:.4f}, JSD {settled['jsd']:.4f} on dev")
    trainer.told(job.report)
