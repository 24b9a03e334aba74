"""Honest models and liars of every kind, on a table of the user's with a mask."""

from collections.abc import Callable

import numpy as np
import pytest
from folder import Folder, assert_rendered

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.audits import IMPERMISSIBLE, PERFORMANCE
from attention_audit.columns.files import CORPUS

pytestmark = pytest.mark.whole


def reviews(folder: Folder) -> None:
    """A table whose texts have a word of their class, which a mask file marks."""
    random = np.random.default_rng(0)
    texts, masks = ["text,label"], []
    for number in range(120):
        words = [f"w{word}" for word in random.integers(0, 20, 6)]
        at = int(random.integers(0, 6))
        words[at] = ("good", "bad")[number % 2]
        texts.append(f"{' '.join(words)},{('yes', 'no')[number % 2]}")
        masks.append(" ".join(str(int(place == at)) for place in range(6)))
    (folder.path / "reviews.csv").write_text("\n".join(texts) + "\n")
    (folder.path / "reviews.mask").write_text("\n".join(masks) + "\n")


def test_liars_of_every_kind(new_folder: Callable[[], Folder]) -> None:
    folder = new_folder()
    reviews(folder)
    own = {"kind": "table", "path": "reviews.csv", "block": {"file": "reviews.mask"}, "tokens": {"tokenizer": "spaces"}}
    folder.overlay(
        datasets=[],
        corpora={"reviews": own},
        deception={
            "datasets": ["reviews"],
            "models": ["base", "embedding", "bilstm"],
            "lambdas": [1.0],
            "seeds": [10, 50],
            "anonymised": True,
            "epochs": 2,
            "embedding": 8,
            "hidden": 8,
        },
        agreement={"texts": 4, "steps": 3},
        permutation={"permutations": 5},
    )
    folder.make("tables", "figures")
    assert_rendered(folder, ["summary", "texts"], [])
    results = folder.path / "results"
    corpus = read_frame(results / "corpora/reviews/corpus.parquet", CORPUS)
    hidden = [words[at] for words, (at,) in zip(corpus["tokens"], corpus["blocked"], strict=True)]
    assert set(hidden) == {"good", "bad"}
    asked = [read_frame(path, IMPERMISSIBLE) for path in results.glob("audits/reviews/*/impermissible.parquet")]
    assert len(asked) == 6
    assert all((rows["blocked_words"] == 1).all() for rows in asked)
    performance = [read_frame(path, PERFORMANCE) for path in results.glob("audits/reviews/*/performance.parquet")]
    assert len({model for rows in performance for model in rows["model"]}) == 9
    # no paper has numbers of these texts
    assert not (results / "tables/pd_table_deception.parquet").exists()
    # the same command finds nothing to do
    assert "Nothing to be done" in folder.run("tables").text
