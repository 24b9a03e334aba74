"""The user's own files, looked at before any job is planned: what is wrong ends the run, what is odd is said."""

from __future__ import annotations

from pathlib import Path

from attention_audit.corpus.checkup import remembered
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.errors import AuditError
from attention_audit.plan.corpora import raw_paths
from attention_audit.plan.scope import Scope

MEMORY = Path(".snakemake/attention-audit/checked")
"""Where what was found is kept, so that a job that plans again reads no file again."""


def check_files(scope: Scope, memory: Path = MEMORY) -> list[str]:
    """What is odd in the user's own files of a run, a line each.

    Raises AuditError, with a line for each data set, where a file is not as the configuration says.
    """
    oddities: list[str] = []
    faults: list[str] = []
    for name in scope.datasets:
        source = scope.config.corpora[name]
        if isinstance(source, TableCorpus):
            try:
                oddities += remembered(name, source, raw_paths(scope.config, name, scope.mirror), memory)
            except AuditError as error:
                faults += str(error).splitlines()
    if faults:
        raise AuditError(*faults)
    return oddities
