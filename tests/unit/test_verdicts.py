"""The published numbers, and what the record says of them, by row and over data sets: values worked by hand."""

import csv
import math

import pytest

from attention_audit.tables.published import find_fact, read_published
from makers.replication.intervals import find_scale
from makers.replication.verdicts import (
    FURTHER,
    VERDICTS,
    Spread,
    further,
    judge_number,
    others,
    outside,
    pool_spreads,
    signs,
    spread_alike,
    verdict,
)

NAN = float("nan")
OF_THREE, OF_FIVE = 4.302653, 2.776445
"""Student's quantiles with 2 and 4 degrees of freedom."""


def number(dataset, published, ours, sd=0.01, seeds=3, **other):
    """A row of columns.tables, of F1 of a model."""
    of_one = {3: OF_THREE, 5: OF_FIVE}.get(seeds, NAN) * sd
    mean, reach = (of_one * math.sqrt(share + 1 / seeds) if seeds else NAN for share in (0, 1))
    return {
        "paper": "JW2019", "table": "Table 1", "dataset": dataset, "model": "lstm_tanh", "metric": "f1",
        "published": published, "ours": ours, "low": ours - mean, "high": ours + mean, "seeds": seeds,
        "one_low": ours - reach, "one_high": ours + reach,
        "half_width": reach, "chance": "seeds", "agreement": "unknown", "note": "",
    } | other  # fmt: skip


def test_trainings_that_spread_alike_are_pooled_over_data_sets():
    rows = [number("sst", 0.8, 0.8, 0.01), number("imdb", 0.8, 0.7, 0.02, seeds=5)]
    ((key, spread),) = pool_spreads(rows).items()
    assert key == ("JW2019", "Table 1", "", "lstm_tanh", "", "", "", "", "f1")
    # (2 x .01^2 + 4 x .02^2) / 6
    assert spread.sd == pytest.approx(math.sqrt(0.0018 / 6), rel=1e-5)
    assert spread.freedom == 6
    found = judge_number(rows[0], pool_spreads(rows))
    # that of the mean has its own sd, and one training lies from it by that of all
    reach = math.hypot(2.446912 * spread.sd, OF_THREE * 0.01 / math.sqrt(3))
    assert (found["one_low"], found["one_high"]) == (pytest.approx(0.8 - reach), pytest.approx(0.8 + reach))
    assert verdict(found) == "data differ: within"
    assert verdict(judge_number(rows[1], pool_spreads(rows))) == "data differ: outside"


def test_trainings_that_spread_differently_are_not_pooled():
    # the base of Wiegreffe & Pinter: nine trainings of SST and of AG News, three of IMDb
    spreads = [Spread(0.0029, 8), Spread(0.0032, 8), Spread(0.0323, 2)]
    assert not spread_alike(spreads)
    assert spread_alike(spreads[:2])
    assert not spread_alike(spreads[:1])
    # T = 4 ln(.01) - 2 ln(.0036) - 2 ln(.0164) and C = 1 + (1/2 + 1/2 - 1/4) / 3: 0.84; .05 is at 3.84
    assert spread_alike([Spread(0.06, 2), Spread(0.0164**0.5, 2)])
    rows = [number("sst", 0.8, 0.8, 0.001), number("imdb", 0.8, 0.7, 0.04, seeds=5)]
    assert pool_spreads(rows) == {}
    assert judge_number(rows[0], {})["one_high"] == pytest.approx(0.8 + OF_THREE * 0.001 * math.sqrt(4 / 3))


def test_no_interval_of_a_mean_is_wider_than_that_of_one_training():
    rows = [number("sst", 0.8, 0.8, 0.02), number("imdb", 0.8, 0.7, 0.006, seeds=5), number("snli", 0.8, 0.7, 0.009)]
    assert pool_spreads(rows)
    for row in rows:
        found = judge_number(row, pool_spreads(rows))
        assert found["one_low"] <= found["low"] < found["high"] <= found["one_high"]


def test_the_interval_ends_where_the_range_does():
    rows = [number("sst", 0.9, 0.95, 0.05)]
    found = judge_number(rows[0], pool_spreads(rows))
    assert found["one_high"] == found["high"] == 1
    assert found["one_low"] == pytest.approx(0.95 - OF_THREE * 0.05 * math.sqrt(4 / 3), rel=1e-5)
    metrics = ("tau", "tau_sd", "both_flip", "mass_percent", "earlier_ratio", "accuracy")
    ranges = [(-1, 1), (0, 1), (0, 100), (0, 100), (0, math.inf), (0, 1)]
    assert [find_scale(metric) for metric in metrics] == ranges


def test_other_texts_of_the_paper_widen_the_interval_of_one_training():
    row = number("sst", 0.8, 0.7, chance="seeds and texts", agreement="not compatible")
    of_trainings, of_texts = row["half_width"], 0.1
    row["half_width"] = math.hypot(of_trainings, of_texts)
    found = judge_number(row, {})
    assert found["one_low"] == pytest.approx(0.7 - row["half_width"])
    assert verdict(found) == "compatible"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "data differ: within"),
        ({"agreement": "not compatible"}, "compatible"),
        ({"ours": 0.7, "agreement": "compatible"}, "not compatible"),
        ({"ours": 0.7}, "data differ: outside"),
        # of a lower bound, any number above it is as published
        ({"ours": 0.9, "note": "the paper gives a lower bound"}, "data differ: within"),
        ({"seeds": 1, "one_low": NAN, "one_high": NAN}, "no verdict"),
        ({"seeds": 0, "agreement": "compatible"}, "the same"),
        ({"seeds": 0, "agreement": "not compatible"}, "other"),
    ],
)
def test_verdicts(changes, expected):
    row = number("sst", 0.8, changes.get("ours", 0.8)) | changes
    assert verdict(judge_number(row, {})) == expected
    assert expected in VERDICTS


