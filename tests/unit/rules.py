"""The rules of the workflow as Snakemake reads them; printed as JSON where this file is run."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[2]
ASKED = ("mem_mb", "runtime", "gpu")
"""The resources that a rule may ask of a cluster."""


@cache
def rules():
    """The rules of the default configuration by name. Another process reads them: that sets its environment.

    local: whether a rule runs where Snakemake runs. log: "" where it only gathers files. outputs: with its wildcards.
    memory: MB that a job without inputs asks for when it is tried once and twice, where no setting of it decides that.
    """
    ended = subprocess.run([sys.executable, __file__], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name: SimpleNamespace(**rule) for name, rule in json.loads(ended.stdout).items()}


def _read():
    from snakemake.api import SnakemakeApi
    from snakemake.io import strip_wildcard_constraints
    from snakemake.settings.types import OutputSettings, Quietness, ResourceSettings

    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        called = api.workflow(resource_settings=ResourceSettings(cores=1), snakefile=ROOT / "Snakefile")
        workflow = called._workflow
        return {
            rule.name: {
                "local": rule.name in workflow._localrules,
                "log": str(rule.log[0]) if rule.log else "",
                "outputs": [strip_wildcard_constraints(str(path)) for path in rule.output] if rule.log else [],
                "resources": [name for name in ASKED if name in rule.resources],
                "memory": [rule.resources["mem_mb"]._evaluator(None, [], attempt) for attempt in (1, 2)]
                if rule.name == "permutation"
                else [],
            }
            for rule in workflow.rules
        }


if __name__ == "__main__":
    print(json.dumps(_read()))
