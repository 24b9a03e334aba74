# What all rules share: the checked configuration, the plan of models, and the command line of a stage.

import json
import os
import shlex
import sys
from pathlib import Path

import yaml

SOURCE = Path(workflow.basedir) / "workflow" / "src"
sys.path.insert(0, str(SOURCE))
# jobs run the interpreter and the package that Snakemake itself runs; a conda environment still comes first
os.environ.update(
    PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    PYTHONPATH=str(SOURCE),
)

from attention_audit.artefacts.files import sweep
from attention_audit.artefacts.lock import hold_lock
from attention_audit.code import code_hash
from attention_audit.config import parse_config
from attention_audit.corpus.availability import unavailable
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.gpu import cards
from attention_audit.needs import megabytes, read_needs
from attention_audit.plan import remarks, texts
from attention_audit.plan.jain_wallace import JainWallace
from attention_audit.plan.serrano_smith import SerranoSmith
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter

try:
    CONFIG = parse_config(config)
except AuditError as error:
    sys.exit(f"error: {error}")

with open(Path(workflow.basedir) / "workflow" / "catalogue.yaml") as stream:
    CATALOGUE = yaml.safe_load(stream)
WP, SS, JW = PLANS = WiegreffePinter(CONFIG), SerranoSmith(CONFIG), JainWallace(CONFIG)
MIRROR = Path(CONFIG.mirror) if CONFIG.mirror else None
GAPS = {
    name: reason
    for name in CONFIG.every_dataset
    if (reason := unavailable(name, CONFIG.corpora[name], MIRROR, Path("results/raw")))
}
if GAPS and not CONFIG.skip_unavailable:
    sys.exit(f"error: {'; '.join(GAPS.values())}; or leave it out with skip_unavailable: true")
DATASETS = [name for name in CONFIG.every_dataset if name not in GAPS]
PAIRS = {
    name: f"{name} holds pairs of texts, which jain_wallace alone takes; name it there"
    for name in DATASETS
    if CONFIG.corpora[name].pair
}
# the tests of the other papers run on single texts
SINGLE = [name for name in DATASETS if name not in PAIRS]
AUDITED = [name for name in SINGLE if name in CONFIG.datasets]
ERASED = [name for name in SINGLE if name in CONFIG.serrano_smith.datasets]
CORRELATED = [name for name in DATASETS if name in CONFIG.jain_wallace.datasets]
AUDITED_GAPS, ERASED_GAPS, CORRELATED_GAPS = (
    {name: reason for name, reason in gaps.items() if name in names}
    for gaps, names in (
        (GAPS | PAIRS, CONFIG.datasets),
        (GAPS | PAIRS, CONFIG.serrano_smith.datasets),
        (GAPS, CONFIG.jain_wallace.datasets),
    )
)
JUDGED_NOWHERE = {name: reason for name, reason in (GAPS | PAIRS).items() if name not in CORRELATED}
JUDGED = [(WP, AUDITED), (SS, ERASED), (JW, CORRELATED)]
FETCHED = {name: texts.fetched_files(CONFIG, name) for name in DATASETS}
# a raw file is what its checksum says, so where the mirror lies is no param, and moving it reruns nothing
os.environ.update(ATTENTION_AUDIT_MIRROR=CONFIG.mirror or "")


def given():
    """What the user gave besides config.yaml, as words of a command line."""
    files = [os.path.relpath(path) for path in workflow.config_settings.configfiles]
    values = [f"{key}={value}" for key, value in workflow.config_settings.config.items()]
    return [
        *(["--configfile", *files] if files else []),
        *(["--config", *values] if values else []),
    ]


# so that a message can say the whole command that mends a file
os.environ.update(ATTENTION_AUDIT_GIVEN=shlex.join(given()))


wildcard_constraints:
    dataset="[a-z0-9-]+",
    folder="[a-z0-9-]+",
    file="[^/]+",
    model="[a-z][a-z0-9_.+-]*",


onstart:
    hold_lock(Path("results/.lock"))
    sweep(Path("results"))


def command(stage):
    """The params of a stage's rule: its command line, with the hash of the code that it runs."""
    return f"python -m attention_audit {stage} --code {code_hash(f'stages.{stage}')}"


def settings(**values):
    """Settings of a stage as one JSON text, which Snakemake compares from run to run."""
    return json.dumps(values, sort_keys=True)


NEEDS = read_needs(Path(workflow.basedir) / "workflow" / "resources.yaml")
# a GPU is asked for where one will be used; on a cluster, `device: cuda` says so, as the submitting host has none
GPU = 1 if CONFIG.device == "cuda" or (CONFIG.device == "auto" and cards()) else 0


