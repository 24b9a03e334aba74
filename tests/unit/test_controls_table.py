"""What the table of controls claims, on small frames by hand: each claim holds and fails."""

import json
import math

import pandas as pd
import pytest
from audited import subject
from summaries import BLANK
from tabled import assert_fits

from attention_audit.answer.estimates import Estimate
from attention_audit.answer.verdicts import Cell, Part, find_objection
from attention_audit.columns.tables import CONTROLS, SUMMARY
from attention_audit.questions import QUESTIONS
from attention_audit.tables import controls as controls_table
from attention_audit.tables.controls import CLAIMS, NOT_LEARNT, check_allowed, controls, describe_claims

ANY = "any weights would do"
FEW = "80 of the 100 texts needed"
TEXTS = 200


def claim(dataset, kind, *summary, **frames):
    """Make the table of controls of one data set, from rows of the summary and frames; no frame has the data set."""
    empty = pd.DataFrame({"dataset": [], "suite": [], "model": []})
    nothing = {
        "summary": pd.DataFrame(summary, columns=SUMMARY.schema.names).assign(dataset=dataset),
        "evidence": empty.assign(evidence_mass=0.0),
        "planted": empty.assign(ranking=""),
        "ranked_sets": empty,
        "impermissible": empty.assign(right=True, right_without=True),
        "shuffles": empty,
    }
    given = {name: frame.assign(dataset=dataset) for name, frame in frames.items() if isinstance(frame, pd.DataFrame)}
    others = {"subjects": [], "answer": {}, "corpus": {}, "tables": {}}
    return controls({dataset: kind}, **others | nothing | frames | given)


def state(suite, model, **questions):
    """A row of the summary. Of each question the zones, or zones and reason, or the zones of its classes by value."""
    row = {**BLANK, "suite": suite, "paper": "P", "model": model}
    row |= {f"{question}_reason": "this suite trains no such model" for question in QUESTIONS}
    for question, stated in questions.items():
        zones, reason = stated if isinstance(stated, tuple) else (stated, "")
        row |= {f"{question}_texts": TEXTS, f"{question}_value": 0.5, f"{question}_reason": reason}
        row |= {f"{question}_zones": "≠" if isinstance(zones, list) else zones, f"{question}_said": "so much"}
        if isinstance(zones, list):
            # in the order of the data, which need not be that of values
            classes = [{"zones": one, "value": value} for value, one in enumerate(zones)][::-1]
            row[f"{question}_classes"] = json.dumps([*classes, {"zones": "", "value": None}])
    return row


def test_statements_are_held_against_what_the_corpus_allows(tmp_path):
    row = state("wp", "base", needed="12", transferable="1")
    # another suite's model of the same name
    table = claim("c", "chorus", row, {**row, "suite": "own"})
    assert table[
        ["model", "question", "claim", "statistic", "value", "said", "allowed", "holds"]
    ].to_numpy().tolist() == [
        ["base", "needed", "needed", "so much", 0.5, "12", "1", False],
        ["base", "transferable", "transferable", "so much", 0.5, "1", "1", True],
    ]
    assert assert_fits(table, tmp_path, CONTROLS)["holds"].tolist() == [False, True]


@pytest.mark.parametrize(
    ("allowed", "stated", "holds"),
    [
        # strict: no zone but those
        ("3", "23", False),
        ("12", "2", True),
        # it touches one of them
        ("12?", "123", True),
        ("12?", "3", False),
        # nothing stated, for a reason in the map
        ("-", ANY, True),
        ("3-", "the map is flat: shuffling hardly moves it", True),
        ("3-", "3", True),
        ("3-", FEW, False),
        ("3", ANY, False),
        ("-", "1", False),
        # classes apart: the lowest and the highest
        ("≠1,23", ["1", "2", "23"], True),
        ("≠1,23", ["12", "2", "3"], False),
        ("≠1,23", ["1", "3", "12"], False),
        ("≠1,23", "12", False),
        ("≠1,23", ANY, False),
        ("3≠123,3", "3", True),
        ("3≠123,3", ["12", "3"], True),
        ("3≠123,3", "23", False),
        # else every class
        ("12", ["1", "2"], True),
        ("12", ["1", "23"], False),
        ("23?", ["12", "3"], True),
        ("23?", ["1", "3"], False),
    ],
)
def test_what_is_allowed(allowed, stated, holds):
    """stated: zones, those of the classes, or why there are none."""
    if isinstance(stated, list):
        assert check_allowed(allowed, "≠", stated, "") == holds
    else:
        assert check_allowed(allowed, *((stated, [], "") if stated in "123" else ("-", [], stated))) == holds


