# What all rules share: the configuration, what a job reads and is told, and how a rule calls a stage.
#
# Which models and exhibits there are is decided in the package, under plan/; here it is only asked.

import atexit
import logging
import math
import os
import re
import shlex
import sys
import time
from functools import cache
from typing import get_type_hints

from snakemake.common import overwrite_function_params
from snakemake.io import strip_wildcard_constraints
from snakemake.iocontainers import Wildcards
from snakemake.logging import ColorizingTextHandler, is_quiet_about, logger
from snakemake.utils import update_config

STARTED = time.time()
SOURCE = TREE / "workflow" / "src"
# the rules that a wheel carries have the package that they are in
if SOURCE.is_dir():
    sys.path.insert(0, str(SOURCE))
    # the profile has imported the package that is installed, which may be another one than that of these rules
    loaded = sys.modules.get("attention_audit")
    if loaded and not Path(str(loaded.__file__)).is_relative_to(SOURCE):
        for module in [module for module in sys.modules if module.partition(".")[0] == "attention_audit"]:
            del sys.modules[module]
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, dict.fromkeys([str(SOURCE), *named]))))

from attention_audit import client
from attention_audit.artefacts.files import sweep
from attention_audit.artefacts.journal import list_failures, measure_inputs, measure_weights
from attention_audit.artefacts.progress import PlannedJob, ProgressLine
from attention_audit.artefacts.running import end_on_signal, hold_lock
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.artefacts.running import count_gpus
from attention_audit.plan.unknown_targets import GATHERING_RULES, list_asked, parse_command, refuse_unknown
from attention_audit.code_hash import code_hash
from attention_audit.plan.audits import (
    list_attending_runs,
    list_compared_runs,
    list_first_runs,
    list_predicting_runs,
    list_runs,
    list_shown_runs,
)
from attention_audit.plan.corpora import add_others, list_fetches
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.configuration import write_configuration
from attention_audit.plan.file_checks import hash_files, hash_mirrored
from attention_audit.plan.inputs import Inputs, ask
from attention_audit.plan.params import describe_settings, list_keys, list_leaves, write_settings
from attention_audit.plan.plan import Plan
from attention_audit.plan.settings import JobSettings
from attention_audit.plan.suites import SUITES
from attention_audit.targets import look_in, name_module
from attention_audit.section import merge_settings
from attention_audit.server import start_server
from attention_audit.transformer.settings import BUILT_FILES
from attention_audit.yaml_input import parse_value, read_package_yaml, refuse_given_twice

# jobs run the interpreter and the package that Snakemake itself runs; a conda environment still comes first
# a job of a cluster, which reads this file too, has no server, though its environment is that of the run
os.environ.pop("ATTENTION_AUDIT_SERVER", None)
os.environ.update(
    PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    ATTENTION_AUDIT_CLIENT=client.__file__,
)


if workflow.is_main_process:
    for written in workflow.config_settings.configfiles or [TREE / "config.yaml"]:
        ask(refuse_given_twice, Path(written))
if ALONE:
    # what stands within brackets on the command line comes as text
    nested = {key: value for key, value in workflow.config_settings.config.items() if isinstance(value, (dict, list))}
    update_config(config, parse_value(nested))
look_in([Path.cwd(), *(Path(written).parent for written in workflow.config_settings.configfiles)])
# what every run has, whatever its configuration names
CATALOGUE = ask(read_package_yaml, TREE / "workflow" / "catalogue.yaml")
PLAN = ask(Plan, merge_settings(CATALOGUE, config), CATALOGUE)
CONFIG = PLAN.config
PLACES = CONFIG.places


def tell_read():
    """Say what there is in the user's own files, and what is odd in them, apart from what Snakemake says."""
    if lines := PLAN.read + [f"warning: {odd}" for odd in PLAN.oddities]:
        print("", *lines, sep="\n", file=sys.stderr)


pathvars:
    results=PLACES.results,
    logs=PLACES.logs,


