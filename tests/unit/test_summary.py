"""The eight questions asked of rows of audits, with values worked by hand."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from audited import (
    CONTRASTS,
    NOTHING,
    TEXTS,
    adversaries,
    by_text,
    constant,
    fallen,
    predicted,
    shuffled,
    subject,
)
from tabled import assert_fits

from attention_audit.answer.lines import describe_marks, write_lines
from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.verdicts import BY_CLASS, NONE
from attention_audit.columns.tables import SUMMARY
from attention_audit.questions import QUESTIONS
from attention_audit.tables.model_answers import (
    ASK_FUNCTIONS,
    BY_ERASURE,
    FLAT,
    ON_TEST,
    SHARED_ENCODER,
    MeasuredModel,
    ask_question,
    find_leads,
)
from attention_audit.tables.summary import judge_ability, summary
from attention_audit.tables.tidy import list_values, make_pair_grids, number_groups


def ask(question, judged=None, groups=None, **audits):
    """Ask a question of base, of which predictions are made up where none are given."""
    audits = NOTHING | {"predictions": predicted("base", [0.9] * 3)} | audits
    measured = MeasuredModel(judged or subject(), audits, Margins(), {0: "neg", 1: "pos"}, groups or {})
    return ask_question(ASK_FUNCTIONS[question], measured)


def pairs(jsd, chance):
    """The three pairs of three seeds, every text alike."""
    rows = [
        by_text(jsd=constant(jsd, 1), chance_jsd=constant(chance, 1), tvd=constant(0.1, 1), same_top=constant(1, 1) > 0)
        .assign(seed=seed, other=other)
        for seed, other in ((2, 1), (3, 1), (3, 2))
    ]  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def permuted(moved):
    """Rows of `permutation`, with the change of each text, or of all."""
    return by_text(mean_tvd=constant(0) + moved, flips=constant(0.25), chance_jsd=constant(0.6))


@pytest.mark.parametrize(
    ("lead", "fall", "exact"),
    [
        # a contribution moves the probability by a quarter of itself at most
        ([0.05, -0.05, 0.03, math.nan], [math.nan] * 4, True),
        ([math.nan] * 4, [0.02, -0.02, 0.005, math.nan], False),
    ],
)
def test_an_item_stands_on_a_side_where_it_may_move_the_probability(lead, fall, exact):
    rows, how = find_leads(pd.DataFrame({"lead": lead, "fall": fall}), 0.01)
    np.testing.assert_array_equal(rows["side"], [1, -1, 0, math.nan])
    assert how == ("" if exact else BY_ERASURE)


def test_a_pair_is_a_row_of_its_own():
    of, (jsd, tvd) = make_pair_grids(
        pairs(0.1, 0.4).assign(jsd=lambda rows: rows["seed"]), ["jsd", "tvd"], ["t001", "none"]
    )
    assert of.tolist() == [[2, 1], [3, 1], [3, 2]]
    assert jsd[:, 0].tolist() == [2, 3, 3]
    assert np.isnan(tvd[:, 1]).all()


@pytest.mark.parametrize(("jsd", "chance", "zones"), [(0.05, 0.4, "3"), (0.2, 0.4, "2"), (0.38, 0.4, "1")])
def test_stable_is_one_minus_the_share_of_a_shuffled_map(jsd, chance, zones):
    cell = ask("stable", stability=pairs(jsd, chance))
    found = cell.part.estimate
    assert (cell.zones, found.value, found.trainings) == (zones, pytest.approx(1 - jsd / chance), 3)
    assert found.each == pytest.approx([1 - jsd / chance] * 3)
    # of eight words, one is the first by chance
    share = f"{1 - jsd / chance:.2f}".removeprefix("0")
    assert cell.clause == f"same top word 100 %, chance 12 %; pairs {share} to {share}"


def test_trainings_are_in_the_order_of_all_questions():
    rows = pairs(0.1, 0.4)
    rows.loc[rows["other"] == 2, "jsd"] = 0.2
    # trainings 3 and 2 share .5, others .75
    cell = ask("stable", predictions=predicted("base", [0.9] * 3)[::-1], stability=rows)
    assert cell.part.estimate.each == pytest.approx([0.625, 0.625, 0.75])


def test_trainings_that_share_a_frozen_encoder_are_said_to():
    cell = ask("stable", subject(frozen=True), stability=pairs(0.1, 0.4))
    assert cell.clause.endswith(SHARED_ENCODER)


def test_what_cannot_be_asked_says_why():
    pair = subject("lstm_dot", None, seeds=1, unasked={"shuffles": "needs x"})
    assert {question: ask(question, pair).reason for question in QUESTIONS} == {
        "located": "no test text has two items or more",
        "ranks": "needs x",
        "signed": "needs x",
        "used": "no test text has two items or more",
        "stable": "there is one training",
        "unique": "this suite trains no adversary of a whole model",
        "needed": "this suite trains no twin with uniform weights",
        "transferable": "this suite guides no simpler model",
    }
    left_out = subject(unasked={"predictions": "p", "stability": "s", "consistency": "c"})
    for question, reason in (("stable", "s"), ("unique", "c"), ("needed", "p"), ("transferable", "p")):
        cell = ask(question, left_out)
        assert (cell.reason, cell.zones) == (reason, NONE)
    for question in ("needed", "transferable"):
        assert ask(question).reason == "what the other model predicts is not among the suite's audits"


@pytest.mark.parametrize(("moved", "zones"), [(0.3, "3"), (0.06, "2"), (0.01, "1")])
def test_used_is_what_shuffled_weights_change(moved, zones):
    cell = ask("used", permutation=permuted(moved))
    assert (cell.zones, cell.part.estimate.value) == (zones, pytest.approx(moved))
    assert cell.clause == "flips 25 % of decisions"


def test_texts_of_one_item_are_left_out_and_counted():
    rows = permuted(np.where(np.arange(TEXTS) < 100, 0.0, 0.3))
    predictions = predicted("base", [0.9] * 3)
    single = predictions.assign(items=np.where(predictions["id"] < "t100", 1, 8))
    cell = ask("used", permutation=rows, predictions=single)
    assert (cell.part.estimate.value, cell.part.estimate.texts, cell.left_out) == (pytest.approx(0.3), 300, 100)
    assert ask("used", permutation=rows).part.estimate.value == pytest.approx(0.225)


def test_predicted_classes_that_lie_apart_are_told_apart():
    predictions = predicted("base", [1, 1, 1])
    moved = np.where(predictions["prediction"] == 1, 0.3, 0.001).reshape(3, -1)
    cell = ask("used", permutation=permuted(moved), predictions=predictions)
    assert (cell.zones, cell.said) == (BY_CLASS, "neg no; pos yes")
    assert [(one.name, one.fewest, zones) for one, zones in cell.classes] == [("neg", 200, "1"), ("pos", 200, "3")]


def test_texts_that_belong_together_count_as_one():
    rows = permuted(np.tile(np.arange(TEXTS) / TEXTS, (3, 1)))
    ids = list_values(rows, "id")
    assert number_groups(ids, {}) is None
    together = {id_: f"film {place // 2}" for place, id_ in enumerate(ids[:-2])}
    numbers = number_groups(ids, together)
    assert list(numbers[:4]) == [0, 0, 1, 1]
    # the last two have no film, and stand for themselves
    assert len(set(numbers)) == TEXTS // 2 + 1
    grouped, single = (ask("used", groups=groups, permutation=rows).part.estimate for groups in (together, {}))
    assert grouped.value == pytest.approx(single.value)
    assert (grouped.texts, grouped.groups, single.groups) == (TEXTS, TEXTS // 2 + 1, TEXTS)
    assert grouped.high - grouped.low > single.high - single.low


def test_ranks_is_what_is_gained_on_shuffled_weights():
    rows = shuffled(random=(0.6, 0.5), by_weight=(0.2, 0.4), smallest=(0.1, 0.1))
    cell = ask("ranks", shuffles=rows)
    # .1 of .5 is left; of shuffled weights .3 of .4
    assert cell.part.estimate.value == pytest.approx(1 - 0.2 / 0.75)
    assert (cell.zones, cell.clause) == ("2", "80 % of the way from random to best; shuffled weights 25 %")
    flat = by_text(chance_jsd=constant(0.001), mean_tvd=constant(0), flips=constant(0))
    assert ask("ranks", shuffles=rows, permutation=flat).reason == FLAT


def test_a_ranking_that_never_flips_the_decision_erases_all_items():
    rows = shuffled(random=(0.6, math.nan), by_weight=(math.nan, math.nan), smallest=(0.1, 0.1))
    # .9 of .5 is left, and of shuffled weights everything
    assert ask("ranks", shuffles=rows).part.estimate.value == pytest.approx(1 - 0.9 / 0.5)


def test_shuffles_that_predict_another_class_are_not_those_of_a_class():
    rows = shuffled(random=(0.6, 0.6), by_weight=(0.2, 0.4), smallest=(0.1, 0.1))
    # the second shuffle always decides for pos, and nothing is left to it
    other = rows["shuffle"] == 2
    rows.loc[other, "by_weight"] = 0.1
    rows.loc[other, "prediction"] = 1
    cell = ask("ranks", shuffles=rows, predictions=predicted("base", [1, 1]))
    assert cell.part.estimate.value == pytest.approx(1 - 0.2 / 0.3)
    assert [one.estimate.value for one, _ in cell.classes] == pytest.approx([1 - 0.2 / 0.6, 1 - 0.2 / 0.2])


def test_signed_is_the_share_that_supports_and_the_exceptions_avoided():
    rows = shuffled(lead=(1.0, 1.0))
    own, chance = (rows["shuffle"] == 0), (rows["shuffle"] > 0)
    # exceptions in 10 of 400 texts, of shuffled weights in 100
    rows.loc[own & (rows["id"] < "t010"), "lead"] = -1.0
    rows.loc[chance & (rows["id"] < "t100"), "lead"] = 0.01
    cell = ask("signed", shuffles=rows)
    assert cell.part.estimate.value == pytest.approx(390 / 400)
    assert cell.part.avoided.value == pytest.approx(0.9)
    assert (cell.zones, cell.part.shuffled, cell.clause) == ("3", pytest.approx(0.75), "")
    # erased, an item that moves the probability by .03 does count
    erased = ask("signed", shuffles=shuffled(fall=(0.03, 0.005)))
    assert erased.part.estimate.value == 1
    assert erased.clause == "by erasure of the item, since contributions are not exact in this model"


def test_located_takes_the_mean_over_the_sizes_and_says_where_another_way_to_take_words_away_says_otherwise():
    rows = fallen(random=0.1, attention=0.45, loo=0.5)
    cell = ask("located", located=rows)
    assert (cell.said, cell.part.estimate.value) == ("yes", pytest.approx(0.875))
    assert cell.clause == "deleting top words lowers the probability by .45; random .10, leave-one-out .50"
    other = fallen(random=0.1, attention=0.12, loo=0.5)
    replaced = pd.concat([other.assign(by="unknown"), rows.assign(by="others")], ignore_index=True)
    assert ask("located", located=rows, replaced=replaced).clause == f"{cell.clause}; unknown words: no"


STEPS = {0.1: (0.01, 0.1), 0.2: (0.04, 0.2), 0.3: (0.08, 0.54), 0.4: (0.2, 0.6)}
"""Adversaries that share .83, .67, .1 and nothing, at these TVDs; another training shares .5 at .1."""


def test_unique_is_of_what_another_training_may_change():
    cell = ask("unique", **adversaries(STEPS))
    assert (cell.zones, cell.part.estimate.value) == ("1", pytest.approx(0.1))
    beside = cell.beside
    assert (beside["unique_model"], beside["unique_lambda"], beside["unique_seed"]) == ("adversary", 0.3, 1)
    assert [beside[f"unique_{name}"] for name in ("tvd_budget", "tvd", "beyond_value", "beyond_tvd")] == pytest.approx(
        [0.1, 0.08, 0.0, 0.2]
    )
    tolerance = [beside[f"unique_tolerance_{name}"] for name in ("tvd_budget", "value", "tvd", "beyond_value")]
    assert tolerance == pytest.approx([0.05, 2 / 3, 0.04, 0.1])
    # between .67 and .1 nothing was tried
    assert beside["unique_tolerance_said"] == "at most in part"
    assert cell.clause == (
        "of one training (seed 1): budget .100, within it similarity .10 at TVD .080, beyond it similarity .00 at TVD "
        ".200; another training: similarity .50 at TVD .100; tolerance .05: at most in part, within it similarity .67 "
        "at TVD .040, beyond it similarity .10 at TVD .080"
    )


def test_an_adversary_must_hold_the_budget_on_dev_and_on_test():
    on_dev = {0.1: 0.01, 0.2: 0.04, 0.3: 0.11, 0.4: 0.2}
    assert ask("unique", **adversaries(STEPS, on_dev)).part.estimate.value == pytest.approx(2 / 3)
    # where no text is set aside, what was chosen on test is said to be
    no_dev = CONTRASTS.model_copy(update={"chosen_on": "test"})
    cell = ask("unique", subject(contrasts=no_dev), **adversaries(STEPS, on_dev))
    assert cell.part.estimate.value == pytest.approx(0.1)
    assert cell.clause.endswith(ON_TEST)


def test_of_one_training_the_tolerance_is_the_budget():
    cell = ask("unique", **adversaries(STEPS) | {"stability": NOTHING["stability"]})
    assert (cell.zones, cell.beside["unique_tvd_budget"]) == ("12", 0.05)
    assert cell.clause == (
        "of one training (seed 1): budget .050, within it similarity .67 at TVD .040, beyond it similarity .10 at TVD "
        ".080"
    )
    assert ask("unique", **adversaries({0.4: (0.2, 0.6)})).zones == "123"


def test_all_predicted_classes_count_alike_in_a_budget():
    found = adversaries({0.1: (0.01, 0.5)})
    # one of fifty texts is predicted as pos, and only these change
    few = np.arange(TEXTS) % 50 == 0
    rare = predicted("base", [1, 1]).assign(label=0, prediction=np.tile(few, 2).astype(int))
    changed = found["comparison"].assign(tvd=np.where(few, 0.5, 0.0))
    cell = ask("unique", **found | {"predictions": rare, "comparison": changed})
    assert "unique_tvd" not in cell.beside
    assert cell.beside["unique_beyond_tvd"] == pytest.approx(0.25)


def test_needed_and_transferable_compare_macro_f1():
    right = {
        "base": [0.95, 0.96, 0.97], "uniform": [0.5, 0.52, 0.54], "guide_trained_mlp": [0.85] * 3,
        "guide_base_lstm": [0.9] * 3, "guide_uniform": [0.6] * 3, "guide_adversary": [0.6, 0.7, 0.8],
    }  # fmt: skip
    predictions = pd.concat([predicted(model, shares) for model, shares in right.items()], ignore_index=True)
    # as many texts of either class are right, so that F1 of both, and its mean, is the share of the texts
    cell = ask("needed", predictions=predictions)
    assert (cell.zones, cell.part.estimate.value) == ("3", pytest.approx(0.96 - 0.52))
    assert cell.clause == "macro F1 .96; with uniform weights .52"
    cell = ask("transferable", predictions=predictions)
    assert (cell.zones, cell.part.estimate.value) == ("3", pytest.approx(0.9 - 0.6))
    # of .9 and .85, and of .9 and .7
    assert cell.clause.startswith("+5.0 beyond its own weights (")
    assert "; +20.0 beyond an adversary's maps (" in cell.clause


def test_trainings_are_paired_by_seed():
    def compare(base, uniform):
        rows = []
        for model, (shares, seeds) in {"base": base, "uniform": uniform}.items():
            of_model = predicted(model, shares)
            rows.append(of_model.assign(seed=of_model["seed"].map(seeds)))
        cell = ask("needed", predictions=pd.concat(rows, ignore_index=True))
        return cell.part.estimate, cell.part.seeds

    shares, others, seeds = [0.9, 0.8, 0.7, 0.6], [0.5, 0.5, 0.6], {1: 10, 2: 20, 3: 30, 4: 40}
    # the twin has the last three
    gain, paired = compare((shares, seeds), (others, {1: 20, 2: 30, 3: 40}))
    assert (gain.each, paired) == (pytest.approx([0.3, 0.2, 0.0]), [20, 30, 40])
    # two in common are too few: the means are compared
    gain, paired = compare((shares, seeds), (others, {1: 30, 2: 40, 3: 50}))
    assert (gain.value, gain.trainings, [*gain.each], paired) == (pytest.approx(0.75 - 1.6 / 3), 3, [], [])


@pytest.mark.parametrize(
    ("right", "texts", "word"),
    [
        ([0.95, 0.96], TEXTS, "yes"),
        ([0.5, 0.48], TEXTS, "no"),
        # what a reader sees beside the word must not contradict it, however few texts and trainings there are
        ([0.844, 0.869], 198, "yes"),
    ],
)
def test_a_model_is_held_against_the_largest_class(right, texts, word):
    labels = np.tile([0, 1], texts // 2)
    rows = predicted("base", right, texts)["prediction"].to_numpy().reshape(len(right), texts)
    found = judge_ability(labels, rows, None)
    assert found["learnt"] == word
    assert found["majority_accuracy"] == 0.5
    assert found["accuracy"] == pytest.approx(np.mean(right), abs=0.01)
    assert found["learnt_value"] == pytest.approx(found["accuracy"] - 0.5)


@pytest.fixture
def audits():
    both = pd.concat([predicted("base", [0.95, 0.96, 0.96]), predicted("uniform", [0.6] * 3)], ignore_index=True)
    return adversaries(STEPS) | {
        "predictions": both,
        "shuffles": shuffled(random=(0.6, 0.5), by_weight=(0.2, 0.4), smallest=(0.1, 0.1), lead=(1.0, -1.0)),
        "located": fallen(random=0.1, attention=0.4, loo=0.5),
    }


def summarised(audits, *judged, reasons=None):
    corpus = {"sst": pd.DataFrame({"id": ["t001"], "group": [None]})}
    census = {"needle": pd.DataFrame({"label": [0, 1], "label_name": ["neg", "pos"]})}
    settings = {"answer": AnswerSettings().model_dump(), "census": census, "corpus": corpus}
    return summary(judged, **audits, reasons=reasons or {}, **settings)


def test_one_row_a_model(audits, tmp_path):
    table = summarised(
        audits, subject(), subject("base", None, suite="jw", paper="JW2019"), reasons={"diabetes": "no file"}
    )
    base, other, missing = assert_fits(table, tmp_path, SUMMARY).to_dict("records")
    assert {question: base[f"{question}_zones"] for question in QUESTIONS} == {
        "located": "23", "ranks": "2", "signed": "3", "used": "3", "stable": "2", "unique": "1", "needed": "3",
        "transferable": NONE,
    }  # fmt: skip
    assert (base["learnt"], base["texts"], base["groups"], base["note"]) == ("yes", TEXTS, TEXTS, "")
    assert [line.said for line in write_lines(base)][:3] == ["at least in part", "in part", "yes"]
    assert (base["used_each"].tolist(), base["used_trainings"]) == (pytest.approx([0.3] * 3), 3)
    assert [one["name"] for one in json.loads(base["used_classes"])] == ["neg", "pos"]
    # a model of the same name in another suite has none of these rows
    assert {other[f"{question}_zones"] for question in QUESTIONS} == {NONE}
    assert (other["unique_model"], other["needed_trainings"]) == ("", 0)
    assert (missing["note"], missing["model"], missing["ranks_zones"]) == ("Not run: no file.", "", NONE)


def beside_people(**values):
    """Rows of `plausibility` in which each attribution has the same AUPRC in all texts, with both annotators."""
    parts = [
        by_text(auprc=constant(value)).assign(annotator=who, attribution=name, words=9, marked=2)
        for name, value in values.items()
        for who in ("Ann", "Bob")
    ]
    majority = by_text(auprc=constant(0.99)).assign(annotator="", attribution="attention", words=9, marked=2)
    return pd.concat([*parts, majority], ignore_index=True)


def test_marked_words_stand_beside_the_answer_and_change_no_statement(audits):
    (plain,) = summarised(audits, subject()).to_dict("records")
    marked = audits | {"plausibility": beside_people(attention=0.41, random=0.22, others=0.58, product=0.7)}
    row, other = summarised(marked, subject(), subject("adversary")).to_dict("records")
    assert row["plausibility_value"] == pytest.approx(0.41)
    assert row["plausibility_low"] < 0.41 < row["plausibility_high"]
    assert (row["plausibility_random"], row["plausibility_others"]) == pytest.approx((0.22, 0.58))
    assert (row["plausibility_texts"], other["plausibility_texts"]) == (TEXTS, 0)
    assert write_lines(row) == write_lines(plain)
    assert describe_marks(row) == (
        f"Marked words: AUPRC 0.41 [{row['plausibility_low']:.2f}, {row['plausibility_high']:.2f}]; random 0.22, one "
        "annotator against the others 0.58."
    )
    assert describe_marks(plain) == describe_marks(other) == ""


def test_one_annotator_has_no_other():
    row = {"plausibility_value": 0.5, "plausibility_low": 0.4, "plausibility_high": 0.6, "plausibility_random": 0.1}
    assert describe_marks({**row, "plausibility_others": None}) == "Marked words: AUPRC 0.50 [0.40, 0.60]; random 0.10."
