"""test readout of the base -> instance adversary: the furthest attention that keeps each prediction."""

from __future__ import annotations

import torch

from attention_audit.artefacts.parquet import write_table
from attention_audit.audits.instance_adversary import instance_adversary
from attention_audit.audits.settings import InstanceAdversary
from attention_audit.columns.instance_adversary import INSTANCE_ADVERSARY
from attention_audit.readout import read_readout
from attention_audit.stages.job import Job


def run(job: Job) -> None:
    """Search an adversary for every text."""
    torch.set_num_threads(job.settings["threads"])
    base = read_readout(job.input("base"))
    settings = InstanceAdversary.model_validate(job.settings["search"])
    columns = instance_adversary(base, settings, job.settings["seed"], job.report)
    columns["dataset"] = [job.settings["dataset"]] * len(base)
    write_table(job.output("adversary"), INSTANCE_ADVERSARY, columns, job.provenance, job.settings["seed"])
