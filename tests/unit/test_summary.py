"""The eight questions asked of rows of audits, with values worked by hand."""

import math
import re
from typing import Any

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
    frames_of,
    predicted,
    ranked,
    subject,
)
from labels import LABELS

from attention_audit.answer.sentence import beside_marks
from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.words import FLAT, NO, NOT_ASKED, NOTHING_NEW, TOO_FEW, UNDECIDED, YES, multiplicity
from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.columns.summary import INSTEAD, MEASURED, QUESTIONS, SUMMARY
from attention_audit.scores import macro_f1
from attention_audit.tables.arrays import Audits, by_pair, clusters, curve, different
from attention_audit.tables.asked import (
    ALONE,
    ASKED,
    learnt,
    located,
    needed,
    ranks,
    signed,
    stable,
    transferable,
    unique,
    used,
)
from attention_audit.tables.instead import by_located, by_ranks, measuring
from attention_audit.tables.render import render
from attention_audit.tables.shown import answers as shown
from attention_audit.tables.shown import instead
from attention_audit.tables.summary import summary

MARGINS = Margins()
WITHIN = {0.1: (0.03, 0.1), 0.2: (0.04, 0.5), 0.3: (0.2, 0.69)}


def test_every_question_is_asked_and_measured():
    assert tuple(ASKED) == tuple(MEASURED) == QUESTIONS
    assert set(INSTEAD) <= set(QUESTIONS)
    assert set(QUESTIONS) <= set(Margins.model_fields)


def pairs(jsd: float, chance: float) -> pd.DataFrame:
    """The three pairs of three seeds, every text alike."""
    rows = [
        by_text(jsd=constant(jsd, 1), chance_jsd=constant(chance, 1), tvd=constant(0.1, 1), same_top=constant(1, 1) > 0)
        .assign(seed=seed, other=other)
        for seed, other in ((2, 1), (3, 1), (3, 2))
    ]  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def test_a_pair_is_a_row_of_its_own():
    of, (jsd, tvd) = by_pair(pairs(0.1, 0.4).assign(jsd=lambda rows: rows["seed"]), ["jsd", "tvd"], ["t001", "none"])
    assert of.tolist() == [[2, 1], [3, 1], [3, 2]]
    assert jsd[:, 0].tolist() == [2, 3, 3]
    assert np.isnan(tvd[:, 1]).all()


@pytest.mark.parametrize(("jsd", "chance", "word"), [(0.1, 0.4, YES), (0.3, 0.4, NO), (0.001, 0.004, FLAT)])
def test_stable_is_one_minus_the_share_of_a_shuffled_map(jsd, chance, word):
    answer = stable(subject(), NOTHING._replace(stability=pairs(jsd, chance)), MARGINS)
    assert (answer.word, answer.effect.value) == (word, pytest.approx(1 - jsd / chance))
    assert (answer.effect.trainings, answer.effect.texts, answer.margin) == (3, TEXTS, 0.5)
    assert answer.beside == {"stable_same_top": 1, "stable_jsd": pytest.approx(jsd), "stable_tvd": pytest.approx(0.1)}
    assert answer.each == pytest.approx([1 - jsd / chance] * 3)


def test_the_note_says_where_trainings_share_a_frozen_encoder():
    shared, own = (
        stable(subject(frozen=frozen), NOTHING._replace(stability=pairs(0.1, 0.4)), MARGINS).note
        for frozen in (True, False)
    )
    assert shared == f"all trainings have one frozen encoder, and differ in attention and decoder alone; {own}"
    assert own.startswith("of these 3 trainings, another may differ: [")


def test_what_cannot_be_asked_says_why():
    pair = subject("lstm_dot", None, seeds=1, unasked={"ranked_sets": "needs x", "contributions": "needs x"})
    notes = {question: ask(pair, NOTHING, MARGINS).note for question, ask in ASKED.items()}
    assert notes == {
        "needed": "this suite trains no twin with uniform weights",
        "stable": "there is one training",
        "used": "no test text has two items or more",
        "ranks": "needs x",
        "located": "no test text has two items or more",
        "signed": "needs x",
        "unique": "this suite trains no adversary of a whole model",
        "transferable": "this suite guides no simpler model",
    }
    left_out = subject(unasked={"predictions": "p", "stability": "s", "consistency": "c"})
    notes = {question: ask(left_out, NOTHING, MARGINS).note for question, ask in ASKED.items()}
    assert [notes[name] for name in ("needed", "stable", "unique", "transferable")] == ["p", "s", "c", "p"]
    assert {ask(left_out, NOTHING, MARGINS).word for ask in ASKED.values()} == {NOT_ASKED}


