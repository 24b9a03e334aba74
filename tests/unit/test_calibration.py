"""The calibration: its populations are as they are described, and runs are counted as they should be."""

import re

import numpy as np
import pandas as pd
import pytest
from planned import ROOT

from attention_audit.answer.estimates import Estimate
from attention_audit.answer.verdicts import Part
from attention_audit.questions import QUESTIONS
from attention_audit.scores import macro_f1
from makers.calibration import __main__ as command
from makers.calibration import page, simulation
from makers.calibration.populations import (
    FAILED,
    FAILING,
    FURTHER,
    GROUPS,
    LARGEST_GROUP,
    LOWER,
    NORMAL,
    SKEWED,
    TWO_KINDS,
    Adversaries,
    Pool,
    Run,
    World,
    make_located,
    make_needed,
    make_signed,
    make_stable,
    make_unique,
    measure_used,
    place,
)
from makers.calibration.simulation import SUBJECTS, Sizes, simulate, simulate_subject, try_population

SMALL = Sizes(runs=20, runs_anew=40, texts=(100, 300, 1000))


def world(law=NORMAL, seed=0, **sizes):
    return World(np.random.default_rng(seed), law, **sizes)


def test_trainings_deviate_as_their_law_says():
    for law, spread in ((NORMAL, 1), (SKEWED, FURTHER), (TWO_KINDS, FURTHER)):
        values = world(law, trainings=2000).deviations
        assert values.mean() == pytest.approx(0, abs=0.01 * spread)
        assert values.std() == pytest.approx(spread, abs=0.02 * spread)
    low, high = np.unique(world(TWO_KINDS).deviations.round(9))
    assert high - low == pytest.approx(2.5 * FURTHER)
    assert (world(TWO_KINDS).deviations < 0).mean() == LOWER
    assert world(SKEWED).deviations.min() > -FURTHER
    failing = world(FAILING).vary(0.7, 0.01, 0.1)[:, 0]
    assert (failing == 0.1).mean() == FAILED
    assert not world(NORMAL).failed.any()


def test_texts_of_a_group_are_alike_and_drawn_together():
    grouped = world(GROUPS, texts=200)
    sizes = np.unique(grouped.groups, return_counts=True)[1]
    assert sizes.max() <= LARGEST_GROUP
    shared = grouped.share(grouped.random.normal)
    assert len(np.unique(shared)) == len(sizes)
    columns, numbers = grouped.draw_columns(np.random.default_rng(1), 50)
    assert len(np.unique(numbers)) == 50
    for number in range(50):
        drawn = columns[numbers == number]
        assert drawn.tolist() == np.flatnonzero(grouped.groups == grouped.groups[drawn[0]]).tolist()
    columns, numbers = world().draw_columns(np.random.default_rng(1), 50)
    assert (columns.shape, numbers) == ((50,), None)


def test_zones_of_true_values_by_hand():
    assert place("located", [np.array([0.2, 0.25, 0.26, 0.8])]).tolist() == [0, 0, 1, 2]
    # of signed, the lower one of the share and of the exceptions avoided
    assert place("signed", [[0.96, 0.96, 0.8], [0.8, 0.3, 0.9]]).tolist() == [2, 1, 0]


def test_the_truth_is_that_of_the_whole_population():
    values = np.random.default_rng(3).random((5, 40))
    pool = Pool(world(trainings=5, texts=40), measure_used, (values,))
    assert pool.truths[0] == pytest.approx(values.mean(1))
    run = pool.draw(np.random.default_rng(4), 3, 100)
    assert run.truths == pytest.approx([values.mean()])
    assert run.part.estimate.groups == 100


def test_populations_have_the_effects_that_they_name():
    assert np.median(make_located(world(), 0.5).truths[0]) == pytest.approx(0.5, abs=0.02)
    share, avoided = make_signed(world(), 0.9, 0.6).truths
    assert share.mean() == pytest.approx(0.9, abs=0.03)
    assert avoided == pytest.approx(1 - (1 - share) / 0.4, abs=0.15)
    needed = make_needed(world(), 0.05)
    labels, base, twin = needed.arrays
    gains = [macro_f1(labels[0], one) - macro_f1(labels[0], other) for one, other in zip(base, twin, strict=True)]
    assert needed.truths[0] == pytest.approx(gains)
    kinds = make_stable(world(TWO_KINDS), 0.6).truths
    assert (kinds[0, 20], kinds[0, 1]) == pytest.approx((0.2, 0.6), abs=0.1)
    assert kinds == pytest.approx(kinds.T)
    assert make_unique(world(), 0.4, 0.2).truth == pytest.approx(0.4, abs=0.15)


def test_the_truth_of_a_search_is_its_least_similar_adversary_within_the_budget():
    tvd = np.array([[0.05, 0.07], [0.09, 0.1], [0.2, 0.2]])
    jsd, chance = np.array([[0.2, 0.2], [0.1, 0.2], [0.5, 0.5]]), np.full((3, 2), 0.5)
    found = Adversaries(world(trainings=3, texts=2), tvd, jsd, chance, np.array([0, 1]), np.array([[0.1, 0.1]]))
    assert found.truth == pytest.approx(0.6)
    wider = Adversaries(world(trainings=3, texts=2), tvd, jsd, chance, np.array([0, 1]), np.array([[0.3, 0.1]]))
    assert wider.truth == pytest.approx(0.0)


class Always:
    """A population of which every run finds the same."""

    def __init__(self, low, high, value, others):
        interval = Estimate(0.5, low, high, 0.2, 0.6, [0.5] * 3, [low] * 3, [high] * 3, 100, 100, 3, 3)
        self.run = Run(Part(interval), [value], [np.array(others)])

    def draw(self, random, trainings, texts):
        return self.run


