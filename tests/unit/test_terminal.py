"""What the terminal says at the end of a run."""

import math

import pandas as pd
from planned import plan_of
from summaries import BLANK, answer, row

from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.tables import CONTROLS, SUMMARY
from attention_audit.report.terminal import MAX_FURTHER_MODELS, MAX_LINE_WIDTH, write_ending

SUITES = plan_of().pages.describe_suites()
GOOD = (
    answer("located", "12", "at most in part", 0.21, 0.17, 0.26, next_low=0.1, next_high=0.33),
    answer("signed", "≠", "neg no; pos yes", 0.8, 0.75, 0.85),
    answer("used", "3", "yes", 0.3, 0.28, 0.32, next_low=0.2, next_high=0.41),
    answer("ranks", "-", "", 0.9, 0.8, 1.0, reason="any weights would do"),
)
SCORES = {"learnt": "yes", "accuracy": 0.9, "majority_accuracy": 0.51}
LINES = 18
"""The most that the answer on one model takes."""


def said(rows, folder, provenance, claims=()):
    path, controls = folder / "tables/summary.parquet", None
    write_table(path, SUMMARY, pd.DataFrame(rows), provenance)
    if claims:
        controls = folder / "tables/controls.parquet"
        write_table(controls, CONTROLS, pd.DataFrame([CONTROLS.blank | claim for claim in claims]), provenance)
    lines = write_ending(path, controls, SUITES, ["Open it.", "Open that."]).splitlines()
    assert all(len(line) <= MAX_LINE_WIDTH for line in lines if str(folder) not in line)
    return lines


def test_the_first_model_has_its_answer_and_each_other_one_a_line(tmp_path, provenance):
    gap = BLANK | {"dataset": "diabetes", "note": "Not run: no file."}
    lines = said([row("base", *GOOD, seeds=5, **SCORES), row("base", dataset="needle"), gap], tmp_path, provenance)
    assert lines == [
        "",
        "May this attention map be read as an explanation?  SST, Wiegreffe & Pinter 2019, base",
        "The prediction depends on the weights. Of the other 2, 1 holds at most in part, 1 differs by class.",
        "5 trainings, 350 texts; accuracy .90, largest class .51",
        f"{'':72}95 %       one more training",
        "●●·  Top words are the words that matter        at most in part    .21  .17 to .26     .10 to .33",
        " –   More weight means more important           –  any weights would do",
        " ≠   The top word speaks for the prediction     neg no; pos yes",
        "··●  The prediction depends on the weights      yes               .300  .280 to .320   .200 to .410",
        " –   Another training shows this map            –",
        " –   No other map gives these predictions       –",
        " –   Attention helps the predictions (macro F1) –",
        " –   Its weights help another model             –",
        "needle, Wiegreffe & Pinter 2019, base: no claim could be asked",
        "Diabetes: Not run: no file.",
        "",
        f"Each answer in full, with all intervals: {tmp_path}/tables/summary.md",
        "Open it.",
        "Open that.",
    ]


def test_what_finds_no_room_stands_below(tmp_path, provenance):
    two = answer("signed", "1", "no, not beyond shuffled weights", 0.9, 0.88, 0.92, shuffled=0.89)
    lines = said([row("base", two, **SCORES)], tmp_path, provenance)
    at = next(number for number, line in enumerate(lines) if "top word speaks" in line and "●" in line)
    assert lines[at : at + 2] == [
        "●··  The top word speaks for the prediction     no                  90  88 to 92",
        f"{'':48}not beyond shuffled weights; shuffled weights 89 %",
    ]
    far = answer("unique", "1", "no", -0.12, -math.inf, -0.1, tvd=0.112, tvd_budget=0.128, others_tvd=0.128)
    lines = said([row("base", far, unique_tolerance_tvd_budget=0.05, **SCORES)], tmp_path, provenance)
    assert "TVD .112; another training .128; 0 means: one that shares nothing does".rjust(MAX_LINE_WIDTH) in lines


def test_of_few_trainings_the_heading_says_so(tmp_path, provenance):
    alone = answer("used", "3", "yes, in this training", 0.3, 0.28, 0.32)
    lines = said([row("base", alone, seeds=1, **SCORES)], tmp_path, provenance)
    assert lines[2].startswith("In this one training, the prediction depends")
    assert f"{'':48}in this training        95 %" in lines
    assert "··●  The prediction depends on the weights      yes               .300  .280 to .320" in lines


def test_a_claim_on_a_control_that_fails_rings(tmp_path, provenance):
    about = {"dataset": "needle", "model": "honest"}
    claims = [about | {"claim": claim, "holds": claim == "used"} for claim in ("located", "ranks", "used", "a", "b")]
    lines = said([row("base", *GOOD, **SCORES)], tmp_path, provenance, claims)
    at = lines.index("") if lines[0] else lines.index("", 1)
    assert " ".join(lines[at - 2 : at]) == (
        "controls: 4 of 5 claims do not hold (needle honest: located, needle honest: ranks, needle honest: a and 1 "
        "more): read no answer of this run before you know why"
    )
    assert not any("controls:" in line for line in said([row("base")], tmp_path, provenance, claims[2:3]))
    # where only the summary was asked for, its verdicts ring
    failed = row("base", dataset="needle", controls='{"claims": 7, "failed": ["it has learnt"]}')
    assert any(
        "1 of 7 claims do not hold (needle base: it has learnt)" in line
        for line in said([failed], tmp_path, provenance)
    )


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