wildcard_constraints:
    dataset="[^/]+",
    model="[^/]+",
    seed=r"\d+",
    table="[^/]+",
    figure="[^/]+",


# a raw file is known by its checksum, so where the mirror lies is no param, and moving it reruns nothing
os.environ.update(ATTENTION_AUDIT_MIRROR=CONFIG.mirror or "")


def find_rules(path):
    """Find a file of the user's rules, seen from here. Ends the run in a line where there is none."""
    if not Path(path).is_file():
        sys.exit(f"error: config: rules: {path}: no such file; see it from the working directory")
    return str(Path(path).resolve())


def is_made_elsewhere(name):
    """Tell whether a rule of the user's makes this file."""
    return any(each.is_producer(name) for each in workflow.rules if each.name not in {*OURS, "all"})


def list_options():
    """List what the user said, as words of a command line."""
    files = [os.path.relpath(path) for path in workflow.config_settings.configfiles]
    values = [f"{key}={value}" for key, value in workflow.config_settings.config.items()]
    elsewhere = Path.cwd() != TREE
    return [
        *(["--snakefile", os.path.relpath(workflow.main_snakefile)] if elsewhere else []),
        *(["--configfile", *files] if files else []),
        *(["--config", *values] if values else []),
    ]


COMMAND = parse_command(sys.argv)
OMITTED = {*(COMMAND.omit_from or ())}


def unless_omitted(name, files):
    """List the files that a rule of this name gathers; none where the command line omits it, or what comes before."""
    return [] if OMITTED & {*GATHERING_RULES[: GATHERING_RULES.index(name) + 1]} else files


# so that a message can say the whole command that mends a file
os.environ.update(ATTENTION_AUDIT_OPTIONS=shlex.join(list_options()))


def plan_jobs(jobs):
    """List jobs by their numbers; those without outputs only ask for others."""
    return {
        workflow.dag.jobid(job): PlannedJob(
            job.rule.name, tuple(map(str, job.output)), Path(str(job.log[0])) if job.log else None
        )
        for job in jobs
        if job.output
    }


def make_progress():
    """Make what says how long the run takes and how far it is."""
    asked, known = plan_jobs(workflow.dag.needrun_jobs(exclude_finished=False)), plan_jobs(workflow.dag.jobs)
    cores = workflow.resource_settings.cores if workflow.local_exec else workflow.resource_settings.nodes
    return ProgressLine(asked, known.values(), Path(PLACES.results) / "logs", cores or 1)


# one line shows what Snakemake says of jobs, unless the command line asks for all of it: `--quiet host`
QUIET = workflow.output_settings.quiet or set()
SHORT = ALONE and is_quiet_about(QUIET, "rules") and "ALL" not in {each.name for each in QUIET} and not workflow.dryrun


def is_shown(record):
    """Tell whether a record is shown beside that line: what is wrong, and what is not of jobs."""
    of_jobs = hasattr(record, "event") or str(record.msg).startswith("Select jobs")
    return record.levelno > logging.INFO or not of_jobs


if workflow.is_main_process and SHORT:
    for handler in logger.handlers:
        if isinstance(handler, ColorizingTextHandler):
            handler.addFilter(is_shown)


def show_progress():
    """Show the line of a run."""
    if SHORT:
        progress = make_progress()
        print(progress.describe_plan(), file=sys.stderr)
        # before the others, so that it makes room for what they write
        logger.handlers.insert(0, progress)
        progress.start()


def hide_progress():
    """Show the line no more, since the run has ended."""
    for handler in logger.handlers:
        if isinstance(handler, ProgressLine):
            handler.close()


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
    show_progress()


onerror:
    hide_progress()
    # Snakemake buries the one line that says what is wrong under all settings of the job; so it is said again at the end
    if said := list_failures(Path(PLACES.results) / "logs", STARTED):
        atexit.register(print, *said, sep="\n", file=sys.stderr)


