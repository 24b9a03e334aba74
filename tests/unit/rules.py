"""The rules of the workflow as Snakemake reads them; printed as JSON where this file is run."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ASKED = ("mem_mb", "runtime", "gpu")
"""The resources that a rule may ask of a cluster."""


@dataclass(frozen=True)
class Rule:
    """One rule. local: whether it runs where Snakemake runs. log: "" where it only gathers files. outputs: of it, with
    its wildcards. memory: MB that a job without inputs asks for when it is tried once and twice, where no setting of
    the job decides it.
    """

    name: str
    local: bool
    log: str
    outputs: list[str]
    resources: list[str]
    memory: tuple[int, ...]


@cache
def rules() -> dict[str, Rule]:
    """The rules of the default configuration by name. Another process reads them: that sets its environment."""
    ended = subprocess.run([sys.executable, __file__], cwd=ROOT, capture_output=True, text=True, check=True)
    read = json.loads(ended.stdout)
    return {rule["name"]: Rule(**rule | {"memory": tuple(rule["memory"])}) for rule in read}


def _read() -> list[dict[str, Any]]:
    from snakemake.api import SnakemakeApi
    from snakemake.io import strip_wildcard_constraints
    from snakemake.settings.types import OutputSettings, Quietness, ResourceSettings

    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        called = api.workflow(resource_settings=ResourceSettings(cores=1), snakefile=ROOT / "Snakefile")
        workflow = called._workflow
        return [
            asdict(
                Rule(
                    rule.name,
                    rule.name in workflow._localrules,
                    str(rule.log[0]) if rule.log else "",
                    [strip_wildcard_constraints(str(path)) for path in rule.output] if rule.log else [],
                    [name for name in ASKED if name in rule.resources],
                    tuple(rule.resources["mem_mb"]._evaluator(None, [], attempt) for attempt in (1, 2))
                    if rule.name == "permutation"
                    else (),
                )
            )
            for rule in workflow.rules
        ]


if __name__ == "__main__":
    print(json.dumps(_read()))
