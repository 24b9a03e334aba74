"""test readouts of every seed of some models -> stability: JSD and TVD from the first seed, text by text."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.audits.settings import Permutation
from attention_audit.audits.stability import between_seeds
from attention_audit.columns.stability import STABILITY
from attention_audit.readout import Readout
from attention_audit.stages.job import Job
from attention_audit.stages.readouts import labelled_frame, labelled_readouts


def run(job: Job) -> None:
    """Compare each further seed with the first of its model."""
    settings = Permutation.model_validate(job.settings["permutation"])
    frames = [STABILITY.schema.empty_table().to_pandas()]
    first: dict[str, Readout] = {}
    for identity, readout in labelled_readouts(job):
        model = identity["model"]
        if model not in first:
            first = {model: readout}
            continue
        compared = between_seeds(first[model], readout, settings.permutations, job.settings["seed"])
        frames.append(labelled_frame(identity, compared))
        job.report(f"{model}, seed {identity['seed']}: {len(readout)} texts")
    write_table(job.output("stability"), STABILITY, pd.concat(frames, ignore_index=True), job.provenance)