def needs(rule):
    """The resources of a rule; a killed job that is tried again asks for more memory and time."""
    need = NEEDS[rule]
    return {
        "mem_mb": lambda wildcards, input, attempt: need.mem_mb(megabytes(input), attempt),
        "runtime": lambda wildcards, input, attempt: need.runtime(
            megabytes(input), attempt, passes(wildcards) if rule == "train" else 1
        ),
        "gpu": GPU if need.gpu else 0,
    }


def passes(wildcards):
    """How often a training job reads its corpus: the epochs of all its seeds."""
    training = plan_of(wildcards.model).train_settings(wildcards.dataset, wildcards.model)
    return training.epochs * len(training.seeds)


WEIGHTS = "results/models/{dataset}/{model}/seed{seed}.safetensors"
HISTORY = "results/models/{dataset}/{model}/seed{seed}.history.parquet"
READOUT = "results/readouts/{dataset}/{model}/seed{seed}/{split}.parquet"


HEAD = "results/readouts/{dataset}/{model}/seed{seed}/head.parquet"


def ask(question, *arguments):
    """What the configuration says. Ends the run in one line where it has no such thing."""
    try:
        return question(CONFIG, *arguments)
    except AuditError as error:
        sys.exit(f"error: {error}")


def heads(wildcards, output):
    """The argument of a readout job whose models may have a head."""
    return " ".join(["--output heads", *output.heads]) if "heads" in output.keys() else ""


def remote(wildcards):
    """What the fetch of a raw file is told: the config's entry, and where else to ask for the file."""
    entry, homepage = ask(texts.remote_file, wildcards.folder, wildcards.file)
    return settings(
        folder=wildcards.folder,
        remote=entry.model_dump(include={"file", "url", "bytes", "sha256"}),
        homepage=homepage,
    )


def raw_files(wildcards):
    """The raw files of a data set, fetched or the user's own; none for a generated one."""
    return [str(path) for path in ask(texts.raw_paths, wildcards.dataset, MIRROR).values()]


def records(datasets):
    """What is known of the fetched files of these data sets."""
    files = {file for dataset in datasets for file in ask(texts.fetched_files, dataset)}
    return [f"results/raw/{folder}/records/{file}.json" for folder, file in sorted(files)]


def vector_file(wildcards):
    """The word vectors of a data set, where they are read from a file."""
    vectors = ask(texts.vectors_of, wildcards.dataset)
    return [f"results/raw/vectors/{vectors.file}"] if vectors and vectors.kind == "file" else []


def vector_record(wildcards):
    """What is known of that file."""
    return [
        path.replace("vectors/", "vectors/records/", 1) + ".json" for path in vector_file(wildcards)
    ]


def per_seed(pattern, model, seeds):
    """The files of a model that a rule makes, one a seed (and split)."""
    splits = SPLITS if "{split}" in pattern else [""]
    return [
        pattern.replace("{model}", model).replace("{seed}", str(seed)).replace("{split}", split)
        for seed in seeds
        for split in splits
    ]


def plan_of(model):
    """The plan that a model belongs to. Ends the run in one line where this configuration has no such model."""
    for plan in PLANS:
        if model in plan.models:
            return plan
    sys.exit(f"error: {model}: not a model of this configuration; add it there, or ask for another")


def reference(wildcards):
    """Readouts of the model whose attention is imposed or contradicted; often none."""
    other = plan_of(wildcards.model).reference(wildcards.model)
    if other is None:
        return []
    return expand(
        READOUT, dataset=wildcards.dataset, model=other.model, seed=other.seed, split=SPLITS
    )


def test_readout(run):
    """The test readout of one model and seed."""
    return expand(READOUT, model=run.model, seed=run.seed, split="test", allow_missing=True)


def subjects():
    """The models whose attention the summary judges, one a data set, paper and model; guides and adversaries serve it."""
    return [
        {
            "dataset": name,
            "paper": plan.paper,
            "model": model,
            "seeds": len(plan.seeds(model)),
        }
        for plan, datasets in JUDGED
        for name in datasets
        for model in plan.judged
    ]


def reseeded(dataset):
    """Plan and run of every seed of the judged models of a data set that have several."""
    return [
        (plan, run)
        for plan, datasets in JUDGED
        if dataset in datasets
        for model in plan.judged
        if len(plan.seeds(model)) > 1
        for run in plan.runs([model])
    ]


def corpora(file):
    """One file a data set, in the order of the config."""
    return expand(f"results/corpora/{{dataset}}/{file}", dataset=DATASETS)


def audits(name, datasets=AUDITED):
    """One audit file a data set, in the order of the config."""
    return expand(f"results/audits/{{dataset}}/{name}.parquet", dataset=datasets)


def where_any(datasets, *files):
    """These files, where there is any of these data sets."""
    return files if datasets else []


def captions(files):
    """The captions of these tables and figures, each once."""
    return [
        f"workflow/report/{name}.rst" for name in dict.fromkeys(Path(file).stem for file in files)
    ]
