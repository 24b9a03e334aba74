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
from attention_audit.report.ending import MOST, ending

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
    path = folder / "summary.parquet"
    write_table(path, SUMMARY, pd.DataFrame(rows), provenance)
    return ending(path, SUITES, "Open it.").splitlines()


def test_each_model_has_its_sentence_and_its_quality(tmp_path: Path, provenance: Provenance) -> None:
    gap = BLANK | {"dataset": "diabetes", "sentence": "Not run: no file."}
    lines = said([row("base", GOOD), row("base", POOR, dataset="needle"), gap], tmp_path, provenance)
    base = plan_of().scope.suite("wp").labels.labels["base"]
    assert lines[1:4] == [
        f"SST, Wiegreffe & Pinter 2019, {base} (accuracy 0.900, the majority class alone 0.510): It is so.",
        f"needle, Wiegreffe & Pinter 2019, {base} (no better than always the same answer: accuracy 0.490, the",
        "  majority class alone 0.520): No better than always giving the same answer, so there is no decision",
    ]
    assert lines[-3:] == [
        "Diabetes: Not run: no file.",
        f"Each answer in full, with effects and intervals: {tmp_path}/summary.md",
        "Open it.",
    ]


def test_marked_words_are_said_after_the_sentence(tmp_path: Path, provenance: Provenance) -> None:
    marks = {"value": 0.41, "low": 0.38, "high": 0.44, "random": 0.22, "others": 0.58}
    beside = {f"plausibility_{name}": value for name, value in marks.items()}
    text = " ".join(" ".join(said([row("base", GOOD | beside)], tmp_path, provenance)).split())
    line = "AUPRC 0.41 [0.38, 0.44]; random 0.22, one annotator against the others 0.58."
    assert f"It is so. Marked words: {line} Each answer" in text


def test_what_is_too_little_is_said_with_what_is_needed(tmp_path: Path, provenance: Provenance) -> None:
    small = GOOD | {"used": "too few", "used_trainings": 1, "used_texts": 60}
    text = " ".join(
        " ".join(said([row(f"m{number}", small) for number in range(MOST + 1)], tmp_path, provenance)).split()
    )
    assert "no: stable, unique; too few: used (60 texts of the 100 needed)." in text


def test_of_many_models_only_the_words_are_said(tmp_path: Path, provenance: Provenance) -> None:
    rows = [row(f"m{number}", GOOD) for number in range(MOST)] + [row("last", POOR)]
    text = " ".join(" ".join(said(rows, tmp_path, provenance)).split())
    assert text.count("m0 (accuracy 0.900, the majority class alone 0.510): yes: used; no: stable, unique.") == 1
    assert f"0.520): {GUESSING} Each answer in full" in text