def test_runs_are_counted_by_hand():
    # the verdict names the middle zone; the range touches the low one too
    found = try_population("ranks", Always(0.3, 0.6, 0.1, [0.0, 0.5, 0.6, 0.9]), None, 3, 100, 4)
    wanted = {"wrong": 1, "none": 0, "one": 1, "two": 0, "three": 0, "next": 0.25, "open": 0}
    assert found == pytest.approx(wanted)
    # a mean within the interval stays there, however far both are shifted
    found = try_population("ranks", Always(0.2, 0.8, 0.3, [0.5]), None, 3, 100, 4)
    assert (found["wrong"], found["three"]) == (0, 1)


class OnBothSides:
    """A population whose runs lie above its mean, and then below it."""

    def __init__(self):
        self.runs = [Always(0.3, 0.6, truth, [0.5]).run for truth in (0.2, 0.7)] * 2

    def draw(self, random, trainings, texts):
        return self.runs.pop()


def test_the_worse_side_counts():
    assert try_population("ranks", OnBothSides(), None, 3, 100, 4)["wrong"] == 0.5


def test_the_page_has_the_worst_the_middle_and_what_one_more_training_may_be():
    shares = dict.fromkeys(("wrong", "three", "next", "open"), 0.0) | {"one": 0.75, "two": 0.25}
    found = pd.DataFrame(
        {"subject": name, "law": law, "effect": effect, "trainings": trainings, "texts": texts, **shares}
        for name, subject in SUBJECTS.items()
        for law in subject.laws
        for effect in subject.effects[1:4]
        for trainings in subject.trainings
        for texts in SMALL.texts
    )
    middle = SUBJECTS["used"].effects[2]
    one = (
        (found["subject"] == "used") & (found["effect"] == middle) & (found["texts"] == 300) & (found["trainings"] == 5)
    )
    found["wrong_anew"] = np.where(found["effect"] == middle, 0.0, np.nan)
    # a share that was not drawn anew is not on the page
    found.loc[one & (found["law"] == SKEWED), ["wrong", "wrong_anew", "next"]] = 0.06, 0.04, 0.12
    found.loc[one & (found["law"] == NORMAL), ["one", "two"]] = 0.25, 0.75
    text = page.write_page(found, SMALL)
    assert "| used | 0 | .04 | 0 | 0 | 0 |" in text
    assert "In at most 0 of runs where trainings are normal or texts come in groups" in text
    assert "In at most .04 where they are skewed" in text
    assert "| used | 0.75 / 0.25 / 0.00 | 0.25 / 0.75 / 0.00 | 0.75 / 0.25 / 0.00 |" in text
    assert "| skewed | 0 | .12 | 0 |" in text
    assert "| failing | 0 | 0 | 0 |" in text
    assert "in .25 (`used`) to .75" in " ".join(text.split())


def test_the_numbers_depend_on_no_number_of_processes():
    tiny = Sizes(runs=2, runs_anew=3, texts=(100,))
    one, two = (simulate(["unique, smooth", "used"], tiny, cores) for cores in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    first = pd.DataFrame(simulate_subject("unique, smooth", NORMAL, tiny))
    pd.testing.assert_frame_equal(one.head(len(first)), first)


def test_the_worst_of_a_question_is_drawn_anew(monkeypatch):
    drawn = []

    def count(question, population, random, trainings, texts, runs):
        drawn.append((trainings, texts, runs))
        return {"wrong": 0.1 * (len(drawn) == 3), "one": 1.0} if runs == 20 else {"wrong": 0.07, "one": 0.0}

    monkeypatch.setattr(simulation, "try_population", count)
    rows = simulate_subject("used", NORMAL, SMALL)
    assert drawn[-1] == (*drawn[2][:2], 40)
    assert [row["wrong_anew"] for row in rows if row["wrong_anew"] == row["wrong_anew"]] == [0.07]
    assert (rows[2]["wrong"], rows[2]["wrong_anew"], rows[2]["one"]) == (0.1, 0.07, 1.0)


def test_every_question_is_tried_with_every_zone():
    assert {subject.question for subject in SUBJECTS.values()} | {"transferable"} == {*QUESTIONS}
    for subject in SUBJECTS.values():
        first = [[0.99] * len(subject.effects)] if subject.question == "signed" else []
        assert {*place(subject.question, [subject.effects, *first])} == {0, 1, 2}


def test_a_fault_is_one_line_and_the_page_is_written_as_a_whole(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "write_page", lambda found, sizes: f"{len(found)} rows, {sizes.runs} runs\n")
    monkeypatch.setattr(command, "simulate", lambda subjects, sizes, cores: [*subjects] * cores)
    assert command.main(["--cores", "2"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text() == f"{2 * len(SUBJECTS)} rows, {Sizes().runs} runs\n"
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md" / "below")
    assert command.main([]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_the_page_has_every_question_and_hardly_a_wrong_verdict():
    text = (ROOT / "docs" / "calibration.md").read_text()
    rows = re.findall(
        r"^\| ([a-z%, 0-9]+) \| (\.?\d+) \|(?: \.?\d* \|){3} (\.?\d+) \| [^|]+ x [^|]+ \|", text, re.MULTILINE
    )
    assert [row[0] for row in rows] == [*SUBJECTS]
    for name, normal, groups in rows:
        assert name in page.SEARCHED or max(float(normal), float(groups)) <= 0.05, name
