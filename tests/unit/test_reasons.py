"""What an audit needs and a model has not is found in the files that are read, and its own file says it."""

from dataclasses import replace

import numpy as np
import pytest
from attention_audit.stages.audits import AuditRunner
from in_process import job_of
from readouts import make_heads, make_pairs, make_readout

from attention_audit.artefacts.parquet import read_reason, read_table
from attention_audit.audits.contributions import ranked_sets
from attention_audit.audits.settings import AuditedRun, AuditJob, AuditsJob
from attention_audit.columns.audits import PERMUTATION, RANKED_SETS


def runner_of(need, folder, hierarchical=False):
    """An audit of models that are not there, of texts without marks, with one need."""
    run = AuditedRun(model="mine", lambda_=None, seed=1, selection="dev", hierarchical=hierarchical)
    asked = AuditJob(
        audit="permutation",
        target="audits.permutation:permutation",
        takes="readout",
        columns="columns.audits:PERMUTATION",
        needs=[need],
        runs=[run],
        sections={"permutation": {"permutations": 3, "seed": 1}},
    )
    told = AuditsJob(dataset="talks", model="mine", audit="permutation", audits=[asked])
    job, _ = job_of("audits", told, {"readouts": []}, {"permutation": [str(folder / "permutation.parquet")]})
    runner = AuditRunner(job, asked)
    runner.read_fact = {"evidence": {False: {}, True: {}}, "rationales": {}}.__getitem__
    return runner


@pytest.mark.parametrize(
    ("need", "hierarchical", "lack"),
    [
        ("tokens", True, "attention over tokens, and mine attends to sentences"),
        ("tokens", False, ""),
        ("marks", False, "marked words, and talks has none"),
        ("linear", False, ""),
    ],
)
def test_some_is_known_before_a_readout_is_read(tmp_path, need, hierarchical, lack):
    runner = runner_of(need, tmp_path, hierarchical)
    assert runner.find_lack(runner.settings.runs[0]) == lack


def test_the_rest_is_seen_in_the_readout(tmp_path):
    plain, pairs, heads = (make([3, 2]) for make in (make_readout, make_pairs, make_heads))
    bare = replace(
        plain, contribution=[np.empty((n, 0), np.float32) for n in (3, 2)], bias=np.empty((2, 0), np.float32)
    )
    readouts = {"plain": plain, "pairs": pairs, "heads": heads, "bare": bare}
    expected = {
        "linear": {"pairs": "predictions that are linear in the attention, which models of pairs (talks) have not"},
        "weights": {"bare": "predictions that follow from the weights, which those of mine are not known to do"},
        "heads": dict.fromkeys(("plain", "pairs", "bare"), "several heads of attention, and mine has one"),
        "states": {"heads": "states under the attention, which are not known of mine"},
    }
    for need, lacks in expected.items():
        runner = runner_of(need, tmp_path)
        found = {name: runner.find_lack(runner.settings.runs[0], readout) for name, readout in readouts.items()}
        assert found == dict.fromkeys(readouts, "") | lacks


def test_a_file_without_rows_says_why(tmp_path):
    runner = runner_of("tokens", tmp_path, hierarchical=True)
    assert runner.find_lack(runner.settings.runs[0])
    runner.write([])
    path = tmp_path / "permutation.parquet"
    assert read_table(path, PERMUTATION).num_rows == 0
    assert read_reason(path) == "permutation needs attention over tokens, and mine attends to sentences"


def test_what_never_flips_is_null(tmp_path):
    columns = ranked_sets(make_readout([2, 2], 3), 0)
    columns["fraction_removed"][0] = float("nan")
    runner = runner_of("", tmp_path)
    runner.kind = RANKED_SETS
    assert runner.label(columns, runner.settings.runs[0])["fraction_removed"][0].as_py() is None
