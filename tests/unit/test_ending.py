"""What the terminal says at the end of a run."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from planned import plan_of
from summaries import BLANK, NAN, row

from attention_audit.answer.sentence import GUESSING, quality
from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.summary import SUMMARY
from attention_audit.report.ending import AFTER, HEIGHT, MOST, WIDTH, ending

SUITES = plan_of().shown_suites()
GOOD = {
    "learnt": "yes",
    "accuracy": 0.9,
    "majority_accuracy": 0.51,
    "stable": "no",
    "used": "yes",
    "unique": "no",
}
POOR = {
    "learnt": "no",
    "accuracy": 0.49,
    "majority_accuracy": 0.52,
    "sentence": GUESSING,
}


@pytest.mark.parametrize(
    ("learnt", "expected"),
    [
        ("yes", "accuracy 0.490, the majority class alone 0.520"),
        ("no", "no better than always the same answer: accuracy 0.490, the majority class alone 0.520"),
        ("undecided", "not clearly better than always the same answer: accuracy 0.490, the majority class alone 0.520"),
    ],
)
def test_a_models_quality_stands_beside_the_majority_class(learnt: str, expected: str) -> None:
    scores = {"accuracy": 0.49, "majority_accuracy": 0.52}
    assert quality(learnt, scores) == expected
    assert quality(learnt, scores | {"accuracy": NAN}) == quality(learnt, scores | {"majority_accuracy": None}) == ""


def said(rows: list[dict[str, Any]], folder: Path, provenance: Provenance) -> list[str]:
    path = folder / "tables/summary.parquet"
    write_table(path, SUMMARY, pd.DataFrame(rows), provenance)
    lines = ending(path, SUITES, ["Open it.", "Open that."]).splitlines()
    assert len(lines) <= HEIGHT - AFTER
    assert all(len(line) <= WIDTH for line in lines if str(folder) not in line)
    return lines


def test_each_model_has_a_line_and_the_first_its_answer(tmp_path: Path, provenance: Provenance) -> None:
    gap = BLANK | {"dataset": "diabetes", "sentence": "Not run: no file."}
    lines = said([row("base", GOOD), row("base", POOR, dataset="needle"), gap], tmp_path, provenance)
    base = plan_of().scope.suite("wp").labels.labels["base"]
    assert lines == [
        "",
        f"SST, Wiegreffe & Pinter 2019, {base}: accuracy 0.900 (majority 0.510); 1 yes, 2 no, 5 not asked",
        f"needle, {base}: accuracy 0.490 (majority 0.520); no better than always the same answer",
        "Diabetes: Not run: no file.",
        "",
        f"SST, Wiegreffe & Pinter 2019, {base}: It is so.",
        f"Each answer in full, with effects and intervals: {tmp_path}/tables/summary.md",
        "Open it.",
        "Open that.",
    ]


def test_the_first_models_trainings_stand_one_by_one_or_as_a_range(tmp_path: Path, provenance: Provenance) -> None:
    each = {"used_each": [0.25, NAN, 0.5], "stable_each": [0.3, -0.2, 0.1, 0.4]}
    lines = said([row("base", GOOD | each), row("m", GOOD | {"used_each": [1.0, 2.0]})], tmp_path, provenance)
    assert "Training by training: stable (pairs) -0.200 to 0.400; used 0.250 – 0.500." in lines
    assert not any("1.000" in line for line in lines)


def test_what_is_neither_yes_nor_no_is_open(tmp_path: Path, provenance: Provenance) -> None:
    few = GOOD | {"used": "too few", "stable": "flat", "signed": "undecided"}
    lines = said([row("base", few)], tmp_path, provenance)
    assert lines[1].endswith("; 1 no, 3 open, 4 not asked")
    unknown = {"stable": "yes", "accuracy": None, "majority_accuracy": None}
    assert said([row("base", unknown)], tmp_path, provenance)[1].endswith("base: 1 yes, 7 not asked")


@pytest.mark.parametrize("sentence", ["It is so.", "It comes 26 % of the way. " * 40])
def test_many_models_fit_one_screen(sentence: str, tmp_path: Path, provenance: Provenance) -> None:
    rows = [row(f"m{number}", GOOD | {"sentence": sentence}) for number in range(40)]
    lines = said(rows, tmp_path, provenance)
    (more,) = [place for place, line in enumerate(lines) if line.endswith(" more in summary.md")]
    assert lines[more] == f"and {40 - (more - 1)} more in summary.md"
    assert 1 <= more - 1 <= MOST
    assert not any(line.startswith("%") for line in lines)


def test_a_run_without_models_says_why(tmp_path: Path, provenance: Provenance) -> None:
    gap = BLANK | {"dataset": "diabetes", "sentence": f"Not run: {'no file ' * 40}."}
    lines = said([gap], tmp_path, provenance)
    assert lines[1].startswith("Diabetes: Not run: no file")
    assert lines[2].startswith("Each answer in full")
