"""The stages of a small run, called in this process one after another: what Snakemake does, without its processes."""

from functools import cache
from importlib import import_module
from pathlib import Path

from attention_audit import code_hash
from attention_audit.artefacts.provenance import Provenance
from attention_audit.plan.audits import audit_named
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
    """Run a job of a plan; what it said."""
    return run_stage(job.stage, job.settings, job.inputs, job.outputs)


@cache
def _makers(plan):
    """The job that makes each file, of those that make several together and of those that make it by itself."""
    return {path: job for job in [*plan.plan_further(), *plan.plan_jobs()] for path in job.files}


def making(plan, path):
    """The job that makes a file, of an audit the one that makes nothing else; None where none does."""
    folder, *rest = Path(path).relative_to(plan.config.results).parts
    if folder == "audits":
        dataset, model, file = rest
        asked = (each for each in plan.audit_plan.asked if each.data.name == dataset)
        audit, judged = audit_named(Path(file).stem), next(each for each in asked if each.path_name == model)
        return plan.audit_plan.plan_rule(judged, audit.rule, [audit], [])
    return _makers(plan).get(path)


def make(plan, *paths):
    """Make files that are not there, and first what they are made from; what was said."""
    said = []
    for path in paths:
        under = Path(path).is_relative_to(plan.config.results) and not Path(path).exists()
        if under and (job := making(plan, path)):
            make(plan, *job.read)
            said += run_job(job)
    return said


def make_states(plan, dataset):
    """Make the states of a data set, whether they are there or not; what the stage said."""
    job = _makers(plan)[plan.config.places.states.format(dataset=dataset)]
    make(plan, *job.read)
    return run_job(job)


def make_audit(plan, dataset, suite, audit):
    """Make an audit of all judged models of a suite, whether it is there or not; what the stage said."""
    said = []
    for judged in plan.scope.find_data(suite, dataset).judged:
        job = plan.audit_plan.plan_rule(judged, audit_named(audit).rule, [audit_named(audit)], [])
        make(plan, *job.read)
        said += run_job(job)
    return said


def make_exhibit(plan, exhibit):
    """Make a table or figure, whether it is there or not, and first what it is made from; what the stage said."""
    job = plan.exhibit_plan.plan_job(exhibit)
    make(plan, *job.read)
    return run_job(job)


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
