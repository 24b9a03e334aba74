"""Cached files as frames, for the tables and figures that gather all data sets."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import read_frame
from attention_audit.artefacts.schema import Artefact
from attention_audit.stages.job import Job


def stacked(job: Job, name: str, artefact: Artefact) -> pd.DataFrame:
    """The files of one name, one a data set, as one frame."""
    return pd.concat([read_frame(path, artefact) for path in job.inputs[name]], ignore_index=True)


def by_dataset(job: Job, name: str, artefact: Artefact) -> dict[str, pd.DataFrame]:
    """The files of one name by data set, in the order of the settings."""
    return {
        dataset: read_frame(path, artefact)
        for dataset, path in zip(job.settings["datasets"], job.inputs[name], strict=True)
    }
