"""The tables of attributions: means, floors and ceiling by hand; faithfulness as the summary has it."""

import math

import numpy as np
import pandas as pd
import pytest
from audited import NOTHING, RANKED_SETS, TEXTS, fallen, ranked, shuffled, subject
from labels import LABELS
from tabled import assert_fits, cells, name_rows

from attention_audit.answer import estimates
from attention_audit.columns.tables import INSTEAD, TABLE
from attention_audit.names import PLAUSIBLE
from attention_audit.tables.attributions import instead, table_contributions, table_plausibility, table_soft
from attention_audit.tables.render import show_marks, show_table

NAN = math.nan
KEYS = {"dataset": "needle", "suite": "wp", "model": "base", "seed": 1}
MEASURES = ("auprc", "f1", "iou", "mass")
COLUMNS = [*KEYS, "id", "annotator", "attribution", "words", "marked", *MEASURES]


def marks(attribution, values, marked=2):
    """Rows of an audit, with the same value of all measures, by seed, text and annotator."""
    rows = [
        {"seed": seed, "id": text, "annotator": who, **dict.fromkeys(MEASURES, value)}
        for (seed, text, who), value in values.items()
    ]
    found = KEYS | {"attribution": attribution, "words": 5, "marked": marked}
    return pd.DataFrame([found | row for row in rows])[COLUMNS]


EMPTY = pd.DataFrame(columns=COLUMNS)
BASE = subject()


def table(*parts, ranked_sets=RANKED_SETS, located=NOTHING["located"], subjects=(BASE,)):
    further = {"plausible_words": EMPTY, "ranked_sets": ranked_sets, "located": located}
    found = table_plausibility(pd.concat([EMPTY, *parts]), subjects, **further)
    assert found.columns.tolist() == TABLE.schema.names
    return found


def of_base(table, attribution, column="mean"):
    """A column of one attribution's row by metric."""
    return cells(table, f"WP2019/base/{attribution}", column)


def test_means_over_annotators_texts_and_trainings_by_hand():
    found = table(
        marks(
            "attention",
            {
                (1, "a", "x"): 0.2, (1, "a", "y"): 0.6, (1, "a", ""): 0.9, (1, "b", "x"): 0.8,
                (2, "a", "x"): 0.4, (2, "a", "y"): 0.4, (2, "a", ""): 0.5, (2, "b", "x"): NAN,
            },
        )
    )  # fmt: skip
    own = of_base(found, "attention")
    # of text a .4 and .4, of text b .8: the annotators of a text count together as much as the one of another
    assert own["auprc"] == pytest.approx((0.4 + 0.8 + 0.4) / 3)
    assert own["majority_token_f1"] == pytest.approx(0.7)
    assert own["texts"] == 2
    effect = estimates.estimate_mean(np.array([[0.4, 0.8], [0.4, NAN]]))
    ends = [of_base(found, "attention", end)["iou"] for end in ("low", "high")]
    assert ends == pytest.approx([effect.low, effect.high])
    assert of_base(found, "attention", "sd")["auprc"] == pytest.approx(np.std([0.6, 0.4], ddof=1))
    assert of_base(found, "attention", "seeds")["auprc"] == 2


def test_what_has_no_value_has_no_cell_and_maps_without_an_order_are_counted():
    values = {(1, "a", "x"): 0.5, (1, "b", "x"): NAN, (1, "c", "x"): NAN}
    every = marks("random", values).assign(marked=[2, 0, 5])
    product = marks("product", values).assign(mass=NAN)
    found = table(product, every)
    assert of_base(found, "random") == pytest.approx(
        {"auprc": 0.5, "token_f1": 0.5, "iou": 0.5, "marked_mass": 0.5, "texts": 1, "unmarked": 1, "all_marked": 1}
    )
    assert of_base(found, "product") == pytest.approx({"auprc": 0.5, "token_f1": 0.5, "iou": 0.5, "texts": 1})


