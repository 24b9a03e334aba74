"""test readouts -> per-instance adversaries of every one of Jain & Wallace's models."""

from __future__ import annotations

import pandas as pd
import torch

from attention_audit.artefacts.parquet import write_table
from attention_audit.audits.instance_adversary import instance_adversary
from attention_audit.audits.settings import InstanceAdversary
from attention_audit.columns.instance_adversary import INSTANCE_ADVERSARY
from attention_audit.stages.job import Job
from attention_audit.stages.readouts import labelled_frame, labelled_readouts


def run(job: Job) -> None:
    """Search an adversary for every text."""
    torch.set_num_threads(job.settings["threads"])
    settings = InstanceAdversary.model_validate(job.settings["search"])
    frames = []
    for identity, readout in labelled_readouts(job):
        job.report(f"{identity['model']}, seed {identity['seed']}")
        frames.append(labelled_frame(identity, instance_adversary(readout, settings, job.settings["seed"], job.report)))
    write_table(job.output("adversary"), INSTANCE_ADVERSARY, pd.concat(frames, ignore_index=True), job.provenance)
