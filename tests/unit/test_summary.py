"""The five questions, with values worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labels import LABELS

from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.columns.comparison import COMPARISON
from attention_audit.columns.performance import PERFORMANCE
from attention_audit.columns.permutation import PERMUTATION
from attention_audit.columns.single_weight import SINGLE_WEIGHT
from attention_audit.columns.stability import STABILITY
from attention_audit.columns.summary import QUESTIONS, SUMMARY
from attention_audit.contrasts import Contrasts
from attention_audit.tables.render import render
from attention_audit.tables.shown import answers as shown
from attention_audit.tables.summary import (
    Audits,
    erased,
    gain,
    needed,
    permuted,
    reach,
    stable,
    summary,
    transferable,
    unique,
)
from attention_audit.tables.verdict import FLAT, NO, NOT_ASKED, UNDECIDED, YES

RESAMPLES = 200
OWN = (("wp", "WP2019"), ("own", "mine"))
CONTRASTS = Contrasts(
    uniform="uniform",
    adversary="adversary",
    guided="guide_base_lstm",
    guided_uniform="guide_uniform",
    guided_own="guide_trained_mlp",
)
NOTHING = Audits(
    *(
        artefact.schema.empty_table().to_pandas().assign(suite="")
        for artefact in (
            PERFORMANCE, COMPARISON, STABILITY, PERMUTATION, SINGLE_WEIGHT,
        )
    )
)  # fmt: skip


def performance(**scores):
    """F1 over seeds 1, 2, ... by model, as columns.PERFORMANCE rows."""
    rows = [
        ("needle", model, math.nan, seed, "dev", 2, "f1", value)
        for model, values in scores.items()
        for seed, value in enumerate(values, 1)
    ]
    return pd.DataFrame(rows, columns=PERFORMANCE.schema.names)


def by_text(model="base", **columns):
    """Columns (seeds, texts) as rows with dataset, model, seed (from 1) and id."""
    seeds, texts = np.shape(next(iter(columns.values())))
    seed, text = np.indices((seeds, texts)).reshape(2, -1)
    frame = pd.DataFrame({"dataset": "needle", "model": model, "seed": seed + 1, "id": [f"t{x}" for x in text]})
    return frame.assign(**{name: np.ravel(values) for name, values in columns.items()})


def compared(seeds, adversaries):
    """TVD and JSD of every text of the further seeds, and of the adversaries by lambda, (TVD, JSD) each."""
    base = by_text(tvd=[[x[0]] * 4 for x in seeds], jsd=[[x[1]] * 4 for x in seeds]).assign(**{"lambda": math.nan})
    others = [
        by_text("adversary", tvd=[[tvd] * 4], jsd=[[jsd] * 4]).assign(**{"lambda": lambda_})
        for lambda_, (tvd, jsd) in adversaries.items()
    ]
    return pd.concat([base, *others], ignore_index=True)


def test_the_interval_of_a_gain_is_welchs_and_its_floor_is_of_the_yardstick():
    # sd 0.1 and 0, so the degrees of freedom are those of the first: t with 2 is 4.302653
    value, low, high, floor = gain(performance(base=[0.7, 0.8, 0.9], uniform=[0.6] * 3), "base", "uniform", "base")
    assert value == pytest.approx(0.2)
    assert (low, high) == pytest.approx((0.2 - 4.302653 * 0.1 / 3**0.5, 0.2 + 4.302653 * 0.1 / 3**0.5))
    assert floor == pytest.approx(1.96 * 0.1 * 2**0.5)
    low, high = gain(performance(base=[0.7, 0.8, 0.9], uniform=[0.5, 0.6, 0.7]), "base", "uniform", "base")[1:3]
    # equal spreads: 4 degrees of freedom, t is 2.776445
    assert high - low == pytest.approx(2 * 2.776445 * 0.1 * (2 / 3) ** 0.5)


@pytest.mark.parametrize(
    ("base", "uniform", "word"),
    [
        ([0.9, 0.9, 0.9], [0.5, 0.6, 0.5], YES),
        ([0.9, 0.91, 0.9], [0.9, 0.9, 0.91], NO),
        ([0.9, 0.93, 0.96], [0.84, 0.85, 0.83], UNDECIDED),
        ([0.9], [0.1], UNDECIDED),
        ([0.9, 0.9], [], NOT_ASKED),
    ],
)
def test_needed(base, uniform, word):
    assert needed(performance(base=base, uniform=uniform), "base", CONTRASTS).word == word


def test_transferable_is_held_against_the_uniform_guide():
    answer = transferable(
        performance(guide_base_lstm=[0.8, 0.8, 0.8], guide_uniform=[0.3, 0.31, 0.32]), "base", CONTRASTS
    )
    assert answer.word == YES
    assert answer.value == pytest.approx(0.49)
    assert answer.floor == pytest.approx(1.96 * 0.01 * 2**0.5)


def test_stable_is_nearer_than_half_way_to_a_shuffled_map():
    near, far = (
        by_text(jsd=np.full((2, 5), jsd), tvd=np.zeros((2, 5)), chance_jsd=np.full((2, 5), 0.4)) for jsd in (0.1, 0.3)
    )
    assert stable(near, RESAMPLES)[:5] == (YES, "JSD between seeds (nats)", *[pytest.approx(0.1)] * 3)
    assert stable(near, RESAMPLES).floor == pytest.approx(0.2)
    assert stable(far, RESAMPLES).word == NO
    assert stable(NOTHING.stability, RESAMPLES).word == NOT_ASKED


def test_flat_maps_are_never_stable():
    flat = by_text(jsd=np.full((2, 5), 1e-4), tvd=np.zeros((2, 5)), chance_jsd=np.full((2, 5), 0.006))
    assert stable(flat, RESAMPLES).word == FLAT


def test_the_interval_knows_what_value_and_floor_share():
    # texts differ widely, but every one moves as far again as half its chance
    chance = np.linspace(0.1, 0.6, 20)[None]
    answer = stable(by_text(jsd=0.4 * chance, tvd=0 * chance, chance_jsd=chance), 2000)
    assert answer.word == YES
    assert answer.floor == pytest.approx(0.175)
    own_spread = (0.4 * chance).std() / 20**0.5
    assert answer.high - answer.low < own_spread


def test_consequential_against_the_seeds_and_with_one_seed_against_epsilon():
    moved = by_text(median_tvd=np.full((2, 4), 0.3))
    seeds = by_text(jsd=np.zeros((1, 4)), tvd=np.full((1, 4), 0.1), chance_jsd=np.zeros((1, 4))).assign(seed=2)
    answer = permuted(moved, seeds, 0.05, RESAMPLES)
    assert (answer.word, answer.value, answer.floor) == (YES, pytest.approx(0.3), pytest.approx(0.1))
    alone = permuted(moved[moved["seed"] == 1], NOTHING.stability, 0.05, RESAMPLES)
    assert (alone.word, alone.floor) == (YES, pytest.approx(0.05))
    assert "one seed" in alone.floor_statistic
    assert permuted(moved, seeds.assign(tvd=0.4), 0.05, RESAMPLES).word == NO


def test_consequential_by_erasure_counts_attention_and_the_corrected_draw_only():
    flips = np.array([[True] * 9 + [False]])
    rows = by_text("han_none", top_flips=flips, other_flips=flips[:, ::-1] & False)
    kept = rows.assign(ranking="attention", draw="corrected")
    others = [kept.assign(ranking="product", top_flips=False), kept.assign(draw="as_published", other_flips=True)]
    answer = erased(pd.concat([kept, *others], ignore_index=True), RESAMPLES)
    assert (answer.word, answer.value, answer.floor) == (YES, pytest.approx(0.9), 0)
    # the random item flips as often
    assert erased(kept.assign(other_flips=kept["top_flips"]), RESAMPLES).word == NO


def test_reach_is_linear_between_neighbours_on_the_frontier():
    # the second of these has less JSD at more TVD: the frontier is flat there
    tvd, jsd = np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.2, 0.5])
    at = np.array([0.05, 0.1, 0.15, 0.3, 0.4, 0.9])
    found = reach(at, np.tile(tvd, (6, 1)), np.tile(jsd, (6, 1)))
    assert found == pytest.approx([math.nan, 0.3, 0.3, 0.4, 0.5, 0.5], nan_ok=True)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.69)), min_size=1, max_size=6),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_reach_only_grows_with_the_cost_and_stays_within_what_was_found(points, at, more):
    tvd, jsd = np.array(points).T
    low, high = reach(np.array([min(at, more), max(at, more)]), np.tile(tvd, (2, 1)), np.tile(jsd, (2, 1)))
    assert math.isnan(low) == (tvd.min() > min(at, more))
    if not math.isnan(low):
        assert jsd[tvd <= min(at, more)].max() - 1e-12 <= low <= high + 1e-12 <= jsd.max() + 2e-12


@pytest.mark.parametrize(
    ("adversaries", "word", "value"),
    [
        ({0.1: (0.0, 0.2), 0.2: (0.2, 0.6)}, NO, 0.4),
        ({0.1: (0.0, 0.0), 0.2: (0.2, 0.1)}, YES, 0.05),
        ({0.1: (0.3, 0.5), 0.2: (0.2, 0.6)}, UNDECIDED, 0.6),
    ],
)
def test_unique_at_the_seeds_own_tvd(adversaries, word, value):
    answer = unique(compared([(0.1, 0.25), (0.1, 0.25)], adversaries), "base", CONTRASTS, RESAMPLES)
    assert (answer.word, answer.value, answer.floor) == (word, pytest.approx(value), pytest.approx(0.25))


def test_unique_is_not_asked_without_seeds_or_adversaries():
    both = compared([(0.1, 0.25)], {0.1: (0.0, 0.2)})
    for model in ("base", "adversary"):
        assert unique(both[both["model"] == model], "base", CONTRASTS, RESAMPLES).word == NOT_ASKED


@pytest.fixture
def audits():
    audits = NOTHING._replace(
        performance=performance(
            base=[0.9, 0.9], uniform=[0.5, 0.5], guide_base_lstm=[0.8, 0.8], guide_uniform=[0.3, 0.3],
            guide_trained_mlp=[0.7, 0.7],
        ),
        comparison=compared([(0.1, 0.25)], {0.1: (0.0, 0.0), 0.2: (0.2, 0.1)}),
        stability=by_text(jsd=[[0.1] * 4], tvd=[[0.1] * 4], chance_jsd=[[0.6] * 4]).assign(seed=2),
        permutation=pd.concat(
            [
                by_text(median_tvd=[[0.3] * 4] * 2).assign(suite="wp"),
                by_text("lstm_tanh", median_tvd=[[0.01] * 4]).assign(suite="jw"),
                # of the same name in another suite: none of the base's
                by_text(median_tvd=[[0.0] * 4]).assign(suite="own"),
            ],
            ignore_index=True,
        ),
    )  # fmt: skip
    return Audits(*(frame if "suite" in frame else frame.assign(suite="wp") for frame in audits))


def judged(model, suite, paper, seeds, contrasts=None):
    """A subject as a job's settings have it."""
    return {
        "dataset": "needle", "suite": suite, "paper": paper, "model": model, "seeds": seeds, "contrasts": contrasts
    }  # fmt: skip


