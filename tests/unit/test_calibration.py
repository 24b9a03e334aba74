"""The calibration of the summary's words: a small one, its parts against the audits, and its page."""

import math
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable
from in_process import run_stage
from planned import ROOT

from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import TEXTS, TRAININGS, lacking
from attention_audit.artefacts.parquet import read_frame
from attention_audit.audits.contributions import contributions
from attention_audit.audits.flipping_sets import flipping_sets
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.audits.stability import between_seeds
from attention_audit.calibration.pools import (
    RANKED,
    Scores,
    erased,
    permuted_tvd,
    stable_pool,
    top_lead,
    trainings_of,
)
from attention_audit.calibration.readouts import World
from attention_audit.calibration.settings import SETTINGS
from attention_audit.columns.calibration import CALIBRATION, FAILING, OPERATING
from attention_audit.errors import AuditError
from attention_audit.figures.calibration import calibration
from attention_audit.jobs.calibration import CalibrationJob, OperatingJob, Sizes
from attention_audit.plan.calibration import read_calibration
from attention_audit.tables.calibration import crossing, operating
from makers import calibration as calibration_page

SETTINGS_FILE = ROOT / "workflow" / "calibration.yaml"
QUESTIONS = ("located", "unique")
"""Questions of the small calibration."""
SMALL = Sizes(draws=40, pool_trainings=12, pool_texts=150, pool_pairs=8, shuffles=3)
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
    pool = stable_pool(WORLD, SMALL.model_copy(update={"pool_pairs": 3, "pool_texts": 40}), seed=1)
    for one, other in combinations(range(3), 2):
        found = between_seeds(readouts[one], readouts[other], SMALL.shuffles, 0)
        assert pool.jsd[one, other] == pytest.approx(found["jsd"], abs=1e-5)
        assert pool.chance[one, other] == pytest.approx(found["chance_jsd"], abs=1e-5)
    assert pool.truth() == pytest.approx(pool._asked(np.arange(3), np.arange(40)).value)


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
    regimes = {setting.regime for setting in SETTINGS[question]}
    for regime in regimes:
        truths = [one.make(SMALL, 5).truth() for one in SETTINGS[question] if one.regime == regime]
        assert min(truths) < margin < max(truths)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The stages of a small calibration: the folder with their files."""
    folder = tmp_path_factory.mktemp("calibration")
    paths = []
    for question in QUESTIONS:
        job = CalibrationJob(question=question, trainings=[3], texts=[100, 350], sizes=SMALL, seed=13)
        paths.append(str(folder / f"{question}.parquet"))
        run_stage("calibrate", job, {}, {"found": [paths[-1]]})
    outputs = {"table": "parquet", "pdf": "pdf", "png": "png"}
    run_stage(
        "operating",
        OperatingJob(margins={name: getattr(Margins(), name) for name in QUESTIONS}),
        {"found": paths},
        {name: [str(folder / f"operating.{ending}")] for name, ending in outputs.items()},
    )
    return folder


def test_a_small_calibration_covers(small):
    table = read_frame(small / "operating.parquet", OPERATING)
    assert list(table.groupby("question").size()) == [2, 2]
    assert set(table.loc[table["question"] == "unique", "trainings"]) == {1}
    # 40 runs of several populations each
    assert table["coverage"].min() > 0.88
    found = read_frame(small / "located.parquet", CALIBRATION)
    assert (found["coverage"] + found["above"] + found["below"]).to_numpy() == pytest.approx(1)


def test_the_page_and_its_figure_are_made_of_the_results(small, monkeypatch, tmp_path):
    for name, value in (("RESULTS", small), ("PAGE", tmp_path / "page.md"), ("FIGURE", tmp_path / "figure.png")):
        monkeypatch.setattr(calibration_page, name, value)
    calibration_page.main()
    page = (tmp_path / "page.md").read_text()
    assert "There are 40 runs" in page
    assert len(re.findall(r"^\| (?:located|unique) \|", page, re.MULTILINE)) == 4
    assert (tmp_path / "figure.png").stat().st_size < (small / "operating.png").stat().st_size
    monkeypatch.setattr(calibration_page, "LARGEST", 10)
    with pytest.raises(AuditError, match=r"operating\.png: .* bytes, at most 10; draw less in it"):
        calibration_page.main()


def test_the_bound_that_reaches_the_margin_by_hand():
    truth = np.array([0.0, 0.2, 0.4, 0.6])
    assert crossing(truth, np.array([-0.1, 0.1, 0.3, 0.5]), 0.2) == pytest.approx(0.3)
    assert crossing(truth, np.array([0.3, 0.3, 0.3, 0.5]), 0.2) == 0
    assert crossing(truth, np.array([-math.inf, -math.inf, 0.3, 0.5]), 0.2) == 0.4
    assert math.isnan(crossing(truth, np.zeros(4), 0.2))


def found_of(regime, truth, above, below, coverage=0.95):
    bounds = {"low": np.array(truth) - 0.1, "high": np.array(truth) + 0.1}
    about = {"question": "used", "regime": regime, "strength": 0.0, "trainings": 3, "texts": 100}
    return pd.DataFrame({"truth": truth, "above": above, "below": below, "coverage": coverage} | bounds).assign(**about)


def test_the_worst_regime_counts():
    frames = [
        found_of("one", [0.0, 0.4, 0.8], [0.01, 0.02, 0.03], [0.01] * 3),
        found_of("two", [0.0, 0.6, 0.8], [0.0, 0.03, 0.03], [0.04] * 3, 0.935),
        found_of(FAILING, [0.5], [0.9], [0.1], 0.0),
    ]
    [row] = operating([pd.concat(frames)], {"used": 0.5}).to_dict("records")
    assert row["coverage"] == pytest.approx(0.935)
    assert row["wrong_yes"] == pytest.approx(0.02)
    assert row["wrong_no"] == pytest.approx(0.04)
    assert (row["yes_from"], row["no_from"]) == (pytest.approx(0.6), pytest.approx(0.4))
    assert row["holds"]
    [row] = operating([frames[0], frames[1].assign(question="used")][1:], {"used": 0.9}).to_dict("records")
    assert math.isnan(row["yes_from"])


def test_the_figure_is_readable():
    frames = [found_of("one", [0.0, 0.9], [0.02] * 2, [0.03] * 2)]
    rows = operating(frames, {"used": 0.5})
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
    lines = re.findall(r"^\| (\w+) \| [\d.]+ \| (\d+) \| ([\d,]+) \|.*\| (said|withheld) \|$", text, re.MULTILINE)
    assert {line[0] for line in lines} == set(read_calibration(SETTINGS_FILE).questions)
    for question, trainings, texts, word in lines:
        size = int(trainings), int(texts.replace(",", ""))
        for asked in {question, "transferable" if question == "needed" else question}:
            assert bool(lacking(asked, *size)) == (word == "withheld"), (asked, *size)


def test_settings_try_the_sizes_that_words_rest_on(tmp_path):
    settings = read_calibration(SETTINGS_FILE)
    assert tuple(settings.trainings) == TRAININGS
    assert tuple(settings.texts) == TEXTS
    assert list(SETTINGS) == settings.questions
    assert settings.operating().margins["signed"] == Margins().signed
    path = tmp_path / "calibration.yaml"
    path.write_text(SETTINGS_FILE.read_text().replace("seed: 13", "seed: x"))
    with pytest.raises(AuditError, match=r"calibration\.yaml: seed: .*; mend this key$"):
        read_calibration(path)


def test_the_figure_of_the_page_is_small():
    assert (ROOT / "docs" / "images" / "calibration.png").stat().st_size <= calibration_page.LARGEST