@pytest.mark.parametrize(("moved", "word"), [(0.3, YES), (0.01, NO)])
def test_used_and_on_one_training_it_says_so(moved, word):
    rows = by_text(mean_tvd=constant(moved), flips=constant(0.25), chance_jsd=constant(0.6))
    answer = used(subject(), NOTHING._replace(permutation=rows), MARGINS)
    assert (answer.word, answer.effect.value) == (word, pytest.approx(moved))
    # two trainings say nothing of the next one, however far from the margin they are
    assert answer.these
    assert answer.beside == {"used_flips": 0.25}
    alone = used(subject(), NOTHING._replace(permutation=rows[rows["seed"] == 1]), MARGINS)
    assert (alone.word, alone.note) == (word, ALONE)
    few = used(subject(), NOTHING._replace(permutation=rows[rows["id"] < "t010"]), MARGINS)
    assert (few.word, few.note) == (TOO_FEW, "10 texts of the 100 needed")


def test_a_word_is_of_these_trainings_where_the_next_one_may_differ():
    # of two trainings, Student's t with one degree of freedom decides nothing; these two agree
    moved = np.vstack([constant(0.5, 1), constant(0.2, 1)])
    rows = by_text(mean_tvd=moved, flips=constant(0.25), chance_jsd=constant(0.6))
    answer = used(subject(), NOTHING._replace(permutation=rows), MARGINS)
    assert answer.effect.low < MARGINS.used < answer.effect.high
    assert (answer.word, answer.these) == (YES, True)
    assert re.fullmatch(r"of these 2 trainings, another may differ: \[0\.3\d\d, 0\.3\d\d\]", answer.note)
    # these two lie on both sides of the margin, and their mean clearly above
    apart = by_text(mean_tvd=np.vstack([constant(0.5, 1), constant(0.01, 1)]), flips=constant(0.25))
    answer = used(subject(), NOTHING._replace(permutation=apart), MARGINS)
    assert (answer.word, answer.these, answer.note) == (UNDECIDED, False, "trainings lie on both sides of the margin")
    assert answer.each == pytest.approx([0.5, 0.01])
    alone = used(subject(), NOTHING._replace(permutation=apart[apart["seed"] == 1]), MARGINS)
    assert alone.each == []


