"""The calibration of the summary's words: a small one, its parts against the audits, and its page."""

import math
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable
from planned import ROOT

from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import TEXTS, TRAININGS, lacking
from attention_audit.audits.comparison import between_seeds
from attention_audit.audits.contributions import contributions
from attention_audit.audits.flipping_sets import flipping_sets
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.errors import AuditError
from makers.calibration import __main__ as command
from makers.calibration import page
from makers.calibration.figure import calibration
from makers.calibration.laws import LOWER, RARE, SKEW, TWO, deviations, failing, in_fours
from makers.calibration.operating import MARGINS, WRONG, crossing, hard, operating
from makers.calibration.pools import (
    RANKED,
    Scores,
    Sizes,
    drawn,
    erased,
    permuted_tvd,
    stable_pool,
    top_lead,
    trainings_of,
)
from makers.calibration.populations import FOURS, HARD, SETTINGS
from makers.calibration.readouts import Texts, World
from makers.calibration.simulation import of_population, simulated

QUESTIONS = ("located", "unique")
"""Questions of the small calibration."""
SMALL = Sizes(40, trainings=[3], texts=[100, 350], pool_trainings=40, pool_texts=152, pool_pairs=8, shuffles=3)
WORLD = World()


@pytest.fixture(scope="module")
def readouts():
    return list(trainings_of(WORLD, 3, 40, seed=1))


def test_pools_hold_what_the_audits_measure(readouts):
    for readout in readouts:
        by_audit = permutation(readout, Permutation(permutations=3), seed=0)["mean_tvd"]
        assert permuted_tvd(readout, 3) == pytest.approx(by_audit)
        assert top_lead(readout) == pytest.approx(contributions(readout)["top_lead"])
        sets = pd.DataFrame({name: flipping_sets(readout, 0)[name] for name in ("ranking", "fraction_removed")})
        for name in RANKED:
            expected = sets.loc[sets["ranking"] == name, "fraction_removed"]
            assert erased(readout)[name] == pytest.approx(expected, nan_ok=True)


def test_pairs_hold_what_the_audit_measures(readouts):
    pool = stable_pool(WORLD, replace(SMALL, pool_pairs=3, pool_texts=40), seed=1)
    for one, other in combinations(range(3), 2):
        found = between_seeds(readouts[one], readouts[other], SMALL.shuffles, 0)
        assert pool.jsd[one, other] == pytest.approx(found["jsd"], abs=1e-5)
        assert pool.chance[one, other] == pytest.approx(found["chance_jsd"], abs=1e-5)
    # a training that is drawn twice is two of its kind, and no pair with itself
    twin = between_seeds(readouts[1], Texts(WORLD, 40, 1).training(1, twin=True), SMALL.shuffles, 0)
    assert pool.jsd[1, 1] == pytest.approx(twin["jsd"], abs=1e-5)
    assert pool.truth() == pytest.approx(1 - pool.jsd.mean() / pool.chance.mean(), abs=1e-5)


def test_readouts_are_sound(readouts):
    for readout in readouts:
        assert [weights.sum() for weights in readout.attention] == pytest.approx([1] * 40, abs=1e-5)
        assert readout.predict(readout.attention) == pytest.approx(readout.probabilities, abs=1e-5)
    assert all(np.array_equal(readout.labels, readouts[0].labels) for readout in readouts)


def test_a_gap_in_ability_is_one_in_f1():
    none, large = (Scores(8, 1.0).pool(gap, SMALL, seed=3).truth() for gap in (0.0, 0.5))
    assert abs(none) < 0.03
    assert large > 0.1


@pytest.mark.parametrize("question", ["located", "unique"])
def test_populations_lie_on_both_sides_of_the_margin(question):
    margin = getattr(Margins(), question)
    regimes = {setting.regime for setting in SETTINGS[question]} - {*HARD}
    for regime in regimes:
        truths = [one.make(SMALL, 5).truth() for one in SETTINGS[question] if one.regime == regime]
        assert min(truths) < margin < max(truths)


@pytest.fixture(scope="module")
def small():
    """What a small calibration finds, in two processes."""
    return simulated(QUESTIONS, SMALL, 2)


def test_a_small_calibration_covers(small):
    table = operating(small)
    assert list(table.groupby("question").size()) == [2, 2]
    assert set(table.loc[table["question"] == "unique", "trainings"]) == {1}
    # 40 runs of each population, of which the worst counts
    assert table["coverage"].min() > 0.8
    assert (small["coverage"] + small["wrong"]).max() <= 1


