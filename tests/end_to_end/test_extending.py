"""Every change of docs/extending/ is made in a copy of the repository, and the workflow makes the new thing there."""

import re
import subprocess
import sys

import classifiers_on_disk
import pyarrow.parquet as pq
import pytest
from examples import EXAMPLES, PAGES
from folder import ROOT, assert_rendered, fresh
from PIL import Image
from safetensors import safe_open
from transformers_on_disk import LETTERS

from attention_audit.corpus.text import SPLITS
from attention_audit.plan.model import COMMON_AUDITS

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("extending")]

MOST = {
    "A table, or a figure": 3,
    "A rule": 2,
    "An audit": 2,
    "An audit outside of the package": 1,
    "A ranking for erasure": 1,
    "An attribution": 1,
    "A map of a Transformer": 1,
    "A scoring function": 1,
    "An encoder": 1,
    "A suite": 5,
    "A data set of a known format": 1,
    "A csv at an address": 1,
    "A data set of a new format": 2,
    "Other colours": 1,
}
"""The files that each change may cost."""
BLUE = (0x44, 0x77, 0xAA)
"""The colour of attention in the page's palette."""
WIDTH = 8
"""Of every layer."""
TEXTS = {"texts": {"train": 64, "dev": 32, "test": 32}}
SMALL = {
    "mirror": "mirror",
    "datasets": ["chorus", "static"],
    "corpora": {"chorus": TEXTS, "static": TEXTS, "chorus-again": TEXTS},
    "model": {"embedding": WIDTH, "hidden": WIDTH, "attention_hidden": WIDTH},
    "serrano_smith": {
        "datasets": ["chorus"],
        "models": ["flan_none"],
        "embedding": WIDTH,
        "attention": WIDTH,
        "recipes": {"flan": {"epochs": 1}},
    },
    "jain_wallace": {
        "datasets": ["chorus"],
        "models": ["average_tanh"],
        "recipe": {"epochs": 1, "hidden": WIDTH, "embedding": WIDTH},
    },
    "hf": {"chorus": {"models": {"bert": ["bert"]}, "max_length": 32, "maps": ["my_heads:strongest"]}},
    "audits": {"wp": ["permutation", "entropy", "my_spread:spread"]},
}
"""Laid over the configurations of the page, so that all of it takes seconds."""


