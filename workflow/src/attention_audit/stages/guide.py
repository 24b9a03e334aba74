"""configuration -> results/README.md and results/config.yaml."""

from __future__ import annotations

import yaml

from attention_audit.artefacts.files import whole
from attention_audit.artefacts.guide import guide
from attention_audit.stages.job import Job


def run(job: Job) -> None:
    """Write what a reader of the results folder needs."""
    with whole(job.output("readme")) as path:
        path.write_text(guide() + f"\n<!-- {job.provenance.text()} -->\n", encoding="utf-8")
    with whole(job.output("config")) as path:
        path.write_text(yaml.safe_dump(job.settings["config"], sort_keys=False), encoding="utf-8")