def test_the_numbers_depend_on_no_process_and_the_progress_is_told(small, capfd):
    again = simulated(["unique"], SMALL, 1)
    pd.testing.assert_frame_equal(again, small[small["question"] == "unique"].reset_index(drop=True))
    assert again.to_dict("records")[:2] == of_population("unique", 0, SMALL)
    said = capfd.readouterr().err.splitlines()
    assert len(said) == len(SETTINGS["unique"])
    assert re.fullmatch(r"1 of 17: unique, graded 0: coverage [01]\.\d{3}", said[0])


@pytest.mark.whole
def test_the_page_and_its_figure_are_made_of_what_is_found(small, monkeypatch, tmp_path, capsys):
    for name, value in (("PAGE", tmp_path / "page.md"), ("FIGURE", tmp_path / "figure.png")):
        monkeypatch.setattr(page, name, value)
    monkeypatch.setattr(command, "Sizes", lambda: SMALL)
    monkeypatch.setattr(command, "simulated", lambda questions, sizes, cores: small)
    assert command.main(["--cores", "2"]) == 0
    text = (tmp_path / "page.md").read_text()
    assert "There are 40 runs" in text
    assert len(re.findall(r"^\| (?:located|unique) \| 0.5 \|", text, re.MULTILINE)) == 4
    assert len(re.findall(r"^\| (?:located|unique) \| (?:skew|two|rare|dup) \|", text, re.MULTILINE)) == 5
    assert capsys.readouterr().out.split() == [str(tmp_path / "page.md"), str(tmp_path / "figure.png")]
    (tmp_path / "page.md").unlink()
    monkeypatch.setattr(page, "LARGEST", 10)
    with pytest.raises(AuditError, match=r"figure\.png: .* bytes, at most 10; draw less in it"):
        page.drawn(operating(small))
    assert command.main([]) == 1
    assert capsys.readouterr().err.startswith("error: ")
    assert not (tmp_path / "page.md").exists()


def test_the_bound_that_reaches_the_margin_by_hand():
    truth = np.array([0.0, 0.2, 0.4, 0.6])
    assert crossing(truth, np.array([-0.1, 0.1, 0.3, 0.5]), 0.2) == pytest.approx(0.3)
    assert crossing(truth, np.array([0.3, 0.3, 0.3, 0.5]), 0.2) == 0
    assert crossing(truth, np.array([-math.inf, -math.inf, 0.3, 0.5]), 0.2) == 0.4
    assert math.isnan(crossing(truth, np.zeros(4), 0.2))


def found_of(regime, truth, wrong, own_wrong, coverage=0.95):
    bounds = {"low": np.array(truth) - 0.1, "high": np.array(truth) + 0.1}
    own = {f"own_{name}": values / 2 + np.array(truth) / 2 for name, values in bounds.items()}
    about = {"question": "ranks", "regime": regime, "strength": 0.0, "trainings": 9, "texts": 100}
    shares = {"truth": truth, "wrong": wrong, "own_wrong": own_wrong, "coverage": coverage}
    return pd.DataFrame(shares | bounds | own).assign(**about)


def test_the_worst_population_counts():
    frames = [
        found_of("one", [0.0, 0.4, 0.8], [0.01, 0.02, 0.03], [0.01] * 3),
        found_of("two classes", [0.0, 0.6, 0.8, 1.9], [0.0, 0.03, 0.035, 0.2], [0.04] * 4, [0.95, 0.935, 0.95, 0.94]),
        found_of(TWO, [0.5], [0.9], [0.1], 0.0),
    ]
    [row] = operating(pd.concat(frames)).to_dict("records")
    assert row["coverage"] == pytest.approx(0.935)
    assert row["wrong"] == pytest.approx(0.035)
    assert row["own_wrong"] == pytest.approx(0.04)
    # the bounds of these trainings lie .05 from the truth, and the margin is .5
    assert (row["own_yes_from"], row["own_no_from"]) == (pytest.approx(0.55), pytest.approx(0.45))
    # a word of the next of nine trainings needs a bound that lies .5 / 3 further
    assert row["yes_from"] == pytest.approx(0.5 + 0.5 / 3 + 0.1)
    assert row["no_from"] == pytest.approx(0.5 - 0.5 / 3 - 0.1)
    [row] = operating(found_of("one", [0.0, 0.7], [0.0] * 2, [0.0] * 2)).to_dict("records")
    assert math.isnan(row["yes_from"])
    [row] = hard(pd.concat([*frames, found_of(TWO, [0.4], [0.1], [0.95], 0.4)])).to_dict("records")
    assert (row["regime"], row["coverage"], row["wrong"], row["own_wrong"]) == (TWO, 0.0, 0.9, 0.95)


