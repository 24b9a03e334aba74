"""The stages that publish Jain & Wallace's tests read what they need of the audits' files, and write theirs."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.every import ARTEFACTS
from attention_audit.columns.table import TABLE
from attention_audit.stages.job import Job

PROVENANCE = Provenance("test", {}, "code")
NUMBERS = {
    "pair": "attention~gradient",
    "tau": 0.3,
    "p": 0.01,
    "tokens": 9,
    "top_k_overlap": None,
    "attention": [[0.5, 0.5]] * 6,
    "decision_flip": False,
    "first": "attention",
    "second": "loo",
    "texts": 6,
    "lambda": None,
    "selection": "dev",
    "classes": 2,
    "metric": "f1",
    "value": 0.8,
}
"""What the columns of a file hold, where not some plausible share."""


def rows(artefact):
    """Six plausible rows of two seeds for one data set and model."""
    columns = {
        "dataset": "sst",
        "model": "lstm_tanh",
        "seed": [1, 1, 1, 2, 2, 2],
        "id": ["a", "b", "c"] * 2,
        "label": [0, 1, 1] * 2,
        "prediction": [0, 1, 1] * 2,
        "base_prediction": [0, 1, 1] * 2,
        "admissible": 5,
    } | NUMBERS
    shares = np.linspace(0.1, 0.6, 6)
    return pd.DataFrame({name: columns.get(name, shares) for name in artefact.schema.names}, index=range(6))


def job(tmp_path, names, outputs):
    """A job that reads a file of each kind, of one data set, and whose outputs have these endings."""
    kinds = {artefact.name: artefact for artefact in ARTEFACTS}
    inputs = {name: [tmp_path / f"{name}.parquet"] for name in names}
    for name, [path] in inputs.items():
        write_table(path, kinds[name], rows(kinds[name]), PROVENANCE)
    settings = {"datasets": ["sst"], "resamples": 20, "gaps": {"diabetes": "needs a licence"}}
    return Job(settings, inputs, {ending: [tmp_path / f"out.{ending}"] for ending in outputs}, PROVENANCE, print)


@pytest.mark.parametrize(
    ("stage", "inputs", "gap"),
    [
        ("jw_table1_performance", ["performance"], 9),
        ("jw_table2_correlation", ["correlation"], 18),
        ("jw_table_conicity", ["conicity", "permutation"], 1),
        ("jw_table_evidence", ["evidence"], 1),
    ],
)
def test_tables_end_with_the_data_sets_that_could_not_be_had(tmp_path, stage, inputs, gap):
    told = job(tmp_path, inputs, ["parquet"])
    import_module(f"attention_audit.stages.{stage}").run(told)
    table = read_frame(told.output("parquet"), TABLE)
    assert table["dataset"].tolist() == ["sst"] * (len(table) - gap) + ["diabetes"] * gap
    assert table.loc[0, "mean"] > 0
    assert set(table["note"].iloc[-gap:]) == {"not run: needs a licence"}
    assert {path.suffix for path in tmp_path.glob("out.*")} == {".parquet", ".csv", ".md", ".tex"}


@pytest.mark.parametrize(
    ("stage", "kind"),
    [
        ("jw_fig_correlation", "correlation"),
        ("jw_fig_permutation", "permutation"),
        ("jw_fig_adversary", "jw_adversary"),
        ("jw_fig_agreement", "agreement"),
    ],
)
def test_figures_are_drawn_from_their_file_alone(tmp_path, stage, kind):
    import_module(f"attention_audit.stages.{stage}").run(job(tmp_path, [kind], ["pdf", "png"]))
    assert {path.suffix for path in tmp_path.glob("out.*")} == {".pdf", ".png"}
