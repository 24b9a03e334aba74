"""The published numbers."""

import math

import pytest

from attention_audit.tables.published import facts, published


def test_values_of_the_papers():
    assert published("Table 1", "sst", "train", "negative").value == 3034
    assert published("Table 2", "imdb", "uniform", "f1").value == 0.879
    assert published("Table 3", "diabetes", "guide_uniform", "f1").value == 0.404
    assert published("quoted in WP2019 Table 2", "agnews", "base", "f1", paper="JW2019").value == 0.96


def test_config_names_find_the_papers_data_sets():
    assert published("Table 2", "newsgroups", "base", "f1").value == 0.942


def test_nothing_where_the_paper_gives_nothing():
    assert published("Table 2", "needle", "base", "f1") is None
    assert published("Table 2", "sst", "base", "accuracy") is None
    assert published("Table 3", "agnews", "guide_uniform", "f1") is None


def test_tables_are_complete():
    by_table = {table: [key for key in facts() if key[1] == table] for table in {key[1] for key in facts()}}
    assert {table: len(keys) for table, keys in by_table.items()} == {
        "Table 1": 6 * 5 + 4 * 7,
        "Table 2": 6 * 2 + 4 * 4,
        "Table 3": 4 * 4 + 4 * 6,
        "Section 5.4": 1,
        "quoted in WP2019 Table 2": 6,
    }
    assert all(math.isfinite(fact.value) for fact in facts().values())
    assert all(0 < fact.value < 1 for key, fact in facts().items() if key[4] in {"f1", "accuracy"})


def test_contingency_tables_add_up():
    sums: dict[str, float] = {}
    for (paper, table, dataset, _, _), fact in facts().items():
        if (paper, table) == ("SS2019", "Table 2"):
            sums[dataset] = sums.get(dataset, 0) + fact.value
    assert sums == pytest.approx(dict.fromkeys(["Yahoo", "IMDB (Diao)", "Amazon", "Yelp"], 100), abs=0.2)