def summarised(audits, subjects, reasons=()):
    return summary(subjects, **audits._asdict(), reasons=dict(reasons), epsilon=0.05, resamples=RESAMPLES)


@pytest.fixture
def table(audits):
    subjects = [
        judged("base", "wp", "WP2019", 2, CONTRASTS.model_dump()),
        judged("lstm_tanh", "jw", "JW2019", 1),
        judged("han_none", "ss", "SS2019", 1),
    ]
    return summarised(audits, subjects, {"diabetes": "no file"})


def test_a_model_is_judged_by_the_rows_of_its_own_suite(audits):
    base, other = (summarised(audits, [judged("base", suite, paper, 2)]).iloc[0] for suite, paper in OWN)
    assert (base["consequential"], other["consequential"]) == (YES, NO)
    assert (base["needed"], base["unique"], base["transferable"]) == (NOT_ASKED,) * 3
    assert (base["stable"], other["stable"]) == (YES, NOT_ASKED)


def test_erasure_decides_where_the_suite_was_not_asked_for_permutation(audits):
    flips = np.array([[True] * 9 + [False]])
    erasures = by_text("base", top_flips=flips, other_flips=flips & False).assign(ranking="attention", draw="corrected")
    audits = audits._replace(single_weight=pd.concat([erasures.assign(suite=suite) for suite in ("wp", "mine")]))
    by_permutation, by_erasure = (
        summarised(audits, [judged("base", suite, "WP2019", 2)]).iloc[0] for suite in ("wp", "mine")
    )
    assert by_permutation["consequential_statistic"] == "median TVD under permuted weights"
    assert by_erasure["consequential_statistic"] == "share of decisions that flip without the top item"
    assert by_erasure["consequential_value"] == pytest.approx(0.9)


