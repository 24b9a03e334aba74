"""Serrano & Smith's tests alone, on a tiny digest: what their run holds, what an edit repeats, what a HAN needs."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from folder import SOURCE, Folder, NewFolder, assert_rendered, fresh, kind_of

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.corpus import CORPUS
from attention_audit.columns.readout import READOUT

# one worker, so that the run is made once
pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("erased")]

TABLES = {"ss_table1_datasets", "ss_table2_flips", "ss_table3_accuracy", "ss_table_pairwise", "ss_table_claims"}
FIGURES = {
    "ss_fig3_delta_js", "ss_fig4_negative_delta_js", "ss_fig5_fraction_removed", "ss_fig11_mass_removed", "ss_fig_aopc",
}  # fmt: skip


@pytest.fixture(scope="module")
def erased(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder in which `all` has run without Wiegreffe & Pinter's tests; do not alter it."""
    folder = fresh(tmp_path_factory.mktemp("erased") / "audit")
    folder.overlay(
        datasets=[],
        corpora={"digest": {"texts": {"train": 64, "dev": 32, "test": 32}}},
        serrano_smith={
            "datasets": ["digest"],
            "models": ["han_rnn", "flan_none"],
            "hidden": 8,
            "attention": 8,
            "embedding": 8,
            "recipes": {"default": {"han": {"epochs": 2}, "flan": {"epochs": 2}}},
        },
    )
    outcome = folder.run("all")
    assert outcome.status == 0, outcome.text
    return folder


def test_its_tables_and_figures_are_there_and_no_others(erased: Folder) -> None:
    results = erased.path / "results"
    assert {path.stem for path in (results / "tables").iterdir()} == TABLES | {
        "wp_table1_datasets", "controls", "summary", "replication",
    }  # fmt: skip
    assert {path.stem for path in (results / "figures").iterdir()} == FIGURES
    assert_rendered(erased, TABLES, FIGURES)


def test_every_parquet_is_as_declared(erased: Folder) -> None:
    files = list((erased.path / "results").rglob("*.parquet"))
    assert {path.stem for path in files} > {"accuracy", "single_weight", "ranked_sets", "planted"}
    for path in files:
        assert pq.read_schema(path).remove_metadata().equals(kind_of(path).schema), path


@pytest.mark.parametrize(("model", "items"), [("han_rnn", "sentences"), ("flan_none", "tokens")])
def test_what_is_erased_is_a_sentence_or_a_word(erased: Folder, model: str, items: str) -> None:
    results = erased.path / "results"
    texts = read_frame(results / "corpora/digest/corpus.parquet", CORPUS).set_index("id")[items]
    readout = read_frame(results / f"readouts/digest/{model}/seed122/test.parquet", READOUT)
    assert len(readout) == 32
    assert readout["attention"].map(len).tolist() == texts.loc[readout["id"]].map(len).tolist()


def test_an_edit_of_the_rankings_reruns_exactly_what_imports_them(erased: Folder, tmp_path: Path) -> None:
    altered = erased.copy(tmp_path / "audit")
    with (altered.path / SOURCE / "audits/rankings.py").open("a") as source:
        source.write("\n# edited\n")
    assert altered.run("-n", "all").jobs() == dict.fromkeys(
        ["single_weight", "ranked_sets", "planted", "summary", "controls", "ss_table2", "ss_table_pairwise",
         "ss_table_claims", "replication",
         "ss_fig3", "ss_fig4", "ss_fig5", "ss_fig11", "ss_fig_aopc"], 1,
    )  # fmt: skip


def test_texts_without_sentences_are_one_clear_line_for_a_han(new_folder: NewFolder) -> None:
    folder = new_folder()
    rows = "".join(f"word{number % 7} and word{number % 3},{number % 2}\n" for number in range(60))
    (folder.path / "reviews.csv").write_text(f"text,label\n{rows}")
    folder.overlay(
        datasets=[],
        corpora={"reviews": {"kind": "table", "path": "reviews.csv", "tokens": {"tokenizer": "spaces"}}},
        serrano_smith={"datasets": ["reviews"], "models": ["han_none"]},
    )
    outcome = folder.run("ss_table3")
    assert outcome.status != 0
    [error] = {line for line in outcome.text.splitlines() if "] error: " in line}
    assert error.startswith("[train reviews han_none] error: results/corpora/reviews/corpus.parquet: text 'reviews")
    assert "no sentence boundaries, which a hierarchical model reads; set `tokens.sentences: true`" in error
    assert "Traceback" not in outcome.text
