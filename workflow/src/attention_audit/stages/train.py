"""corpus, vocabulary (, readouts of another model) -> weights, history and readouts of every seed (, heads of pairs,
tails of Transformers).

Training and reading out share a process, since the imports of another would cost more than reading most models out.
They still have their own reasons to run again: weights whose settings, code and inputs are the same as before are kept,
so that a change in how models are read out trains nothing.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.readout import HEAD
from attention_audit.jobs.train import TrainJob
from attention_audit.readout import head_columns
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model
from attention_audit.stages.reading_out import take_head
from attention_audit.stages.trainer import KEPT, Trainer, reporter
from attention_audit.stages.training import peak_memory, train

Settings = TrainJob


def run(job: Job[TrainJob]) -> None:
    """Train the model with each of its seeds, one after another, and read it out on every split that is asked for."""
    trainer, settings = Trainer(job), job.settings
    # a seed has a folder
    readouts = [[*paths] for _, paths in groupby(job.outputs["readouts"], key=attrgetter("parent"))]
    heads, tails = iter(job.outputs.get("heads", [])), iter(job.outputs.get("tails", []))
    outputs = zip(settings.seeds, job.outputs["weights"], job.outputs["history"], strict=True)
    for number, (seed, weights, history) in enumerate(outputs, start=1):
        report = reporter(job, f"seed {seed} ({number}/{len(settings.seeds)})")
        trainer.prepare(number)
        model = build_model(trainer.material, settings.architecture, seed).to(trainer.device)
        trained = trainer.kept(number, seed, weights, history)
        if trained is None:
            trained = train(model, seed, settings, trainer.material, trainer.splits, report)
            trainer.keep(number, seed, weights, history, trained)
        else:
            report(KEPT)
        model.load_state_dict(trained.weights)
        trainer.read_out(model, seed, readouts[number - 1], next(tails, None))
        if "heads" in job.outputs:
            write_table(next(heads), HEAD, head_columns(take_head(model)), job.provenance, seed)
    job.report(trainer.texts)
    if memory := peak_memory(trainer.device):
        job.report(memory)
