"""One line a question: how numbers are written, and what stands where."""

import math

import numpy as np
import pytest
from summaries import answer, row

from attention_audit.answer.lines import (
    ask_order,
    describe_run,
    describe_verdicts,
    warn_of_others,
    write_finding,
    write_line,
    write_lines,
    write_percent,
    write_points,
    write_range,
    write_setting,
    write_share,
    write_zones,
)
from attention_audit.questions import QUESTIONS

LOCATED = answer(
    "located", "2", "in part", 0.354, 0.331, 0.372, clause="a clause", each=[0.3, 0.41], trainings=2,
    next_low=0.22, next_high=0.48, outliers='[{"seed": 257, "value": 0.18}]',
)  # fmt: skip


def test_numbers_are_written_without_what_says_nothing():
    shares = {0.354: ".35", -0.12: "−.12", 1.0: "1.00", -0.001: ".00", 10.25: "10.25", -10.4: "−10.40", math.nan: ""}
    assert [*map(write_share, shares)] == [*shares.values()]
    assert write_setting(0.025) == ".025"
    assert [write_percent(value) for value in (0.854, math.nan)] == ["85", ""]
    assert [write_points(value) for value in (0.013, -0.0204)] == ["+1.3", "−2.0"]
    assert write_range(-math.inf, 0.2, "share") == "≤ .20"
    assert write_range(0.2, math.inf, "share") == "≥ .20"
    assert write_range(math.nan, 0.2, "share") == write_range(-math.inf, math.inf, "share") == ""


@pytest.mark.parametrize(("zones", "mark"), [("1", "●··"), ("23", "·●●"), ("123", "●●●"), ("-", " – "), ("≠", " ≠ ")])
def test_zones_are_drawn_as_dots(zones, mark):
    assert write_zones(zones) == mark


def test_a_line_has_all_that_is_known_of_a_question():
    line = write_line(row("base", LOCATED), "located")
    assert line == (
        "located", "·●·", "Top words are the words that matter", "in part", ".35", ".33 to .37", ".22 to .48", "",
        "a clause; seed 257: .18",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "end"), [(1.32, "1 means: best single words"), (-0.1, "0 means: random words"), (1.004, ""), (-0.004, "")]
)
def test_a_value_beyond_an_end_says_what_the_end_is(value, end):
    assert write_line(row("base", answer("located", "2", "in part", value, 0, 2)), "located").beside == end


def test_two_estimates_are_held_against_others():
    signed = answer("signed", "2", "in part", 0.9, 0.88, 0.92, shuffled=0.81)
    unique = answer("unique", "1", "no", -0.12, -math.inf, -0.1, tvd=0.112, tvd_budget=0.128, others_tvd=0.128)
    made = row("base", signed, unique, unique_tolerance_tvd_budget=0.05)
    assert [write_line(made, each).beside for each in ("signed", "unique", "used")] == [
        "shuffled weights 81 %", "TVD .112; another training .128; 0 means: one that shares nothing does", "",
    ]  # fmt: skip
    assert write_line(made, "unique").interval == ""
    made |= {"signed_shuffled": 0.0, "unique_tvd": 0.0, "unique_others_tvd": 0.001}
    assert write_line(made, "signed").beside == "shuffled weights 0 %"
    assert write_line(made, "unique").beside.startswith("TVD .000; tolerance .05 (another training .001); 0")
    made |= {"unique_others_tvd": math.nan, "suite": ""}
    assert write_line(made, "unique").beside.startswith("TVD .000; tolerance .05; 0")
    assert write_line(made, "signed").beside == "a random item 0 %"


def test_of_classes_that_lie_apart_nothing_is_said_of_all_together():
    apart = answer("used", "≠", "ham no; spam yes", 0.03, 0.02, 0.04)
    line = write_line(row("base", apart), "used")
    assert (line.mark, line.said, line.value, line.interval) == (" ≠ ", "ham no; spam yes", "", "")


def test_where_there_is_no_verdict_the_estimate_stays():
    few = answer("used", "-", "", 0.03, 0.02, 0.04, reason="60 of the 100 texts needed")
    line = write_line(row("base", few), "used")
    assert (line.said, line.value, line.remark) == ("–", ".030", "60 of the 100 texts needed")


def find(zones, seeds=5, harms=()):
    """The finding on claims of these zones, in the order of QUESTIONS; - where there is no verdict."""
    cells = [
        answer(question, each, "no, it harms" if question in harms else "said", 0.1, 0.0, 0.2)
        for question, each in zip(QUESTIONS, zones.split(), strict=True)
    ]
    return write_finding(row("base", *cells, seeds=seeds))