onsuccess:
    hide_progress()
    # the answers, where the run was asked for them; the job processes read this file too, and need none of it
    made = {str(path) for job in workflow.dag.jobs for path in job.output}
    page = f"{PLACES.results}/report.html"
    if (summary := PLACES.exhibit("tables", "summary", ".parquet")) in made:
        from attention_audit.report.terminal import write_ending

        where = [
            f"Open {page} in a browser: every table and figure, explained.",
            f"Open {PLACES.results}/explorer.html to move the weights of a text yourself.",
        ]
        if page not in made:
            command = shlex.join(["snakemake", "--cores", "1", "report_page", *list_options()])
            where = [f"For a page of all of it: {command}"]
        try:
            controls = Path(PLACES.exhibit("tables", "controls", ".parquet"))
            known = controls if controls.exists() else None
            print(write_ending(Path(summary), known, PLAN.pages.describe_suites(), where), file=sys.stderr)
        except AuditError as error:
            print(f"error: {error}", file=sys.stderr)


@atexit.register
def tell_at_end():
    """Say at the end of `snakemake -n`, where it is seen, what was read, and how long it all takes."""
    if workflow.is_main_process and workflow.dryrun and workflow.dag:
        tell_read()
        # only then are all jobs found
        if workflow.scheduler is not None and (progress := make_progress()).jobs:
            print(progress.describe_plan(), file=sys.stderr)


# how each rule calls its stage
STAGE = 'python -S "$ATTENTION_AUDIT_CLIENT" {params.call} --threads {threads} --log {log:q} {params.files}'
# what rules read, and what they are told
INPUTS = Inputs(PLAN)
SETTINGS = JobSettings(PLAN)
# of the user's own files; before any job starts, since some cannot be read
ask(hash_files, PLAN.list_own_files())


def write_words(option, files):
    """Write named files as words of a command line, the user's own as they are written."""
    named = ([name, *([paths] if isinstance(paths, str) else map(str, paths))] for name, paths in files.items())
    return " ".join(shlex.join([option, *map(INPUTS.unlink, each)]) for each in named)


def name_files(wildcards, input, output):
    """Write all files of a job by their names; the one file of an audit of the user's has the audit's name."""
    made = output if list(output.keys()) else {wildcards.audit: output[0]}
    return f"{write_words('--input', input)} {write_words('--output', made)}"


def tell(stage, build, list_modules=lambda wildcards: (), prints=(), within=()):
    """Make the params of a rule: each setting that its stage is told, and the hash of its code, which Snakemake compares
    with those of the last run; then the words of the command, which it does not, as they depend on the input.

    `use rule` keeps the params of the rule that it begins with, so it is for rules that are told all that this one is.

    build: builds the settings. list_modules: lists modules that the stage calls without importing them; prints: those
    whose words it prints. within: keys within dictionaries that are told as params of their own, too.
    """

    @cache
    def describe(*values):
        settings = build(Wildcards(fromdict=dict(values)))
        return ask(write_settings, settings), describe_settings(settings)

    @cache
    def hash_code(*modules):
        code = code_hash(f"stages.{stage}", *modules)
        return code + code_hash(*prints, words=True) if prints else code

    def find_setting(key):
        def setting(wildcards):
            return describe(*wildcards.items())[1].get(key, "")

        # it takes wildcards alone; Snakemake asks three times a job and setting, and each time would inspect it
        overwrite_function_params(setting, {})
        return setting

    def call(wildcards, input):
        words, _ = describe(*wildcards.items())
        code = hash_code(*list_modules(wildcards))
        return f"{stage} --code {code} --settings {shlex.join(words)}"

    keys = [*list_keys(get_type_hints(build)["return"]), *within]
    return {
        **{re.sub(r"\W", "_", f"set_{key}"): find_setting(key) for key in keys},
        "code": lambda wildcards: f"code={hash_code(*list_modules(wildcards))}",
        "call": call,
        "files": name_files,
    }


def checksum(list_files):
    """Make a param of the checksums of the user's own files among these, since by time alone Snakemake would not see that
    an older file takes the place of another.
    """

    def find_checksums(wildcards):
        own = [path for path in list_files(wildcards) if not path.startswith(f"{PLACES.results}/")]
        return [f"{path}: sha256 {digest}" for path, digest in ask(hash_files, own).items()]

    return find_checksums


