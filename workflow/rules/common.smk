# What all rules share: the plan of the run, and how a rule calls a stage.
#
# What decides jobs is in the package, under plan/; here it is only asked.

import atexit
import os
import shlex
import sys
import time

import yaml
from snakemake.cli import get_argument_parser
from snakemake.utils import update_config

STARTED = time.time()
SOURCE = TREE / "workflow" / "src"
# the rules that a wheel carries have the package that they are in
if SOURCE.is_dir():
    sys.path.insert(0, str(SOURCE))
    os.environ.update(PYTHONPATH=str(SOURCE))

from attention_audit import client
from attention_audit.artefacts.files import sweep
from attention_audit.artefacts.journal import failures
from attention_audit.artefacts.running import end_on_signal, hold_lock
from attention_audit.errors import AuditError
from attention_audit.gpu import cards
from attention_audit.needs import megabytes, read_needs
from attention_audit.plan.asked_for import refuse_unknown
from attention_audit.plan.checking import hash_files
from attention_audit.plan.configuration import write_configuration
from attention_audit.plan.job import ranks
from attention_audit.plan.plan import Plan, as_json
from attention_audit.plugins import look_in
from attention_audit.section import laid_over
from attention_audit.server import start_server
from attention_audit.yaml_input import as_in_a_file, refuse_given_twice

# jobs run the interpreter and the package that Snakemake itself runs; a conda environment still comes first
# a job of a cluster, which reads this file too, has no server, though its environment is that of the run
os.environ.pop("ATTENTION_AUDIT_SERVER", None)
os.environ.update(
    PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    ATTENTION_AUDIT_CLIENT=client.__file__,
)


def ask(question, *arguments):
    """What the plan says. Ends the run where it has no such thing, in a line for each fault."""
    try:
        return question(*arguments)
    except AuditError as error:
        sys.exit("\n".join(f"error: {line}" for line in str(error).splitlines()))


if workflow.is_main_process:
    for written in workflow.config_settings.configfiles or [TREE / "config.yaml"]:
        ask(refuse_given_twice, Path(written))
if ALONE:
    # what stands within brackets on the command line comes as text
    nested = {
        key: value
        for key, value in workflow.config_settings.config.items()
        if isinstance(value, (dict, list))
    }
    update_config(config, as_in_a_file(nested))
look_in(Path(written).parent for written in workflow.config_settings.configfiles)
# what every run has, whatever its configuration names
CATALOGUE = yaml.safe_load((TREE / "workflow" / "catalogue.yaml").read_text(encoding="utf-8"))
PLAN = ask(Plan, laid_over(CATALOGUE, config), CATALOGUE)
CONFIG = PLAN.config
PLACES = CONFIG.places


def tell_read():
    """Say what there is in the user's own files, and what is odd in them, apart from what Snakemake says."""
    if lines := PLAN.read + [f"warning: {odd}" for odd in PLAN.oddities]:
        print("", *lines, sep="\n", file=sys.stderr)


# a raw file is what its checksum says, so where the mirror lies is no param, and moving it reruns nothing
os.environ.update(ATTENTION_AUDIT_MIRROR=CONFIG.mirror or "")


def command_line():
    """What the user said, as words of a command line."""
    files = [os.path.relpath(path) for path in workflow.config_settings.configfiles]
    values = [f"{key}={value}" for key, value in workflow.config_settings.config.items()]
    elsewhere = Path.cwd() != TREE
    return [
        *(["--snakefile", os.path.relpath(workflow.main_snakefile)] if elsewhere else []),
        *(["--configfile", *files] if files else []),
        *(["--config", *values] if values else []),
    ]


GATHERING = {"all", "corpora", "audits", "tables", "figures", "guide", "report_page"}


def asked_for():
    """The rules and files that the command line names; None inside another program, which says it in its own way."""
    if "snakemake" not in Path(sys.argv[0]).parts[-2:]:
        return None
    asked, _ = get_argument_parser().parse_known_args(sys.argv[1:])
    # a job of a cluster is asked for by its rule
    rules = [target.rulename for target in asked.target_jobs or []]
    files = [name if os.path.isabs(name) else os.path.relpath(name) for name in asked.targets]
    return [name for name in (*files, *rules) if name not in GATHERING]


