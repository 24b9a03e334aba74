"""Published numbers beside ours, with values worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabled import assert_fits, render_lines

from attention_audit.columns.tables import OF_ROW, REPLICATION, TABLE
from attention_audit.plan.configuration import parse_config
from attention_audit.plan.remarks import describe_data, describe_models
from attention_audit.tables.published import Fact, find_rounding, read_published
from attention_audit.tables.render import show_comparisons
from attention_audit.tables.replication import (
    SOURCES,
    estimate_f1_variance,
    estimate_text_variance,
    find_half_width,
    judge_agreement,
    replication,
)

NONE = math.nan


def table(*rows):
    """(dataset, model or columns, metric, mean, sd, low, high, seeds, selection) as columns.TABLE rows."""
    columns = ["metric", "mean", "sd", "low", "high", "seeds", "selection"]
    cells = [
        {"dataset": dataset, **(about if isinstance(about, dict) else {"model": about})}
        | dict(zip(columns, values, strict=True))
        for dataset, about, *values in rows
    ]
    return pd.DataFrame([TABLE.blank | cell for cell in cells])


def scores(mean, sd, seeds, dataset="sst", row="base"):
    return table((dataset, row, "f1", mean, sd, NONE, NONE, seeds, "dev"))


def compare(records=(), of_data=(), of_models=(), **tables):
    """The published numbers beside those of tables; what is said is of SST."""
    return replication(tables, {"sst": records}, {"sst": [*of_data]}, {"sst": dict(of_models)})


def only(frame):
    assert len(frame) == 1
    return frame.iloc[0]


def test_every_published_table_has_a_counterpart():
    assert {key[:2] for key in read_published()} == set(SOURCES)


def test_rounding_is_half_of_the_last_digit():
    assert [find_rounding(number) for number in ("0.90", "19", "0.3512")] == [0.005, 0.5, 0.00005]
    assert read_published()["WP2019", "Table 2", "SST", "base", "", "", "", "", "f1"].rounding == pytest.approx(0.0005)


def test_ours_with_interval_difference_and_single_trainings():
    found = compare(of_models={"wp": ["small"], "jw": ["no"]}, wp_table2_uniform=scores(0.8, 0.01, 4))
    row = found[found["paper"] == "WP2019"].iloc[0]
    # t with 3 degrees of freedom is 3.182446
    assert row["published"] == 0.831
    assert row["difference"] == pytest.approx(-0.031)
    assert (row["low"], row["high"]) == pytest.approx((0.8 - 3.182446 * 0.005, 0.8 + 3.182446 * 0.005))
    reach = 3.182446 * 0.01 * 1.25**0.5
    assert (row["one_low"], row["one_high"]) == pytest.approx((0.8 - reach, 0.8 + reach))
    assert row["half_width"] == pytest.approx(reach)
    assert (row["chance"], row["agreement"]) == ("seeds", "compatible")
    assert row["note"] == "paper's epoch selected on test; small; our epoch selected on dev"
    quoted = found[found["paper"] == "JW2019"].iloc[0]
    assert (quoted["table"], quoted["published"]) == ("quoted in WP2019 Table 2", 0.81)


@pytest.mark.parametrize(
    ("mean", "sd", "seeds", "said"), [(0.7, 0.001, 5, "not compatible"), (0.83, NONE, 1, "unknown")]
)
def test_what_seeds_explain(mean, sd, seeds, said):
    found = compare(wp_table2_uniform=scores(mean, sd, seeds))
    assert found["agreement"].tolist() == [said, said]
    assert found["low"].isna().all() == (seeds == 1)


def test_an_interval_of_the_table_is_kept():
    about = {"model": "han_rnn", "ranking": "attention", "part": "as_published"}
    found = only(compare(ss_table2_flips=table(("yelp", about, "both_flip", 1.0, NONE, 0.5, 1.6, 1, ""))))
    assert (found["low"], found["high"], found["agreement"]) == (0.5, 1.6, "unknown")
    assert found["note"] == "paper's other item may be the top itself"


@pytest.mark.parametrize(("count", "said"), [(3034.0, "compatible"), (3033.0, "not compatible")])
def test_a_property_of_the_data_must_round_to_the_published_number(count, said):
    rows = ("sst", {"part": "train"}, "negative", count, NONE, NONE, NONE, 0, "")
    length = ("sst", {"part": "train"}, "mean_length", 18.74, NONE, NONE, NONE, 0, "")
    found = compare(of_data=["cut"], of_models={"wp": ["small"]}, wp_table1_datasets=table(rows, length))
    assert found["agreement"].tolist() == [said, "compatible"]
    assert found["note"].tolist() == ["cut", "cut"]


@pytest.mark.parametrize(("ratio", "said"), [(5.0, "compatible"), (1.5, "compatible"), (1.0, "not compatible")])
def test_of_a_lower_bound_more_is_as_published(ratio, said):
    rows = [
        (
            name,
            {"model": model, "ranking": "gradient", "other": "attention"},
            "earlier_ratio",
            ratio,
            0.1,
            0.9,
            6.0,
            3,
            "",
        )
        for name in ("yelp", "digest")
        for model in ("han_rnn", "flan_none")
    ]
    found = compare(ss_table_pairwise=table(*rows))
    # of every data set of the paper, but not of models without an encoder
    assert found[["dataset", *OF_ROW]].to_numpy().tolist() == [["yelp", "han_rnn", "gradient", "attention", "", ""]]
    assert found["agreement"].tolist() == [said]
    assert found["note"].tolist() == ["the paper gives a lower bound"]


def test_nothing_published_is_an_empty_table_and_a_sentence(tmp_path):
    found = compare(wp_table2_uniform=scores(0.8, 0.01, 4, dataset="needle"))
    assert assert_fits(found, tmp_path, REPLICATION).empty
    first, *_, head = render_lines(found, tmp_path, show_comparisons)[:3]
    assert first.startswith("No published number has a counterpart in this run: ")
    assert "| published" in head


def test_what_was_not_run_is_left_out():
    assert compare(wp_table2_uniform=scores(NONE, NONE, 0)).empty


def test_it_is_grouped_by_paper_and_table(tmp_path):
    guides = scores(0.85, 0.01, 4, row="guide_uniform")
    found = compare(wp_table2_uniform=scores(0.8, 0.01, 4), wp_table3_guides=guides)
    assert_fits(found, tmp_path, REPLICATION)
    lines = render_lines(found, tmp_path, show_comparisons)
    assert [line for line in lines if line.startswith("## ")] == [
        "## Wiegreffe & Pinter 2019, table 2",
        "## Jain & Wallace 2019, quoted in WP2019 Table 2",
        "## Wiegreffe & Pinter 2019, table 3",
    ]
    first = [cell.strip() for cell in lines[4].split("|")[1:-1]]
    assert first[:7] == ["SST", "base", "F1", "0.831", "0.800 [0.784, 0.816]", "-0.031", "[0.764, 0.836]"]


@given(st.floats(-10, 10), st.floats(0, 5), st.integers(2, 30), st.floats(0, 5))
def test_single_trainings_spread_further_than_their_mean(mean, sd, seeds, of_texts):
    reach = find_half_width(sd, seeds)
    assert reach >= 1.96 * sd - 1e-9
    assert find_half_width(sd, seeds, of_texts) ** 2 == pytest.approx(reach**2 + 1.959964**2 * of_texts)
    assert judge_agreement(Fact(mean, "", 0.0), mean, seeds, mean - reach, mean + reach) == "compatible"


@pytest.mark.parametrize(
    ("records", "of_data", "note"),
    [
        ([{"file": "a.csv", "canonical": False}], [], "a.csv: not the published bytes"),
        ([], ["cut"], "cut"),
        ([{"file": "a.csv", "canonical": False}], ["cut"], "a.csv: not the published bytes; cut"),
    ],
)
def test_of_other_data_than_the_papers_nothing_is_known(records, of_data, note):
    found = compare(records, of_data, wp_table3_guides=scores(0.8, 0.01, 4, row="guide_uniform"))
    assert (only(found)["agreement"], only(found)["note"]) == ("unknown", f"{note}; our epoch selected on dev")
    # where single trainings lie is known all the same
    assert only(found)["half_width"] > 0


def test_another_test_set_adds_the_texts():
    frame = table(
        ("newsgroups", "base", "f1", 0.9, 0.01, NONE, NONE, 4, "dev"),
        ("newsgroups", "base", "accuracy", 0.91, 0.01, NONE, NONE, 4, "dev"),
    )
    sizes = table(("newsgroups", {"part": "test"}, "instances", 357.0, NONE, NONE, NONE, 0, ""))
    found = compare(wp_table2_uniform=frame, wp_table1_datasets=sizes)
    row = found[found["paper"] == "WP2019"].iloc[0]
    # 334 test texts in the paper; t with 3 degrees of freedom is 3.182446
    of_texts = estimate_f1_variance(0.9, 0.91) * (1 / 357 + 1 / 334)
    assert row["half_width"] == pytest.approx((3.182446**2 * 0.01**2 * 1.25 + 1.959964**2 * of_texts) ** 0.5)
    assert (row["chance"], row["agreement"]) == ("seeds and texts", "compatible")
    assert row["note"].startswith("paper's epoch selected on test; the paper's 334 test texts are drawn otherwise")
    unsized = compare(wp_table2_uniform=frame)
    assert set(unsized["agreement"]) == {"unknown"}


def test_the_variance_of_texts_is_that_of_drawn_texts():
    # 40 % true positives, 15 % errors: F1 = .8 / (.8 + .15)
    random = np.random.default_rng(0)
    true, error, _ = random.multinomial(2000, [0.4, 0.15, 0.45], size=20_000).T
    drawn = 2 * true / (2 * true + error)
    assert 2000 * drawn.var() == pytest.approx(estimate_text_variance("f1", 0.8 / 0.95, 0.85), rel=0.03)
    # 9 % of 1,000 texts has a standard error of .9 points
    assert (estimate_text_variance("both_flip", 9.0, NONE) / 1000) ** 0.5 == pytest.approx(0.905, abs=0.001)
    assert estimate_text_variance("accuracy", 0.75, NONE) == 0.1875
    assert estimate_f1_variance(1.0, 1.0) == 0
    assert math.isnan(estimate_text_variance("tau", 0.5, NONE))


def test_remarks_say_what_is_other_than_the_papers():
    entry = {"kind": "sst", "length": {"above": 5}}
    catalogue = {"corpora": {"sst": entry | {"origin": {"licence": "a"}}}}
    changed = {"corpora": {"sst": entry | {"origin": {}, "splits": {"most": {}}}}}
    assert describe_data("sst", changed, catalogue) == ["data not as in the paper: splits changed"]
    assert describe_data("sst", catalogue, catalogue) == []
    config = parse_config(
        {
            "datasets": ["a"],
            "corpora": {"a": {"kind": "chorus"}},
            "model": {"hidden": 128, "embedding": 8, "attention_hidden": 8},
        }
    )
    assert describe_models("a", config)["wp"] == ["our word vectors: random"]
    assert describe_models("a", config)["guide_base_lstm"] == [
        "our guides have a base map each, of the same seed; the paper's all have one"
    ]
    assert describe_models("a", config)["guide_adversary"] == [
        "our guides have the map of the adversary with lambda 0.002"
    ]


def test_remarks_on_a_single_model_stand_in_its_row_alone():
    rows = (scores(0.8, 0.01, 4, row=row) for row in ("guide_base_lstm", "guide_uniform"))
    found = compare(of_models={"wp": ["a"], "guide_base_lstm": ["b"]}, wp_table3_guides=pd.concat(rows))
    assert found["note"].tolist() == ["a; b; our epoch selected on dev", "a; our epoch selected on dev"]
