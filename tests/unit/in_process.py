"""The stages of a small run, called in this process one after another: what Snakemake does, without its processes."""

from importlib import import_module
from pathlib import Path

from rules import find_job

from attention_audit import code_hash
from attention_audit.artefacts.provenance import Provenance
from attention_audit.stages.job import Job


def job_of(stage, settings, inputs, outputs, code="code"):
    """A job of a stage, and the lines that it will say."""
    said = []
    paths = [{name: [Path(path) for path in files] for name, files in group.items()} for group in (inputs, outputs)]
    provenance = Provenance(stage, settings.model_dump(mode="json"), code)
    return Job(settings, *paths, provenance, said.append), said


def run_stage(stage, settings, inputs, outputs, code="code"):
    """Run a stage; what it said."""
    job, said = job_of(stage, settings, inputs, outputs, code)
    import_module(f"attention_audit.stages.{stage}").run(job)
    return said


def run_job(job):
    """Run a job of a rule; what it said."""
    return run_stage(job.call.stage, job.settings, job.inputs, job.outputs)


def make(plan, *paths):
    """Make files that are not there, and first what they are made from; what was said."""
    said = []
    for path in paths:
        if not Path(path).exists() and (job := find_job(plan, path)):
            said += make(plan, *job.read) + run_job(job)
    return said


def make_anew(plan, path):
    """Make a file, whether it is there or not, and first what it is made from; what the stage said."""
    job = find_job(plan, path)
    make(plan, *job.read)
    return run_job(job)


def make_states(plan, dataset):
    """Make the states of a data set, whether they are there or not; what the stage said."""
    return make_anew(plan, plan.config.places.states.format(dataset=dataset))


def make_audit(plan, dataset, suite, audit):
    """Make an audit of all judged models of a suite, whether it is there or not; what the stage said."""
    models = plan.scope.find_data(suite, dataset).judged
    return [line for model in models for line in make_anew(plan, plan.asked.locate(model, audit))]


def make_exhibit(plan, exhibit):
    """Make a table or figure, whether it is there or not, and first what it is made from; what the stage said."""
    return make_anew(plan, plan.exhibits.list_files(exhibit)[0])


def forget_code():
    """Let the hashes of code read the files of modules again."""
    for cached in (
        code_hash.find_closure,
        code_hash._find_file,
        code_hash._list_files,
        code_hash._find_imported,
        code_hash._read,
        code_hash._hash_file,
    ):
        cached.cache_clear()
