"""The tables of Serrano & Smith's erasure tests, with every number worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from labels import SS
from tabled import assert_fits, cells, performance

from attention_audit.answer.estimates import NORMAL
from attention_audit.audits.attributed import FURTHER
from attention_audit.audits.rankings import RANKERS
from attention_audit.columns.audits import SINGLE_WEIGHT
from attention_audit.errors import AuditError
from attention_audit.names import MAPS, RANKINGS, Look, Names
from attention_audit.tables import papers
from attention_audit.tables.papers import ss_table2_flips, ss_table3_accuracy, ss_table_pairwise
from attention_audit.tables.tidy import make_grids

YES, NO = True, False


def single_weight(flips, model="han_rnn", dataset="yelp", ranking="attention", draw="corrected", seed=1):
    """(top flips, other flips) of each text, as columns.SINGLE_WEIGHT rows."""
    top, other = zip(*flips, strict=True)
    about = {"dataset": dataset, "model": model, "seed": seed, "ranking": ranking, "draw": draw, "items": 3}
    ids = [f"text {number}" for number in range(len(flips))]
    measured = {"delta_js": 0.1, "delta_attention": 0.2, "top_flips": top, "other_flips": other, "top_fall": 0.1}
    # words are categories, as files are read
    words = dict.fromkeys(["dataset", "model", "id", "ranking", "draw"], "category")
    return pd.DataFrame({"id": ids} | about | measured)[SINGLE_WEIGHT.schema.names].astype(words)


def ranked_sets(removed, model="flan_rnn"):
    """{ranking: items removed of each text, -1 for never} as rows of the audit."""
    frames = [pd.DataFrame({"ranking": ranking, "removed": counts}) for ranking, counts in removed.items()]
    rows = pd.concat([frame.assign(id=frame.index) for frame in frames], ignore_index=True)
    return rows.assign(dataset="yelp", model=model, seed=1)


def every_ranking(**removed):
    """All rankings: those not named flip at once."""
    texts = len(next(iter(removed.values())))
    return {ranking: [1] * texts for ranking in RANKERS} | removed


CENSUS = {"yelp": pd.DataFrame({"split": ["test", "test", "train"], "kept": [7, 4, 5]})}
"""Kept texts by split, in two classes."""


def test_rankings_are_those_of_the_audits():
    assert {*RANKINGS} == {*RANKERS, *FURTHER, *MAPS}


@pytest.mark.parametrize(
    ("name", "refused"),
    [("ranking", r"ranking 'oracle' is not known .* RANKINGS of .*/names\.py"), ("draw", "row 'oracle' has no place")],
)
def test_a_ranking_or_draw_without_a_label_is_refused(name, refused):
    with pytest.raises(AuditError, match=f"^{refused}"):
        ss_table2_flips(single_weight([(YES, NO)], **{name: "oracle"}), CENSUS, SS)


def test_in_a_pair_the_second_stands_before_the_first_in_figures():
    table = ss_table_pairwise(ranked_sets({"attention": [1], "random": [2], "smallest": [1]}), SS)
    pairs = ["smallest/attention", "smallest/random", "attention/random"]
    assert [*table["row"].unique()] == [f"flan_rnn/{pair}" for pair in pairs]
    with pytest.raises(AuditError, match=r"^ranking 'oracle' is not known"):
        ss_table_pairwise(ranked_sets({"oracle": [1], "random": [2]}), SS)


def test_a_new_ranking_appears_in_every_table(monkeypatch):
    looks = {"random": RANKINGS["random"], "position": Look("position", "sky", "v"), **RANKINGS}
    monkeypatch.setattr(papers, "RANKINGS", Names("ranking", "here", looks))
    table = ss_table_pairwise(ranked_sets(every_ranking(position=[1, 2])), SS)
    rows = list(dict.fromkeys(table["row"]))
    assert len(rows) == 15
    assert rows[3:5] == ["flan_rnn/smallest/position", "flan_rnn/smallest/random"]
    flips = single_weight([(YES, NO)], ranking="position")
    table = ss_table2_flips(flips, CENSUS, SS)
    assert set(table["row"]) == {"han_rnn/position/corrected"}


def test_table2_counts_texts_in_four_cases(tmp_path):
    flips = [(YES, YES), (YES, NO), (YES, NO), (NO, YES), *[(NO, NO)] * 4]
    table = ss_table2_flips(single_weight(flips), CENSUS, SS)
    assert_fits(table, tmp_path)
    assert cells(table, "han_rnn/attention/corrected") == {
        "both_flip": 12.5,
        "only_top_flips": 25,
        "only_other_flips": 12.5,
        "neither_flips": 50,
        "texts": 8,
        "excluded": 3,
    }
    assert table["published"].isna().all()
    assert table["sd"].isna().all()


def test_table2_sets_the_papers_percentages_beside_the_draw_they_were_made_with():
    flips = [(YES, NO), (NO, NO)]
    frame = pd.concat(
        single_weight(flips, model, ranking=ranking, draw=draw)
        for model in ("flan_rnn", "han_rnn")
        for ranking in ("product", "attention")
        for draw in ("as_published", "corrected")
    )
    table = ss_table2_flips(frame, CENSUS, SS)
    assert list(dict.fromkeys(table["row"])) == [
        f"{model}/{ranking}/{draw}"
        for model in ("han_rnn", "flan_rnn")
        for ranking in ("attention", "product")
        for draw in ("corrected", "as_published")
    ]
    given = table[table["published"].notna()]
    assert given[["row", "metric", "published"]].to_numpy().tolist() == [
        ["han_rnn/attention/as_published", metric, value]
        for metric, value in zip(papers.CELLS, (1.5, 8.9, 1.9, 87.7), strict=True)
    ]
    assert set(given["note"]) == {"paper's other item may be the top itself"}


def test_table3_shows_accuracy_only(tmp_path):
    accuracy = performance({"flan_none": [0.6], "han_rnn": [0.5, 0.7]}, "yelp", "accuracy", classes=5)
    f1 = performance({"han_rnn": [0.1]}, "yelp", classes=5)
    table = ss_table3_accuracy(pd.concat([accuracy, f1]), SS)
    assert_fits(table, tmp_path)
    assert table["row"].tolist() == ["han_rnn", "flan_none"]
    assert table["mean"].tolist() == pytest.approx([0.6, 0.6])
    assert table["published"].tolist() == [0.63, 0.582]
    assert table["seeds"].tolist() == [2, 1]


def test_pairwise_counts_who_is_first(tmp_path):
    # first, second, alone, alone, tie, neither ever
    removed = every_ranking(gradient=[1, 5, 3, -1, 4, -1], attention=[2, 3, -1, 6, 4, -1])
    table = ss_table_pairwise(ranked_sets(removed), SS)
    assert_fits(table, tmp_path)
    assert cells(table, "flan_rnn/gradient/attention") == pytest.approx(
        {"first_earlier": 40, "second_earlier": 40, "tied": 20, "earlier_ratio": 1, "texts": 5}
    )
    assert cells(table, "flan_rnn/smallest/product")["tied"] == 100
    assert len(table) == 10 * 5


def test_pairwise_quotes_the_paper_where_it_claims_something():
    removed = every_ranking(gradient=[1, 2])
    frame = pd.concat([ranked_sets(removed), ranked_sets(removed, "flan_none")])
    table = ss_table_pairwise(frame, SS)
    assert set(table.loc[table["note"] != "", "row"]) == {"flan_rnn/gradient/attention"}
    assert set(table["note"]) == {"", "paper: at least 1.6"}


def test_pairwise_ratio_to_none_is_infinite_and_to_nothing_undefined():
    removed = every_ranking(gradient=[1] * 100, attention=[3] * 100, random=[-1] * 100, product=[-1] * 100)
    table = ss_table_pairwise(ranked_sets(removed), SS)
    ratios = table[table["metric"] == "earlier_ratio"].set_index("row")[["mean", "low", "high"]]
    # 100 of 100 texts and two more, one at either end: p - 1.96 sqrt(2) / 100 as odds p / (1 - p)
    least = 1 - NORMAL * math.sqrt(2) / 100
    assert ratios.loc["flan_rnn/gradient/attention"].tolist() == pytest.approx(
        [math.inf, least / (1 - least), math.inf]
    )
    assert ratios.loc["flan_rnn/product/random"].isna().all()
    assert cells(table, "flan_rnn/product/random")["texts"] == 0


def test_values_fall_into_place_whatever_the_order_of_rows():
    rows = [("b", 2, "x", 1.0), ("a", 1, "x", 2.0), ("a", 2, "y", 3.0), ("b", 1, "x", 4.0), ("a", 2, "x", 5.0)]
    values = make_grids(pd.DataFrame(rows, columns=["id", "seed", "key", "value"]), "value", "key")
    assert list(values) == ["x", "y"]
    np.testing.assert_array_equal(values["x"], [[4, 2], [1, 5]])
    np.testing.assert_array_equal(values["y"], [[math.nan, math.nan], [math.nan, 3]])
