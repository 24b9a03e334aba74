"""What a finished run holds, and what is run again when something changes."""

from __future__ import annotations

import os

import pyarrow.parquet as pq
import pytest
from folder import SOURCE, Folder, assert_rendered, kind_of

from attention_audit.artefacts.parquet import read_provenance
from attention_audit.artefacts.weights import read_weights
from attention_audit.columns.every import ARTEFACTS

# one worker, so that the finished run is made once
pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("finished")]

TABLES = [
    "wp_table1_datasets", "wp_table2_uniform", "wp_table3_guides", "wp_table5_adversary", "ss_table1_datasets",
    "summary", "replication", "controls",
]  # fmt: skip
FIGURES = ["wp_fig2_attention_maps", "wp_fig3_seed_variance", "wp_fig5_tvd_jsd"]


def test_every_table_and_figure_is_there(finished: Folder) -> None:
    assert_rendered(finished, TABLES, FIGURES)


def test_every_parquet_is_as_declared_and_says_where_it_comes_from(finished: Folder) -> None:
    files = list((finished.path / "results").rglob("*.parquet"))
    assert len(files) > 30
    for path in files:
        assert pq.read_schema(path).remove_metadata().equals(kind_of(path).schema), path
        provenance = read_provenance(path)
        assert len(provenance["config_sha256"]) == len(provenance["code_sha256"]) == 64
        assert {"torch", "numpy", "pyarrow"} <= provenance["libraries"].keys()
        assert provenance["attention_audit"]
        if path.name.endswith(".history.parquet"):
            assert provenance["seed"] == int(path.name.removeprefix("seed").removesuffix(".history.parquet"))


def test_the_guide_names_every_kind_and_column(finished: Folder) -> None:
    page = (finished.path / "results" / "README.md").read_text()
    for artefact in ARTEFACTS:
        assert artefact.path in page
        for column in artefact.columns:
            assert f"| `{column.name}` |" in page


def test_progress_is_on_the_terminal_and_in_the_logs(finished: Folder) -> None:
    terminal = (finished.path / "terminal.txt").read_text()
    log = "results/logs/train/chorus/base.log"
    assert f"log: {log}" in terminal
    for text in (terminal, (finished.path / log).read_text()):
        assert "[train chorus base] seed 10 (1/2) epoch 1/2: loss " in text


def test_no_library_fills_the_logs(finished: Folder) -> None:
    for log in (finished.path / "results/logs").glob("*.log"):
        lines = log.read_text().splitlines()
        assert len(lines) < 10, log
        assert all(line.startswith(("[", "{")) for line in lines), log


def test_nothing_is_left_to_do_even_after_touching_every_file(altered: Folder) -> None:
    assert "Nothing to be done" in altered.run("-n", "all").text
    for path in altered.path.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)
    assert "Nothing to be done" in altered.run("-n", "all").text


TABLE_RULES = {"wp_table1", "ss_table1", "wp_table2", "wp_table3", "wp_table5", "summary", "replication", "controls"}


@pytest.mark.parametrize(
    ("module", "runs"),
    [
        ("figures/tvd_jsd.py", {"wp_fig5"}),
        ("figures/style.py", {"wp_fig2", "wp_fig3", "wp_fig5"}),
        ("tables/render.py", TABLE_RULES),
        ("audits/evidence.py", {"evidence", "controls"}),
    ],
)
def test_an_edit_reruns_exactly_what_imports_it(altered: Folder, module: str, runs: set[str]) -> None:
    with (altered.path / SOURCE / module).open("a") as source:
        source.write("\n# edited\n")
    assert altered.run("-n", "all").jobs().keys() == runs


def test_an_edit_of_the_training_spares_what_comes_before(altered: Folder) -> None:
    with (altered.path / SOURCE / "training/loop.py").open("a") as source:
        source.write("\n# edited\n")
    jobs = altered.run("-n", "all").jobs().keys()
    assert {"train", "train_adversary", "readout", "performance", "wp_table2", "wp_fig5"} <= jobs
    assert not {"corpus", "vocabulary", "guide_files", "wp_table1"} & jobs


def test_another_setting_reruns_what_reads_it(altered: Folder) -> None:
    altered.overlay(instance_adversary={"steps": 11})
    assert altered.run("-n", "all").jobs().keys() == {
        "instance_adversary", "attention_maps", "guide_files", "wp_fig2", "wp_fig3", "wp_fig5", "wp_table5",
    }  # fmt: skip


@pytest.mark.parametrize("target", ["wp_fig5", "results/figures/wp_fig5_tvd_jsd.pdf"])
def test_one_figure_by_name_or_path_is_one_job(altered: Folder, target: str) -> None:
    figure = altered.path / "results/figures/wp_fig5_tvd_jsd.pdf"
    before = figure.read_bytes()
    figure.unlink()
    outcome = altered.run(target)
    assert outcome.jobs() == {"wp_fig5": 1}
    assert figure.read_bytes() == before


def test_the_report_is_written(altered: Folder) -> None:
    outcome = altered.run("--report", "report.html")
    assert outcome.status == 0, outcome.text
    report = (altered.path / "report.html").read_text()
    for figure in FIGURES:
        assert figure in report


def test_the_same_configuration_gives_the_same_bytes(finished: Folder, new_folder: object) -> None:
    again = new_folder()  # type: ignore[operator]
    assert again.run("all").status == 0
    assert again.parquet() == finished.parquet()
    for path in (finished.path / "results/models").rglob("*.safetensors"):
        twin = again.path / path.relative_to(finished.path)
        assert twin.read_bytes() == path.read_bytes()
        assert read_weights(twin)