@pytest.mark.parametrize(
    ("zones", "finding"),
    [
        (
            "2 1 12 23 2 1 12 12",
            "More weight does not mean more important, and another map gives the same predictions. Of the other 6, 3 "
            "hold at least in part, 3 hold at most in part.",
        ),
        (
            "3 - - 3 3 2 3 3",
            "Top words are the words that matter, the prediction depends on the weights, and another training shows "
            "this map. Of the other 3, 2 hold, 1 holds at least in part.",
        ),
        (
            "12 23 - ≠ 123 - - -",
            "No claim clearly holds or fails: of 4, 1 holds at least in part, 1 holds at most in part, 1 differs by "
            "class, 1 cannot be told.",
        ),
        ("1 1 1 1 3 - - -", "Top words are hardly better than random ones, more weight does not mean more important, "
         "and the top word often does not speak for the prediction. Of the other 2, 1 fails, 1 holds."),
        ("1 - 2 - - - - -", "Top words are hardly better than random ones. The other claim holds at least in part."),
        ("- - - 3 - - - -", "The prediction depends on the weights."),
        ("- - - - - - - -", "No claim could be asked."),
    ],
)  # fmt: skip
def test_the_finding_says_what_is_clear(zones, finding):
    assert find(zones) == finding


def test_the_finding_says_what_harms_and_of_how_few_trainings_it_is():
    zones = "- - - - - - 1 1"
    harm = "attention harms the predictions, and its weights harm another model."
    assert find(zones, 1, ("needed", "transferable")) == f"In this one training, {harm}"
    assert find(zones, 2, ("needed",)) == (
        "In these two trainings, attention harms the predictions, and its weights do not help another model."
    )
    assert find("2 - - - - - - -", 1) == (
        "In this one training, no claim clearly holds or fails: of 1, 1 holds at least in part."
    )


def test_every_verdict_is_counted_once():
    parts = ("located", "1"), ("ranks", "3"), ("signed", "12"), ("used", "123"), ("stable", "≠")
    cells = [answer(question, zones, "said", 0.1, 0.0, 0.2) for question, zones in parts]
    made = row("base", *cells)
    assert describe_verdicts(made) == (
        "1 fails, 1 holds, 1 holds at most in part, 1 differs by class, 1 cannot be told"
    )
    assert describe_verdicts(row("base")) == "no claim could be asked"
    assert [line.question for line in write_lines(made)] == list(QUESTIONS)


def test_the_head_says_on_what_it_rests():
    scores = {"accuracy": 0.76, "majority_accuracy": 0.58}
    assert (
        describe_run(row("base", learnt="yes", **scores)) == "2 trainings, 350 texts; accuracy .76, largest class .58"
    )
    classes = '[{"name": "spam", "texts": 9, "labelled": 24}, {"name": "ham", "texts": 341, "labelled": 326}]'
    few = answer("used", "1", "no", 0.03, 0.02, 0.04, classes=classes)
    assert describe_run(row("base", few, learnt="no", groups=120, seeds=1, **scores)) == (
        "1 training, 350 texts in 120 groups; accuracy .76, not clearly better than the largest class .58; spam: too "
        "few texts (9 in the training that predicts it least, 24 in the test)"
    )
    assert describe_run(row("base")) == "2 trainings, 350 texts"


def test_trainings_of_another_kind_may_exist():
    # five trainings alike: with a kind of 45 %, that would happen once in twenty times
    assert pytest.approx(0.05, abs=0.001) == 0.55**5
    assert warn_of_others(row("base", seeds=5)) == (
        "With 5 trainings, up to 45 % of all trainings could behave in a way that none of these did."
    )
    assert warn_of_others(row("base", seeds=1)) == "One training says nothing of others."


@pytest.mark.parametrize(
    ("order", "line"),
    [
        ([1, 0, 2], "Accuracy 0.333, in another order 1.000"),
        ([1, 2, 0], "Accuracy 0.000, in another order 1.000"),
        ([0, 1, 2], ""),
    ],
)
def test_another_order_of_the_classes_is_asked_about(order, line):
    labels = np.arange(60) % 3
    asked = ask_order(labels, np.array(order)[labels][None])
    assert asked == f"are the labels in another order than the model's classes? {line}" * bool(line)


def test_an_order_that_chance_may_have_made_is_not_asked_about():
    random = np.random.default_rng(0)
    # 5 of 14 right, where the larger class has 7; and guesses
    labels = np.repeat([0, 1], 7)
    assert ask_order(labels, np.where(np.isin(np.arange(14), [0, 1, 2, 7, 8]), labels, 1 - labels)[None]) == ""
    assert ask_order(labels, 1 - labels[None]) != ""
    for classes in (2, 5, 28):
        labels, guesses = random.integers(0, classes, (2, 100))
        assert ask_order(labels, guesses[None]) == ""
    # a model that always gives the rarer class may know nothing
    assert ask_order(np.repeat([0, 1], [90, 10]), np.ones((1, 100), int)) == ""