# so that a message can say the whole command that mends a file
os.environ.update(ATTENTION_AUDIT_OPTIONS=shlex.join(command_line()))


onstart:
    tell_read()
    hold_lock(Path(PLACES.results) / ".lock")
    ask(write_configuration, CONFIG)
    sweep(Path(PLACES.results))
    end_on_signal()
    start_server(Path(PLACES.results) / ".server")
    # Snakemake looks at all that is ready once more a second after each job, and then every second again, so that the
    # looking grows with the number of jobs; on one machine there is no rate of jobs to keep
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onerror:
    # Snakemake buries the one line that says what is wrong under all settings of the job; so it is said again at the end
    if said := failures(Path(PLACES.results) / "logs", STARTED):
        atexit.register(print, *said, sep="\n", file=sys.stderr)


onsuccess:
    tell()


def tell():
    """Say the answers where the run was asked for them."""
    made = {str(path) for job in workflow.dag.jobs for path in job.output}
    summary, page = PLACES.exhibit("tables", "summary", ".parquet"), f"{PLACES.results}/report.html"
    if summary not in made:
        return
    # the job processes read this file too, and need none of it
    from attention_audit.report.ending import ending

    where = [
        f"Open {page} in a browser: every table and figure, explained.",
        f"Open {PLACES.results}/explorer.html to move the weights of a text yourself.",
    ]
    if page not in made:
        command = shlex.join(["snakemake", "--cores", "1", "report_page", *command_line()])
        where = [f"For a page of all of it: {command}"]
    try:
        print(ending(Path(summary), PLAN.shown_suites(), where), file=sys.stderr)
    except AuditError as error:
        print(f"error: {error}", file=sys.stderr)


@atexit.register
def foretell():
    """Say at the end of `snakemake -n`, where it is seen, what was read."""
    if workflow.is_main_process and workflow.dryrun and workflow.dag:
        tell_read()


# how each rule calls its stage, with its settings, the hash of its code, and all files by their names
STAGE = (
    'python -S "$ATTENTION_AUDIT_CLIENT" {params.stage} --code {params.code} --settings {params.settings:q}'
    " --threads {threads} --log {log:q} {params.inputs} {params.outputs}"
)


def words(option, files):
    """Named files as words of a command line."""
    return " ".join(
        shlex.join([option, name, *([paths] if isinstance(paths, str) else map(str, paths))])
        for name, paths in files.items()
    )


def inputs(wildcards, input):
    """The input files of a job as its stage takes them."""
    return words("--input", input)


def outputs(wildcards, output):
    """The output files of a job as its stage takes them."""
    return words("--output", output)


NEEDS = read_needs(TREE / "workflow" / "resources.yaml")
# a GPU is asked for where one will be used; on a cluster, `device: cuda` says so, as the submitting host has none
GPU = 1 if CONFIG.device == "cuda" or (CONFIG.device == "auto" and cards()) else 0


def at_once(input):
    """The input files that a job holds at a time: no word vectors, which are read line by line."""
    return [path for path in input if path not in getattr(input, "vectors", [])]


def needs(job):
    """The resources of a job; one that was killed asks for more memory and time when it is tried again."""
    if not job.needs:
        return {}
    need = next(NEEDS[name] for name in job.needs if name in NEEDS)
    return {
        "mem_mb": lambda wildcards, input, attempt: need.mem_mb(megabytes(at_once(input)), attempt),
        "runtime": lambda wildcards, input, attempt: need.runtime(
            megabytes(at_once(input)), attempt, getattr(job.settings, "most_epochs", 1)
        ),
        "gpu": GPU if need.gpu else 0,
        **need.further,
    }


def settings_of(job):
    """What a job is told; Snakemake compares it from run to run."""
    return lambda wildcards: ask(lambda: as_json(job.settings))


def contents(job):
    """The checksums of the user's own files that a job reads; Snakemake compares them, too, from run to run. By time
    alone, it would not see that an older file takes the place of another."""
    found = [HASHES[path] for path in job.read if path in HASHES]
    return {"contents": found} if found else {}


def made_by(job):
    """What a job makes, as its rule declares it."""
    if not job.pictured:
        return job.outputs
    return job.outputs | {"png": report(*job.outputs["png"], **job.pictured)}
