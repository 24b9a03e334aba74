"""corpus, vocabulary, weights, test readouts -> correlation, agreement and conicity: what needs the network again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.audits.agreement import agreement, sample
from attention_audit.audits.conicity import conicity
from attention_audit.audits.correlation import correlation
from attention_audit.audits.gradients import gradients
from attention_audit.audits.integrated_gradients import integrated_gradients
from attention_audit.audits.leave_one_out import leave_one_out
from attention_audit.audits.settings import Agreement, Correlation
from attention_audit.columns.agreement import AGREEMENT
from attention_audit.columns.conicity import CONICITY
from attention_audit.columns.correlation import CORRELATION
from attention_audit.columns.kinds import Artefact
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Readout, read_readout
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, build_split, load_weights, prepare_device, read_material
from attention_audit.stages.readouts import labelled_frame
from attention_audit.training.settings import ModelSettings

AUDITS: dict[str, Artefact] = {"correlation": CORRELATION, "agreement": AGREEMENT, "conicity": CONICITY}


def measure(job: Job, where: str, model: Network, split: Split, readout: Readout) -> dict[str, dict[str, Any]]:
    """The columns of every audit, for one model."""
    scores = {"gradient": gradients(model, split), "gradient_attached": gradients(model, split, attached=True)}
    job.report(f"{where}: gradients of {len(split)} texts")
    scores["loo"] = leave_one_out(model, split)
    job.report(f"{where}: every one of {split.lengths.sum()} tokens left out")
    told = Agreement.model_validate(job.settings["agreement"])
    chosen = sample(len(split), told.texts)
    everything: dict[str, Sequence[npt.NDArray[Any]]] = {"attention": readout.attention, **scores}
    compared = {name: [values[i] for i in chosen] for name, values in everything.items()}
    compared["integrated_gradients"] = integrated_gradients(model, split, told.steps, chosen)
    job.report(f"{where}: integrated gradients of {len(chosen)} texts")
    return {
        "correlation": correlation(readout, scores, Correlation.model_validate(job.settings["correlation"])),
        "agreement": agreement(compared),
        "conicity": conicity(model, split, readout.ids),
    }


def run(job: Job) -> None:
    """Attribute every prediction of the test split in several ways, model after model."""
    frames: dict[str, list[pd.DataFrame]] = {name: [] for name in AUDITS}
    models = zip(job.settings["models"], job.inputs["weights"], job.inputs["readouts"], strict=True)
    for told, weights, path in models:
        settings = ModelSettings.model_validate(told)
        [seed] = settings.seeds
        device = prepare_device(settings)
        material = read_material(job.input("corpus"), job.input("vocabulary"), settings.architecture)
        texts = material.splits["test"]
        model = build_model(material, settings.architecture, seed).to(device)
        load_weights(model, weights)
        readout = read_readout(path).aligned(texts.ids)
        identity = {"dataset": settings.dataset, "model": settings.model, "seed": seed}
        where = f"{settings.model}, seed {seed}"
        for name, columns in measure(job, where, model, build_split(texts, device), readout).items():
            frames[name].append(labelled_frame(identity, columns))
    for name, artefact in AUDITS.items():
        write_table(job.output(name), artefact, pd.concat(frames[name], ignore_index=True), job.provenance)