def test_reasons_are_those_that_statements_give():
    assert check_allowed("-", "-", [], find_objection("ranks", Part(Estimate(0.5, 0.4, 0.6), shuffled=0.8)))
    assert check_allowed("-", "-", [], find_objection("ranks", Part()))
    few = find_objection("ranks", Part(Estimate(0.5, 0.4, 0.6, texts=80, groups=80)))
    assert few
    assert not check_allowed("-", "-", [], few)


def test_classes_are_taken_from_the_lowest_to_the_highest():
    row = state("jw", "average_tanh", located=["1", "2", "3"], signed=["1", "23"])
    table = claim("d", "debate", row)
    assert table[["question", "said", "holds"]].to_numpy().tolist() == [
        ["located", "≠1,3", True],
        ["signed", "≠1,23", False],
    ]
    assert table["value"].isna().all()


def test_what_was_not_measured_is_passed_over_and_too_few_texts_are_not():
    assert claim("c", "chorus", state("wp", "base")).empty
    found = claim("c", "chorus", state("wp", "base", needed=("-", FEW)))
    assert found[["question", "said", "holds"]].to_numpy().tolist() == [["needed", "-", False]]


def test_every_liar_is_claimed_to_be_caught():
    models = {"honest": "3", "liar_lambda0.1": "1", "liar_lambda1.0": "12"}
    table = claim("n", "needle", *(state("pd", model, located=zones) for model, zones in models.items()))
    assert dict(zip(table["model"], table["holds"], strict=True)) == dict(zip(models, [True, True, False], strict=True))


def test_other_data_sets_and_models_have_no_claims():
    row = state("wp", "base", needed="3", stable="3")
    assert claim("sst", "sst", row).empty
    assert claim("c", "chorus", {**row, "model": "uniform"}).empty


def test_every_question_has_a_control_that_must_not_be_high_and_one_that_must_not_be_low():
    truths = [models for suites in CLAIMS["zones"].values() for models in suites.values()]
    claimed = [item for truth in truths for zones in truth.values() for item in zones.items()]
    for question in QUESTIONS:
        allowed = {one for name, one in claimed if name == question}
        assert any(check_allowed(one, "1", [], "") and not check_allowed(one, "3", [], "") for one in allowed), question
        assert any(check_allowed(one, "3", [], "") and not check_allowed(one, "1", [], "") for one in allowed), question


@pytest.mark.parametrize(
    ("kind", "column", "claimed", "values"),
    [
        ("static", "learnt_low", "nothing predicts the labels", [0.0, 0.01]),
        ("shortcut", "accuracy", "it decides by the planted words", [0.95, 0.94]),
    ],
)
def test_base_learns_what_is_planted_and_no_noise(kind, column, claimed, values):
    for value in values:
        table = claim("s", kind, state("wp", "base") | {column: value})
        rows = table[table["claim"] == claimed][["value", "holds"]].to_numpy().tolist()
        assert rows == [[value, value == values[0]]]


@pytest.mark.parametrize(("zones", "holds"), [(["≠", "≠", "1"], False), (["≠", "1", "12"], True)])
def test_of_labels_drawn_by_lot_hardly_a_claim_differs_by_class(zones, holds):
    names = ("located", "ranks", "used")
    of_classes = {name: ["1", "3"] if each == "≠" else each for name, each in zip(names, zones, strict=True)}
    table = claim("s", "static", state("wp", "base", **of_classes))
    rows = table[table["claim"] == "hardly a claim differs by class"]
    assert rows[["value", "holds"]].to_numpy().tolist() == [[zones.count("≠"), holds]]


