"""What the terminal says at the end of a run."""

import pandas as pd
from planned import plan_of
from summaries import BLANK, answer, row

from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.tables import SUMMARY
from attention_audit.report.terminal import MAX_FURTHER_MODELS, MAX_LINE_WIDTH, write_ending

SUITES = plan_of().pages.describe_suites()
GOOD = (
    answer("located", "12", "at most partly", 0.21, 0.17, 0.26),
    answer("signed", "≠", "neg in too few texts; pos in nearly all texts", 0.8, 0.75, 0.85),
    answer("used", "3", "strongly", 0.3, 0.28, 0.32),
    answer("ranks", "-", "", 0.9, 0.8, 1.0, reason="any weights would do"),
)
SCORES = {"learnt": "yes", "accuracy": 0.9, "majority_accuracy": 0.51}
LINES = 16
"""The most that the answer on one model takes."""


def said(rows, folder, provenance):
    path = folder / "tables/summary.parquet"
    write_table(path, SUMMARY, pd.DataFrame(rows), provenance)
    lines = write_ending(path, SUITES, ["Open it.", "Open that."]).splitlines()
    assert all(len(line) <= MAX_LINE_WIDTH for line in lines if str(folder) not in line)
    return lines


def test_the_first_model_has_its_answer_and_each_other_one_a_line(tmp_path, provenance):
    gap = BLANK | {"dataset": "diabetes", "note": "Not run: no file."}
    lines = said([row("base", *GOOD, **SCORES), row("base", dataset="needle"), gap], tmp_path, provenance)
    assert lines == [
        "",
        "SST, Wiegreffe & Pinter 2019, base",
        "May this attention map be read as an explanation?",
        "2 trainings, 350 texts; accuracy .90, largest class .51",
        "8 readings: 1 hold, 0 fail, 2 in between, 5 cannot be told",
        f"{'':79}95 %, these",
        "●●·  Are top words the words that matter?         at most partly          .21  .17 to .26",
        " –   Does more weight mean more important?        –  any weights would do",
        " ≠   Does the top word speak for the prediction?  neg in too few texts; pos in nearly all texts",
        "··●  Does the prediction depend on the weights?   strongly               .300  .280 to .320",
        " –   Does another training show this map?         –",
        " –   Does the prediction fix the map?             –",
        " –   Does attention help accuracy?                –",
        " –   Do the weights help another model?           –",
        "Another training may differ: 2 leave room for a kind that 78 % of trainings are of.",
        "needle, Wiegreffe & Pinter 2019, base: 0 hold, 0 fail, 0 in between, 8 cannot be told",
        "Diabetes: Not run: no file.",
        "",
        f"Each answer in full, with all intervals: {tmp_path}/tables/summary.md",
        "Open it.",
        "Open that.",
    ]


def test_what_a_statement_adds_stands_below_it(tmp_path, provenance):
    two = answer("signed", "1", "in most texts, hardly more than shuffled weights", 0.9, 0.88, 0.92, shuffled=0.89)
    lines = said([row("base", two, **SCORES)], tmp_path, provenance)
    assert lines[8:10] == [
        "●··  Does the top word speak for the prediction?  in most texts            90  88 to 92; shuffled 89",
        f"{'':50}hardly more than shuffled weights",
    ]


def test_many_models_fit_one_screen(tmp_path, provenance):
    noted = SCORES | {"note": "are the labels in another order than " * 5}
    lines = said([row(f"m{number}", *GOOD, **noted) for number in range(40)], tmp_path, provenance)
    assert f"and {39 - MAX_FURTHER_MODELS} more in summary.md" in lines
    assert len(lines) <= LINES + MAX_FURTHER_MODELS + 6


def test_a_run_without_models_says_why(tmp_path, provenance):
    gap = BLANK | {"dataset": "diabetes", "note": f"Not run: {'no file ' * 40}."}
    lines = said([gap], tmp_path, provenance)
    assert lines[1].startswith("Diabetes: Not run: no file")
    assert lines[3].startswith("Each answer in full")
