"""Readouts of models that were made elsewhere, for tests: of reviews, in which a few words decide."""

from dataclasses import replace

import numpy as np

from attention_audit.given import GivenReadout, softmax
from attention_audit.given.files import write_given_readout

SCORES = {"good": 2.0, "fine": 1.0, "bad": -2.0, "dull": -1.0}
WORDS = [*SCORES, "film", "plot", "the", "a", "was", "not"]
CLASSES = ["negative", "positive"]


def made(seed, texts=40, attends="to scores", outputs=1, heads=0):
    """A training of a model on texts that are the same for all seeds. attends: to scores, alike, or elsewhere with the
    same predictions. outputs: 1, or 2 for a logit a class. heads: of maps of their own, 0 for one map.
    """
    common, own = np.random.default_rng(0), np.random.default_rng(seed)
    parts = {name: [] for name in ("tokens", "labels", "attention", "contribution", "evidence")}
    for _ in range(texts):
        words = [WORDS[place] for place in common.integers(0, len(WORDS), common.integers(4, 15))]
        values = np.array([SCORES.get(word, 0.0) for word in words])
        scores = 1.5 * np.abs(values) + own.normal(0, 0.2, len(words))
        weights, z = softmax(scores), 2 * values + own.normal(0, 0.1, len(words))
        if attends == "alike":
            weights = np.full(len(words), 1 / len(words))
        if attends == "elsewhere":
            away = softmax(-scores)
            weights, z = away, weights * z / away
        maps = weights
        if heads:
            moved = own.normal(0, 0.01, (heads, len(words))) * weights.min()
            moved -= moved.mean(0) + (moved - moved.mean(0)).mean(1, keepdims=True)
            maps = weights + moved
        parts["tokens"].append(words)
        parts["labels"].append(int(values.sum() + common.normal(0, 0.3) > 0))
        parts["attention"].append(maps)
        parts["contribution"].append(z[:, None] if outputs == 1 else np.stack([-z / 2, z / 2], axis=1))
        parts["evidence"].append([place for place, word in enumerate(words) if word in SCORES] or None)
    bias = np.full((texts, outputs), 0.1) if outputs == 1 else np.tile([-0.05, 0.05], (texts, 1))
    given = GivenReadout(
        "memory",
        [f"text-{number}" for number in range(texts)],
        **parts | {"labels": np.array(parts["labels"])},
        bias=bias,
        probabilities=np.zeros((texts, 2)),
    )
    logits = [weights @ z + b for weights, z, b in zip(given.seen, given.contribution, bias, strict=True)]
    return replace(given, probabilities=np.stack([*map(softmax, logits)]))


def write_all(folder, texts=40):
    """Two trainings of a model, its twin and an adversary in a folder; the entry of `own` that names them."""
    files = {
        "first.parquet": made(1, texts),
        "second.npz": made(2, texts),
        "twin.npz": made(3, texts, "alike"),
        "away.parquet": made(1, texts, "elsewhere"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, given in files.items():
        write_given_readout(given, folder / name)
    first, second, twin, away = (str(folder / name) for name in files)
    return {"models": {"mine": [first, second]}, "uniform": [twin], "adversaries": [away], "classes": CLASSES}
