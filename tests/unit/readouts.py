"""Readouts of made-up texts."""

from collections.abc import Sequence

import numpy as np

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