def match_any(names):
    """Write names as a constraint of a wildcard."""
    return "|".join(map(re.escape, names)) or "(?!)"


def match_made(*rules, further=""):
    """Write the constraint of {dataset}, which looks ahead: the models that these rules make, with what their names may
    end with.
    """
    return f"(?=(?:{match_any(PLAN.trainings.list_made(*rules))}){further}/)[^/]+"


FETCHED = [*map(sorted, map(set, zip(*list_fetches(CONFIG)))), [], []][:2]
SEARCHED = [*(f"{{model}}_step{step + 1}" for step in range(PLAN.trainings.steps)), "{model}"]
CONTINUED = sorted({Path(name).name for name in PLAN.trainings.list_made("search_adversary")})
ORDERS = sorted({Path(name).name for name in PLAN.trainings.list_made("retrain_masked")})
MASKED = [f"{{model}}_{percent}" for percent in PLAN.trainings.percents]


def grow(base, slope, by_weights=0):
    """Ask for MB or minutes: a base, and an increase for each MB of input but word vectors, which are read line by line;
    a job that was killed asks for more when it is tried again. by_weights: an increase for each MB of the weights of a
    classifier that is given.
    """

    def asked(wildcards, input, attempt):
        held = [path for path in input if path not in getattr(input, "vectors", [])]
        weights = measure_weights(getattr(input, "given", []))
        return math.ceil(attempt * (base + slope * measure_inputs(held) + by_weights * weights))

    return asked


# a GPU is asked for where one will be used; on a cluster, `device: cuda` says so, as the submitting host has none
GPU = 1 if CONFIG.device == "cuda" or (CONFIG.device == "auto" and count_gpus()) else 0


def allot_training(build):
    """Allot memory of a training, which is larger where a Transformer is fine-tuned; minutes, by the epochs that it, or
    all steps of a search, may take; and a GPU where one will be used. build: builds its settings.
    """

    def memory(wildcards, input, attempt):
        tuned = build(wildcards).architecture.tuned
        return grow(*((8000, 200) if tuned else (2000, 100)))(wildcards, input, attempt)

    def minutes(wildcards, input, attempt):
        settings = build(wildcards)
        base, slope = (60, 50) if settings.architecture.tuned else (20, 1)
        sought = getattr(settings, "continuation", None)
        epochs = settings.epochs * (sought.steps + sought.rounds if sought else 1)
        return grow(base, slope * epochs)(wildcards, input, attempt)

    return {"mem_mb": memory, "runtime": minutes, "gpu": GPU}


ENVIRONMENT = "../../envs/attention-audit.yaml"

OWN_AUDITS = [audit.name for audit in PLAN.asked.known.values() if audit.target]
OVERVIEWS = [exhibit.name for exhibit in EXHIBITS if exhibit.maker == "overview"]

# what the guide prints of columns
PRINTED = [
    "report.guide",
    "columns.audits",
    *(name_module(audit.target) for audit in PLAN.asked.known.values() if audit.target),
]


def list_makeable():
    """List all files that can be had of this configuration."""
    return [
        path
        for name, wildcards in PLAN.list_wildcards()
        for pattern in workflow.get_rule(name).output
        for path in [strip_wildcard_constraints(str(pattern)).format(**wildcards)]
    ]


# what the report shows of the configuration, and what tables and figures are called with
CONFIGURED = [key for key, _ in list_leaves({"config": config})]
CALLED_WITH = [key for key, _ in list_leaves({"settings": {"answer": PLAN.exhibits.settings["answer"]}})]

# figures in Snakemake's own report
SHOWN = {exhibit.name: exhibit for exhibit in EXHIBITS}
TITLES = {"": "All suites"} | {name: suite.title for name, suite in SUITES.items()}
config["captions"] = {
    name: Path(exhibit.caption).read_text(encoding="utf-8")
    for name, exhibit in SHOWN.items()
    if exhibit.folder == "figures"
}