def test_texts_that_belong_together_count_as_one():
    rows = by_text(mean_tvd=np.arange(2 * TEXTS).reshape(2, TEXTS) / TEXTS, flips=constant(0.25))
    ids = different(rows, "id")
    assert clusters(ids, {}) is None
    pairs = {id_: f"film {place // 2}" for place, id_ in enumerate(ids[:-2])}
    numbers = clusters(ids, pairs)
    assert list(numbers[:4]) == [0, 0, 1, 1]
    # the last two have no film, and stand for themselves
    assert len(set(numbers)) == TEXTS // 2 + 1
    grouped = used(subject(), NOTHING._replace(permutation=rows, groups=pairs), MARGINS)
    single = used(subject(), NOTHING._replace(permutation=rows), MARGINS)
    assert grouped.effect.value == pytest.approx(single.effect.value)
    assert (grouped.effect.texts, grouped.effect.clusters, single.effect.texts) == (TEXTS, TEXTS // 2 + 1, TEXTS)
    assert f"its texts are in {TEXTS // 2 + 1} groups, each of which counts as one" in grouped.note
    # too few are told as what they are
    few = used(subject(), NOTHING._replace(permutation=rows, groups=dict.fromkeys(ids[:-2], "one film")), MARGINS)
    assert (few.word, few.note.split("; ")[-1]) == (TOO_FEW, "3 groups of the 100 needed")


def test_a_training_in_which_nothing_can_be_had_has_no_value_of_its_own():
    rows = pd.concat(
        [ranked(random=0.6, attention=0.35, smallest=0.1), ranked(seeds=1, random=0.6, attention=0.3, smallest=0.6)
         .assign(seed=3)], ignore_index=True,
    )  # fmt: skip
    answer = ranks(subject(), NOTHING._replace(ranked_sets=rows), MARGINS)
    assert answer.each == pytest.approx([0.5, 0.5, math.nan], nan_ok=True)


@pytest.mark.parametrize(("attention", "word"), [(0.2, YES), (0.7, NO)])
def test_ranks_is_the_share_of_what_can_be_had(attention, word):
    rows = ranked(random=0.6, attention=attention, smallest=0.1)
    answer = ranks(subject(), NOTHING._replace(ranked_sets=rows), MARGINS)
    assert (answer.word, answer.effect.value) == (word, pytest.approx((0.6 - attention) / 0.5))
    flat = by_text(chance_jsd=constant(0.001), mean_tvd=constant(0), flips=constant(0))
    assert ranks(subject(), NOTHING._replace(ranked_sets=rows, permutation=flat), MARGINS).word == FLAT


def test_located_takes_the_mean_over_the_sizes():
    rows = fallen(random=0.1, attention=0.4, loo=0.5)
    assert curve(rows)[:1] == pytest.approx([0.1])
    answer = located(subject(), NOTHING._replace(located=rows), MARGINS)
    assert (answer.word, answer.effect.value) == (YES, pytest.approx(0.75))
    assert answer.beside == {"located_short": 0.5}


def test_located_says_whether_its_word_changes_where_words_are_replaced():
    deleted, alike = fallen(random=0.1, attention=0.4, loo=0.5), fallen(random=0.1, attention=0.3, loo=0.3)
    other = fallen(random=0.1, attention=0.1, loo=0.5)
    both = pd.concat([alike.assign(by="likely"), other.assign(by="unknown")])
    changed = located(subject(), NOTHING._replace(located=deleted, replaced=both), MARGINS)
    assert (changed.word, changed.effect.value) == (YES, pytest.approx(0.75))
    expected = "the word changes with how words are taken away: deleted yes, unknown no, likely yes"
    assert changed.note.endswith(expected)
    same = located(subject(), NOTHING._replace(located=deleted, replaced=alike.assign(by="likely")), MARGINS)
    assert same.note.endswith("yes however words are taken away: deleted, likely")


def test_signed_counts_the_texts_whose_top_item_supports_the_prediction():
    lead = constant(2.0)
    lead[:, :80] = 0.03  # moves no probability by more than .01, which is inert
    lead[:, 80:88] = -0.5
    # of a model that is sure, erasing anything hardly moves the probability
    rows = by_text(top_lead=lead, top_fall=constant(1e-4), against=constant(0.125))
    answer = signed(subject(), NOTHING._replace(contributions=rows), MARGINS)
    assert (answer.word, answer.effect.value) == (NO, pytest.approx(0.78))
    assert answer.beside == {
        "signed_by": "contribution",
        "signed_opposes": pytest.approx(0.02),
        "signed_inert": pytest.approx(0.2),
        "signed_against": 0.125,
    }
    erased = by_text(top_lead=constant(math.nan), top_fall=lead, against=constant(0.125))
    answer = signed(subject(), NOTHING._replace(contributions=erased), MARGINS)
    # erased, an item that moves the probability by .03 does count
    assert (answer.word, answer.effect.value, answer.beside["signed_by"]) == (YES, pytest.approx(0.98), "erasure")
    assert answer.note.startswith("by erasure of the item, since contributions are not exact in this model; of these 2")


def test_unique_is_measured_on_the_adversary_that_dev_chose():
    # on test another one is further away, which dev did not know
    test = {0.1: (0.03, 0.69), 0.2: (0.03, 0.48), 0.3: (0.2, 0.69)}
    answer = unique(subject(), adversaries(test, WITHIN), MARGINS)
    assert (answer.word, answer.effect.value, answer.note) == (NO, pytest.approx(0.2), ALONE)
    beside = dict(answer.beside)
    assert (beside["unique_model"], beside["unique_lambda"], beside["unique_seed"]) == ("adversary", 0.2, 1)
    assert (beside["unique_dev_tvd"], beside["unique_tvd"], beside["unique_near"]) == (0.04, pytest.approx(0.03), 2)
    assert beside["unique_further_value"] == pytest.approx(0.48 - 0.05)
    assert (beside["unique_same_top"], beside["unique_contribution_same_top"]) == (0, 1)
    assert beside["unique_contribution_value"] == pytest.approx(0.9)


def test_unique_is_not_no_where_the_budget_is_not_held_on_test():
    answer = unique(subject(), adversaries({0.2: (0.0499, 0.48)}, {0.2: (0.04, 0.5)}), MARGINS)
    assert (answer.word, answer.effect.value) == (UNDECIDED, pytest.approx(0.2))
    assert "on test the adversary has a TVD of 0.050 [" in answer.note
    assert answer.note.endswith("not surely within 0.05")


def test_an_adversary_that_goes_no_further_than_other_trainings_shows_nothing_new():
    found = adversaries({0.2: (0.03, 0.48)}, {0.2: (0.03, 0.5)})
    far = found._replace(stability=found.stability.assign(jsd=0.5))
    answer = unique(subject(), far, MARGINS)
    assert (answer.word, answer.note) == (
        NOTHING_NEW,
        f"{ALONE}; the adversary goes no further than another training does by itself",
    )
    answer = unique(subject(), found._replace(stability=NOTHING.stability), MARGINS)
    assert (answer.word, answer.note) == (UNDECIDED, f"{ALONE}; no other training says how far seeds go")


@pytest.mark.parametrize(("points", "word"), [({0.1: (0.03, 0.1), 0.2: (0.04, 0.1)}, UNDECIDED), (None, YES)])
def test_unique_is_not_yes_before_a_search(points, word):
    points = points or dict.fromkeys((0.1, 0.2, 0.3), (0.03, 0.1))
    answer = unique(subject(), adversaries(points, points), MARGINS)
    assert (answer.word, answer.effect.value) == (word, pytest.approx(1 - 0.1 / 0.6))
    assert ("yes needs 3" in answer.note) == (word == UNDECIDED)


def test_unique_where_no_adversary_is_within_the_budget():
    answer = unique(subject(), adversaries(WITHIN, {0.3: (0.2, 0.69)}), MARGINS)
    assert (answer.word, answer.beside["unique_near"]) == (UNDECIDED, 0)
    nearest = "the nearest has 0.200 in the mean"
    assert answer.note == f"{ALONE}; no adversary is surely within a TVD of 0.05 on dev: {nearest}"


def test_needed_and_transferable_compare_macro_f1():
    right = {
        "base": [0.95, 0.96], "uniform": [0.5, 0.52], "guide_base_lstm": [0.9] * 3, "guide_uniform": [0.6] * 3,
        "guide_adversary": [0.6, 0.7],
    }  # fmt: skip
    predictions = pd.concat([predicted(model, shares) for model, shares in right.items()], ignore_index=True)
    audits = NOTHING._replace(predictions=predictions)
    labels = np.tile([0, 1], TEXTS // 2)
    scores = {
        name: np.mean([macro_f1(labels, row["prediction"].to_numpy()) for _, row in rows.groupby("seed")])
        for name, rows in predictions.groupby("model")
    }
    answer = needed(subject(), audits, MARGINS)
    assert (answer.word, answer.effect.value) == (YES, pytest.approx(scores["base"] - scores["uniform"]))
    answer = transferable(subject(), audits, MARGINS)
    expected = scores["guide_base_lstm"] - scores["guide_uniform"]
    assert (answer.word, answer.effect.value) == (YES, pytest.approx(expected))
    two = NOTHING._replace(predictions=predictions[predictions["seed"] < 3])
    assert (transferable(subject(), two, MARGINS).word, needed(subject(), two, MARGINS).word) == (TOO_FEW, YES)
    beside = answer.beside
    assert beside["transferable_adversary_value"] == pytest.approx(
        scores["guide_base_lstm"] - scores["guide_adversary"]
    )
    assert beside["transferable_adversary_low"] < beside["transferable_adversary_value"]
    assert math.isnan(beside["transferable_own_value"])


@pytest.mark.parametrize(
    ("right", "texts", "word"),
    [
        ([0.95, 0.96], TEXTS, YES),
        ([0.5, 0.52], TEXTS, UNDECIDED),
        ([0.5, 0.48], TEXTS, NO),
        # what a reader sees beside the word must not contradict it, however few texts and trainings there are
        ([1.0], 60, YES),
        ([0.79], 140, YES),
        ([0.844, 0.869], 198, YES),
    ],
)
def test_a_model_is_held_against_the_largest_class(right, texts, word):
    answer, scores = learnt(subject(), NOTHING._replace(predictions=predicted("base", right, texts)))
    assert answer.word == word
    assert scores["majority_accuracy"] == 0.5
    assert scores["accuracy"] == pytest.approx(np.mean(right), abs=0.01)
    assert answer.effect.value == pytest.approx(scores["accuracy"] - 0.5)


def test_less_than_the_majority_is_never_learnt():
    rows = predicted("base", [0.43], 140)
    rows["label"] = np.where(np.arange(140) < 66, 2, rows["label"])
    answer, scores = learnt(subject(), NOTHING._replace(predictions=rows))
    assert scores["accuracy"] < scores["majority_accuracy"]
    assert answer.word == NO


def test_halves_do_not_depend_on_the_order_of_texts():
    ids = [f"t{x}" for x in range(101)]
    halves = measuring(ids)
    assert halves.sum() == 50
    assert measuring(ids[::-1])[::-1].tolist() == halves.tolist()


def test_instead_is_chosen_on_one_half_and_measured_on_the_other():
    sets = ranked(random=0.6, attention=0.35, gradient=0.2, smallest=0.1)
    # leave-one-out flips at once in the half that chooses, and never in the other
    further = fallen(random=0.1, attention=0.2, gradient=0.3, loo=0.9)
    measures = measuring(sorted(set(further["id"])))
    unlucky = further["id"].isin(np.array(sorted(set(further["id"])))[measures]) & (further["ranking"] == "loo")
    further.loc[unlucky, "fraction_removed"] = math.nan
    best = by_ranks(sets, further)
    assert best is not None
    assert (best.ranking, best.better) == ("loo", NO)
    assert best.value == pytest.approx((0.6 - 1) / 0.5)
    assert best.attention == pytest.approx(0.5)
    assert best.gain is not None
    assert best.gain.value == pytest.approx(best.value - best.attention)
    assert best.gain.texts == TEXTS // 2
    clear = by_ranks(sets, further[further["ranking"] != "loo"])
    assert clear is not None
    assert (clear.ranking, clear.better, clear.value) == ("gradient", YES, pytest.approx(0.8))


def test_a_ranking_of_a_sample_is_chosen_on_the_sample():
    rows = fallen(random=0.1, attention=0.2, loo=0.5, integrated_gradients=0.6)
    # half of a hundred texts is too few for a word
    sampled = rows[(rows["ranking"] != "integrated_gradients") | (rows["id"] < "t100")]
    best = by_located(sampled)
    assert best is not None
    assert (best.ranking, best.better, best.value) == ("integrated_gradients", TOO_FEW, pytest.approx(1.25))
    assert best.gain is not None
    assert best.gain.texts < 100
    # the yardstick aside, another one that does as well is named, and one that does clearly worse is not
    tied = by_located(fallen(random=0.1, attention=0.2, gradient=0.4, product=0.4, loo=0.5))
    assert tied is not None
    assert (tied.ranking, tied.better, tied.second) == ("loo", YES, "")
    tied = by_located(fallen(random=0.1, attention=0.2, gradient=0.6, product=0.6, loo=0.5))
    assert tied is not None
    assert (tied.ranking, tied.better, tied.second) == ("gradient", YES, "product")
    # of equals, attention
    equal = by_located(fallen(random=0.1, gradient=0.5, attention=0.5, loo=0.5))
    assert equal is not None
    assert (equal.ranking, equal.gain, equal.better) == ("attention", None, "")


@pytest.mark.parametrize(
    ("ranking", "value", "second", "expected"),
    [
        ("gradient", 1.25, "", "gradient (+0.500 [0.250, 0.750], at 1.250 beyond leave-one-out)"),
        ("gradient", 1.0004, "", "gradient (+0.500 [0.250, 0.750])"),
        ("loo", 1.0, "", "leave-one-out, the yardstick itself (+0.500 [0.250, 0.750])"),
        ("gradient", 0.9, "product", "gradient (+0.500 [0.250, 0.750], not clearly better than attention × gradient)"),
    ],
)
def test_an_attribution_is_shown_with_what_limits_it(ranking, value, second, expected):
    cells = {"": ranking, "_value": value, "_gain": 0.5, "_low": 0.25, "_high": 0.75, "_better": YES, "_texts": 100}
    cells["_second"] = second
    row = {f"instead_by_located{name}": cell for name, cell in cells.items()}
    assert instead(row, "located", LABELS) == expected


def test_nothing_is_shown_instead_where_nothing_is_known():
    assert by_ranks(NOTHING.ranked_sets, NOTHING.located) is None
    assert by_located(NOTHING.located) is None
    # of pairs there are no sets
    assert by_ranks(NOTHING.ranked_sets, fallen(random=0.1, attention=0.2, loo=0.5)) is None
    never = ranked(random=0.6, attention=0.5, smallest=math.nan)
    assert by_ranks(never, NOTHING.located) is None


@pytest.fixture
def audits() -> Audits:
    found = adversaries({**WITHIN, 0.2: (0.03, 0.5), 0.4: (0.05, 0.2)}, WITHIN)
    return found._replace(
        predictions=pd.concat([predicted("base", [0.95, 0.96]), predicted("uniform", [0.6, 0.6])], ignore_index=True),
        stability=pairs(0.1, 0.6),
        ranked_sets=ranked(random=0.6, attention=0.55, gradient=0.2, smallest=0.1),
        located=fallen(random=0.1, attention=0.4, loo=0.5),
    )


def summarised(audits: Audits, *judged: Any, reasons: dict[str, str] | None = None) -> pd.DataFrame:
    subjects = [each.model_dump() for each in judged]
    corpus = {"sst": pd.DataFrame({"id": ["t001"], "group": [None]})}
    settings = {"answer": AnswerSettings().model_dump(), "labels": LABELS, "corpus": corpus}
    return summary(subjects, **frames_of(audits), reasons=reasons or {}, **settings)


def test_one_row_a_model_without_a_verdict(audits, tmp_path, provenance):
    table = summarised(
        audits, subject(), subject("base", None, suite="jw", paper="JW2019"), reasons={"diabetes": "no file"}
    )
    path = tmp_path / "summary.parquet"
    write_table(path, SUMMARY, table, provenance)
    base, other, missing = read_frame(path, SUMMARY).to_dict("records")
    assert {question: base[question] for question in QUESTIONS} == {
        "needed": YES, "stable": YES, "used": YES, "ranks": NO, "located": YES, "signed": NOT_ASKED, "unique": NO,
        "transferable": NOT_ASKED,
    }  # fmt: skip
    assert base["sentence"] == (
        "Do not read the weights as importance: ranked by weight, words come 10 % of the way from a random order to "
        "the smallest set that flips the decision (true of these 2 trainings). Gradient ranks them clearly better, so "
        "show it instead. Leave-one-out, the yardstick itself, finds the words that matter clearly better than "
        "attention. Do not call the map the explanation: a model that predicts nearly alike attends elsewhere, further "
        "away than other trainings do (tested on one training only). What may be said: the model predicts better than "
        "one trained with equal weights (true of these 2 trainings), another training shows a similar map (true of "
        "these 3 trainings), the prediction depends on these weights (true of these 2 trainings) and words with weight "
        "are words of the text that matter (true of these 2 trainings). This run did not ask whether a highlighted "
        "word speaks for the prediction or the weights help another, simpler model too. Another training may differ."
    )
    assert (base["learnt"], base["instead_by_ranks"], base["instead_by_ranks_better"]) == (YES, "gradient", YES)
    # a model of the same name in another suite has none of these rows
    assert {other[question] for question in QUESTIONS} == {NOT_ASKED}
    assert (other["unique_model"], other["instead_by_ranks"], other["needed_trainings"]) == ("", "", 0)
    assert (missing["sentence"], missing["model"], missing["ranks"]) == ("Not run: no file.", "", NOT_ASKED)


def test_each_model_has_a_part_of_its_own(audits, tmp_path):
    render(summarised(audits, subject(), reasons={"diabetes": "x"}), tmp_path / "summary", "{}", shown, LABELS)
    text = (tmp_path / "summary.md").read_text()
    above = " ".join(text.partition("| data set   | model   | needed ")[0].split())
    assert above == f"Diabetes: Not run: x. {multiplicity([YES] * 6)}"
    own = text.partition("\n## needle: base, Wiegreffe & Pinter 2019\n")[2].partition("\n## What is measured\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in own.splitlines() if line.startswith("|")]
    assert rows[0] == ["question", "word", "effect", "95 % interval", "margin", "trainings", "texts", "each training"]
    assert rows[5][7] == "0.100 0.100"
    assert [row[0] for row in rows[2:10]] == [*QUESTIONS]
    assert rows[5][:3] == ["ranks", "no", "0.100"]
    assert "Show instead, by ranks: gradient (+0.700 [" in own
    # the table of the answers comes first, then the attribution, the sentence, and what was compared
    assert "| located: texts whose first word is 3 of the 5 sizes " in own
    order = [
        "| transferable ",
        "Show instead",
        "To quote: ",
        "Notes. ",
        "| ranks, on half of the texts: attention, gradient ",
    ]
    assert sorted(order, key=own.index) == order
    assert "| the adversary (adversary, λ 0.2): JSD (nats), TVD " in own
    # three trainings, each with its own effect, fit a terminal
    assert max(len(line) for line in own.splitlines()) <= 120
    assert max(len(line) for line in own.splitlines() if not line.startswith("|")) <= 100
    assert (tmp_path / "summary.tex").read_text().count(r"\begin{tabular}") == 4
    for line in (tmp_path / "summary.tex").read_text().splitlines():
        assert "To quote" not in line or line.startswith("% ")
    both = shown(summarised(audits, subject(), subject("base", None, suite="jw", paper="JW2019")), LABELS)
    assert both[0].rows["paper"].tolist() == ["Wiegreffe & Pinter 2019", "Jain & Wallace 2019"]
    render(summarised(NOTHING, reasons={"diabetes": "x"}), tmp_path / "none", "{}", shown, LABELS)
    assert (tmp_path / "none.tex").read_text().count(r"\begin{tabular}") == 2


def test_contrasts_name_every_model_once():
    assert CONTRASTS.guides is not None
    names = [*CONTRASTS.adversaries, CONTRASTS.uniform, *CONTRASTS.guides.model_dump().values()]
    assert len(set(names)) == len(names)


def beside_people(**values: float) -> pd.DataFrame:
    """Rows of `plausibility` in which each attribution has the same AUPRC in all texts, with both annotators."""
    parts = [
        by_text(auprc=constant(value)).assign(annotator=who, attribution=name, words=9, marked=2)
        for name, value in values.items()
        for who in ("Ann", "Bob")
    ]
    majority = by_text(auprc=constant(0.99)).assign(annotator="", attribution="attention", words=9, marked=2)
    return pd.concat([*parts, majority], ignore_index=True)


def test_marked_words_stand_beside_the_answer_and_move_no_word(audits):
    (plain,) = summarised(audits, subject()).to_dict("records")
    marked = audits._replace(plausibility=beside_people(attention=0.41, random=0.22, others=0.58, product=0.7))
    table = summarised(marked, subject(), subject("adversary"))
    row, other = table.to_dict("records")
    assert row["plausibility_value"] == pytest.approx(0.41)
    assert row["plausibility_low"] < 0.41 < row["plausibility_high"]
    assert (row["plausibility_random"], row["plausibility_others"]) == pytest.approx((0.22, 0.58))
    assert (row["plausibility_texts"], other["plausibility_texts"]) == (TEXTS, 0)
    assert {name: row[name] for name in (*QUESTIONS, "sentence")} == {
        name: plain[name] for name in (*QUESTIONS, "sentence")
    }
    assert beside_marks(row) == (
        f"Marked words: AUPRC 0.41 [{row['plausibility_low']:.2f}, {row['plausibility_high']:.2f}]; random 0.22, one "
        "annotator against the others 0.58."
    )
    assert beside_marks(plain) == beside_marks(other) == ""
    _, _, besides, _, other_besides, _ = shown(table, LABELS)
    assert beside_marks(row) in " ".join(besides.text.split())
    assert "marked words: AUPRC of attention" in besides.rows["beside"].tolist()
    assert "arked words" not in other_besides.text + other_besides.rows.to_string()


def test_one_annotator_has_no_other():
    row = {"plausibility_value": 0.5, "plausibility_low": 0.4, "plausibility_high": 0.6, "plausibility_random": 0.1}
    assert beside_marks({**row, "plausibility_others": None}) == "Marked words: AUPRC 0.50 [0.40, 0.60]; random 0.10."
