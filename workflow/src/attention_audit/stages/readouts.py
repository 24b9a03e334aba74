"""The readouts that an audit reads, each with the model, lambda and seed it is of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from attention_audit.readout import Readout, read_readout
from attention_audit.stages.job import Job


def labelled_readouts(job: Job) -> Iterator[tuple[dict[str, Any], Readout]]:
    """Readout after readout with its columns dataset, model, lambda and seed."""
    for identity, path in zip(job.settings["readouts"], job.inputs["readouts"], strict=True):
        yield {"dataset": job.settings["dataset"], **identity}, read_readout(path)


def labelled_frame(identity: Mapping[str, Any], columns: Mapping[str, Any]) -> pd.DataFrame:
    """An audit's columns with the identity of what was audited in every row."""
    frame = pd.DataFrame(dict(columns))
    for name, value in identity.items():
        frame[name] = pd.Series([value] * len(frame), dtype="Float64" if name == "lambda" else None, index=frame.index)
    return frame