def run(folder, commands, *settings):
    """Several commands as one: what they make, with their configurations, these settings, and the folder's overlay."""
    files = [file for command in commands for file in command.files]
    for number, text in enumerate(settings):
        files.append(f"settings-{number}.yaml")
        (folder.path / files[-1]).write_text(text)
    *command, overlay = folder.command(*dict.fromkeys(target for command in commands for target in command.targets))
    finished = subprocess.run([*command, *files, overlay], cwd=folder.path, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """A copy of the repository in which every change is made, and no other file is touched."""
    folder = fresh(tmp_path_factory.mktemp("extending") / "repository")
    for example in EXAMPLES:
        for change in example.changes:
            change.make(folder.path)
    return folder


@pytest.fixture(scope="module")
def made(changed):
    """The same, with what the commands make, but for that of the suite, which has a run of its own."""
    examples = [example for example in EXAMPLES if example.title != "A suite"]
    (changed.path / "reviews.txt").write_text("".join(f"__label__{n % 2} text {n} of {n % 5}\n" for n in range(60)))
    # the page has its checksum
    cards = "".join(f'"card {n} of {n % 5}",{"yes" if n % 2 else "no"}\n' for n in range(60))
    (changed.path / "mirror/cards").mkdir(parents=True)
    (changed.path / "mirror/cards/cards.csv").write_text(f"message,verdict\n{cards}")
    classifiers_on_disk.save(changed.path / "bert", names=("LABEL_0", "LABEL_1"), words=LETTERS)
    changed.overlay(**SMALL)
    run(
        changed,
        [command for example in examples for command in example.commands],
        *(text for example in examples for text in example.settings),
    )
    return changed


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_a_change_costs_no_more_files_than_it_may(example):
    paths = [change.path for change in example.changes]
    assert len(set(paths)) == len(paths) == example.promised <= MOST[example.title]
    row = rf"^\| \[.*\]\(.*#.*-{len(paths)}-files?\) \| {len(paths)} \|$"
    assert re.search(row, PAGES["README"], flags=re.MULTILINE)
    assert example.commands


def test_every_kind_of_change_has_an_example():
    assert [example.title for example in EXAMPLES] == list(MOST)


def test_changes_are_in_the_style_of_the_house(changed):
    changes = [change.place(changed.path) for example in EXAMPLES for change in example.changes]
    modules = sorted({str(path) for path in changes if path.suffix == ".py"})
    options = ["--no-cache", "--config", str(ROOT / "pyproject.toml")]
    own = ["--config", "lint.isort.known-first-party=['attention_audit']"]
    for checks in (["check", *own], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *checks, *options]
        finished = subprocess.run([*command, *modules], capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stdout


def test_a_table_is_made(made):
    assert_rendered(made, ["longest"], [])
    table = pq.read_table(made.path / "results/tables/longest.parquet").to_pandas().query("dataset == 'chorus'")
    texts = made.frame("corpora/chorus/corpus.parquet")
    longest = texts["tokens"].map(len).groupby(texts["split"]).max()
    assert dict(zip(table["part"], table["mean"], strict=True)) == dict(longest)


def test_an_audit_is_asked(made):
    rows = pq.read_table(made.path / "results/audits/static/base/entropy.parquet").to_pandas()
    assert set(rows["model"]) == {"base"}
    assert len(rows) == 32 * rows["seed"].nunique()
    assert rows["evenness"].between(0, 1).all()
    rows = pq.read_table(made.path / "results/audits/static/base/spread.parquet").to_pandas()
    assert rows["spread"].between(0, 1, inclusive="neither").all()


def test_a_rule_of_ones_own_reads_results(made):
    lines = (made.path / "results/mine/longest.csv").read_text().splitlines()
    assert {line.partition(",")[0] for line in lines} == {"split", *SPLITS}


def test_a_ranking_is_erased(made):
    rows = made.frame("audits/chorus/flan_none/ranked_sets.parquet")
    assert "my_positions:position" in set(rows["ranking"])
    pairs = made.frame("tables/ss_table_pairwise.parquet").query("ranking == 'my_positions:position'")
    assert {"attention", "random"} <= set(pairs["other"])
    assert_rendered(made, [], ["ss_fig5_fraction_removed"])


def test_an_attribution_is_compared(made):
    rows = made.frame("audits/chorus/average_tanh/agreement.parquet")
    assert len(rows[(rows["first"] == "my_scores:position") | (rows["second"] == "my_scores:position")]) == 5
    pairs = made.frame("tables/jw_table2_correlation.parquet")
    assert "my_scores:position" in set(pairs.query("model == 'average_tanh' and ranking == 'attention'")["other"])
    assert_rendered(made, [], ["jw_fig_agreement"])


def test_a_map_is_held_against_the_others(made):
    rows = made.frame("tables/hf_table_maps.parquet")
    assert "my_heads:strongest" in set(rows["ranking"])
    assert_rendered(made, [], ["hf_fig_maps"])


def test_a_model_has_the_encoder_and_the_attention(made):
    [weights] = (made.path / "results/models/static/base").glob("seed10.safetensors")
    with safe_open(weights, "numpy") as file:
        assert {"attention.query", "attention.scale"} <= set(file.keys())
        # as wide as the embedding, since positions are added to it
        assert file.get_slice("attention.query").get_shape() == [WIDTH]


def test_a_data_set_is_read(made):
    again = made.frame("corpora/chorus-again/corpus.parquet")
    reviews = made.frame("corpora/reviews/corpus.parquet")
    cards = made.frame("corpora/cards/corpus.parquet")
    assert (len(again), len(reviews), len(cards)) == (128, 60, 60)
    assert set(reviews["label_name"]) == {"0", "1"}
    assert set(cards["label_name"]) == {"no", "yes"}


def test_figures_have_the_colours(made):
    with Image.open(made.path / "results/figures/ss_fig5_fraction_removed.png") as figure:
        colours = {colour for _, colour in figure.convert("RGB").getcolors(1 << 24) or []}
    assert BLUE in colours


def test_a_suite_has_a_run_of_its_own(made):
    [example] = [example for example in EXAMPLES if example.title == "A suite"]
    made.overlay(corpora={"chorus": TEXTS}, datasets=[], results="results")
    run(made, example.commands)
    audits = made.path / "results/audits/chorus/mine_bigru"
    asked = {path.stem for path in audits.iterdir() if pq.read_metadata(path).num_rows}
    assert asked == {*COMMON_AUDITS, "located"}
    assert_rendered(made, ["mine_table_performance"], [])
    summary = made.frame("tables/summary.parquet")
    assert list(zip(summary["paper"], summary["model"], strict=True)) == [("MINE", "bigru")]
    guide = (made.path / "results" / "README.md").read_text()
    assert "My own models" in guide
    assert "how well my own model predicts" in guide
    assert "audits/{dataset}/{model}/entropy.parquet" in guide
