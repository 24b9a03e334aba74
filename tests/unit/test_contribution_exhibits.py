"""The figures and the table of exact contributions: what they show, that it is readable, and their numbers by hand."""

import math
from typing import Any

import matplotlib.colors as mcolors
import pandas as pd
import pytest
from audited import subject
from drawn import assert_readable
from figure_rows import contributions
from labels import JW, LABELS
from tabled import cells

from attention_audit.contrasts import Subject
from attention_audit.figures import style
from attention_audit.figures.correlation import wp_fig_contributions
from attention_audit.tables.attributions import table_contributions
from attention_audit.tables.shown import show_table

ONE = {"sst": ["lstm_tanh"]}


def test_the_map_of_items_ends_where_they_do() -> None:
    """Of a long text every weight is small: the panel is not empty beyond. Its scales are square roots."""
    frame = contributions(ONE)
    frame[[*frame.filter(like="top_")]] /= 100
    # a text that has no contributions is left out
    frame.loc[0, ["magnitude", *frame.filter(like="top_contributions")]] = 0
    axes = wp_fig_contributions(frame, JW).axes[0]
    # weights and shares are at most .0036 now, so that all axes end at the tick of .01
    assert frame.filter(like="top_weights").max().max() == pytest.approx(0.0035, abs=1e-4)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 0.01), (-0.01, 0.01))
    assert axes.collections[-1].get_array().sum() == 195
    ticks = dict(zip(axes.get_yticks(), (label.get_text() for label in axes.get_yticklabels()), strict=True))
    assert ticks == {0: "0", 0.01: "0.01", 0.003: "0.003", -0.01: "−0.01", -0.003: "−0.003"}


def test_what_is_counted() -> None:
    frame = contributions(ONE, texts=4).assign(against=[0.01, 0.02, 0.99, 1.0], overlap=[1, 0.6, 0.6, 0.2])
    items, against, overlap = wp_fig_contributions(frame, JW).axes
    cells = items.collections[-1].get_array()
    assert cells.sum() == 20
    heights = [bar.get_height() for bar in against.patches]
    assert (heights[0], heights[-1], sum(heights)) == pytest.approx((50, 50, 100))
    assert [bar.get_height() for bar in overlap.patches] == pytest.approx([0, 25, 0, 50, 0, 25])
    said = [axes.get_title(loc="left") for axes in (against, overlap)]
    assert said == ["against the prediction: mean 0.51", "overlap of the first 5: mean 0.60"]
    assert {mcolors.to_hex(bar.get_facecolor()).upper() for bar in against.patches} == {style.VERMILLION}


def test_texts_of_few_items_have_no_overlap_to_show() -> None:
    figure = wp_fig_contributions(contributions(ONE, items=3), JW)
    assert figure.axes[2].get_title(loc="left") == "overlap of the first 5: no text of more than 5 items"
    assert_readable(figure)


def judge(suite: str, paper: str, model: str, dataset: str = "sst", **unasked: str) -> Subject:
    return subject(model, None, dataset=dataset, suite=suite, paper=paper, unasked=unasked)


BASE, OTHER = judge("wp", "WP2019", "base"), judge("jw", "JW2019", "lstm_tanh")


def audited() -> pd.DataFrame:
    """Base with two seeds and three texts, of which one has one item and one has four; and a model of another suite."""
    base = pd.DataFrame(
        {
            "dataset": "sst", "suite": "wp", "model": "base", "seed": [1] * 3 + [2] * 3, "id": ["a", "b", "c"] * 2,
            "items": [9, 4, 1] * 2,
            "tau": [0.2, 0.6, math.nan, 0.4, 0.8, math.nan],
            "overlap": [0.4, 1, 1, 0.8, 1, 1],
            "against": [0.3, 0.1, 0, 0.5, 0.3, 0],
            "top_fall": [0.2, -0.1, math.nan, 0.4, 0.1, math.nan],
            "top_flips": [True, False, None, True, True, None],
            "top_weights_0": [0.3, 0.6, 1.0, 0.5, 0.8, 1.0],
            "top_contributions_0": [-1.0, 2.0, 1.0, 1.0, 2.0, 1.0],
        }
    )  # fmt: skip
    return pd.concat([base, base.assign(suite="jw", model="lstm_tanh", tau=0.0)], ignore_index=True)


KEYS = {"dataset": "sst", "suite": "wp", "model": "base", "seed": 1}
NOTHING = pd.DataFrame(columns=[*KEYS, "id", "ranking", "top_fall", "falls_0"])


def of(rows: pd.DataFrame, *subjects: Subject, erased: pd.DataFrame = NOTHING, deleted: pd.DataFrame = NOTHING) -> Any:
    """The table, of whatever of its audits there are."""
    return table_contributions(rows, erased, deleted, subjects)


def violated() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Four texts without their first item, each in both draws; of one of them no word was deleted."""
    ids = ["a", "b", "c", "d"]
    own = pd.DataFrame(KEYS | {"ranking": "attention", "id": ids, "top_fall": [0.2, -0.005, -0.02, 0.0]})
    words = pd.DataFrame(
        KEYS | {"ranking": ["attention"] * 3 + ["loo"], "id": [*ids[:3], "a"], "falls_0": [0.1, -0.5, -1e-9, 0.3]}
    )
    return pd.concat([own, own]), words


def test_shares_of_texts_whose_first_item_opposes_the_prediction() -> None:
    erased, deleted = violated()
    table = of(audited(), BASE, erased=erased, deleted=deleted)
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


def test_means_are_over_the_texts_that_have_a_value() -> None:
    table = of(audited(), BASE, OTHER)
    base = table[table["row"] == "WP2019/base/attention"].set_index("metric")
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
    assert table["row"].unique().tolist() == ["WP2019/base/attention", "JW2019/lstm_tanh/attention"]
    assert cells(table, "JW2019/lstm_tanh/attention")["tau"] == 0


def test_what_was_not_asked_has_the_reason() -> None:
    reason = "predictions of pairs are not linear"
    table = of(audited(), BASE, OTHER, judge("jw", "JW2019", "lstm_tanh", "babi-1", contributions=reason))
    last = table.iloc[-1]
    assert (last["dataset"], last["row"], last["note"]) == ("babi-1", "JW2019/lstm_tanh", f"not asked: {reason}")
    (block,) = show_table(table, LABELS)
    judged = "Jain & Wallace 2019, BiLSTM (additive)"
    names = ["Wiegreffe & Pinter 2019, base, attention", f"{judged}, attention", judged]
    assert block.rows["row"].tolist() == names
    assert block.rows["data set"].tolist() == ["SST", "SST", "bAbI 1"]
    assert block.rows["note"].tolist() == ["", "", last["note"]]
    assert block.rows["τ"].tolist()[-1] == ""
    assert of(audited().iloc[:0]).empty
