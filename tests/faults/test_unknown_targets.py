"""Files and names that the configuration does not have."""

import pytest
from hurt import error_lines, only_first

DATASET = "not a data set of this configuration; add it to `corpora`, or ask for another"
MODEL = "not a model whose attention is audited"
RAW = "no file of this configuration; add it there, or ask for another"
OTHER = "; ask for another audit, or of another model"
BASE = "a base model that others are compared with, which this suite has not" + OTHER
NOTHING = ": nothing makes this; "
"""What is said of a name that no rule has; what may have been meant follows."""
TARGETS = {
    "results/audits/digest/han_rnn/correlation.parquet": (
        "error: digest/han_rnn: correlation is not among the suite's audits; name it in `audits`, with the suite's own"
    ),
    "results/audits/chorus/base/permuttion.parquet": NOTHING
    + "did you mean results/audits/chorus/base/permutation.parquet?",
    "results/audits/digest/han_rnn/comparison.parquet": f"error: digest/han_rnn: comparison needs {BASE}",
    "results/audits/chorus/lstm_tanh/attention_maps.parquet": f"error: chorus/lstm_tanh: attention_maps needs {BASE}",
    "results/audits/chorus/lstm_tanh/stability.parquet": (
        "error: chorus/lstm_tanh: stability is not asked, as Jain & Wallace 2019 has no model with several seeds "
        f"here{OTHER}"
    ),
    "results/audits/nowhere/base/permutation.parquet": (
        f"error: nowhere/base: {MODEL} (of nowhere: none); name one of these, or add it to the configuration"
    ),
    "results/audits/chorus/bsae/permutation.parquet": (
        f"error: chorus/bsae: {MODEL} (did you mean 'base'?) (of chorus: base, lstm_tanh); name one of these, or add "
        "it to the configuration"
    ),
    "results/raw/nowhere/x.zip": f"error: results/raw/nowhere/x.zip: {RAW}",
    "results/raw/vectors/x.vec": f"error: results/raw/vectors/x.vec: {RAW}",
    "results/corpora/nowhere/corpus.parquet": f"error: nowhere: {DATASET}",
    "results/corpora/nowhere/vocabulary.parquet": f"error: nowhere: {DATASET}",
    "results/models/chorus/lstm_dot/seed10.safetensors": NOTHING,
    "results/models/nowhere/base/seed10.safetensors": NOTHING,
    "results/models/chorus/base/seed99.safetensors": NOTHING,
    "results/readouts/chorus/adversary_lambda0.5/seed10/test.parquet": NOTHING,
    "results/tables/wp_table9.parquet": NOTHING,
    "results/figures/wp_fig2_attention_maps.svg": NOTHING
    + "did you mean results/figures/wp_fig2_attention_maps.pdf or results/figures/wp_fig2_attention_maps.png?",
    "wp_fig6": NOTHING + "did you mean wp_fig5?",
    "results/figures/digest/wp_fig5_tvd_jsd.pdf": (
        "error: digest: wp_fig5_tvd_jsd speaks of chorus alone; ask for one of them, or add this one to its suite"
    ),
}


@pytest.mark.parametrize("target", only_first(2, TARGETS))
def test_it_ends_in_one_line(new_folder, tally, target):
    folder = new_folder()
    folder.overlay(
        serrano_smith={"datasets": ["digest"], "models": ["han_rnn"]},
        jain_wallace={"datasets": ["chorus", "babi-1"], "models": ["lstm_tanh"]},
    )
    outcome = folder.refuse("-n", target)
    lines = error_lines(outcome)
    expected = TARGETS[target]
    if expected.startswith(NOTHING):
        (line,) = lines
        assert line.startswith(f"error: {target}{expected}")
        assert outcome.text.rstrip().endswith(line)
    else:
        assert lines == {expected}, outcome.text
    tally("a target that the configuration lacks", "one line")


OPTIONS = (
    "--until train0 --forcerun train1 --omit-from train2 --prioritize train3 --batch train4=1/2 --set-threads train5=2 "
    "--set-resources train6:mem_mb=9000 --groups train7=some"
)
"""Options that name rules; Snakemake drops unknown ones of most of them without a word."""


def test_options_that_name_unknown_rules(new_folder, tally):
    outcome = new_folder().refuse("-n", *OPTIONS.split())
    lines = sorted(error_lines(outcome))
    assert len(lines) == OPTIONS.count("--")
    for number, line in enumerate(lines):
        assert line.startswith(f"error: train{number}: nothing makes this; did you mean train?")
    tally("an option that names an unknown rule", "one line", len(lines))


@pytest.mark.full
@pytest.mark.parametrize("target", ["jw_table1", "jw_fig_correlation", "ss_table2", "ss_fig_aopc"])
def test_a_target_of_a_paper_that_is_left_out(new_folder, tally, target):
    outcome = new_folder().refuse(target)
    (line,) = error_lines(outcome)
    key = "jain_wallace" if target.startswith("jw") else "serrano_smith"
    assert line == f"error: {target}: not made, since no data set is named under `{key}`"
    tally("a target of a paper that is left out", "one line")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("training.epochs=1", "training.epochs: is a key within a group; write --config 'training={epochs: 1}'"),
        (
            "adversary.continuation.steps=2",
            "adversary.continuation.steps: is a key within a group; write --config "
            "'adversary={continuation: {steps: 2}}'",
        ),
    ],
)
def test_a_key_within_a_group_is_shown_as_it_is_said(new_folder, said, shown):
    folder = new_folder()
    folder.overlay()
    outcome = folder.refuse("-n", "all", "--config", said)
    assert error_lines(outcome) == {f"error: config: {shown}"}


def test_a_configuration_that_is_no_yaml_is_one_line(new_folder):
    folder = new_folder()
    (folder.path / "overlay.yaml").write_text("datasets: [sst\nmodel: {}")
    line = "error: overlay.yaml: line 2: is no YAML (expected ',' or ']', but got ':'); mend it"
    assert error_lines(folder.refuse("-n", "all")) == {line}
