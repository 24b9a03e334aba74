# What all rules share: the checked configuration, the plan of models, and the command line of a stage.

import json
import os
import sys
from pathlib import Path

SOURCE = Path(workflow.basedir) / "workflow" / "src"
sys.path.insert(0, str(SOURCE))
# jobs run the interpreter and the package that Snakemake itself runs; a conda environment still comes first
os.environ.update(
    PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    PYTHONPATH=str(SOURCE),
)

from attention_audit.artefacts.lock import hold_lock
from attention_audit.code import code_hash
from attention_audit.config import parse_config
from attention_audit.corpus.instances import SPLITS
from attention_audit.errors import AuditError
from attention_audit.plan import Plan

try:
    CONFIG = parse_config(config)
except AuditError as error:
    sys.exit(f"error: {error}")

PLAN = Plan(CONFIG)
DATASETS = CONFIG.datasets
# a raw file is what its checksum says, so where the mirror lies is no param, and moving it reruns nothing
os.environ.update(ATTENTION_AUDIT_MIRROR=CONFIG.mirror or "")


wildcard_constraints:
    dataset="[a-z0-9-]+",
    model="[a-z][a-z0-9_.+-]*",


onstart:
    hold_lock(Path("results/.lock"))


def command(stage):
    """The params of a stage's rule: its command line, with the hash of the code that it runs."""
    return f"python -m attention_audit {stage} --code {code_hash(f'stages.{stage}')}"


def settings(**values):
    """Settings of a stage as one JSON text, which Snakemake compares from run to run."""
    return json.dumps(values, sort_keys=True)


WEIGHTS = "results/models/{dataset}/{model}/seed{seed}.safetensors"
HISTORY = "results/models/{dataset}/{model}/seed{seed}.history.parquet"
READOUT = "results/readouts/{dataset}/{model}/seed{seed}/{split}.parquet"


def remote(wildcards):
    """The config's entry of a raw file: of the word vectors, or of a data set's archive."""
    if wildcards.folder == "vectors":
        entries = CONFIG.vector_files.values()
    else:
        entries = [CONFIG.corpora[wildcards.folder].archive]
    return next(entry for entry in entries if entry.file == wildcards.file)


def archive(wildcards):
    """The raw archive of a data set; none for a generated one."""
    entry = getattr(CONFIG.corpora[wildcards.dataset], "archive", None)
    return [f"results/raw/{wildcards.dataset}/{entry.file}"] if entry else []


def vector_file(wildcards):
    """The word vectors of the run; none for random ones."""
    if CONFIG.vectors == "random":
        return []
    return [f"results/raw/vectors/{CONFIG.vector_files[CONFIG.vectors].file}"]


def per_seed(pattern, model, seeds):
    """The files of a model that a rule makes, one a seed (and split)."""
    splits = SPLITS if "{split}" in pattern else [""]
    return [
        pattern.replace("{model}", model).replace("{seed}", str(seed)).replace("{split}", split)
        for seed in seeds
        for split in splits
    ]


def reference(wildcards):
    """Readouts of the model whose attention is imposed or contradicted; often none."""
    other = PLAN.reference(wildcards.model)
    if other is None:
        return []
    return expand(
        READOUT, dataset=wildcards.dataset, model=other.model, seed=other.seed, split=SPLITS
    )


def test_readout(run):
    """The test readout of one model and seed."""
    return expand(READOUT, model=run.model, seed=run.seed, split="test", allow_missing=True)


def corpora(file):
    """One file a data set, in the order of the config."""
    return expand(f"results/corpora/{{dataset}}/{file}", dataset=DATASETS)


def audits(name):
    """One audit file a data set, in the order of the config."""
    return expand(f"results/audits/{{dataset}}/{name}.parquet", dataset=DATASETS)
