"""Rank correlation: do two attributions of a text order its tokens alike?

Claims: attention that orders the tokens differently from measures of their importance does not explain importance.
Assumes that these measures do; where they disagree with one another too, little follows. Jain & Wallace 2019, section
4.1: Kendall's tau-b and its p-value, text by text. An attribution that scores all tokens the same does not order them:
tau is then NaN, and tables report how often that happens.
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
"""The pairs of attributions that are compared: attention comes from the readout, the others from the model."""


def tau(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[float, float]:
    """Kendall's tau-b, and its p-value, between two scorings of the same L tokens, (L,) and (L,).

    Both are NaN where either scores all tokens the same.
    """
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return np.nan, np.nan
    result = kendalltau(first, second)
    return float(result.statistic), float(result.pvalue)


def overlap(first: npt.NDArray[Any], second: npt.NDArray[Any], top: int) -> float:
    """The share of the `top` highest tokens of one scoring that are also among the `top` highest of the other.

    Of tokens with equal scores, the earlier counts as higher. NaN where a text has at most `top` tokens, since all of
    them would be shared.
    """
    if len(first) <= top:
        return np.nan
    one, other = (np.argsort(-scores, kind="stable")[:top] for scores in (first, second))
    return len(np.intersect1d(one, other)) / top


def correlation(readout: Readout, scores: Mapping[str, Scores], settings: Correlation) -> dict[str, Any]:
    """Columns id, prediction, pair, tau, p, tokens, top_k_overlap; one row for each pair (`PAIRS`) and text.

    `scores` has the attributions by name, with the texts in the order of `readout`. tau and p are NaN where either
    attribution scores all tokens the same, and top_k_overlap is NaN where the text has at most `top_k` tokens.
    """
    everything: dict[str, Sequence[npt.NDArray[Any]]] = {"attention": readout.attention, **scores}
    rows = [
        (*tau(*pair), overlap(*pair, settings.top_k))
        for first, second in PAIRS
        for pair in zip(everything[first], everything[second], strict=True)
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
