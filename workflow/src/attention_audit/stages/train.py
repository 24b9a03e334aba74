"""corpus, vocabulary (, readouts of another model) -> weights, history and readouts of every seed (, heads of pairs).

Training and reading out share a process, since the imports of another would cost more than reading most models out.
They still have their own reasons to run again: weights whose settings, code and inputs are the same as before are kept,
so that a change in how models are read out trains nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from torch import Tensor

from attention_audit.artefacts.contents import contents_checksum
from attention_audit.artefacts.parquet import made_by, write_batches, write_table
from attention_audit.artefacts.weights import weights_made_by, write_weights
from attention_audit.columns.readout import HEAD, READOUT
from attention_audit.columns.training import HISTORY
from attention_audit.jobs.train import TrainJob
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import head_columns
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, build_split, by_split, prepare_device, read_material
from attention_audit.stages.reading_out import take_head, take_readout
from attention_audit.stages.training import peak_memory, train
from attention_audit.training.loop import Trained

Settings = TrainJob


def _report(job: Job[TrainJob], where: str, line: str) -> None:
    job.report(f"{where} {line}")


def history_columns(trained: Trained) -> dict[str, list[float] | list[int] | list[bool]]:
    """Columns of columns.training:HISTORY."""
    return {
        "epoch": [epoch.epoch for epoch in trained.history],
        "loss": [epoch.loss for epoch in trained.history],
        "score": [epoch.score for epoch in trained.history],
        "selected": [epoch.epoch == trained.selected for epoch in trained.history],
    }


class Trainer:
    """The part of a job that makes weights."""

    def __init__(self, job: Job[TrainJob]) -> None:
        self.job = job
        self.settings = job.settings
        # Weights depend on less code than readouts do, and only on the values in the inputs: a reference readout made
        # again with the same values trains nothing.
        inputs = {name: [contents_checksum(path) for path in paths] for name, paths in job.inputs.items()}
        self.provenance = replace(job.provenance, code=job.settings.training_code, inputs=inputs)
        self.device = prepare_device(self.settings)
        self.material = read_material(job.input("corpus"), job.input("vocabulary"), self.settings.architecture)
        references = by_split(job.inputs.get("reference", []))
        self.splits: dict[str, Split] = {
            name: build_split(texts, self.device, references.get(name)) for name, texts in self.material.splits.items()
        }

    def kept(self, seed: int, weights: Path, history: Path) -> dict[str, Tensor] | None:
        """The weights of an earlier run, where nothing has changed that decides what they are; else None."""
        if not made_by(history, HISTORY, self.provenance, seed):
            return None
        return weights_made_by(weights, self.provenance, seed)

    def model(self, number: int, seed: int, weights: Path, history: Path) -> Network:
        """The trained model of a seed, the `number`-th of all."""
        where = f"seed {seed} ({number}/{len(self.settings.seeds)})"
        model = build_model(self.material, self.settings.architecture, seed).to(self.device)
        chosen = self.kept(seed, weights, history)
        if chosen is None:
            report = partial(_report, self.job, where)
            trained = train(model, seed, self.settings, self.material, self.splits, report)
            chosen = trained.weights
            write_weights(weights, chosen, self.provenance, seed)
            write_table(history, HISTORY, history_columns(trained), self.provenance, seed)
        else:
            self.job.report(f"{where} weights of an earlier run, made of the same data with the same settings and code")
        model.load_state_dict(chosen)
        return model


def run(job: Job[TrainJob]) -> None:
    """Train the model with each of its seeds, one after another, and read it out on every split."""
    trainer = Trainer(job)
    readouts, heads = iter(job.outputs["readouts"]), iter(job.outputs.get("heads", []))
    outputs = zip(job.settings.seeds, job.outputs["weights"], job.outputs["history"], strict=True)
    for number, (seed, weights, history) in enumerate(outputs, start=1):
        model = trainer.model(number, seed, weights, history)
        for name, split in trainer.splits.items():
            readout = take_readout(model, split, trainer.material.splits[name].ids)
            write_batches(next(readouts), READOUT, readout.tables(), job.provenance, seed)
        if "heads" in job.outputs:
            write_table(next(heads), HEAD, head_columns(take_head(model)), job.provenance, seed)
    read = ", ".join(f"{name} {len(split)}" for name, split in trainer.splits.items())
    job.report(f"read out: {read} texts")
    if memory := peak_memory(trainer.device):
        job.report(memory)
