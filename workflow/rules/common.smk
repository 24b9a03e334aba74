# What all rules share: the checked configuration, the plan of models, and the command line of a stage.

import json
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

SOURCE = Path(workflow.basedir) / "workflow" / "src"
sys.path.insert(0, str(SOURCE))
# jobs run the interpreter and the package that Snakemake itself runs; a conda environment still comes first
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["PYTHONPATH"] = str(SOURCE)

from attention_audit.artefacts.lock import hold_lock
from attention_audit.code import code_hash
from attention_audit.config import parse_config
from attention_audit.errors import AuditError
from attention_audit.plan import SPLITS, Plan

try:
    CONFIG = parse_config(config)
except AuditError as error:
    raise WorkflowError(str(error))

PLAN = Plan(CONFIG)
DATASETS = CONFIG.datasets


wildcard_constraints:
    dataset="[a-z0-9-]+",
    model="[a-z][a-z0-9_.+-]*",


onstart:
    hold_lock(Path("results/.lock"))


def command(stage, *modules):
    """The params of a stage's rule: its command line, with the hash of the code that it runs."""
    return f"python -m attention_audit {stage} --code {code_hash(f'stages.{stage}', *modules)}"


def settings(**values):
    """Settings of a stage as one JSON text, which Snakemake compares from run to run."""
    return json.dumps(values, sort_keys=True)
