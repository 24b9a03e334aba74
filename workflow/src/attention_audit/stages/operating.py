"""What the simulation found of each question -> one table and one figure of all."""

from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.columns.calibration import CALIBRATION, OPERATING
from attention_audit.figures.calibration import calibration
from attention_audit.figures.saving import save
from attention_audit.jobs.calibration import OperatingJob
from attention_audit.stages.job import Job
from attention_audit.tables.calibration import operating

Settings = OperatingJob


def run(job: Job[OperatingJob]) -> None:
    """Write the table and draw it."""
    table = operating([read_frame(path, CALIBRATION) for path in job.inputs["found"]], job.settings.margins)
    write_table(job.output("table"), OPERATING, table, job.provenance)
    save(calibration(table), job.output("pdf"), job.output("png"), job.provenance.text())
    job.report(
        f"{int(table['holds'].sum())} of {len(table)} sizes hold; table and figure in {job.output('table').parent}/"
    )
