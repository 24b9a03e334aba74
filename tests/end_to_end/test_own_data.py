"""A user's own files: many classes, another base model, data sets that cannot be had, files that cannot be read."""

import os

import pytest
from folder import assert_rendered, fresh
from texts import write_pairs, write_reviews

# one worker, so that the run is made once
pytestmark = pytest.mark.xdist_group("own")

OWN = {"kind": "table", "tokens": {"tokenizer": "spaces"}}


@pytest.fixture(scope="module")
def gaps(tmp_path_factory):
    """A folder in which Wiegreffe & Pinter's tests have run on twenty classes, with a base model that is not theirs.

    Also named were pairs, which only another suite takes, and MIMIC, which is not here. Do not alter it.
    """
    folder = fresh(tmp_path_factory.mktemp("own") / "audit")
    write_reviews(folder.path / "reviews.csv", stars=20, texts=400)
    write_pairs(folder.path / "pairs.jsonl", texts=40)
    folder.overlay(
        datasets=["diabetes", "pairs", "reviews"],
        skip_unavailable=True,
        model={"encoder": "conv", "attention": "dot", "embedding": 8, "hidden": 8, "attention_hidden": 8},
        corpora={
            "reviews": OWN | {"path": "reviews.csv", "text": "review", "label": "stars"},
            "pairs": OWN | {"path": "pairs.jsonl", "query": "question"},
        },
    )
    folder.make("corpora", "wp_table1", "wp_table3", "wp_table5", "wp_fig3", "wp_fig5")
    return folder


@pytest.mark.whole
def test_the_base_model_may_have_another_encoder_and_attention(gaps):
    assert_rendered(gaps, ["wp_table3_guides", "wp_table5_adversary"], ["wp_fig3_seed_variance", "wp_fig5_tvd_jsd"])


@pytest.mark.whole
def test_twenty_classes_and_pairs_are_prepared(gaps):
    table = gaps.frame("tables/wp_table1_datasets.parquet")
    assert table.query("dataset == 'reviews' and row == 'train' and metric == 'classes'")["mean"].tolist() == [20]
    pairs = gaps.frame("corpora/pairs/corpus.parquet")
    assert pairs["query"].map(list).tolist()[0][0] == "d"
    assert not (gaps.path / "results/models/pairs").exists()


def test_texts_without_sentences_are_one_clear_line_for_a_han(new_folder):
    folder = new_folder()
    rows = "".join(f"word{number % 7} and word{number % 3},{number % 2}\n" for number in range(60))
    (folder.path / "reviews.csv").write_text(f"text,label\n{rows}")
    folder.overlay(
        datasets=[],
        corpora={"reviews": OWN | {"path": "reviews.csv"}},
        serrano_smith={"datasets": ["reviews"], "models": ["han_none"]},
    )
    outcome = folder.refuse("results/readouts/reviews/han_none/seed122/test.parquet")
    # the line is the last thing on the screen
    error = outcome.text.rstrip().splitlines()[-1]
    assert error.startswith(
        "[train reviews han_none seed 122] error: results/corpora/reviews/corpus.parquet: text 'reviews"
    )
    assert "no sentence boundaries, which a hierarchical model reads; set `tokens.sentences: true`" in error
    assert "Traceback" not in outcome.text


def test_bad_files_are_one_line_each_at_the_end_before_anything_runs(new_folder):
    faults = {
        "headless": ("review,stars\ngood,1\n", "headless.csv, line 1: no column 'text', only 'review', 'stars'; set "),
        "coded": (
            "text,label\n\xe9t\xe9,1\n",
            "coded.csv, line 2: not utf-8, and no language tells its encoding; set `encoding`, such as cp1252",
        ),
        "single": ("text,label\n" + "a b,1\nc d,1\n" * 9, "single: split train: every text has label '1'; "),
    }
    folder = new_folder()
    for name, (content, _) in faults.items():
        (folder.path / f"{name}.csv").write_bytes(content.encode("latin-1"))
    folder.overlay(datasets=[*faults], corpora={name: {"kind": "table", "path": f"{name}.csv"} for name in faults})
    outcome = folder.refuse("-n", "corpora")
    errors = outcome.text.rstrip().splitlines()[-len(faults) :]
    for error, (_, said) in zip(errors, faults.values(), strict=True):
        assert error.startswith(f"error: {said}")
    assert "Traceback" not in outcome.text
    assert not (folder.path / "results").exists()


def test_odd_files_are_said_once_and_read_once(new_folder):
    folder = new_folder()
    path = folder.path / "reviews.csv"
    path.write_text("text,label\n" + "".join(f"text {number % 50},{number % 2}\n" for number in range(60)))
    folder.overlay(datasets=["reviews"], corpora={"reviews": OWN | {"path": "reviews.csv"}})
    line = "warning: reviews: 10 of 60 texts repeat an earlier one"
    said = folder.run("-n", "corpora").text
    assert said.count(line) == 1
    # behind all that Snakemake says
    last = said.partition("This was a dry-run")[2].splitlines()[1:]
    assert last[:2] == ["", "reviews: 60 texts, 2 classes (0 30, 1 30); 40 train, 8 dev, 12 test (test and dev drawn)"]
    assert line in last
    memory = folder.path / ".snakemake/attention-audit/checked.json"
    made = memory.stat().st_mtime_ns
    assert folder.run("-n", "corpora").text.count(line) == 1
    assert memory.stat().st_mtime_ns == made


@pytest.mark.whole
def test_an_older_file_in_place_of_another_is_read(new_folder):
    folder = new_folder()
    path = folder.path / "reviews.csv"
    folder.overlay(datasets=["reviews"], corpora={"reviews": OWN | {"path": "reviews.csv"}})

    def put(shift, when):
        """Write texts with their labels, dated as is said, and name the jobs that follow from it."""
        path.write_text("text,label\n" + "".join(f"text {at},{(at + shift) % 2}\n" for at in range(60)))
        if when is not None:
            os.utime(path, (when, when))
        return folder.run("-n", "corpora").jobs()

    assert put(0, None) == {"prepare": 1}
    folder.make("corpora")
    # the same content at another time, and another content from long ago
    assert put(0, 10**9) == {}
    assert put(0, None) == {}
    assert put(1, 10**9) == {"prepare": 1}
    assert put(0, 3 * 10**9) == {}
    ahead = folder.run("-n", "corpora")
    assert "ahead of this machine's clock" in ahead.text.splitlines()[-1]