def test_one_row_a_data_set_and_model(table, tmp_path, provenance):
    path = tmp_path / "summary.parquet"
    write_table(path, SUMMARY, table, provenance)
    rows = read_frame(path, SUMMARY).set_index("model")
    assert rows.loc["base", list(QUESTIONS)].tolist() == [YES] * 5
    assert rows["verdict"].to_dict() == {
        "base": "may be read as an explanation as far as these tests go",
        "lstm_tanh": "no: other weights predict alike",
        "han_none": "not asked",
        "": "not run: no file",
    }
    assert rows["gate"].to_dict() == {"base": "", "lstm_tanh": "consequential", "han_none": "", "": ""}
    assert rows.loc["base", "transferable_own_value"] == pytest.approx(0.1)
    assert rows.loc["lstm_tanh", ["needed_value", "transferable_own_value"]].isna().all()


def test_it_is_shown_with_what_was_measured(table, tmp_path):
    render(table, tmp_path / "summary", "{}", shown, LABELS)
    text = (tmp_path / "summary.md").read_text()
    assert "yes: 0.100 [0.100, 0.100]; floor 0.300" in text
    assert "## What was measured" in text
    assert text.count("| TVD between seeds") == 1
    assert "not run: no file" in text
    assert (tmp_path / "summary.tex").read_text().count(r"\begin{tabular}") == 2
