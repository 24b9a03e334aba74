"""A user's own file, with the configuration that the README shows; many classes; data sets that can not be had."""

from __future__ import annotations

import csv
import math
import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from folder import ROOT, TINY, Folder, NewFolder

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.corpus import CORPUS
from attention_audit.columns.performance import PERFORMANCE
from attention_audit.columns.table import TABLE

pytestmark = pytest.mark.end_to_end


def readme_example() -> dict[str, Any]:
    """The configuration under the README's heading on the user's own data."""
    section = (ROOT / "README.md").read_text().split("### Your own data")[1]
    block = re.search(r"\n((?:    (?!snakemake).*\n)+)", section)
    assert block
    example = yaml.safe_load(block[1])
    assert isinstance(example, dict)
    return example


def write_reviews(path: Path, stars: int, texts: int) -> None:
    """Texts whose words tell the number of stars, with what a csv file may hold in them."""
    draw = random.Random(1)
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["stars", "review"])
        for number in range(texts):
            label = number % stars
            words = [f"word{draw.randrange(20)}" for _ in range(draw.randint(3, 9))]
            writer.writerow([label + 1, f'{words[0]}, "grade{label}"\n{" ".join(words)}'])


def test_the_example_of_the_readme_runs_on_a_file_of_five_classes(new_folder: NewFolder) -> None:
    folder = new_folder()
    write_reviews(folder.path / "reviews.csv", stars=5, texts=250)
    example: dict[str, Any] = readme_example()
    example["serrano_smith"] |= {"models": ["han_rnn", "flan_none"]}
    example["jain_wallace"] |= {"models": ["average_tanh"]}
    tiny = {key: TINY[key] for key in ("model", "training", "guides", "instance_adversary")}
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(example | tiny))
    outcome = folder.run("all")
    assert outcome.status == 0, outcome.text
    results = folder.path / "results"
    corpus = read_frame(results / "corpora/reviews/corpus.parquet", CORPUS)
    assert corpus.groupby("split").size().to_dict() == {"train": 170, "dev": 30, "test": 50}
    assert dict(zip(corpus["label"], corpus["label_name"], strict=True)) == {i: str(i + 1) for i in range(5)}
    performance = read_frame(results / "audits/reviews/performance.parquet", PERFORMANCE)
    assert set(performance["classes"]) == {5}
    table = (results / "tables/wp_table2_uniform.md").read_text()
    assert "F1: macro average of 5 classes" in table
    assert (results / "figures/wp_fig3_seed_variance.png").is_file()
    assert (results / "figures/ss_fig5_fraction_removed.png").is_file()
    assert (results / "figures/jw_fig_correlation.png").is_file()


def test_twenty_classes_and_pairs_are_prepared(new_folder: NewFolder) -> None:
    folder = new_folder()
    write_reviews(folder.path / "reviews.csv", stars=20, texts=400)
    (folder.path / "pairs.jsonl").write_text(
        "\n".join(f'{{"text": "a b {i}", "question": "c {i % 2}", "label": {i % 2}}}' for i in range(40))
    )
    own = {"kind": "table", "tokens": {"tokenizer": "spaces"}}
    corpora = {
        "reviews": own | {"path": "reviews.csv", "text": "review", "label": "stars"},
        "pairs": own | {"path": "pairs.jsonl", "query": "question"},
    }
    folder.overlay(datasets=["reviews", "pairs"], corpora=corpora)
    outcome = folder.run("corpora", "wp_table1", "ss_table1", "wp_fig3")
    assert outcome.status == 0, outcome.text
    table = read_frame(folder.path / "results/tables/wp_table1_datasets.parquet", TABLE)
    assert table.query("dataset == 'reviews' and row == 'train' and metric == 'classes'")["mean"].tolist() == [20]
    pairs = read_frame(folder.path / "results/corpora/pairs/corpus.parquet", CORPUS)
    assert pairs["query"].map(list).tolist()[0][0] == "c"
    assert not (folder.path / "results/models/pairs").exists()


@pytest.fixture
def without_mimic(new_folder: NewFolder) -> Folder:
    """A run that asks for a control corpus and for MIMIC, which is not here."""
    folder = new_folder()
    folder.overlay(datasets=["diabetes", "chorus"])
    return folder


def test_missing_files_are_one_line_that_says_how_to_get_them(without_mimic: Folder) -> None:
    outcome = without_mimic.run("all")
    assert outcome.status != 0
    [line] = [line for line in outcome.text.splitlines() if line.startswith("error: ")]
    assert "diabetes: mimic/NOTEEVENTS.csv.gz" in line
    assert "https://physionet.org/content/mimiciii/1.4/" in line
    assert "skip_unavailable: true" in line
    assert "Traceback" not in outcome.text


def test_skipped_data_sets_leave_a_marked_gap(without_mimic: Folder) -> None:
    pairs = "".join(f'{{"text": "a b {i}", "query": "c {i % 2}", "label": {i % 2}}}\n' for i in range(40))
    (without_mimic.path / "pairs.jsonl").write_text(pairs)
    corpora = {"pairs": {"kind": "table", "path": "pairs.jsonl", "query": "query", "tokens": {"tokenizer": "spaces"}}}
    without_mimic.overlay(datasets=["diabetes", "pairs", "chorus"], corpora=corpora, skip_unavailable=True)
    outcome = without_mimic.run("wp_table1", "wp_table2", "ss_table1")
    assert outcome.status == 0, outcome.text
    table = read_frame(without_mimic.path / "results/tables/wp_table2_uniform.parquet", TABLE)
    gap = table[table["dataset"] == "diabetes"]
    assert gap["mean"].isna().all()
    assert gap.set_index("row")["published"].to_dict() == {"base": 0.775, "uniform": 0.706}
    assert gap["note"].str.startswith("not run: diabetes: mimic/NOTEEVENTS.csv.gz").all()
    [pair] = table[table["dataset"] == "pairs"].to_dict("records")
    assert math.isnan(pair["mean"])
    assert pair["note"] == "not run: pairs holds pairs of texts, which jain_wallace alone takes; name it there"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("review,stars\ngood,1\n", "reviews.csv, line 1: no column 'text', only 'review', 'stars'"),
        ("text,label\n\xe9t\xe9,1\n", "reviews.csv, line 2: not utf-8"),
        ("text,label\n" + "a b,1\nc d,1\n" * 9, "every text has label '1'"),
    ],
)
def test_bad_input_is_one_line(new_folder: NewFolder, content: str, line: str) -> None:
    folder = new_folder()
    (folder.path / "reviews.csv").write_bytes(content.encode("latin-1"))
    folder.overlay(datasets=["reviews"], corpora={"reviews": {"kind": "table", "path": "reviews.csv"}})
    outcome = folder.run("corpora")
    assert outcome.status != 0
    [error] = {shown for shown in outcome.text.splitlines() if "] error: " in shown}
    assert line in error
    assert "Traceback" not in outcome.text
    assert not list((folder.path / "results/corpora").rglob("*.p*"))