def test_a_number_that_rounds_to_the_published_one_is_within():
    # SST's F1 is published as .78352; half a unit of its last digit is .000005
    reach = OF_THREE * 0.001 * math.sqrt(4 / 3)
    near, far = (0.78352 + reach + distance for distance in (4e-6, 7e-6))
    for ours, where in ((near, "within"), (far, "outside")):
        assert verdict(judge_number(number("sst", 0.78352, ours, 0.001), {})) == f"data differ: {where}"


def test_how_many_lie_outside_and_how_many_would_by_chance():
    rows = [number("sst", 0.9, 0.7), number("imdb", 0.7, 0.7), number("snli", 1, 1, seeds=0, chance="")]
    assert outside([judge_number(row, {}) for row in rows]) == (2, 1, pytest.approx(0.1))


def test_a_share_of_1_is_published_with_its_digits():
    later = [
        fact
        for key, fact in read_published().items()
        if key[0] == "JW2019" and fact.note.startswith("authors' later run")
    ]
    assert max(fact.rounding for fact in later) <= 0.005
    fact = find_fact("Table 1", {"dataset": "babi-1", "model": "lstm_tanh", "metric": "accuracy"}, "JW2019")
    assert fact.rounding == pytest.approx(0.0005)


def test_one_test_of_signs_a_row():
    names = ("sst", "imdb", "agnews", "snli", "babi-1", "babi-2", "babi-3", "newsgroups")
    for first, rest, expected in (
        (0.7, 0.7, [8, 0, 2 / 2**8, 0.1]),
        (0.9, 0.7, [7, 1, 2 * (1 + 8) / 2**8, 0.6 / 8]),
        # what is the same counts for neither side
        (0.8, 0.7, [7, 0, 2 / 2**7, 0.7 / 8]),
        (0.8, 0.8, [0, 0, NAN, 0]),
    ):
        (found,) = signs([number(name, 0.8, first if name == "sst" else rest) for name in names])
        assert [*found[1:]] == pytest.approx(expected, nan_ok=True)
    assert signs([number("sst", 0.8, 0.7)]) == []
    assert signs([number(name, 3034, 3000, seeds=0, chance="") for name in names]) == []


def test_further_trainings_of_the_authors_are_of_published_numbers():
    assert set(further()) <= set(read_published())
    assert [each.value for each in others(number("sst", 0.78352, 0.838))] == [0.8063, 0.8205]
    assert others(number("sst", 0.78352, 0.838, paper="WP2019")) == []
    with FURTHER.open(encoding="utf-8") as handle:
        lines = [tuple(line.values()) for line in csv.DictReader(handle)]
    assert len(lines) == len(set(lines))
    for key, own in further().items():
        assert all(abs(each.value - read_published()[key].value) > read_published()[key].rounding for each in own), key


def test_nothing_where_the_paper_gives_nothing():
    for table, dataset, model, metric in (
        ("Table 2", "needle", "base", "f1"),
        ("Table 2", "sst", "base", "accuracy"),
        ("Table 3", "agnews", "guide_uniform", "f1"),
    ):
        assert find_fact(table, {"dataset": dataset, "model": model, "metric": metric}) is None


def test_published_numbers_are_numbers_and_scores_are_shares():
    assert all(math.isfinite(fact.value) for fact in read_published().values())
    assert all(0 < fact.value <= 1 for key, fact in read_published().items() if key[-1] in {"f1", "accuracy"})


def test_contingency_tables_add_up():
    sums = {}
    for (paper, table, dataset, *_), fact in read_published().items():
        if (paper, table) == ("SS2019", "Table 2"):
            sums[dataset] = sums.get(dataset, 0) + fact.value
    assert sums == pytest.approx(dict.fromkeys(["Yahoo", "IMDB (Diao)", "Amazon", "Yelp"], 100), abs=0.2)


@pytest.mark.parametrize(
    ("dataset", "gradient", "leave_one_out"),
    [
        ("sst", (0.35, 0.61), (0.29, 0.62)),
        ("imdb", (0.44, 0.67), (0.34, 0.58)),
        ("snli", (0.31, 0.58), (0.29, 0.59)),
        ("cnn", (0.24, 0.50), (0.20, 0.69)),
        ("babi-1", (0.25, 0.72), (0.16, 0.74)),
    ],
)
def test_correlations_are_not_swapped(dataset, gradient, leave_one_out):
    for other, taus in (("gradient", gradient), ("loo", leave_one_out)):
        for model, tau in zip(("lstm_tanh", "average_tanh"), taus, strict=True):
            row = {"dataset": dataset, "model": model, "ranking": "attention", "other": other, "part": "overall"}
            fact = find_fact("Table 2", row | {"metric": "tau"}, "JW2019")
            assert fact.value == pytest.approx(tau, abs=0.006)