def test_of_planted_words_one_share_says_whether_they_come_first():
    found = table(marks("attention", {(1, "a", "planted"): 1.0, (1, "b", "planted"): 0.0}, marked=1))
    assert of_base(found, "attention") == pytest.approx({"found": 0.5, "auprc": 0.5, "marked_mass": 0.5, "texts": 2})
    (block,) = show_table(found, LABELS)
    assert "planted words among the first" in block.rows


def test_faithfulness_is_that_of_the_table_instead():
    ids = {(1, "t000", "x"): 0.5, (2, "t000", "x"): 0.5}
    parts = [marks(name, ids) for name in ("attention", "product", "loo", "random")]
    erased = ranked(random=0.6, attention=0.3, product=0.2, smallest=0.1)
    deleted = fallen(random=0.1, attention=0.2, loo=0.5)
    found = table(*parts, ranked_sets=erased, located=deleted)
    expected = compared(erased, deleted)
    for name in ("attention", "product", "loo"):
        for question in ("ranks", "located"):
            for end, column in (("value", "mean"), ("low", "low"), ("high", "high")):
                shown = of_base(found, name, column).get(question, NAN)
                assert shown == pytest.approx(expected.loc[name, f"{question}_{end}"], nan_ok=True)
    assert {"ranks", "located"}.isdisjoint(of_base(found, "random"))


def test_a_model_of_sentences_says_why_it_was_not_asked():
    reason = "plausibility needs attention over tokens, and han_rnn attends to sentences"
    rows = marks("attention", {(1, "a", "x"): 0.5})
    han = subject("han_rnn", suite="ss", paper="SS2019", unasked={"plausibility": reason})
    found = table(rows, subjects=[BASE, han])
    assert found["note"].tolist()[-1] == f"not asked: {reason}"
    assert name_rows(found).tolist()[-1] == "SS2019/han_rnn"
    # of data without marks there is nothing to say
    assert table(subjects=[han]).empty


def test_readers_see_labels_of_all_rows_and_metrics():
    values = {(1, "a", "x"): 0.5, (1, "a", ""): 0.5}
    found = table(
        *(marks(name, values) for name in PLAUSIBLE),
        ranked_sets=ranked(random=0.6, attention=0.3, smallest=0.1),
        located=fallen(random=0.1, attention=0.2, loo=0.5),
    )
    (block,) = show_marks(found, LABELS)
    assert "Wiegreffe & Pinter 2019, base - the other annotators" in block.rows["row"].tolist()
    assert {"token F1, majority", "ranks: effect", "maps without a mark"} <= {*block.rows}
    assert not [column for column in block.rows if "_" in column]


def compared(ranked_sets, located, **audits):
    """The table of base, by attribution."""
    return instead([BASE], {}, ranked_sets=ranked_sets, located=located, **audits).set_index("attribution")


def test_all_attributions_stand_between_the_same_ends(tmp_path):
    sets = ranked(random=0.6, attention=0.35, gradient=0.2, smallest=0.1)
    located = fallen(random=0.1, attention=0.2, gradient=0.3, loo=0.5)
    found = instead([BASE], {}, ranked_sets=sets, located=located)
    table = assert_fits(found, tmp_path, INSTEAD).set_index("attribution")
    assert table.index.tolist() == ["attention", "gradient", "loo"]
    assert table["located_value"].to_dict() == pytest.approx({"attention": 0.25, "gradient": 0.5, "loo": 1.0})
    # 1 - value is the share that `fallen` says is erased: of loo, .5
    assert table["ranks_value"].to_dict() == pytest.approx({"attention": 0.5, "gradient": 0.8, "loo": 0.2})
    assert table["located_yardstick"].to_dict() == {"attention": False, "gradient": False, "loo": True}
    # texts of one word are left out
    assert set(table["located_texts"]) == {TEXTS * 19 / 20}
    assert set(table["ranks_zero"]) == {"a random order"}


