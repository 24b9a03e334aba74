"""The published numbers."""

import math

import pytest

from attention_audit.tables.published import RERUN, find_fact, read_facts


def test_values_of_the_papers():
    assert find_fact("Table 1", "sst", "train", "negative").value == 3034
    assert find_fact("Table 2", "newsgroups", "base", "f1").value == 0.942
    assert find_fact("Table 3", "diabetes", "guide_uniform", "f1").value == 0.404
    assert find_fact("quoted in WP2019 Table 2", "agnews", "base", "f1", paper="JW2019").value == 0.96


def test_nothing_where_the_paper_gives_nothing():
    assert find_fact("Table 2", "needle", "base", "f1") is None
    assert find_fact("Table 2", "sst", "base", "accuracy") is None
    assert find_fact("Table 3", "agnews", "guide_uniform", "f1") is None


def test_tables_are_complete():
    by_table = {table: [key for key in read_facts() if key[1] == table] for table in {key[1] for key in read_facts()}}
    assert {table: len(keys) for table, keys in by_table.items()} == {
        "Table 1": 6 * 5 + 4 * 7 + 7 * 3 * 3 + 5 * 3,
        "Table 2": 6 * 2 + 4 * 4 + 12 * 3 * 2 * 3 + 4 * 2 + 4 * 2 * 2,
        "Table 3": 4 * 4 + 4 * 6 + 6 + 6 + 4 - 1,
        RERUN: 3 * 6,
        "Table 2, rerun": 4 * 2 * 2,
        "Table 2, second rerun": 4 * 3 * 2,
        "Section 5.4": 1,
        "quoted in WP2019 Table 2": 6,
    }
    assert all(math.isfinite(fact.value) for fact in read_facts().values())
    assert all(0 < fact.value <= 1 for key, fact in read_facts().items() if key[4] in {"f1", "accuracy"})


def test_contingency_tables_add_up():
    sums: dict[str, float] = {}
    for (paper, table, dataset, _, _), fact in read_facts().items():
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
    for pair, taus in (("attention~gradient", gradient), ("attention~loo", leave_one_out)):
        for model, tau in zip(("lstm_tanh", "average_tanh"), taus, strict=True):
            fact = find_fact("Table 2", dataset, f"{model}/{pair}/overall", "tau", "JW2019")
            assert fact.value == pytest.approx(tau, abs=0.006)
