"""One question -> how its intervals do in simulated runs. Nothing is read."""

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.calibration.operating import calibrated
from attention_audit.columns.calibration import CALIBRATION
from attention_audit.jobs.calibration import CalibrationJob
from attention_audit.stages.job import Job

Settings = CalibrationJob


def run(job: Job[CalibrationJob]) -> None:
    """Simulate and write one row for each population and size."""
    rows = pd.DataFrame(calibrated(job.settings))
    write_table(job.output("found"), CALIBRATION, rows, job.provenance, job.settings.seed)
    job.report(f"{job.settings.question}: coverage {rows['coverage'].mean():.3f} in the mean of {len(rows)} settings")
