"""audits of all three papers -> five questions to every model's attention, and the verdict."""

from __future__ import annotations

from attention_audit.columns.comparison import COMPARISON
from attention_audit.columns.performance import PERFORMANCE
from attention_audit.columns.permutation import PERMUTATION
from attention_audit.columns.single_weight import SINGLE_WEIGHT
from attention_audit.columns.stability import STABILITY
from attention_audit.stages.frames import stacked_if_any
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.stages.slim import read
from attention_audit.tables.summary import Audits, Subject, summary

COMPARED = ("dataset", "model", "lambda", "seed", "id", "jsd", "tvd")
RESEEDED = ("dataset", "model", "seed", "id", "jsd", "tvd", "chance_jsd")
PERMUTED = ("dataset", "model", "seed", "id", "median_tvd")
ERASED = ("dataset", "model", "seed", "id", "ranking", "draw", "top_flips", "other_flips")


def run(job: Job) -> None:
    """Write the table."""
    audits = Audits(
        stacked_if_any(job, "performance", PERFORMANCE),
        read(job.inputs["comparison"], COMPARISON, COMPARED),
        read(job.inputs["stability"], STABILITY, RESEEDED),
        read(job.inputs["permutation"], PERMUTATION, PERMUTED),
        read(job.inputs["single_weight"], SINGLE_WEIGHT, ERASED),
    )
    subjects = [Subject(**subject) for subject in job.settings["subjects"]]
    settings = {name: job.settings[name] for name in ("reasons", "epsilon", "resamples")}
    publish_table(job, summary(subjects, audits, **settings))
