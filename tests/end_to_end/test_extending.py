"""Every change of docs/extending.md is made in a copy of the repository, and the workflow makes the new thing there."""

import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from folder import ROOT, SOURCE, Folder, assert_rendered, fresh
from PIL import Image
from safetensors import safe_open

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.agreement import AGREEMENT
from attention_audit.columns.corpus import CORPUS
from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.columns.summary import SUMMARY
from attention_audit.columns.table import TABLE

pytestmark = [pytest.mark.end_to_end, pytest.mark.whole, pytest.mark.xdist_group("extending")]

PAGE = (ROOT / "docs" / "extending.md").read_text()
MOST = {
    "A table, or a figure": 3,
    "An audit": 3,
    "A ranking for erasure": 2,
    "An attribution": 2,
    "A scoring function": 3,
    "An encoder": 3,
    "A suite": 9,
    "A data set of a known format": 1,
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
    "corpora": {"chorus": TEXTS, "chorus-again": TEXTS},
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
    "resamples": 20,
}
"""Laid over the configurations of the page, so that all of it takes seconds."""
NOTHING: dict[str, Any] = {"datasets": []}


@dataclass(frozen=True)
class Change:
    """What is written in one file: the whole of it, or lines that are added and removed."""

    path: str
    new: bool
    blocks: list[str]

    def place(self, root: Path) -> Path:
        """The file in a copy of the repository."""
        return root / re.sub(r"^attention_audit/", f"{SOURCE}/", self.path)

    def make(self, root: Path) -> None:
        """Write it. A file that is there must have exactly one place for each block."""
        path = self.place(root)
        if self.new:
            assert not path.exists(), f"{self.path} is there already"
            path.write_text(*self.blocks)
            return
        text = path.read_text()
        for block in self.blocks:
            lines = block.splitlines()
            before, after = ("".join(f"{line[1:]}\n" for line in lines if line[:1] != mark) for mark in "+-")
            assert text.count(before) == 1, f"{self.path} has {text.count(before)} places for\n{block}"
            text = text.replace(before, after)
        path.write_text(text)


@dataclass(frozen=True)
class Command:
    """A call of Snakemake: what it makes, and the configuration files that it names."""

    targets: list[str]
    files: list[str]


@dataclass(frozen=True)
class Example:
    """A section of the page: how many files it promises, its changes and commands, and what else it configures."""

    title: str
    promised: int
    changes: list[Change]
    commands: list[Command]
    settings: list[str]


def changes_of(section: str) -> list[Change]:
    """The numbered files of a section, each with the fenced blocks that follow it."""
    changes = []
    for part in re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]:
        named = re.match(r"`([^`]+)`( \*new\*)?:", part)
        assert named, part[:80]
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", part, flags=re.MULTILINE | re.DOTALL)
        assert {language == "diff" for language, _ in blocks} == {not named[2]}, named[1]
        changes.append(Change(named[1], bool(named[2]), [text for _, text in blocks]))
    return changes


def example_of(section: str) -> Example:
    """A section as what there is to do and to run."""
    heading = re.match(r"(.*) \((\d) files?\)\n", section)
    assert heading, section[:80]
    prose = re.sub(r"^```.*?^```$", "", section, flags=re.MULTILINE | re.DOTALL)
    indented = [textwrap.dedent(block) for block in re.findall(r"(?:^    .*\n)+", prose, flags=re.MULTILINE)]
    commands = []
    for line in re.findall(r"^snakemake --cores 2 (.*)$", "".join(indented), flags=re.MULTILINE):
        targets, _, files = line.partition(" --configfile ")
        commands.append(Command(targets.split(), files.split()))
    settings = [block for block in indented if not block.startswith("snakemake ")]
    return Example(heading[1], int(heading[2]), changes_of(section), commands, settings)


EXAMPLES = [example_of(section) for section in PAGE.split("\n## ")[1:]]


