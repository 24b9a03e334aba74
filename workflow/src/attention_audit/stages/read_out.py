"""corpus, vocabulary, weights -> the readout of a trained model on its training split, on which others are trained."""

from attention_audit.jobs.train import TrainJob
from attention_audit.stages.job import Job
from attention_audit.stages.loading import rebuild
from attention_audit.stages.train import Trainer


def run(job: Job[TrainJob]) -> None:
    """Read the model out."""
    trainer, settings = Trainer(job), job.settings
    model = rebuild(trainer.material, settings.architecture, settings.seed, job.input("weights"), trainer.device)
    trainer.read_out(model, job.outputs["readouts"])
    trainer.told(job.report)
