"""corpus, vocabulary (, readouts of another model) -> weights, history and readouts of a model (, the head of one of
pairs, the tail of a Transformer).

Training and reading out share a process, since the imports of another would cost more than reading most models out.
They still have their own reasons to run again: weights whose settings, code and inputs are the same as before are kept,
so that a change in how models are read out trains nothing.
"""

from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.readout import HEAD
from attention_audit.jobs.train import TrainJob
from attention_audit.readout import head_columns
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model
from attention_audit.stages.reading_out import take_head
from attention_audit.stages.trainer import KEPT, Trainer
from attention_audit.stages.training import peak_memory, train

Settings = TrainJob


def run(job: Job[TrainJob]) -> None:
    """Train the model, and read it out on every split that is asked for."""
    trainer, settings = Trainer(job), job.settings
    model = build_model(trainer.material, settings.architecture, settings.seed).to(trainer.device)
    weights, history = job.output("weights"), job.output("history")
    trained = trainer.kept(weights, history)
    if trained is None:
        trained = train(model, settings, trainer.material, trainer.splits, job.report)
        trainer.keep(weights, history, trained)
    else:
        job.report(KEPT)
    model.load_state_dict(trained.weights)
    trainer.read_out(model, job.outputs["readouts"], *job.outputs.get("tails", []))
    for head in job.outputs.get("heads", []):
        write_table(head, HEAD, head_columns(take_head(model)), job.provenance, settings.seed)
    job.report(trainer.texts)
    if memory := peak_memory(trainer.device):
        job.report(memory)