def run(folder: Folder, commands: list[Command], *settings: str) -> None:
    """Several commands as one: what they make, with their configurations, these settings, and the folder's overlay."""
    files = [file for command in commands for file in command.files]
    for number, text in enumerate(settings):
        files.append(f"settings-{number}.yaml")
        (folder.path / files[-1]).write_text(text)
    *command, overlay = folder.command(*dict.fromkeys(target for command in commands for target in command.targets))
    finished = subprocess.run([*command, *files, overlay], cwd=folder.path, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A copy of the repository in which every change is made, and no other file is touched."""
    folder = fresh(tmp_path_factory.mktemp("extending") / "repository")
    for example in EXAMPLES:
        for change in example.changes:
            change.make(folder.path)
    return folder


@pytest.fixture(scope="module")
def made(changed: Folder) -> Folder:
    """The same, with what the commands make, but for that of the suite, which has a run of its own."""
    examples = [example for example in EXAMPLES if example.title != "A suite"]
    (changed.path / "reviews.txt").write_text("".join(f"__label__{n % 2} text {n} of {n % 5}\n" for n in range(60)))
    changed.overlay(**SMALL)
    run(
        changed,
        [command for example in examples for command in example.commands],
        *(text for example in examples for text in example.settings),
    )
    return changed


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_a_change_costs_no_more_files_than_it_may(example: Example) -> None:
    paths = [change.path for change in example.changes]
    assert len(set(paths)) == len(paths) == example.promised <= MOST[example.title]
    assert re.search(rf"^\| \[.*\]\(#.*-{len(paths)}-files?\) \| {len(paths)} \|$", PAGE, flags=re.MULTILINE)
    assert example.commands


def test_every_kind_of_change_has_an_example() -> None:
    assert [example.title for example in EXAMPLES] == list(MOST)


def test_changes_are_in_the_style_of_the_house(changed: Folder) -> None:
    changes = [change.place(changed.path) for example in EXAMPLES for change in example.changes]
    modules = sorted({str(path) for path in changes if path.suffix == ".py"})
    options = ["--no-cache", "--config", str(ROOT / "pyproject.toml")]
    own = ["--config", "lint.isort.known-first-party=['attention_audit']"]
    for checks in (["check", *own], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *checks, *options]
        finished = subprocess.run([*command, *modules], capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stdout


def test_a_table_is_made(made: Folder) -> None:
    assert_rendered(made, ["longest"], [])
    table = read_frame(made.path / "results/tables/longest.parquet", TABLE)
    texts = read_frame(made.path / "results/corpora/chorus/corpus.parquet", CORPUS)
    longest = texts["tokens"].map(len).groupby(texts["split"]).max()
    assert dict(zip(table["row"], table["mean"], strict=True)) == dict(longest)


def test_an_audit_is_asked(made: Folder) -> None:
    rows = pq.read_table(made.path / "results/audits/chorus/wp/entropy.parquet").to_pandas()
    assert set(rows["model"]) == {"base"}
    assert len(rows) == 32 * rows["seed"].nunique()
    assert rows["evenness"].between(0, 1).all()


def test_a_ranking_is_erased(made: Folder) -> None:
    rows = read_frame(made.path / "results/audits/chorus/ss/ranked_sets.parquet", RANKED_SETS)
    assert "position" in set(rows["ranking"])
    pairs = read_frame(made.path / "results/tables/ss_table_pairwise.parquet", TABLE)["row"]
    assert {"flan_none/attention/position", "flan_none/position/random"} <= set(pairs)
    assert_rendered(made, [], ["ss_fig5_fraction_removed"])


def test_an_attribution_is_compared(made: Folder) -> None:
    rows = read_frame(made.path / "results/audits/chorus/jw/agreement.parquet", AGREEMENT)
    assert len(rows[(rows["first"] == "position") | (rows["second"] == "position")]) == 5
    pairs = read_frame(made.path / "results/tables/jw_table2_correlation.parquet", TABLE)["row"]
    assert "average_tanh/attention~position/overall" in set(pairs)
    assert_rendered(made, [], ["jw_fig_agreement"])


def test_a_model_has_the_encoder_and_the_attention(made: Folder) -> None:
    [weights] = (made.path / "results/models/chorus/wp/base").glob("seed10.safetensors")
    with safe_open(weights, "numpy") as file:
        assert {"attention.query", "attention.scale"} <= set(file.keys())
        # as wide as the embedding, since positions are added to it
        assert file.get_slice("attention.query").get_shape() == [WIDTH]


def test_a_data_set_is_read(made: Folder) -> None:
    again = read_frame(made.path / "results/corpora/chorus-again/corpus.parquet", CORPUS)
    reviews = read_frame(made.path / "results/corpora/reviews/corpus.parquet", CORPUS)
    assert (len(again), len(reviews)) == (128, 60)
    assert set(reviews["label_name"]) == {"0", "1"}


def test_figures_have_the_colours(made: Folder) -> None:
    with Image.open(made.path / "results/figures/ss_fig5_fraction_removed.png") as figure:
        colours = {colour for _, colour in figure.convert("RGB").getcolors(1 << 24) or []}
    assert BLUE in colours


def test_a_suite_has_a_run_of_its_own(made: Folder) -> None:
    [example] = [example for example in EXAMPLES if example.title == "A suite"]
    made.overlay(replace=True, corpora={"chorus": TEXTS}, resamples=SMALL["resamples"], **NOTHING)
    run(made, example.commands)
    audits = made.path / "results/audits/chorus/mine"
    assert {path.stem for path in audits.iterdir()} == {"performance", "permutation", "ranked_sets"}
    assert_rendered(made, ["mine_table_performance"], [])
    summary = read_frame(made.path / "results/tables/summary.parquet", SUMMARY)
    assert list(zip(summary["paper"], summary["model"], strict=True)) == [("mine", "bigru")]
    guide = (made.path / "results" / "README.md").read_text()
    assert "My own models" in guide
    assert "how well my own model predicts" in guide
    assert "audits/{dataset}/{suite}/entropy.parquet" in guide
