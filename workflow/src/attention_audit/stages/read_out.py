"""corpus, vocabulary, weights -> the readout of a trained model on its training split, on which others are trained."""

from attention_audit.training.settings import TrainSettings

from .job import Job
from .train import Trainer


def run(job: Job[TrainSettings]) -> None:
    """Read the model out."""
    trainer = Trainer(job)
    trainer.read_out(trainer.build(job.input("weights")), job.outputs["readouts"])
    trainer.tell()
