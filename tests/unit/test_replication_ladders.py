"""Ladders of training sizes in the record: what is shown of their rungs, and what is said of size."""

import pandas as pd
import pytest

from makers.replication.findings import Value
from makers.replication.ladders import climbed, only, trend

NAN = float("nan")


def table(*rows):
    return pd.DataFrame(rows, columns=["dataset", "part", "metric", "mean", "low", "high"]).assign(seeds=3)


SIZES = table(
    ("a", "train", "instances", 900, 0, 0), ("a", "test", "instances", 5, 0, 0), ("b", "train", "instances", 7200, 0, 0)
)
ACCURACY = table(("a", "m", "accuracy", 0.5, NAN, NAN), ("b", "m", "accuracy", 0.25, NAN, NAN))
CONTRIBUTIONS = table(
    ("a", "m", "largest_weight", 0.2, 0.1, 0.25),
    ("a", "m", "top_flips", 0.1, 0.0, 0.2),
    ("b", "m", "largest_weight", 0.4, 0.3, 0.5),
    ("b", "m", "top_flips", 0.2, 0.2, 0.3),
)


def test_rungs_stand_side_by_side_and_their_trends_are_said():
    tables = {"wp_table1_datasets": SIZES, "ss_table3_accuracy": ACCURACY, "table_contributions": CONTRIBUTIONS}
    ((title, text),) = climbed(tables, {"AG": ("a", "b", "not run"), "none of": ("c", "d")})
    assert title == "AG"
    assert text.splitlines()[2:7] == [
        "| data set | training texts | accuracy | largest weight | texts that flip without the top item |",
        "| --- | --- | --- | --- | --- |",
        "| a | 900 | 0.500 | 0.200 [0.100, 0.250] | 0.100 [0.000, 0.200] |",
        "| b | 7200 | 0.250 | 0.400 [0.300, 0.500] | 0.200 [0.200, 0.300] |",
        "",
    ]
    assert text.endswith(
        "From 900 to 7200 training texts: accuracy: no interval, so no verdict; largest weight: rises; texts that flip "
        "without the top item: does not clearly change.\n"
    )


def test_a_trend_is_clear_where_the_interval_of_the_difference_is():
    # sides of .03 and .04 make .05
    low, touching, high = Value(0.2, 0.1, 0.23), Value(0.24, 0.2, 0.9), Value(0.26, 0.22, 0.9)
    assert (trend(low, touching), trend(touching, low)) == ("does not clearly change",) * 2
    assert (trend(low, high), trend(high, low)) == ("rises", "falls")


def test_a_data_set_that_is_not_there_is_no_rung():
    with pytest.raises(ValueError, match="not enough values"):
        only(SIZES, dataset="c", part="train", metric="instances")
