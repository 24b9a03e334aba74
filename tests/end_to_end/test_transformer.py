"""A frozen Transformer as the encoder in every suite, through the real workflow."""

import numpy as np
import pytest
import transformers_on_disk as on_disk
from folder import assert_rendered, fresh

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.files import PIECES

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("transformer")]


def test_a_frozen_transformer_is_asked_everything(tmp_path):
    """A Transformer of random weights that knows the generated words, which lies in the mirror of the folder."""
    folder, place = fresh(tmp_path / "audit"), "mirror/encoders/tiny"
    words = [*on_disk.WORDS, *on_disk.LETTERS]
    on_disk.save(folder.path / place, words, positions=400)
    folder.overlay(
        mirror="mirror",
        transformer={"path": "encoders/tiny", "max_length": 60},
        agreement={"texts": 4, "steps": 4},
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
    assert {"base", "flan_transformer", "transformer_tanh"} == set(folder.frame("tables/summary.parquet")["model"])
    # other weights in the same folder make all of it anew
    on_disk.save(folder.path / place, words, positions=400, seed=1)
    again = folder.run("-n", "audits").jobs()
    assert {"record_transformer", "encode", "train", "permutation", "attribution"} <= again.keys()
