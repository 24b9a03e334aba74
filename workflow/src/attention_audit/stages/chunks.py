"""Readouts chunk by chunk, for audits of test splits that need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from attention_audit.columns.kinds import Artefact
from attention_audit.readout import Readout, read_readouts
from attention_audit.stages.job import Job

Audit = Callable[[str, Readout], dict[str, Any]]
"""Of a model by its name: a chunk of its readout to columns."""


def labelled_rows(artefact: Artefact, identity: Mapping[str, Any], columns: Mapping[str, Any]) -> pa.Table:
    """Columns, which may have no row at all, as rows of `artefact`, each with the identity of what was audited."""
    values = {name: [value] * len(columns["id"]) for name, value in identity.items()} | dict(columns)
    arrays = [pa.array(values[field.name], field.type, from_pandas=True) for field in artefact.schema]
    return pa.Table.from_arrays(arrays, schema=artefact.schema)


def audited(job: Job, artefact: Artefact, audit: Audit) -> Iterator[pa.Table]:
    """What `audit` says of every chunk of every readout, as rows of `artefact`."""
    for identity, path in zip(job.settings["readouts"], job.inputs["readouts"], strict=True):
        texts = 0
        for readout in read_readouts(path):
            labels = {"dataset": job.settings["dataset"], **identity}
            yield labelled_rows(artefact, labels, audit(identity["model"], readout))
            texts += len(readout)
        job.report(f"{identity['model']}, seed {identity['seed']}: {texts} texts")
