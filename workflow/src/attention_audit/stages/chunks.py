"""Readouts chunk by chunk, for audits of test splits that need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from attention_audit.artefacts.schema import Artefact
from attention_audit.readout import Readout, read_readouts
from attention_audit.stages.job import Job
from attention_audit.stages.readouts import labelled_frame

Audit = Callable[[str, Readout], dict[str, Any]]
"""Of a model by its name: a chunk of its readout to columns."""


def audited(job: Job, artefact: Artefact, audit: Audit) -> Iterator[pa.Table]:
    """What `audit` says of every chunk of every readout, as rows of `artefact`."""
    for identity, path in zip(job.settings["readouts"], job.inputs["readouts"], strict=True):
        texts = 0
        for readout in read_readouts(path):
            frame = labelled_frame({"dataset": job.settings["dataset"], **identity}, audit(identity["model"], readout))
            yield pa.Table.from_pandas(frame[artefact.schema.names], schema=artefact.schema, preserve_index=False)
            texts += len(readout)
        job.report(f"{identity['model']}, seed {identity['seed']}: {texts} texts")
