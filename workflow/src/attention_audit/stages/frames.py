"""Cached files as frames, for the tables and figures that gather all data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from attention_audit.artefacts.parquet import read_frame
from attention_audit.artefacts.record import read_record
from attention_audit.columns.kinds import Artefact
from attention_audit.errors import AuditError
from attention_audit.stages.job import Job


def files(job: Job, name: str) -> list[Path]:
    """The files of one name, one a data set. Raises AuditError where there is none."""
    if not job.inputs[name]:
        raise AuditError("config: no data set is named that can be had and that suits this result; name one")
    return job.inputs[name]


def stacked(job: Job, name: str, artefact: Artefact) -> pd.DataFrame:
    """The files of one name, one a data set, as one frame. Raises AuditError where there is none."""
    files(job, name)
    return stacked_if_any(job, name, artefact)


def stacked_if_any(job: Job, name: str, artefact: Artefact) -> pd.DataFrame:
    """The files of one name, one a data set, as one frame; without rows where there is none."""
    none: pd.DataFrame = artefact.schema.empty_table().to_pandas()
    return pd.concat([none, *(read_frame(path, artefact) for path in job.inputs[name])], ignore_index=True)


def by_dataset(job: Job, name: str, artefact: Artefact) -> dict[str, pd.DataFrame]:
    """The files of one name by data set, in the order of the settings."""
    return {
        dataset: read_frame(path, artefact)
        for dataset, path in zip(job.settings["datasets"], job.inputs[name], strict=True)
    }


def records_by_dataset(job: Job) -> dict[str, list[dict[str, Any]]]:
    """What is known of the fetched files of each data set; the setting `fetched` lists their folders and names."""
    known = [read_record(path) for path in job.inputs["records"]]
    by_file = {(record["folder"], record["file"]): record for record in known}
    return {
        dataset: [by_file[folder, file] for folder, file in files] for dataset, files in job.settings["fetched"].items()
    }
