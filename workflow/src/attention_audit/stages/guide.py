"""configuration, suites and exhibits -> results/README.md and results/config.yaml."""

import yaml

from attention_audit.artefacts.files import whole
from attention_audit.jobs.pages import GuideJob
from attention_audit.report.guide import guide
from attention_audit.stages.job import Job

Settings = GuideJob


def run(job: Job[GuideJob]) -> None:
    """Write what a reader of the results folder needs."""
    with whole(job.output("readme")) as path:
        path.write_text(guide(job.settings) + "\n", encoding="utf-8")
    with whole(job.output("config")) as path:
        path.write_text(yaml.safe_dump(job.settings.config, sort_keys=False), encoding="utf-8")
