"""Rank correlation: do two attributions of a text order its tokens alike?

Claims: attention that orders the tokens unlike measures of their importance do is no account of importance. Assumes
that those measures are one; where they disagree with one another too, little follows. Jain & Wallace 2019, section
4.1: Kendall's tau-b and its p-value, text by text. Attributions without any order, which are the same for all tokens,
have no tau: NaN, which is to be counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from attention_audit.audits.attributions import Scores
from attention_audit.audits.settings import Correlation
from attention_audit.readout import Readout

PAIRS = (("attention", "gradient"), ("attention", "gradient_attached"), ("attention", "loo"), ("gradient", "loo"))
"""Which attributions are compared: the readout's attention, and scores by these names."""


def tau(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[float, float]:
    """Kendall's tau-b and its p-value, of two scores of L tokens: (L,), (L,).

    NaN where either is the same for all tokens.
    """
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return np.nan, np.nan
    found = kendalltau(first, second)
    return float(found.statistic), float(found.pvalue)


def overlap(first: npt.NDArray[Any], second: npt.NDArray[Any], top: int) -> float:
    """The share of the `top` highest tokens of one that are among those of the other; of equals, the first are higher.

    NaN where a text has no more tokens than that, so that all are among them.
    """
    if len(first) <= top:
        return np.nan
    ours, theirs = (np.argsort(-scores, kind="stable")[:top] for scores in (first, second))
    return len(np.intersect1d(ours, theirs)) / top


def correlation(readout: Readout, scores: Mapping[str, Scores], settings: Correlation) -> dict[str, Any]:
    """Columns id, prediction, pair, tau, p, tokens, top_k_overlap; one row a pair (PAIRS) and text of `readout`.

    `scores` are by name, its texts in the readout's order. tau and p are NaN where either attribution has no order,
    and top_k_overlap where the text has at most `top_k` tokens.
    """
    everything: dict[str, Sequence[npt.NDArray[Any]]] = {"attention": readout.attention, **scores}
    rows = [
        (*tau(ours, theirs), overlap(ours, theirs, settings.top_k))
        for first, second in PAIRS
        for ours, theirs in zip(everything[first], everything[second], strict=True)
    ]
    coefficients, significance, shared = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return {
        "id": readout.ids * len(PAIRS),
        "prediction": np.tile(readout.predictions.astype(np.int32), len(PAIRS)),
        "pair": [f"{first}~{second}" for first, second in PAIRS for _ in readout.ids],
        "tau": coefficients,
        "p": significance,
        "tokens": np.tile(readout.lengths.astype(np.int32), len(PAIRS)),
        "top_k_overlap": shared,
    }
