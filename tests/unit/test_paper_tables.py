"""The tables of Jain & Wallace's tests and of Serrano & Smith's, with every number worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from labels import JW, LABELS, SS
from tabled import assert_fits, cells, name_rows, performance, render_lines

from attention_audit.answer.estimates import NORMAL
from attention_audit.audits.correlation import list_pairs
from attention_audit.audits.rankings import RANKERS
from attention_audit.columns.audits import CORRELATION, SINGLE_WEIGHT
from attention_audit.columns.tables import OF_ROW
from attention_audit.errors import AuditError
from attention_audit.names import Names, Style
from attention_audit.tables import papers
from attention_audit.tables.papers import (
    STATISTICS,
    jw_table1_performance,
    jw_table2_correlation,
    ss_table2_flips,
    ss_table3_accuracy,
    ss_table_pairwise,
)
from attention_audit.tables.render import show_table
from attention_audit.tables.tidy import make_grids
from attention_audit.tables.wording import collect_labels, write_subject

PAIRS = list(map("~".join, list_pairs(["gradient", "gradient_attached", "loo"])))
NAN = math.nan


def as_read(artefact, measured, **about):
    """Rows of an audit of some texts; words are categories, as files are read."""
    frame = pd.DataFrame(about | measured)
    frame = frame.assign(id=[f"text {number}" for number in range(len(frame))])[artefact.schema.names]
    return frame.astype(dict.fromkeys(frame.select_dtypes(exclude=["number", "bool"]), "category"))


def correlation(taus, predictions=None, model="lstm_tanh", dataset="sst", pair="attention~gradient", seed=1, **more):
    """(tau, p) of each text, as columns.CORRELATION rows."""
    tau, p = zip(*taus, strict=True)
    measured = {"prediction": predictions or [0] * len(taus), "tau": tau, "p": p, "tokens": 9, "top_k_overlap": 0.4}
    return as_read(CORRELATION, measured | more, dataset=dataset, model=model, seed=seed, pair=pair)


LABELLED = pd.DataFrame({"label": range(5), "label_name": ["no", "perhaps", "yes", "a", "b"]})
"""The census of a data set."""


def table2(*frames):
    frame = pd.concat(frames)
    return jw_table2_correlation(frame, dict.fromkeys(frame["dataset"], LABELLED), JW)


@pytest.mark.parametrize(
    ("taus", "overlap", "expected"),
    [
        # mean 0.3, squares 0.01 + 0.25 + 0.01 + 0.25, less 0.09: variance 0.04
        ([(0.1, 0.2), (0.5, 0.01), (0.1, 0.05), (0.5, 0.06)], 0.4, [0.3, 0.2, 0.5, 0.4, 4, 0]),
        ([(0.2, 0.01), (NAN, NAN), (0.4, 0.2), (NAN, NAN)], [NAN, 0.2, 0.6, NAN], [0.3, 0.1, 0.5, 0.4, 4, 2]),
        ([(NAN, NAN)] * 3, 0.4, [NAN, NAN, NAN, 0.4, 3, 3]),
    ],
)
def test_table2_describes_tau_over_the_texts_where_it_is_defined(taus, overlap, expected, tmp_path):
    table = table2(correlation(taus, top_k_overlap=overlap))
    assert_fits(table, tmp_path)
    found = cells(table, "lstm_tanh/attention/gradient/overall")
    assert found == pytest.approx(dict(zip(STATISTICS, expected, strict=True)), nan_ok=True)


def test_table2_tells_predicted_classes_apart():
    taus = [(0.1, 0.5), (0.3, 0.5), (0.8, 0.01)]
    table = table2(correlation(taus, [1, 1, 0]))
    rows = [f"lstm_tanh/attention/gradient/{group}" for group in ("overall", "0", "1")]
    # of other data sets the paper has no class
    for dataset, last in (("mine", 0), ("babi-1", 4)):
        assert set(name_rows(table2(correlation(taus, [1, 1, last], dataset=dataset)))) == {rows[0]}
    assert list(dict.fromkeys(name_rows(table))) == rows
    assert [cells(table, row)["tau"] for row in rows] == pytest.approx([0.4, 0.8, 0.2])
    assert [cells(table, row)["texts"] for row in rows] == [3, 1, 2]
    assert [cells(table, row)["significant"] for row in rows] == pytest.approx([1 / 3, 1, 0])


def test_table2_follows_a_text_whose_class_changes_with_the_seed():
    later = correlation([(0.1, 0.5), (0.3, 0.5)], [0, 1], seed=2)
    table = table2(later, correlation([(0.5, 0.5), (0.7, 0.5)], [0, 0], seed=1))
    overall, zero, one = (f"lstm_tanh/attention/gradient/{group}" for group in ("overall", "0", "1"))
    assert cells(table, overall)["tau"] == pytest.approx(0.4)
    # of the seeds' means 0.6 and 0.2
    assert cells(table, overall, "sd")["tau"] == pytest.approx(math.sqrt(0.08))
    assert cells(table, zero)["tau"] == pytest.approx((0.5 + 0.7 + 0.1) / 3)
    assert (cells(table, zero)["texts"], cells(table, one)["texts"]) == (1.5, 0.5)
    assert set(table["seeds"]) == {2}


BY_CLASS = ("lstm_tanh", "attention~gradient")
"""The model and the pair of which the paper has numbers by class."""


def test_table2_sets_the_papers_correlations_beside_ours_in_their_order():
    taus = [(0.1, 0.5), (0.3, 0.5)]
    pairs = ("gradient~loo", "attention~loo", "attention~gradient_attached", "attention~gradient")
    models = ("average_tanh", "lstm_tanh")
    table = table2(*(correlation(taus, [0, 1], model=model, pair=pair) for model in models for pair in pairs))
    assert list(dict.fromkeys(name_rows(table))) == [
        f"{model}/{pair.replace('~', '/')}/{group}"
        for model in ("lstm_tanh", "average_tanh")
        for pair in PAIRS
        for group in ("overall", *(("0", "1") if (model, pair) == BY_CLASS else ()))
    ]
    given = table[table["published"].notna()].assign(row=name_rows).set_index(["row", "metric"])["published"]
    assert given["lstm_tanh/attention/gradient/overall"].to_dict() == {
        "tau": 0.3512,
        "tau_sd": 0.2109,
        "significant": 0.49,
    }
    assert given["lstm_tanh/attention/loo/overall", "tau"] == 0.2913
    assert given["lstm_tanh/attention/gradient/1", "tau"] == 0.36
    assert not any("attached" in row or row.startswith("gradient") for row, _ in given.index)


def test_table1_shows_models_beside_the_authors_later_run(tmp_path):
    accuracy = performance({"average_tanh": [0.5], "lstm_tanh": [1.0]}, "babi-1", "accuracy", classes=6)
    table = jw_table1_performance(pd.concat([accuracy, performance({"lstm_tanh": [0.9]}, "babi-1", classes=6)]), JW)
    assert_fits(table, tmp_path)
    assert table[["model", "metric"]].to_numpy().tolist() == [
        ["lstm_tanh", "f1"],
        ["lstm_tanh", "accuracy"],
        ["average_tanh", "accuracy"],
    ]
    assert table["published"].tolist()[1:] == [1.0, 0.436]
    assert table["note"].tolist()[:2] == [
        "F1: macro average of 6 classes",
        "authors' later run: epoch selected on dev",
    ]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (("lstm_tanh", "attention", "gradient", "overall", ""), "BiLSTM (additive), attention and gradient, overall"),
        (("average_dot", "gradient", "loo", "", "2"), "average (dot product), gradient and leave-one-out, class 2"),
        (("flan_none", "attention", "", "as_published", ""), "FLANnoenc, attention, draw as published"),
        (("base", "", "uniform", "", ""), "base - uniform"),
        (("gpt", "my_maps:by_place", "", "", "cat"), "gpt, by place, class cat"),
        (("", "glow", "", "train", ""), "glow, train"),
    ],
)
def test_rows_are_called_by_what_they_hold(row, name):
    assert write_subject(dict(zip(OF_ROW, row, strict=True)), LABELS) == name


def test_tau_is_spelt_in_greek(tmp_path):
    table = table2(correlation([(0.1, 0.5), (NAN, NAN)]))
    head, _, first, *_ = render_lines(table, tmp_path)
    names = ("τ", "sd of τ over texts", "share with p ≤ 0.05")
    assert [cell.strip() for cell in head.split("|")[3:9]] == [
        f"{paper}{name}" for name in names for paper in ("", "paper: ")
    ]
    # one text with a value says nothing of others
    assert "| 0.100 [-1.000, 1.000] |" in " ".join(first.split())
    tex = (tmp_path / "t.tex").read_text()
    assert r"sd of $\tau$ over texts" in tex
    assert tex.isascii()


def test_predicted_classes_have_the_names_of_the_data(tmp_path):
    taus = [(0.1, 0.5), (0.3, 0.5)]
    frame = pd.concat([correlation(taus, [0, 1]), correlation(taus, [1, 1], dataset="mine")])
    names = {"mine": pd.DataFrame({"label": [-1, 0, 1], "label_name": ["", "no", "yes"]})}
    table = jw_table2_correlation(frame, {"sst": LABELLED} | names, JW)
    shown = table.drop_duplicates(["dataset", "label"])[["dataset", "class_name"]].to_numpy().tolist()
    assert shown == [["sst", ""], ["sst", "no"], ["sst", "perhaps"], ["mine", ""]]
    text = "\n".join(render_lines(table, tmp_path))
    assert "BiLSTM (additive), attention and gradient, predicted perhaps |" in text
    assert "class 1" not in text


def test_a_name_with_two_labels_is_refused():
    other = Names({"lstm_tanh": Style("LSTM")})
    with pytest.raises(AuditError, match=r"'lstm_tanh' is called both 'BiLSTM \(additive\)' and 'LSTM' in tables"):
        collect_labels([JW.labels, other.labels], {})


YES, NO = True, False


def single_weight(flips, model="han_rnn", ranking="attention", draw="corrected"):
    """(top flips, other flips) of each text, as columns.SINGLE_WEIGHT rows."""
    top, other = zip(*flips, strict=True)
    measured = {"delta_js": 0.1, "delta_attention": 0.2, "top_flips": top, "other_flips": other, "top_fall": 0.1}
    about = {"dataset": "yelp", "seed": 1, "items": 3, "model": model, "ranking": ranking, "draw": draw}
    return as_read(SINGLE_WEIGHT, measured, **about)


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


@pytest.mark.parametrize(
    ("make", "row"),
    [
        (lambda: table2(correlation([(0.1, 0.5)], pair="attention~shap")), "lstm_tanh/attention/shap/overall"),
        (
            lambda: ss_table2_flips(single_weight([(YES, NO)], "gpt", "oracle", "biased"), CENSUS, SS),
            "gpt/oracle/biased",
        ),
        (lambda: ss_table_pairwise(ranked_sets({"oracle": [1], "random": [2]}), SS), "flan_rnn/oracle/random"),
        (lambda: jw_table1_performance(performance({"gpt": [0.5]}, metric="loss"), JW), "gpt"),
    ],
)
def test_a_name_without_a_label_stands_for_itself(make, row):
    table = make()
    assert set(name_rows(table)) == {row}
    [(shown, _, _)] = show_table(table, LABELS)
    assert all(name in shown["row"][0] for name in row.split("/")[1:])


def test_in_a_pair_the_second_stands_before_the_first_in_figures():
    table = ss_table_pairwise(ranked_sets({"attention": [1], "random": [2], "smallest": [1]}), SS)
    pairs = ["smallest/attention", "smallest/random", "attention/random"]
    assert [*name_rows(table).unique()] == [f"flan_rnn/{pair}" for pair in pairs]


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
    assert list(dict.fromkeys(name_rows(table))) == [
        f"{model}/{ranking}/{draw}"
        for model in ("han_rnn", "flan_rnn")
        for ranking in ("attention", "product")
        for draw in ("corrected", "as_published")
    ]
    given = table[table["published"].notna()]
    assert given[["model", "ranking", "part", "metric", "published"]].to_numpy().tolist() == [
        ["han_rnn", "attention", "as_published", metric, value]
        for metric, value in zip(papers.FLIP_CASES, (1.5, 8.9, 1.9, 87.7), strict=True)
    ]
    assert set(given["note"]) == {"paper's other item may be the top itself"}


def test_table3_shows_accuracy_only(tmp_path):
    accuracy = performance({"flan_none": [0.6], "han_rnn": [0.5, 0.7]}, "yelp", "accuracy", classes=5)
    f1 = performance({"han_rnn": [0.1]}, "yelp", classes=5)
    table = ss_table3_accuracy(pd.concat([accuracy, f1]), SS)
    assert_fits(table, tmp_path)
    assert name_rows(table).tolist() == ["han_rnn", "flan_none"]
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
    assert set(name_rows(table[table["note"] != ""])) == {"flan_rnn/gradient/attention"}
    assert set(table["note"]) == {"", "paper: at least 1.6"}


def test_pairwise_ratio_to_none_is_infinite_and_to_nothing_undefined():
    removed = every_ranking(gradient=[1] * 100, attention=[3] * 100, random=[-1] * 100, product=[-1] * 100)
    table = ss_table_pairwise(ranked_sets(removed), SS)
    ratios = table[table["metric"] == "earlier_ratio"].assign(row=name_rows).set_index("row")[["mean", "low", "high"]]
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
