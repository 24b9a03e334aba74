"""Rank correlation: do two attributions of a text order its tokens alike?

Claims: attention that orders the tokens differently from measures of their importance does not explain importance.
Assumes that these measures do; where they disagree with one another too, little follows. Jain & Wallace 2019, section
4.1: Kendall's tau-b and its p-value, text by text. An attribution that scores all tokens the same does not order them:
tau is then NaN, and tables report how often that happens.

Agreement: how far any two attributions order the tokens alike. Claims: all attributions are meant to say which tokens
matter. Where they do not agree with one another, attention's disagreement with one of them says little against
attention. Mean Kendall tau-b over texts, for every two attributions (Neely et al. 2021).

`word_attributions` claims nothing: it keeps the values of the words, to be looked at text by text.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from attention_audit.arrays import Array, Integers
from attention_audit.readout import Scores

from .attributed import Attributed
from .batches import to_columns
from .settings import Agreement, Correlation, Deletion

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


def overlap(first: Array, second: Array, top: int) -> float:
    """The share of the `top` highest tokens of one scoring that are also among the `top` highest of the other.

    Of tokens with equal scores, the earlier counts as higher. NaN where a text has at most `top` tokens, since all of
    them would be shared.
    """
    if len(first) <= top:
        return np.nan
    one, other = (np.argsort(-scores, kind="stable")[:top] for scores in (first, second))
    return len(np.intersect1d(one, other)) / top


def pairs_of(scores: Iterable[str]) -> list[tuple[str, str]]:
    """Pair the attributions that are compared: attention with each of `scores`, and the two of YARDSTICK."""
    return [*(("attention", name) for name in scores), YARDSTICK]


def correlation(texts: Attributed, settings: Correlation) -> dict[str, Any]:
    """Columns id, prediction, pair, tau, p, tokens, top_k_overlap; one row for each pair (`pairs_of`) and text.

    tau and p are NaN where either attribution scores all tokens the same, and top_k_overlap is NaN where the text has
    at most `top_k` tokens.
    """
    readout, pairs = texts.readout, pairs_of(texts.scores)
    everything: dict[str, Sequence[Any]] = {"attention": readout.word_attention, **texts.scores}
    texts_ = (readout.ids, readout.predictions.tolist(), readout.words.tolist())
    rows = [
        (id_, prediction, f"{first}~{second}", tokens, *tau(one, other), overlap(one, other, settings.top_k))
        for first, second in pairs
        for id_, prediction, tokens, one, other in zip(*texts_, everything[first], everything[second], strict=True)
    ]
    return to_columns(("id", "prediction", "pair", "tokens", "tau", "p", "top_k_overlap"), rows)


def agreement(texts: Attributed, settings: Agreement) -> dict[str, Any]:
    """Columns first, second, tau, texts; one row for every two of attention, the attributions of every text and
    integrated gradients, by their magnitudes, on the sample of texts that has the latter.

    texts: the number of texts in which both attributions order the tokens, that is, do not score all of them the same.
    tau: the mean over these texts, NaN where there is none.
    """
    chosen, integrated = texts.integrated(settings)
    everything: dict[str, Sequence[Any]] = {"attention": texts.readout.word_attention, **texts.scores}
    everything["integrated_gradients"] = [np.abs(scores) for scores in integrated]
    rows: list[tuple[str, str, float, int]] = []
    for first, second in combinations(everything, 2):
        values = np.array([tau(everything[first][i], everything[second][i])[0] for i in chosen])
        defined = values[~np.isnan(values)]
        rows.append((first, second, defined.mean() if len(defined) else np.nan, len(defined)))
    return to_columns(("first", "second", "tau", "texts"), rows)


def word_attributions(texts: Attributed, agreement: Agreement, deletion: Deletion) -> dict[str, Any]:
    """Columns id, attribution, scores: a row for each attribution and text that has it.

    gradient: shares of the magnitudes of the gradients of the words. loo: the probability that the predicted class
    loses without the word. integrated_gradients: with their signs, of a sample of the texts, the one of the audit
    `agreement`; loo of the same sample where the section `deletion` asks for less than all texts.
    """
    chosen, integrated = texts.integrated(agreement)
    everyone = np.arange(len(texts.split))
    asked = everyone if deletion.texts is None else chosen
    falls = texts.deletions_of(asked).falls
    found: dict[str, tuple[Integers, Scores]] = {
        "gradient": (everyone, texts.gradient),
        "loo": (asked, falls),
        "integrated_gradients": (chosen, integrated),
    }
    rows = [
        (texts.readout.ids[member], name, scores[member].astype(np.float32))
        for name, (members, scores) in found.items()
        for member in members
    ]
    return to_columns(("id", "attribution", "scores"), rows)