def test_a_control_that_has_not_learnt_says_nothing():
    row = state("pd", "honest", located="3", ranks="23") | {"lowest_accuracy": 0.736}
    table = claim("n", "needle", row)
    assert table[["claim", "statistic", "value", "least", "holds"]].to_numpy().tolist() == [
        ["it has learnt", NOT_LEARNT, 0.736, 0.95, False]
    ]
    learnt = claim("n", "needle", row | {"lowest_accuracy": 0.97})
    assert learnt["claim"].tolist() == ["it has learnt", "located", "ranks"]
    assert learnt["holds"].all()
    assert json.loads(describe_claims("needle", row)) == {"claims": 1, "failed": ["it has learnt"]}
    assert describe_claims("needle", state("pd", "unknown")) == describe_claims("table", row) == ""


@pytest.mark.parametrize(("masses", "holds"), [([0.7, 0.2], False), ([0.7, 0.4], True)])
def test_attention_finds_the_needle(masses, holds):
    own = pd.DataFrame({"suite": "wp", "model": "base", "evidence_mass": masses})
    others = pd.DataFrame({"suite": ["own", "wp"], "model": ["base", "adversary"], "evidence_mass": [0.9, 0.0]})
    rows = state("wp", "base"), state("wp", "uniform")
    table = claim("n", "needle", *rows, evidence=pd.concat([own, others]))
    assert table["value"].tolist() == pytest.approx([sum(masses) / 2])
    assert table[["least", "holds"]].to_numpy().tolist() == [[0.5, holds]]


@pytest.mark.parametrize(
    ("accuracy", "masses", "without", "values", "holds"),
    [
        (0.98, [0.01, 0.03], [True, False, None, True], [-0.01, 0.02, 0.5], [True, True, True]),
        (0.96, [0.01, 0.11], [True] * 4, [-0.03, 0.06, 0.0], [False, False, False]),
    ],
)
def test_a_liar_predicts_as_well_attends_elsewhere_and_relies_on_what_it_hides(
    accuracy, masses, without, values, holds
):
    about = {"suite": "pd", "model": "liar_lambda0.1"}
    rows = [state("pd", "honest") | {"accuracy": 0.99}, state(**about) | {"accuracy": accuracy}]
    # a text of which nothing is left counts as wrong
    deleted = pd.DataFrame({**about, "right": True, "right_without": without})
    weighed = pd.DataFrame({**about, "evidence_mass": masses})
    table = claim("n", "needle", *rows, evidence=weighed, impermissible=deleted)
    assert table["value"].tolist() == pytest.approx(values)
    assert table["holds"].tolist() == holds
    assert table[["least", "most"]].fillna(0).to_numpy().tolist() == [[-0.02, 0.02], [0, 0.05], [0.1, 0]]


def test_digest_starts_with_the_evidence_and_flips_early():
    tops = {"suite": "ss", "ranking": "product", "on_evidence": [True, True, True, False]}
    sets = {"ranking": ["product", "product", "smallest"], "fraction_removed": [0.3, 0.5, 0.3]}
    table = claim(
        "d",
        "digest",
        *(state("ss", model) for model in ("han_none", "han_conv")),
        planted=pd.concat([pd.DataFrame({**tops, "model": model}) for model in ("han_none", "han_conv")]),
        ranked_sets=pd.DataFrame({**sets, "suite": "ss", "model": "han_none"}),
    )
    # three of four start with the evidence; medians 0.4 and 0.3
    assert table["value"].tolist() == pytest.approx([0.75, 0.1])
    assert table[["model", "holds"]].to_numpy().tolist() == [["han_none", True], ["han_none", False]]


def test_claims_of_maps_hold_where_the_whole_interval_does():
    rows = [
        ("relay", "rollout", "located", 0.8, 0.6, 1.0),
        ("relay", "attention", "located", 0.4, 0.3, 0.55),
        ("direct", "attention", "opposes", 0.02, 0.0, 0.04),
        ("direct", "rollout", "opposes", 0.6, 0.3, 0.9),
    ]
    table = pd.DataFrame(rows, columns=["model", "ranking", "metric", "mean", "low", "high"]).assign(dataset="feint")
    found = claim("feint", "feint", tables={"hf_table_maps": table}).set_index("claim")
    assert found["holds"].to_dict() == {
        "rollout is right: located": True,
        "attention is wrong: located": False,  # as its interval reaches what a right map has
        "attention is right: opposes": True,
        "rollout is wrong: opposes": True,
    }
    assert found["least"].tolist()[0] == found["most"].tolist()[1] == 0.5