def test_where_weights_can_be_imposed_ranks_begin_with_shuffled_weights():
    sets = ranked(random=0.6, attention=0.35, gradient=0.2, smallest=0.1)
    located = fallen(random=0.1, attention=0.2, gradient=0.3, loo=0.5)
    # of the way from the smallest set to a random order, shuffled weights leave (.4 - .1) / (.6 - .1)
    shuffles = shuffled(random=(0.6, 0.6), by_weight=(0.35, 0.4), smallest=(0.1, 0.1))
    table = compared(sets, located, shuffles=shuffles)
    expected = {"attention": 1 - 0.5 / 0.6, "gradient": 1 - 0.2 / 0.6, "loo": 1 - 0.8 / 0.6}
    assert table["ranks_value"].to_dict() == pytest.approx(expected)
    assert table["ranks_attention"].tolist() == pytest.approx([expected["attention"]] * 3)
    assert set(table["ranks_zero"]) == {"shuffled weights"}


def test_attention_is_measured_on_the_texts_of_a_sample():
    rows = fallen(random=0.1, attention=0.2, loo=0.5, integrated_gradients=0.6)
    sampled = rows[(rows["ranking"] != "integrated_gradients") | (rows["id"] < "t100")].copy()
    # attention finds nothing in the texts of the sample
    steps = [name for name in sampled if name.startswith("falls_")]
    sampled.loc[(sampled["ranking"] == "attention") & (sampled["id"] < "t100"), steps] = 0.1
    table = compared(RANKED_SETS, sampled)
    assert table["located_texts"].to_dict() == {"attention": 380, "loo": 380, "integrated_gradients": 95}
    assert table.loc["integrated_gradients", "located_value"] == pytest.approx(1.25)
    assert table.loc["integrated_gradients", "located_attention"] == pytest.approx(0.0)
    assert table.loc["loo", "located_attention"] == pytest.approx(0.25 * 285 / 380)
    # of pairs there are no sets
    assert table["ranks_value"].isna().all()


def test_nothing_is_compared_where_nothing_is_known():
    assert compared(RANKED_SETS, NOTHING["located"]).empty
    never = compared(ranked(random=0.6, attention=0.5, smallest=NAN), NOTHING["located"])
    assert never["ranks_value"].isna().all()


def test_soft_erasure_is_held_against_shuffled_scores():
    measured = {
        "comprehensiveness": [0.8, 0.4, NAN],
        "sufficiency": [0.5, 0.3, NAN],
        "shuffled_comprehensiveness": [0.2, 0.6, NAN],
        "shuffled_sufficiency": [0.1, 0.1, NAN],
    }
    rows = pd.DataFrame(KEYS | {"ranking": "attention", "id": ["a", "b", "c"]} | measured)
    table = table_soft(rows, [BASE])
    expected = {"comprehensiveness": 0.6, "comprehensiveness_gain": 0.2, "sufficiency": 0.4, "sufficiency_gain": 0.3}
    assert cells(table, "WP2019/base/attention") == pytest.approx(expected | {"texts": 3})


def audited():
    """Base with two seeds and three texts, of which one has one item and one has four; and a model of another suite."""
    base = pd.DataFrame(
        {
            "dataset": "needle", "suite": "wp", "model": "base", "seed": [1] * 3 + [2] * 3, "id": ["a", "b", "c"] * 2,
            "items": [9, 4, 1] * 2,
            "tau": [0.2, 0.6, NAN, 0.4, 0.8, NAN],
            "overlap": [0.4, 1, 1, 0.8, 1, 1],
            "against": [0.3, 0.1, 0, 0.5, 0.3, 0],
            "top_fall": [0.2, -0.1, NAN, 0.4, 0.1, NAN],
            "top_flips": [True, False, None, True, True, None],
            "top_weights_0": [0.3, 0.6, 1.0, 0.5, 0.8, 1.0],
            "top_contributions_0": [-1.0, 2.0, 1.0, 1.0, 2.0, 1.0],
        }
    )  # fmt: skip
    return pd.concat([base, base.assign(suite="jw", model="lstm_tanh", tau=0.0)], ignore_index=True)


