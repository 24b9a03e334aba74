"""A Transformer as the encoder, through the real workflow: frozen in every suite, and fine-tuned."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers_on_disk as on_disk
from folder import Folder, assert_rendered, fresh

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.files import PIECES
from attention_audit.columns.tables import SUMMARY

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("transformer")]


def folder_with(path: Path, transformer: dict[str, Any], **changes: Any) -> Folder:
    """A folder with a Transformer of random weights that knows the generated words, which lies in its mirror."""
    folder = fresh(path)
    on_disk.save(folder.path / "mirror" / "encoders" / "tiny", [*on_disk.WORDS, *on_disk.LETTERS], positions=400)
    folder.overlay(
        mirror="mirror",
        transformer={"path": "encoders/tiny", **transformer},
        agreement={"texts": 4, "steps": 4},
        **changes,
    )
    return folder


def test_a_frozen_transformer_is_asked_everything(tmp_path: Path) -> None:
    folder = folder_with(
        tmp_path / "audit",
        {"max_length": 60},
        corpora={"chorus": {"texts": {"train": 64, "dev": 32, "test": 12}}},
        model={"encoder": "transformer", "attention_hidden": 8},
        serrano_smith={"datasets": ["chorus"], "models": ["flan_transformer"]},
        jain_wallace={"datasets": ["chorus"], "models": ["transformer_tanh"], "recipe": {"epochs": 1}},
    )
    folder.make("audits", "summary", "texts", "jw_table2", "ss_fig5", "wp_fig5", network=False)
    assert_rendered(folder, ["summary", "jw_table2_correlation"], ["ss_fig5_fraction_removed", "wp_fig5_tvd_jsd"])
    results = folder.path / "results"
    pieces = read_frame(results / "states/chorus/pieces.parquet", PIECES)
    assert pieces["truncated"].any()
    assert len(np.load(results / "states/chorus/states.npy", mmap_mode="r")) == pieces["words"].sum()
    summary = read_frame(results / "tables/summary.parquet", SUMMARY).set_index("model")
    assert {"base", "flan_transformer", "transformer_tanh"} == set(summary.index)
    assert "one frozen encoder" in summary.loc["base", "stable_clause"]
    assert "frozen" not in summary.loc["transformer_tanh", "stable_clause"]
    # other weights in the same folder make all of it anew
    on_disk.save(folder.path / "mirror/encoders/tiny", [*on_disk.WORDS, *on_disk.LETTERS], positions=400, seed=1)
    again = folder.run("-n", "audits").jobs()
    assert {"record_transformer", "encode", "train", "permutation", "attribution"} <= again.keys()


def test_a_fine_tuned_transformer_is_asked_what_runs_it_again(tmp_path: Path) -> None:
    folder = folder_with(
        tmp_path / "audit",
        {"frozen": False, "tuning": {"epochs": 1}},
        datasets=[],
        jain_wallace={"datasets": ["chorus"], "models": ["transformer_dot"], "seeds": [10, 50]},
    )
    folder.make("jw_table2", "summary", network=False)
    assert not (folder.path / "results/states").exists()
    (row,) = folder.frame("tables/summary.parquet").to_dict("records")
    assert (row["model"], row["stable_trainings"]) == ("transformer_dot", 2)
    assert "frozen" not in row["stable_clause"]
