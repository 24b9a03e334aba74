"""The answers of two runs side by side."""

from pathlib import Path

import pandas as pd
import pytest
from summaries import BLANK, answer, row

from attention_audit.__main__ import main
from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.summary import QUESTIONS, SUMMARY
from attention_audit.comparing import comparing, side_by_side, two_runs
from attention_audit.errors import AuditError

FIRST = pd.DataFrame(
    [
        row("base", answer("learnt", "yes", 0.4, 0.3, 0.5), answer("stable", "yes", 0.7, 0.6, 0.8)),
        row("old", answer("used", "no", 0.01, 0.0, 0.02)),
        BLANK | {"dataset": "diabetes"},
    ]
)
SECOND = pd.DataFrame(
    [
        row("new", answer("used", "no", 0.01, 0.0, 0.02)),
        row("base", answer("learnt", "yes", 0.2, 0.1, 0.3), answer("stable", "no", 0.3, 0.2, 0.4, 0.45)),
    ]
)


def test_words_and_intervals_are_compared_question_by_question() -> None:
    compared = two_runs(FIRST, SECOND)
    assert compared["model"].tolist() == ["base"] * 9 + ["old"] * 9 + ["new"] * 9
    assert compared["question"].tolist() == ["learnt", *QUESTIONS] * 3
    of = compared.set_index(["model", "question"])[["word_a", "word_b", "words", "intervals"]]
    # the end of one interval is the beginning of the other
    assert of.loc["base", "learnt"].tolist() == ["yes", "yes", "same", "overlap"]
    assert of.loc["base", "stable"].tolist() == ["yes", "no", "other", "apart"]
    assert of.loc["base", "used"].tolist() == ["not asked", "not asked", "same", ""]
    assert of.loc["old", "used"].tolist() == ["no", "not there", "only in a", ""]
    assert of.loc["new", "used"].tolist() == ["not there", "no", "only in b", ""]
    stable = compared.iloc[2]
    assert (stable["value_a"], stable["margin_a"], stable["margin_b"], stable["high_b"]) == (0.7, 0.5, 0.45, 0.4)
    assert compared.iloc[0]["margin_a"] == 0


def test_a_reader_sees_each_answer_in_one_cell() -> None:
    shown = side_by_side(two_runs(FIRST, SECOND), ("results", "runs/b"))
    assert shown.iloc[2].tolist() == [
        "sst", "wp", "base", "stable", "yes: 0.700 [0.600, 0.800], margin 0.5",
        "no: 0.300 [0.200, 0.400], margin 0.45", "other", "apart",
    ]  # fmt: skip
    assert shown.columns.tolist()[4:6] == ["a: results", "b: runs/b"]
    assert shown.iloc[1, 4] == "not asked"


def test_runs_without_a_model_in_common_or_without_any() -> None:
    assert set(two_runs(FIRST.iloc[1:], SECOND.iloc[:1])["words"]) == {"only in a", "only in b"}
    assert two_runs(FIRST.iloc[2:], FIRST.iloc[2:]).empty


@pytest.fixture
def folders(tmp_path: Path, provenance: Provenance) -> tuple[Path, Path]:
    """Two folders of results."""
    for name, frame in (("a", FIRST), ("b", SECOND)):
        write_table(tmp_path / name / "tables/summary.parquet", SUMMARY, frame, provenance)
    return tmp_path / "a", tmp_path / "b"


def test_two_folders_are_compared_on_the_command_line(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *map(str, folders), "--into", str(tmp_path / "out/run.1")]) == 0
    said = capsys.readouterr().out
    # base's `stable`
    counted = "1 of 9 words that both have differ; 1 of 2 pairs of intervals lie apart."
    assert said.startswith(f"a: {folders[0]}, b: {folders[1]}. {counted}\n\n| dat")
    assert said.count("\n| sst ") == 9
    rest = "\n\nModels that only one of the runs has:\n\n- only in a: sst, wp: old\n- only in b: sst, wp: new\n"
    assert said.endswith(rest)
    assert "| sst        | wp      | base    | stable       | yes: 0.700 [0.600, 0.800], margin 0.5" in said
    assert (tmp_path / "out/run.1.md").read_text() == said
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "out/run.1.csv", keep_default_na=False, na_values={"value_a": ""})[["words", "value_a"]],
        two_runs(FIRST, SECOND)[["words", "value_a"]],
    )


def test_a_part_of_a_run_agrees_with_the_whole(tmp_path: Path, provenance: Provenance) -> None:
    for name, frame in (("whole", FIRST), ("part", FIRST.iloc[:1])):
        write_table(tmp_path / name / "tables/summary.parquet", SUMMARY, frame, provenance)
    said = comparing([tmp_path / "whole", tmp_path / "part"], None)
    assert "part. 0 of 9 words that both have differ; 0 of 2 pairs of intervals lie apart." in said
    alone = comparing([tmp_path / "part", tmp_path / "part"], None)
    assert "Models that only one" not in alone


def test_what_is_not_there_is_told_in_one_line(folders: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"^compare: name two folders of results, as in `python -m "):
        comparing(folders[:1], None)
    with pytest.raises(AuditError, match=rf"^{tmp_path}/tables/summary.parquet: not there; make it with `snakemake "):
        comparing([folders[0], tmp_path], None)
