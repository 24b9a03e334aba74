"""readouts, corpus -> the audits of one suite on one data set that need no network, one file each.

They share a process, since the imports of another would cost more than most audits do. Each still has its own reason to
run again: a file whose settings, code and inputs are the same as before is kept.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from attention_audit.artefacts.files import checksum as file_checksum
from attention_audit.artefacts.parquet import made_by
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.seal import values_checksum
from attention_audit.columns.kinds import artefact
from attention_audit.jobs.audit import AuditJob, AuditsJob, GatheredAudit
from attention_audit.stages import audit
from attention_audit.stages.job import Job

Settings = AuditsJob


def one_of(job: Job[AuditsJob], gathered: GatheredAudit, checksum: Callable[[Path], str]) -> Job[AuditJob] | None:
    """The job of one of the audits; None where its file is there already. `checksum`: of what a file holds."""
    asked = gathered.audit
    files = job.inputs["files"]
    inputs = {name: [files[place] for place in places] for name, places in gathered.inputs.items()}
    # those that it reads are there: they come before it
    inputs |= {name: job.outputs[name] for name in asked.after if name in job.outputs}
    # a file of the user's counts as it is
    checksums = {name: [*map(file_checksum if name == "given" else checksum, paths)] for name, paths in inputs.items()}
    provenance = Provenance("audit", asked.model_dump(mode="json"), gathered.code, checksums)
    output = job.output(asked.audit)
    ((_, declared),) = asked.columns.items()
    if made_by(output, artefact(declared), provenance):
        job.report(f"{asked.audit}: kept, made of the same readouts with the same settings and code")
        return None
    return Job(asked, inputs, {asked.audit: [output]}, provenance, job.report, job.threads)


def run(job: Job[AuditsJob]) -> None:
    """Make all audits, one after another."""
    checksum = cache(values_checksum)  # most audits read the same files
    for gathered in job.settings.audits:
        if alone := one_of(job, gathered, checksum):
            job.report(gathered.audit.audit)
            audit.run(alone)
