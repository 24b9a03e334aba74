"""Attributions beside attention: values by hand, on the same texts."""

import math

import pandas as pd
import pytest
from audited import NOTHING, RANKED_SETS, TEXTS, fallen, ranked, subject
from tabled import assert_fits, cells

from attention_audit.columns.tables import INSTEAD
from attention_audit.tables.attributions import instead, table_soft


def compared(ranked_sets: pd.DataFrame, located: pd.DataFrame) -> pd.DataFrame:
    """The table of base, by attribution."""
    return instead(ranked_sets, located, [subject()], {}).set_index("attribution")


def test_all_attributions_stand_between_the_same_ends(tmp_path):
    sets = ranked(random=0.6, attention=0.35, gradient=0.2, smallest=0.1)
    found = instead(sets, fallen(random=0.1, attention=0.2, gradient=0.3, loo=0.5), [subject()], {})
    table = assert_fits(found, tmp_path, INSTEAD).set_index("attribution")
    assert table.index.tolist() == ["attention", "gradient", "loo"]
    assert table["located_value"].to_dict() == pytest.approx({"attention": 0.25, "gradient": 0.5, "loo": 1.0})
    # 1 - value is the share that `fallen` says is erased: of loo, .5
    assert table["ranks_value"].to_dict() == pytest.approx({"attention": 0.5, "gradient": 0.8, "loo": 0.2})
    assert table["located_yardstick"].to_dict() == {"attention": False, "gradient": False, "loo": True}
    # texts of one word are left out
    assert set(table["located_texts"]) == {TEXTS * 19 / 20}


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
    never = compared(ranked(random=0.6, attention=0.5, smallest=math.nan), NOTHING["located"])
    assert never["ranks_value"].isna().all()


def test_soft_erasure_is_held_against_shuffled_scores():
    about = {"dataset": "needle", "suite": "wp", "model": "base", "seed": 1, "ranking": "attention"}
    about |= {"id": ["a", "b", "c"], "comprehensiveness": [0.8, 0.4, math.nan], "sufficiency": [0.5, 0.3, math.nan]}
    shuffled = {"shuffled_comprehensiveness": [0.2, 0.6, math.nan], "shuffled_sufficiency": [0.1, 0.1, math.nan]}
    table = table_soft(
        pd.DataFrame(about | shuffled), [subject(), subject("uniform", unasked={"soft": "nobody asked"})]
    )
    expected = {"comprehensiveness": 0.6, "comprehensiveness_gain": 0.2, "sufficiency": 0.4, "sufficiency_gain": 0.3}
    assert cells(table, "WP2019/base/attention") == pytest.approx(expected | {"texts": 3})
    assert table["note"].iloc[-1] == "not asked: nobody asked"
