"""Tables, with every number worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from labels import LABELS, WP
from tabled import assert_fits, cell, cells, name_rows, performance

from attention_audit.columns.files import CENSUS
from attention_audit.tables.datasets import ss_table1_datasets, wp_table1_datasets
from attention_audit.tables.papers import (
    jw_table_adversary,
    wp_table2_uniform,
    wp_table3_guides,
    wp_table5_adversary,
)
from attention_audit.tables.render import show_table
from attention_audit.tables.tidy import list_gaps


def census(*rows):
    """(split, label, words of each kept text, texts dropped, sentences of each kept text) as columns.CENSUS rows."""
    made = []
    for split, label, lengths, dropped, sentences in rows:
        words, parts = ((sum(x), sum(v**2 for v in x)) for x in (lengths, sentences))
        kept = len(lengths)
        fates = kept + dropped, 0, dropped, 0, 0, 0, kept
        made.append((split, label, f"class {label}", *fates, 0, 0, *words, 0, *parts, *[0] * 5))
    return pd.DataFrame(made, columns=CENSUS.schema.names)


def vocabulary(with_vector):
    words = ["<pad>", "<unk>", "<sos>", "<eos>", "film", "good", "bad", "fine"]
    vectors = [np.ones(2, np.float32) if word in with_vector else None for word in words]
    counts = [0, 2, 3, 3, 3, 2, 1, 1]
    return pd.DataFrame({"index": range(8), "word": words, "train_count": counts, "vector": vectors})


def table1(*counts, with_vector=(), dataset="sst", records=(), splitting="", **columns):
    """Table 1 of one data set, from rows of its census. columns: of the census."""
    return wp_table1_datasets(
        {dataset: census(*counts).assign(**columns)},
        {dataset: vocabulary(with_vector)},
        {dataset: records},
        {dataset: splitting},
    )


TWO_CLASSES = [
    ("", 0, [], 2, []),
    ("train", 0, [2], 0, [1]),
    ("train", 1, [4, 3], 5, [1, 3]),
    ("dev", 0, [], 0, []),
    ("test", 0, [1], 0, [1]),
]


def test_table1_counts_splits_and_words(tmp_path):
    table = table1(*TWO_CLASSES, with_vector={"<pad>", "film", "bad"})
    assert_fits(table, tmp_path)
    twice = {"duplicates": 0, "repeated": 0}
    assert {row: cells(table, row) for row in name_rows(table)} == {
        "raw": {"instances": 11, "negative": 4, "positive": 7},
        "train": {"instances": 3, "negative": 1, "positive": 2, **twice, "mean_length": 3},
        "dev": {"instances": 0, "negative": 0, "positive": 0},
        "test": {"instances": 1, "negative": 1, "positive": 0, **twice, "mean_length": 1},
        # 3 x film and 1 x bad of 9 tokens: words outside the vocabulary count too
        "vocabulary": {"words": 4, "words_with_vector": 2 / 4, "tokens_with_vector": 4 / 9},
    }
    # 3 x film of 9 tokens, and 3 in second texts
    paired = table1(*TWO_CLASSES, with_vector={"film"}, query_tokens=[0, 1, 2, 0, 5])
    assert cell(paired, "vocabulary", "tokens_with_vector")["mean"] == 3 / 12
    assert cell(table, "test", "positive")["published"] == 862
    assert (table["seeds"] == 0).all()


def test_table1_sums_further_classes_up():
    table = table1(("train", 0, [5], 0, [1]), ("train", 1, [5, 5, 5], 0, [1] * 3), ("train", 2, [1, 1], 1, [1, 1]))
    metrics = ("classes", "smallest_class", "largest_class")
    for row in ("train", "raw"):
        assert [cell(table, row, metric)["mean"] for metric in metrics] == [3, 1, 3]


@pytest.mark.parametrize(
    ("classes", "texts", "note"),
    [
        (10, 4, "classes: " + ", ".join(f"class {label}" for label in range(10))),
        (11, 4, ""),
        (3, 3, "classes: class 0, class 1, class 2; 3 classes in 9 texts that were kept: are these labels?"),
    ],
)
def test_table1_names_the_classes_and_asks_where_there_are_hardly_more_texts(classes, texts, note):
    table = table1(*(("train", label, [5] * texts, 0, [1] * texts) for label in range(classes)))
    assert cell(table, "raw", "classes")["note"] == note


def test_table1_names_two_classes_and_what_is_not_as_published():
    records = [{"file": "b.csv", "canonical": False}, {"file": "a.csv", "canonical": True}]
    table = table1(*TWO_CLASSES, records=records)
    assert cell(table, "raw", "instances")["note"] == "b.csv: not the published bytes"
    assert cell(table, "raw", "negative")["note"] == "classes: class 0, class 1"
    assert "by admission" in cell(table1(*TWO_CLASSES, dataset="anemia"), "test", "negative")["note"]


def test_table1_counts_texts_that_stand_twice_and_those_without_a_label():
    table = table1(*TWO_CLASSES, duplicates=[0, 1, 2, 0, 1], repeated=[0, 1, 0, 0, 0], unlabelled=[2, 0, 0, 1, 0])
    for split, twice in (("train", [3, 1]), ("test", [1, 0])):
        assert [cell(table, split, name)["mean"] for name in ("duplicates", "repeated")] == twice
    [(shown, _, _)] = show_table(table, LABELS)
    columns = shown.set_index("row")[["in another split too", "repeat an earlier text"]]
    assert columns.loc["train"].tolist() == ["3", "1"]
    assert columns.loc["raw"].tolist() == ["", ""]
    assert cell(table, "raw", "instances")["note"] == "3 texts have no label, or one that is left out"


@pytest.mark.parametrize(
    ("with_vector", "metrics", "note"), [((), 1, "random vectors; words by jieba"), ({"film"}, 3, "words by jieba")]
)
def test_table1_says_what_finds_words_and_claims_no_coverage_by_random_vectors(with_vector, metrics, note):
    table = table1(*TWO_CLASSES, with_vector=with_vector, splitting="words by jieba")
    assert (name_rows(table) == "vocabulary").sum() == metrics
    assert cell(table, "vocabulary", "words")["note"] == note


def test_ss_table1_gives_mean_and_spread_of_words_and_sentences(tmp_path):
    table = ss_table1_datasets({"yelp": census(*TWO_CLASSES)}, {"yelp": [{"file": "y.tgz", "canonical": False}]})
    assert_fits(table, tmp_path)
    means = dict(zip(table["metric"], table["mean"], strict=True))
    # 2, 4, 3 and 1 words; 1, 1, 3 and 1 sentences
    assert means.pop("sd_length") == pytest.approx(np.std([2, 4, 3, 1], ddof=1))
    assert means.pop("sd_sentences") == pytest.approx(np.std([1, 1, 3, 1], ddof=1))
    twice = {"duplicates": 0, "repeated": 0}
    assert means == {"mean_length": 2.5, "mean_sentences": 1.5, "train_and_dev": 3, "test": 1, "classes": 2} | twice
    assert cell(table, "all", "mean_sentences")["published"] == 7
    assert cell(table, "all", "test")["note"] == "y.tgz: not the published bytes"


def test_ss_table1_is_silent_on_sentences_that_were_not_kept():
    table = ss_table1_datasets({"sst": census(("train", 0, [2, 3], 0, [1, 1]), ("test", 1, [2], 0, [1]))}, {"sst": []})
    assert list(table["metric"]) == [
        "mean_length", "sd_length", "train_and_dev", "test", "duplicates", "repeated", "classes",
    ]  # fmt: skip


def test_gaps_show_the_papers_values_alone(tmp_path):
    rows = list_gaps({"diabetes": "no notes", "mine": "no file"}, "Table 2")
    table = pd.concat([wp_table2_uniform(performance({"base": [0.8], "uniform": [0.7]}), WP), rows], ignore_index=True)
    assert_fits(table, tmp_path)
    base = cell(table, "base", "f1", dataset="diabetes")
    assert (base["published"], base["note"]) == (0.775, "not run: no notes")
    assert math.isnan(base["mean"])
    assert table.loc[table["dataset"] == "mine", "note"].tolist() == ["not run: no file"]
    [(shown, _, _)] = show_table(table, LABELS)
    assert shown.loc[shown["data set"] == "Diabetes", "note"].unique().tolist() == ["not run: no notes"]


def test_table2_means_and_paired_differences(tmp_path):
    frame = pd.concat(
        [
            performance({"base": [0.8, 0.9, 0.7, 0.2], "uniform": [0.7, 0.8, 0.9]}),
            performance({"base": [0.5]}, metric="roc_auc"),
            performance({"base": [0.6], "uniform": [0.4]}, dataset="needle", selection="test"),
            performance({"guide_uniform": [0.1]}),
        ]
    )
    table = wp_table2_uniform(frame, WP)
    assert_fits(table, tmp_path)
    base, gain = (cell(table, row, "f1", dataset="sst") for row in ("base", "base/uniform"))
    assert base[["mean", "sd"]].tolist() == pytest.approx(
        [0.65, math.sqrt((0.15**2 + 0.25**2 + 0.05**2 + 0.45**2) / 3)]
    )
    # seeds 1-3 differ by 0.1, 0.1, -0.2; seed 4 has no partner
    assert gain[["mean", "sd"]].tolist() == pytest.approx([0, math.sqrt(0.03)])
    assert (base["seeds"], gain["seeds"]) == (4, 3)
    assert (base["published"], base["note"]) == (0.831, "J&W report 0.81; paper's epoch selected on test")
    assert gain["published"] == pytest.approx(0.831 - 0.822)
    alone = cell(table, "base/uniform", "f1", dataset="needle")
    assert (alone["mean"], alone["selection"]) == (pytest.approx(0.2), "test")
    assert alone[["sd", "published"]].isna().all()
    assert list(dict.fromkeys(table["dataset"])) == ["sst", "needle"]
    assert name_rows(table[table["dataset"] == "sst"]).tolist() == ["base", "base", "uniform", "base/uniform"]


def test_table3_orders_guides_and_gives_the_papers_values():
    guides = {
        "guide_adversary": [0.6, 0.5],
        "guide_base_lstm": [0.8],
        "guide_uniform": [0.7],
        "guide_trained_mlp": [0.75],
    }
    table = wp_table3_guides(performance(guides | {"base": [0.9]}), WP)
    assert name_rows(table).tolist() == ["guide_uniform", "guide_trained_mlp", "guide_base_lstm", "guide_adversary"]
    assert table["published"].tolist() == [0.812, 0.817, 0.824, 0.592]
    assert table["mean"].tolist() == pytest.approx([0.7, 0.75, 0.8, 0.55])


def test_table5_averages_instances_then_seeds(tmp_path):
    # JSD, TVD and whether the decision flips, of two texts
    runs = {
        ("adversary", 0.002, 1): [(0.1, 0.0, False), (0.3, 0.2, False)],
        ("adversary", 0.002, 2): [(0.3, 0.2, True), (0.5, 0.2, False)],
        ("adversary", 0.0001, 1): [(0.0, 0.0, False), (0.1, 0.0, False)],
        ("uniform", math.nan, 1): [(0.2, 0.1, False), (0.2, 0.1, True)],
        ("base", math.nan, 2): [(0.1, 0.3, True), (0.1, 0.1, True)],
    }
    rows = [(*run, *text) for run, texts in runs.items() for text in texts]
    columns = ["model", "lambda", "seed", "jsd", "tvd", "decision_flip"]
    comparison = pd.DataFrame(rows, columns=columns).assign(dataset="sst")
    frame = pd.concat(
        [
            performance({("adversary", 0.002): [0.7, 0.6], ("adversary", 0.0001): [0.8]}, selection="train"),
            performance({"base": [0.9, 0.85], "uniform": [0.5]}),
        ]
    )
    instances = pd.DataFrame(
        {
            "dataset": "sst", "model": "base", "id": list("abcd"), "jsd": [0.6, 0.6, 0.4, 0.0],
            "tvd": [0.0, 0.04, 0.0, 0.0], "decision_flip": [False, True, False, False], "admissible": [5, 1, 2, 0],
        }
    )  # fmt: skip
    table = wp_table5_adversary(frame, comparison, instances, WP)
    assert_fits(table, tmp_path)
    found = {
        run: dict(zip(own["metric"], own["mean"], strict=True))
        for run, own in table.fillna({"lambda": 0}).groupby(["model", "lambda"], sort=False)
    }
    rows = [("seeds", 0), ("uniform", 0), ("adversary", 1e-4), ("adversary", 2e-3), ("instance_adversary", 0)]
    assert [*found] == rows
    assert found["adversary", 2e-3] == pytest.approx({"f1": 0.65, "tvd": 0.15, "jsd": 0.3, "decision_flip_rate": 0.25})
    # only the seed that was compared: not the reference seed's 0.9
    assert found["seeds", 0] == pytest.approx({"f1": 0.85, "tvd": 0.2, "jsd": 0.1, "decision_flip_rate": 1})
    assert found["instance_adversary", 0] == pytest.approx(
        {"tvd": 0.01, "jsd": 0.4, "decision_flip_rate": 0.25, "admissible_share": 0.75}
    )
    divergence = cell(table, "adversary", "jsd", **{"lambda": 0.002})
    assert (divergence["sd"], divergence["seeds"]) == (pytest.approx(math.sqrt(0.02)), 2)
    assert divergence["selection"] == "train"
    assert cell(table, "instance_adversary", "jsd")["selection"] == "dev"
    assert set(table["note"]) == {""}
    # with an adversary, and at least ln 2 / 2 away: a, b and c
    of_texts = jw_table_adversary(instances.assign(model="lstm_tanh", seed=10), {"lstm_tanh": ["BiLSTM"]})
    assert_fits(of_texts, tmp_path)
    shares = {name: cell(of_texts, "lstm_tanh", name)["mean"] for name in ("far_share", "admissible_share", "jsd")}
    assert shares == pytest.approx({"far_share": 0.75, "admissible_share": 0.75, "jsd": 0.4})
    near = jw_table_adversary(instances.assign(model="lstm_tanh", seed=10, jsd=0.3), {"lstm_tanh": ["BiLSTM"]})
    assert cell(near, "lstm_tanh", "far_share")["mean"] == 0