OTHER = subject("lstm_tanh", suite="jw", paper="JW2019")
NOT_ERASED = pd.DataFrame(columns=[*KEYS, "id", "ranking", "top_fall", "falls_0"])


def contributed(rows, *subjects, erased=NOT_ERASED, deleted=NOT_ERASED):
    """The table, of whatever of its audits there are."""
    return table_contributions(subjects, contributions=rows, single_weight=erased, located=deleted)


def test_shares_of_texts_whose_first_item_opposes_the_prediction():
    # four texts without their first item, in both draws; of one of them no word was deleted
    ids = ["a", "b", "c", "d"]
    own = pd.DataFrame(KEYS | {"ranking": "attention", "id": ids, "top_fall": [0.2, -0.005, -0.02, 0.0]})
    deleted = pd.DataFrame(
        KEYS | {"ranking": ["attention"] * 3 + ["loo"], "id": [*ids[:3], "a"], "falls_0": [0.1, -0.5, -1e-9, 0.3]}
    )
    table = contributed(audited(), BASE, erased=pd.concat([own, own]), deleted=deleted)
    found = cells(table, "WP2019/base/attention")
    # two of four rise; of the deletions one of three, since 1e-9 is rounding
    shares = [found.pop(name) for name in ("erased", "deleted", "texts")]
    assert shares == pytest.approx([1 / 2, 1 / 3, 3])
    # what stands beside them in one row
    assert set(found) == {"tau", "overlap", "against", "largest_weight", "top_flips"}
    assert cells(table, "WP2019/base/loo") == {"deleted": 0, "texts": 1}
    (block,) = show_table(table, LABELS)
    names = ["Wiegreffe & Pinter 2019, base, attention", "Wiegreffe & Pinter 2019, base, leave-one-out"]
    assert block.rows["row"].tolist() == names
    assert [cell[:5] for cell in block.rows["first item opposes, erased"]] == ["0.500", ""]


def test_means_are_over_the_texts_that_have_a_value():
    table = contributed(audited(), BASE, OTHER)
    base = table[name_rows(table) == "WP2019/base/attention"].set_index("metric")
    expected = {
        "tau": 0.5,  # of a text of one item there is none
        "overlap": 0.6,  # of a text of four items it is 1 by construction
        "against": 0.2,
        "largest_weight": 0.7,
        "top_flips": 3 / 4,
        "texts": 3,
    }
    assert base["mean"].to_dict() == pytest.approx(expected)
    assert base["seeds"].tolist() == [2] * 6
    # over two seeds, of means .4 and .6
    assert base.loc["tau", "sd"] == pytest.approx(0.2 / 2**0.5)
    assert base.loc["tau", "low"] <= 0.5 <= base.loc["tau", "high"]
    assert base.loc["texts", ["sd", "low", "high"]].isna().all()
    assert name_rows(table).unique().tolist() == ["WP2019/base/attention", "JW2019/lstm_tanh/attention"]
    assert cells(table, "JW2019/lstm_tanh/attention")["tau"] == 0


def test_what_was_not_asked_has_the_reason():
    reason = "predictions of pairs are not linear"
    unasked = OTHER.model_copy(update={"dataset": "babi-1", "unasked": {"contributions": reason}})
    table = contributed(audited(), BASE, OTHER, unasked)
    last = table.iloc[-1]
    assert (last["dataset"], last["paper"], last["model"]) == ("babi-1", "JW2019", "lstm_tanh")
    assert last["note"] == f"not asked: {reason}"
    assert contributed(audited().iloc[:0]).empty
