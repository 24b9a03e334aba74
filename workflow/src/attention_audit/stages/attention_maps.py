"""corpus, test readouts of base and consistent adversary, instance adversary -> attention maps of a few texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from attention_audit.artefacts.parquet import read_frame, read_table, write_table
from attention_audit.audits.attention_maps import Reading, choose, maps
from attention_audit.audits.comparison import against_base
from attention_audit.audits.settings import AttentionMaps
from attention_audit.columns.attention_maps import ATTENTION_MAPS
from attention_audit.columns.corpus import CORPUS
from attention_audit.columns.instance_adversary import INSTANCE_ADVERSARY
from attention_audit.readout import Readout, read_readout
from attention_audit.stages.job import Job


def _values(ids: Sequence[str], values: Iterable[float]) -> dict[str, float]:
    return {name: float(value) for name, value in zip(ids, values, strict=True)}


def _of_model(weights: str, readout: Readout, base: Readout) -> Reading:
    readout = readout.aligned(base.ids)
    of_base_class = readout.probabilities[np.arange(len(base)), base.predictions]
    return Reading(
        weights,
        dict(zip(base.ids, readout.attention, strict=True)),
        _values(base.ids, against_base(base, readout)["jsd"]),
        _values(base.ids, of_base_class),
    )


def _of_search(found: pd.DataFrame, base: Readout) -> Reading:
    found = found.set_index("id").loc[base.ids]
    predicted = base.predict(found["attention"].to_list())[np.arange(len(base)), base.predictions]
    attention = dict(zip(base.ids, found["attention"], strict=True))
    return Reading("instance_adversary", attention, _values(base.ids, found["jsd"]), _values(base.ids, predicted))


def run(job: Job) -> None:
    """Choose the texts and write their words with all three attentions."""
    base = read_readout(job.input("base"))
    readings = [
        _of_model("base", base, base),
        _of_model("consistent_adversary", read_readout(job.input("adversary")), base),
        _of_search(read_frame(job.input("instance_adversary"), INSTANCE_ADVERSARY), base),
    ]
    settings = AttentionMaps.model_validate(job.settings["maps"])
    ids = choose(base, [reading.jsd for reading in readings[1:]], settings)
    corpus = read_table(job.input("corpus"), CORPUS)
    tokens = dict(zip(corpus["id"].to_pylist(), corpus["tokens"].to_pylist(), strict=True))
    columns = maps(base, ids, readings, tokens)
    columns["dataset"] = [job.settings["dataset"]] * len(columns["id"])
    write_table(job.output("maps"), ATTENTION_MAPS, columns, job.provenance)
    job.report(f"{len(ids)} texts: {', '.join(ids)}")
