"""test readouts of HANs and FLANs -> what erasing items from the top of a ranking downward does."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_audit.artefacts.parquet import write_batches
from attention_audit.audits.flipping_sets import flipping_sets
from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.readout import Readout
from attention_audit.stages.chunks import audited
from attention_audit.stages.job import Job


def of_several_items(columns: dict[str, Any]) -> dict[str, Any]:
    """The rows of texts of more than one item: the paper sets the others aside (section 5.3)."""
    kept = np.flatnonzero(columns["items"] > 1)
    return {
        name: values[kept] if isinstance(values, np.ndarray) else [values[i] for i in kept]
        for name, values in columns.items()
    }


def run(job: Job) -> None:
    """Erase along every ranking until the decision changes."""

    def audit(model: str, readout: Readout) -> dict[str, Any]:
        return of_several_items(flipping_sets(readout, job.settings["seed"]))

    write_batches(job.output("ranked_sets"), RANKED_SETS, audited(job, RANKED_SETS, audit), job.provenance)
