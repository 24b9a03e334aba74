"""Readouts of made-up texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.readout import Readout


def make_readout(lengths: Sequence[int], outputs: int = 1, seed: int = 0) -> Readout:
    """Make a readout of texts with the given lengths, consistent in itself: probabilities follow from attention."""
    random = np.random.default_rng(seed)
    attention = [random.dirichlet(np.ones(n)).astype(np.float32) for n in lengths]
    contribution = [random.normal(0, 2, (n, outputs)).astype(np.float32) for n in lengths]
    bias = np.tile(random.normal(size=outputs).astype(np.float32), (len(lengths), 1))
    logits = np.array([a @ z for a, z in zip(attention, contribution, strict=True)]) + bias
    exponential = np.exp(np.hstack([np.zeros_like(logits), logits]) if outputs == 1 else logits)
    probabilities = (exponential / exponential.sum(1, keepdims=True)).astype(np.float32)
    return Readout(
        [f"text-{i}" for i in range(len(lengths))],
        random.integers(0, probabilities.shape[1], len(lengths)),
        probabilities.argmax(1),
        probabilities,
        attention,
        contribution,
        bias,
    )


def classify(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The distribution of one text: a sigmoid of one output, else a softmax."""
    if len(logits) == 1:
        positive = 1 / (1 + np.exp(-logits[0]))
        return np.array([1 - positive, positive])
    exponential = np.exp(logits - logits.max())
    return exponential / exponential.sum()


def readout_of(attention: list[list[float]], contribution: list[Any], bias: list[float]) -> Readout:
    """Texts with these weights, contributions (one number an item for two classes, else one a class) and bias."""
    texts = range(len(attention))
    weights = [np.array(row, dtype=np.float32) for row in attention]
    values = [np.array(row, dtype=np.float32).reshape(len(row), -1) for row in contribution]
    shift = np.tile(np.array(bias, dtype=np.float32), (len(attention), 1))
    probabilities = np.array([classify(weights[i] @ values[i] + shift[i]) for i in texts], dtype=np.float32)
    predictions = probabilities.argmax(1)
    return Readout([f"text-{i}" for i in texts], predictions, predictions, probabilities, weights, values, shift)
