"""corpus, vocabulary, weights and readouts of the base model -> weights, history and readouts of the models of all
steps of one order and seed, each of which is trained on texts with more masked words than the last.

Where nothing has changed that decides the weights, they are kept, as those of trainings are, and what was ended goes on
with the first missing step.
"""

from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np

from attention_audit.artefacts.parquet import write_batches
from attention_audit.columns.readout import READOUT
from attention_audit.jobs.train import MaskedJob
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, load_weights
from attention_audit.stages.masking import masked_step
from attention_audit.stages.reading_out import take_readout
from attention_audit.stages.train import KEPT, Trainer
from attention_audit.training.loop import Trained

Settings = MaskedJob


def run(job: Job[MaskedJob]) -> None:
    """Mask and train step by step, and read each model out on the masked texts that it was made for."""
    trainer, settings = Trainer(job), job.settings
    model = build_model(trainer.material, settings.architecture, settings.seed).to(trainer.device)
    load_weights(model, job.input("start"))
    splits = trainer.splits
    masks = {name: np.zeros(texts.lengths.sum(), np.bool_) for name, texts in trainer.material.splits.items()}
    # a model has a folder of readouts
    readouts = [[*paths] for _, paths in groupby(job.outputs["readouts"], key=attrgetter("parent"))]
    files = zip(settings.percent, job.outputs["weights"], job.outputs["history"], readouts, strict=True)
    for percent, weights, history, paths in files:

        def say(line: str, percent: int = percent) -> None:
            job.report(f"{percent} % masked: {line}")

        def kept(weights: Path = weights, history: Path = history) -> Trained | None:
            found = trainer.kept(weights, history)
            if found is not None:
                job.report(KEPT)
            return found

        made = masked_step(model, splits, masks, percent, settings, trainer.material, trainer.device, kept, say)
        trainer.keep(weights, history, made.trained)
        for path in paths:
            readout = take_readout(made.model, made.splits[path.stem], made.texts[path.stem].ids)
            write_batches(path, READOUT, readout.tables(), trainer.made, trainer.seed)
        model, splits = made.model, dict(made.splits)
    trainer.told(job.report)
