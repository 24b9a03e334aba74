"""Plans of the controls, which name most suites, with changes: for tests of what a configuration asks for."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from attention_audit.places import Places
from attention_audit.plan.audits import audit_named
from attention_audit.plan.job import PlannedJob
from attention_audit.plan.plan import Plan
from attention_audit.plan.suites import SUITES

ROOT = Path(__file__).parents[2]
CATALOGUE = yaml.safe_load((ROOT / "workflow" / "catalogue.yaml").read_text())
CONTROLS = yaml.safe_load((ROOT / "presets" / "controls.yaml").read_text())


def overlaid(base: Any, overlay: Any) -> Any:
    """Groups merge, everything else is replaced: what Snakemake does with --configfile."""
    if isinstance(base, dict) and isinstance(overlay, dict):
        return base | {key: overlaid(base.get(key), value) for key, value in overlay.items()}
    return overlay


PLACES = Places()
"""Where files lie unless the configuration says otherwise."""
DEFAULT = overlaid(CATALOGUE, {key: value for key, value in CONTROLS.items() if key != "results"})
"""The controls over the catalogue, as Snakemake reads them, but for the folder that they are written to."""
DEMONSTRATION = overlaid(CATALOGUE, yaml.safe_load((ROOT / "config.yaml").read_text()))
"""The demonstration over the catalogue: what is run where no file is given."""


def mirror_in(folder: Path) -> Path:
    """A mirror with a Transformer, and with the word vectors of the catalogue that have no address."""
    import transformers_on_disk as on_disk  # many tests need no Transformer

    on_disk.save(folder / "encoders" / "all-MiniLM-L6-v2", positions=514)
    (folder / "vectors").mkdir()
    for vectors in CATALOGUE["word_vectors"].values():
        if "file" in vectors:
            (folder / "vectors" / vectors["file"]).touch()
    return folder


TRAINED = [suite for suite in SUITES if suite.key not in ("own", "hf")]
"""The suites whose models are trained."""


def plan_of(**changes: Any) -> Plan:
    """The plan of the controls with these changes."""
    return Plan(overlaid(DEFAULT, changes), CATALOGUE)


def by_name(jobs: Iterable[PlannedJob]) -> dict[str, PlannedJob]:
    """Name jobs by rule and wildcards, such as train/chorus/wp/base/10."""
    return {"/".join([job.rule, *job.wildcards.values()]): job for job in jobs}


def plan_alone(plan: Plan, name: str, suite: str, dataset: str) -> PlannedJob:
    """Plan an audit by itself. Raises AuditError where the suite cannot be asked it."""
    audit = audit_named(name)
    return plan.auditing.planned(plan.scope.suite(suite), dataset, audit.rule, [audit], [])