def draw_shuffles(by_weight, leads=None, predictions=None):
    """Rows of the audit: of the map and of each shuffle in turn what half the texts have, and the other half.

    A random order erases half of the items, and the smallest set is a tenth.
    """
    return pd.DataFrame(
        {
            "suite": "wp", "model": "base", "seed": 1, "id": f"t{number}", "shuffle": shuffle, "items": 9,
            "prediction": predictions[shuffle][number % 2] if predictions else 0, "random": 0.5,
            "by_weight": shares[number % 2], "smallest": 0.1,
            "lead": leads[shuffle][number % 2] if leads else 1.0, "fall": 0.0,
        }
        for shuffle, shares in enumerate(by_weight)
        for number in range(TEXTS)
    )  # fmt: skip


def claim_of_shuffles(shuffles):
    """Value, zones and verdict, by question."""
    judged = subject(contrasts=None, dataset="sst", paper="P", seeds=1)
    table = claim("sst", "sst", shuffles=shuffles, subjects=[judged])
    assert table["allowed"].eq("12-").all()
    assert table["question"].eq("").all()
    rows = table[["claim", "value", "said", "holds"]].to_numpy().tolist()
    return {name.rpartition(" ")[2]: [value, said, holds] for name, value, said, holds in rows}


@pytest.mark.parametrize(
    ("by_weight", "value", "said", "holds"),
    [
        # shuffles that rank alike are low, whatever the map does
        ([[0.1, 0.1], [0.3, 0.5], [0.3, 0.5], [0.3, 0.5]], 0, "1", True),
        # it leaves 0.2 of 0.4, and the others 0.3 of 0.4: 1 - .5 / .75
        ([[0.1, 0.1], [0.3, 0.3], [0.3, 0.4], [0.4, 0.5]], 1 / 3, "2", True),
        # it finds the smallest sets
        ([[0.5, 0.5], [0.1, 0.1], [0.5, 0.5], [0.5, 0.5]], 1, "3", False),
    ],
)
def test_a_shuffle_is_held_against_the_others(by_weight, value, said, holds):
    assert claim_of_shuffles(draw_shuffles(by_weight))["ranks"] == [pytest.approx(value), said, holds]


@pytest.mark.parametrize(("zones", "holds"), [("12", True), ("123", True), ("23", False), ("-", True)])
def test_of_a_shuffle_nothing_high_may_be_said(monkeypatch, zones, holds):
    cell = Cell(zones=zones, said="x" * (zones != "-"))
    monkeypatch.setattr(controls_table, "ASK_FUNCTIONS", dict.fromkeys(("ranks", "signed"), lambda _: cell))
    found = claim_of_shuffles(draw_shuffles([[0.1, 0.1], [0.3, 0.3], [0.3, 0.4], [0.4, 0.5]]))
    assert {question: row[1:] for question, row in found.items()} == {
        "ranks": [zones, holds],
        "signed": [zones, holds],
    }


def test_a_shuffle_must_not_be_high_in_any_class():
    # of class 0, from .1 to .5 as the others do on the mean; of class 1 nothing is better than another order
    classes = [[0, 1]] * 4
    rows = draw_shuffles([[0.5, 0.5], [0.1, 0.5], [0.5, 0.5], [0.5, 0.5]], predictions=classes)
    value, said, holds = claim_of_shuffles(rows)["ranks"]
    assert math.isnan(value)
    assert (said, holds) == ("13", False)


def test_a_shuffle_whose_top_item_supports_breaks_the_claim():
    even = [[0.3, 0.3]] * 4
    own, others = [1.0, 1.0], [1.0, -1.0]
    assert claim_of_shuffles(draw_shuffles(even, [own, others, others, others]))["signed"] == [0.5, "1", True]
    # all of its top items support, and half of the others': it avoids all exceptions
    assert claim_of_shuffles(draw_shuffles(even, [others, own, others, others]))["signed"] == [1.0, "3", False]
    # where the others' do so too, nothing is stated
    found = claim_of_shuffles(draw_shuffles(even, [others, own, own, own]))["signed"]
    assert math.isnan(found[0])
    assert found[1:] == ["-", True]


def test_one_shuffle_cannot_be_held_against_others():
    assert not claim_of_shuffles(draw_shuffles([[0.5, 0.5], [0.1, 0.1]]))