def test_laws_of_trainings_have_the_shares_that_they_name():
    for law in (SKEW, TWO, "normal"):
        values = deviations(law, 2000)
        assert values.shape == (2000, 1)
        assert values.mean() == pytest.approx(0, abs=0.01)
        assert values.std() == pytest.approx(1, abs=0.02)
    assert deviations(SKEW, 2000).min() > -1
    low, high = np.unique(deviations(TWO, 2000).round(9))
    assert high - low == pytest.approx(2.5)
    assert (deviations(TWO, 2000) < 0).mean() == pytest.approx(LOWER, abs=0.002)
    assert failing(RARE, 2000).mean() == pytest.approx(0.05, abs=0.002)
    assert not failing(TWO, 2000).any()


def test_texts_come_in_fours():
    assert in_fours(9).tolist() == [0, 0, 0, 0, 4, 4, 4, 4, 8]
    columns, clusters = drawn(np.random.default_rng(0), 40, 2, True)
    assert columns.reshape(2, 4).tolist() == [[first + place for place in range(4)] for first in columns[[0, 4]]]
    assert clusters is not None
    assert clusters.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert (columns[[0, 4]] % 4 == 0).all()
    texts = Texts(replace(WORLD, fours=True), 8, 1)
    assert texts.lengths.tolist() == [texts.lengths[0]] * 4 + [texts.lengths[4]] * 4
    items = int(texts.lengths[0])
    assert texts.relevance[:items] == pytest.approx(texts.relevance[items : 2 * items])
    last = texts.relevance[-int(texts.lengths[4]) :]
    assert last == pytest.approx(texts.relevance[4 * items : 4 * items + len(last)])
    # alike in what they are, and not in what a training does with them
    weights = texts.training(0).attention
    assert weights[0] != pytest.approx(weights[1])
    assert Texts(WORLD, 8, 1).lengths.tolist() != texts.lengths.tolist()


def test_a_training_that_fails_looks_at_words_for_no_reason():
    world = World(peaked=3, aligned=0.9, own=1.0, law=RARE)
    synthetic = Texts(world, 200, 1)
    number = int(np.flatnonzero(failing(RARE, 60))[0])

    def correlation(one):
        return np.corrcoef(np.concatenate(synthetic.training(one).attention), synthetic.relevance)[0, 1]

    assert failing(RARE, 60)[0] == 0
    assert correlation(0) > 0.4
    assert abs(correlation(number)) < 0.1


def test_every_question_is_tried_where_trainings_lie_apart():
    for question, settings in SETTINGS.items():
        regimes = {setting.regime for setting in settings}
        assert regimes & {*HARD} == ({FOURS} if question == "unique" else {*HARD})


def test_the_figure_is_readable():
    rows = operating(found_of("one", [0.0, 0.9], [0.02] * 2, [0.03] * 2))
    grid = pd.concat(
        [
            rows.assign(question=question, trainings=trainings, texts=texts)
            for question in SETTINGS
            for trainings in TRAININGS
            for texts in TEXTS
        ]
    )
    assert_readable(calibration(grid))


def test_the_page_says_which_words_are_withheld():
    text = (ROOT / "docs" / "calibration.md").read_text()
    lines = re.findall(r"^\| (\w+) \| [\d.]+ \| (\d+) \| ([\d,]+) \|(.*)\|$", text, re.MULTILINE)
    assert {line[0] for line in lines} == set(SETTINGS)
    for question, trainings, texts, words in lines:
        size = int(trainings), int(texts.replace(",", ""))
        for asked in {question, "transferable" if question == "needed" else question}:
            assert bool(lacking(asked, *size)) == ("withheld" in words), (asked, *size)


def test_no_cell_of_the_page_has_too_many_wrong_words():
    text = (ROOT / "docs" / "calibration.md").read_text()
    cells = re.findall(r"\d\.\d\d / (\d\.\d\d) / (\d\.\d\d)", text)
    assert len(cells) == 6 * len(HARD) * 9
    # in print, only what is too much is bold
    assert "| **" not in text
    assert max(float(share) for cell in cells for share in cell) <= WRONG


def test_the_page_is_about_the_sizes_that_words_rest_on():
    sizes = Sizes()
    assert (sizes.trainings, sizes.texts) == (TRAININGS, TEXTS)
    assert MARGINS["signed"] == Margins().signed


def test_the_figure_of_the_page_is_small():
    assert (ROOT / "docs" / "images" / "calibration.png").stat().st_size <= page.LARGEST
