"""Words deleted from texts, in the orders of scores: what the predictions of the shortened texts make of it.

Whatever predicts a text without some of its words will do: a function that the user gives, or a decoder.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
import pandas as pd

from attention_audit.answer.settings import Margins
from attention_audit.arrays import Floats, Integers
from attention_audit.batching import stream
from attention_audit.columns.audits import DELETED, DELETED_BY

from .batches import compute_rank_correlation
from .settings import Erasure

TokenizedTexts = Sequence[Sequence[Any]]
"""Texts as the words of each, or as what else stands for them."""
BY_WORD = ["top_word", "top_fall", "best_fall", "supporting", "agreement"]
DELETED_PERCENTS = (5, *range(10, 100, 10))
"""The shares of the words, in percent, that are deleted beside one word alone."""
AVERAGED = (0, *(1 + DELETED_PERCENTS.index(share) for share in DELETED))
"""The steps over which falls are averaged, as in the audit `located`."""
MIN_IDLE_SHARE, MAX_CHANGED_SHARE, MAX_HIDDEN_SHARE = 2 / 3, 0.05, 0.25
"""Of predictions of few decimals that hide nothing: the share of words that never do anything by themselves, and of
texts in which these do something together; or the share of words that do nothing by themselves.
"""
ROUNDING = 1e-6


class Predicting(Protocol):
    """Predicts probabilities of texts, (n, C), and knows whether they are rounded."""

    @property
    def rounded(self) -> bool: ...

    def predict(self, texts: Iterable[Sequence[Any]]) -> Floats: ...


def count_gone(lengths: Integers) -> Integers:
    """Count the words that go at each step: one, 5 %, and every tenth of the text, rounded up; one stays: (n, 11)."""
    shares = -(-lengths[:, None] * np.array(DELETED_PERCENTS) // 100)
    return np.minimum(np.concatenate([np.ones_like(shares[:, :1]), shares], 1), lengths[:, None] - 1)


def count_predicted_texts(lengths: Integers) -> int:
    """Count the texts that are predicted at most: whole, without each word, without all that do nothing by themselves,
    and step by step in three orders.
    """
    deletable = lengths[lengths > 1]
    return int(len(lengths) + deletable.sum() + len(deletable) + len(DELETED_BY) * (count_gone(deletable) > 1).sum())


def hide_words(predictions: Predicting, texts: TokenizedTexts, falls: Sequence[Floats]) -> bool:
    """Tell whether predictions are too coarse to show what single words do: by their decimals, and since words that do
    nothing by themselves do something together.

    Rules that look at a few words, such as a lexicon or a tree, are exact, however few their outcomes are. falls: what
    the predicted class loses without each word of each text.
    """
    if not predictions.rounded:
        return False
    moves = np.abs(np.concatenate(falls)) > ROUNDING
    active = {word for word, moved in zip(chain(*texts), moves, strict=True) if moved}
    remaining = [[word for word in words if word in active] or [*words[:1]] for words in texts]
    changes = np.abs(predictions.predict(remaining) - predictions.predict(texts)).max(1) > ROUNDING
    idle = 1 - sum(map(len, remaining)) / len(moves)
    exact = idle >= MIN_IDLE_SHARE and changes.mean() <= MAX_CHANGED_SHARE
    return not exact and (~moves).mean() > MAX_HIDDEN_SHARE


def delete_words(
    predictions: Predicting, tokens: TokenizedTexts, scores: Sequence[Floats], asked: int | None = None
) -> tuple[pd.DataFrame, bool]:
    """Delete words of the texts in the orders of DELETED_BY, and each word alone, and say what one training makes of
    it; and whether its predictions are too coarse for that. asked: the class whose probability is followed; None: that
    which is predicted. No decision flips of a text in which another one is likelier.

    Words come by `stream` of a seed, by falling score, and by leave-one-out. Of equal scores the earlier word comes
    first; a text whose words all have the same score is in the random order, since its map chooses nothing. An order is
    followed until the decision flips, and as far as the falls need it.

    A row a text, with columns of `Judgement.texts`; supporting: the share of the words without which the class loses
    more than `Margins.inert`; agreement: the rank correlation of their scores and what it loses without them. NaN and
    -1 stand for texts of one word, from which nothing can be deleted.
    """
    lengths = np.array([*map(len, tokens)])
    probabilities = predictions.predict(tokens)
    best = probabilities.argmax(1) if asked is None else np.full(len(tokens), asked)
    whole = probabilities[np.arange(len(tokens)), best]
    rows = pd.DataFrame({"text": range(len(tokens)), "words": lengths, "prediction": best, "probability": whole})
    # texts of similar length come together, so that a batch has little padding
    in_order = np.argsort(lengths, kind="stable")
    deletable = in_order[lengths[in_order] > 1]
    falls, until = (
        np.zeros((len(DELETED_BY), len(deletable))),
        np.full((len(DELETED_BY), len(deletable)), np.nan),
    )
    orders, alone, coarse = [], [], False
    if len(deletable):
        texts, lengths = [tokens[i] for i in deletable], lengths[deletable]
        predicted, before = best[deletable], whole[deletable]
        owners = np.repeat(np.arange(len(deletable)), lengths)
        without = predictions.predict([*words[:at], *words[at + 1 :]] for words in texts for at in range(len(words)))
        lost = before[owners] - without[np.arange(len(owners)), predicted[owners]]
        falls_of_texts = np.split(lost, lengths.cumsum()[:-1])
        coarse = hide_words(predictions, texts, falls_of_texts)
        for i, loo in zip(deletable, falls_of_texts, strict=True):
            chance = stream("shuffle", str(i), Erasure().seed).random(len(loo))
            flat = np.ptp(scores[i]) == 0
            keys = (chance, chance if flat else scores[i], loo)
            orders.append([np.argsort(-each, kind="stable") for each in keys])
            top = orders[-1][1][0]
            best_fall, supporting = loo.max(), (loo > Margins().inert).mean()
            agreement = compute_rank_correlation(scores[i], loo)
            alone.append((*((-1, np.nan) if flat else (top, loo[top])), best_fall, supporting, agreement))
        decided = before == probabilities.max(1)[deletable]
        for step, sizes in enumerate(count_gone(lengths).T):
            pending = np.argwhere((np.isnan(until) & decided) | (step in AVERAGED)).tolist()
            if not pending:
                continue
            remaining = ([texts[at][i] for i in np.sort(orders[at][order][sizes[at] :])] for order, at in pending)
            for (order, at), now in zip(pending, predictions.predict(remaining), strict=True):
                if step in AVERAGED:
                    falls[order, at] += (before[at] - now[predicted[at]]) / len(AVERAGED)
                if decided[at] and np.isnan(until[order, at]) and now[predicted[at]] < now.max():
                    until[order, at] = sizes[at] / lengths[at]
    columns = [*DELETED_BY, *(f"{order}_until" for order in DELETED_BY)]
    by_order = pd.DataFrame(np.concatenate([falls, until]).T, deletable, columns)
    by_word = pd.DataFrame(alone, deletable, BY_WORD, np.float64)
    rows = rows.join([by_order, by_word])
    return rows.assign(top_word=rows["top_word"].fillna(-1).astype(np.int64)), coarse
