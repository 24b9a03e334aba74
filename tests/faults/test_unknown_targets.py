"""Files and names that the configuration does not have."""

from __future__ import annotations

import pytest
from folder import NewFolder
from hurt import Tally, error_lines, only_first

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("finished")]

MODEL = "not a model of this configuration; add it there, or ask for another"
DATASET = "not a data set of this configuration; add it to `corpora`, or ask for another"
RAW = "no file of this configuration; add it there, or ask for another"
NO_RULE = "No rule to produce "
TARGETS = {
    "results/models/needle/lstm_dot/seed10.safetensors": f"error: lstm_dot: {MODEL}",
    "results/raw/nowhere/x.zip": f"error: results/raw/nowhere/x.zip: {RAW}",
    "results/raw/vectors/x.vec": f"error: results/raw/vectors/x.vec: {RAW}",
    "results/readouts/chorus/adversary_lambda0.5/seed10/test.parquet": f"error: adversary_lambda0.5: {MODEL}",
    "results/corpora/nowhere/corpus.parquet": f"error: nowhere: {DATASET}",
    "results/corpora/nowhere/vocabulary.parquet": f"error: nowhere: {DATASET}",
    "results/audits/nowhere/permutation.parquet": f"error: nowhere: {DATASET}",
    "results/models/nowhere/base/seed10.safetensors": f"error: nowhere: {DATASET}",
    "results/models/chorus/base/seed99.safetensors": NO_RULE,
    "results/models/chorus/gru/seed10.safetensors": NO_RULE,
    "results/tables/wp_table9.parquet": NO_RULE,
    "wp_table9": NO_RULE,
}


@pytest.mark.parametrize("target", only_first(2, TARGETS))
def test_it_ends_in_one_line(new_folder: NewFolder, tally: Tally, target: str) -> None:
    outcome = new_folder().run("-n", target)
    assert outcome.status != 0
    lines = error_lines(outcome)
    expected = TARGETS[target]
    if expected is NO_RULE:
        assert outcome.text.count(f"{NO_RULE}{target}") == 1, outcome.text
    else:
        assert lines == {expected}, outcome.text
    tally("a target that the configuration lacks", "one line")


@pytest.mark.full
@pytest.mark.parametrize("target", ["jw_table1", "jw_fig_correlation", "ss_table2", "ss_fig_aopc"])
def test_a_target_of_a_paper_that_is_left_out(new_folder: NewFolder, tally: Tally, target: str) -> None:
    outcome = new_folder().run(target)
    assert outcome.status != 0
    (line,) = error_lines(outcome)
    assert line == "error: config: no data set is named that can be had and that suits this result; name one"
    tally("a target of a paper that is left out", "one line")
