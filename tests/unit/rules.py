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
    """One rule. local: whether it runs where Snakemake runs. stage: what it calls, "" where it only gathers files.

    memory: MB that a job without inputs asks for; None where the rule asks for nothing.
    """

    name: str
    local: bool
    stage: str
    log: str
    resources: list[str]
    memory: int | None


@cache
def rules() -> dict[str, Rule]:
    """The rules of the default configuration by name. Another process reads them: that sets its environment."""
    ended = subprocess.run([sys.executable, __file__], cwd=ROOT, capture_output=True, text=True, check=True)
    return {rule["name"]: Rule(**rule) for rule in json.loads(ended.stdout)}


def _read() -> list[dict[str, Any]]:
    from snakemake.api import SnakemakeApi
    from snakemake.settings.types import OutputSettings, Quietness, ResourceSettings

    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        called = api.workflow(resource_settings=ResourceSettings(cores=1), snakefile=ROOT / "Snakefile")
        workflow = called._workflow
        return [
            asdict(
                Rule(
                    rule.name,
                    rule.name in workflow._localrules,
                    rule.params.get("stage", ""),
                    str(rule.log[0]) if rule.log else "",
                    [name for name in ASKED if name in rule.resources],
                    rule.resources["mem_mb"]._evaluator(None, [], 1) if "mem_mb" in rule.resources else None,
                )
            )
            for rule in workflow.rules
        ]


if __name__ == "__main__":
    print(json.dumps(_read()))
