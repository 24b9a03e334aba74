"""audits -> one figure, as .pdf and .png. No model is loaded, nothing is computed again."""

from attention_audit.figures import fonts
from attention_audit.figures.style import list_texts, save, write_sentence
from attention_audit.jobs import ExhibitJob
from attention_audit.targets import load

from .frames import NotApplicable, read_arguments
from .job import Job


def run(job: Job[ExhibitJob]) -> None:
    """Draw the figure, and say what no font of this machine can draw of it."""
    with fonts.use_fonts(job.settings.font):
        provenance = job.provenance
        try:
            figure = load(job.settings.target)(**read_arguments(job))
        except NotApplicable as reason:
            figure, provenance = write_sentence(f"Nothing to show: {reason}."), provenance.explain(str(reason))
        save(figure, job.output("pdf"), job.output("png"), provenance.text())
        if warning := fonts.describe_boxes(list_texts(figure)):
            job.report(f"warning: {warning}")
    job.report(f"{job.output('pdf')} and .png")
