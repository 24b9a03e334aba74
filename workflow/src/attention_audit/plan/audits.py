"""The audits, as audits.yaml lists them."""

from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import TypeAdapter

from attention_audit.columns.kinds import artefact
from attention_audit.errors import AuditError, did_you_mean
from attention_audit.plan.audit import Audit
from attention_audit.plugins import Entries


def _faults(audit: Audit) -> Iterator[str]:
    """What is wrong with the columns that an audit declares."""
    try:
        kind = artefact(audit.columns)
    except (ImportError, AttributeError, TypeError) as error:
        yield f"{audit.columns}: no columns are declared there ({error}); name an Artefact"
        return
    path = f"audits/{{dataset}}/{{suite}}/{audit.name}.parquet"
    if (kind.name, kind.path) != (audit.name, path):
        yield f"{audit.columns} is of {kind.name}, {kind.path}; write {audit.name}, {path}"
    told = ["dataset", *(["model", "seed"] if audit.takes != "suite" else [])]
    if missing := [name for name in told if name not in kind.schema.names]:
        yield f"{audit.columns} has no column {missing[0]}, which says what was audited; add it"


_LISTED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_NAMED = tuple({"name": name, **said} for name, said in _LISTED.items())
_AUDITS = TypeAdapter(tuple[Audit, ...]).validate_python(_NAMED)
AUDITS = Entries("AUDITS", Audit, _AUDITS, faults=_faults)
"""In the order in which they are listed."""


def audit_named(name: str) -> Audit:
    """The audit of this name. Raises AuditError where there is none."""
    known = AUDITS.by_name
    if name not in known:
        raise AuditError(
            f"audit {name!r} is not known{did_you_mean(name, known)} (known: {', '.join(known)}); "
            "declare it in plan/audits.yaml, or ask for another"
        )
    return known[name]
