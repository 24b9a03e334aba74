"""Rank correlation: do two attributions of a text order its tokens alike?

Claims: attention that orders the tokens differently from measures of their importance does not explain importance.
Assumes that these measures do; where they disagree with one another too, little follows. Jain & Wallace 2019, section
4.1: Kendall's tau-b and its p-value, text by text. An attribution that scores all tokens the same does not order them:
tau is then NaN, and tables report how often that happens.

Agreement: how far any two attributions order the tokens alike. Claims: all attributions are meant to say which tokens
matter. Where they do not agree with one another, attention's disagreement with one of them says little against
attention. Mean Kendall tau-b over texts, for every two attributions (Neely et al. 2021).
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.settings import Agreement, Correlation
from attention_audit.readout import Readout, Scores

YARDSTICK = ("gradient", "loo")
"""The two measures of importance that the paper compares with each other."""


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


def pairs_of(scores: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of attributions that are compared: attention with each of `scores`, and the two of YARDSTICK."""
    return [*(("attention", name) for name in scores), YARDSTICK]


def correlations(readout: Readout, scores: Mapping[str, Scores], settings: Correlation) -> dict[str, Any]:
    """Columns id, prediction, pair, tau, p, tokens, top_k_overlap; one row for each pair (`pairs_of`) and text.

    `scores` has the attributions by name, with the texts in the order of `readout`. tau and p are NaN where either
    attribution scores all tokens the same, and top_k_overlap is NaN where the text has at most `top_k` tokens.
    """
    pairs = pairs_of(scores)
    everything: dict[str, Sequence[npt.NDArray[Any]]] = {"attention": readout.word_attention, **scores}
    rows = [
        (*tau(*pair), overlap(*pair, settings.top_k))
        for first, second in pairs
        for pair in zip(everything[first], everything[second], strict=True)
    ]
    coefficients, significance, shared = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return {
        "id": readout.ids * len(pairs),
        "prediction": np.tile(readout.predictions.astype(np.int32), len(pairs)),
        "pair": [f"{first}~{second}" for first, second in pairs for _ in readout.ids],
        "tau": coefficients,
        "p": significance,
        "tokens": np.tile(readout.words.astype(np.int32), len(pairs)),
        "top_k_overlap": shared,
    }


def correlation(texts: Attributed, settings: Correlation) -> dict[str, Any]:
    """The columns of `correlations` for the attributions of every text."""
    return correlations(texts.readout, texts.scores, settings)


def agreements(scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Columns first, second, tau, texts; one row for every two of `scores`, in their order.

    texts: the number of texts in which both attributions order the tokens, that is, do not score all of them the same.
    tau: the mean over these texts, NaN where there is none.
    """
    rows: list[tuple[str, str, float, int]] = []
    for first, second in combinations(scores, 2):
        values = np.array([tau(*pair)[0] for pair in zip(scores[first], scores[second], strict=True)])
        defined = values[~np.isnan(values)]
        rows.append((first, second, defined.mean() if len(defined) else np.nan, len(defined)))
    return {name: [row[place] for row in rows] for place, name in enumerate(("first", "second", "tau", "texts"))}


def agreement(texts: Attributed, settings: Agreement) -> dict[str, Any]:
    """The columns of `agreements` for attention, the attributions of every text and integrated gradients, by their
    magnitudes, on the sample of texts that has the latter.
    """
    chosen, integrated = texts.integrated(settings)
    everything: dict[str, Sequence[npt.NDArray[Any]]] = {"attention": texts.readout.word_attention, **texts.scores}
    compared: dict[str, Scores] = {name: [np.asarray(values[i]) for i in chosen] for name, values in everything.items()}
    return agreements({**compared, "integrated_gradients": [np.abs(integrated[i]) for i in chosen]})
