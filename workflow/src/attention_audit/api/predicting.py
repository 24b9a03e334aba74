"""What a user's function predicts of texts, and of the same texts without some of their words.

Only the function is known, so each shortened text is given to it as a text of its own.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_audit.batching import Indices, stream
from attention_audit.columns.audits import DELETED
from attention_audit.errors import AuditError
from attention_audit.given.arrays import numbers
from attention_audit.given.readouts import SUM

Floats = npt.NDArray[np.float64]
Texts = Sequence[Sequence[str]]
Predict = Callable[[list[list[str]]], npt.ArrayLike]
Report = Callable[[str], None]
Orders = list[list[Indices]]
ORDERS = ("random", "scores", "leave_one_out")
"""In which the words of a text are deleted."""
STEPS = (5, *range(10, 100, 10))
"""The shares of the words, in percent, that are deleted beside one word alone."""
AVERAGED = (0, *(1 + STEPS.index(share) for share in DELETED))
"""The steps over which falls are averaged, as in the audit `located`."""
AGAIN = 1e-3
"""How far a prediction may be from that of the same text in another order of the same batch."""
TENTHS = 10
COARSE = 6
"""How many probabilities of the predicted class of two there are where all have one decimal."""


class Predictions:
    """The predictions of a function, of each different text once, in batches."""

    def __init__(self, predict: Predict, place: str, batch_size: int, most: int, report: Report) -> None:
        """place: what messages call the function. most: how many different texts are expected at most."""
        self._predict, self._place, self._size, self._most, self._report = predict, place, batch_size, most, report
        self._known: dict[bytes, Floats] = {}
        self._classes: int | None = None

    def __len__(self) -> int:
        """How many different texts were predicted."""
        return len(self._known)

    @property
    def coarse(self) -> bool:
        """Whether so few probabilities occur of the predicted class that they hardly say how sure the function is."""
        values = {*np.max([*self._known.values()], axis=1).round(6)}
        # few texts have few probabilities
        return len(values) <= min(COARSE, len(self) / 4)

    def of(self, texts: Iterable[Sequence[str]]) -> Floats:
        """The probabilities of n texts, (n, C); the function gets those that it has not had yet.

        Raises AuditError where it answers anything but probabilities, and where its answers depend on the batch.
        """
        keys, new = [], {}
        for text in texts:
            words = list(text)
            keys.append(blake2b(repr(words).encode(), digest_size=16).digest())
            if keys[-1] not in self._known:
                new[keys[-1]] = words
            if len(new) == self._size:
                self._ask(new)
                new = {}
        if new:
            self._ask(new)
        return np.stack([self._known[key] for key in keys])

    def _ask(self, new: dict[bytes, list[str]]) -> None:
        before, found = len(self), self._answer([*new.values()])
        if not before:
            apart = float(np.abs(self._answer([*new.values()][::-1])[::-1] - found).max())
            if apart > AGAIN:
                raise AuditError(
                    f"{self._place}: moves a probability by {apart:.2g} when the same texts come in another order; "
                    "switch off dropout (model.eval()), and keep padding out of the prediction"
                )
        self._known |= zip(new, found, strict=True)
        done = TENTHS * len(self) // self._most
        if done > TENTHS * before // self._most:
            self._report(f"{self._place}: {len(self)} texts predicted, of {self._most} at most")

    def _answer(self, texts: list[list[str]]) -> Floats:
        place = self._place
        try:
            given = self._predict([[*words] for words in texts])
        except Exception as error:
            first = f"{', '.join(map(repr, texts[0][:5]))}{', ...' if len(texts[0]) > 5 else ''}"
            raise AuditError(
                f"{place}: called with a list of {len(texts)} texts, the first being the list of words [{first}], "
                f"it raises {error!r}; make it take such lists"
            ) from error
        wanted = f"give the probabilities of C classes, ({len(texts)}, C), which of one number p a text are [1 - p, p]"
        found = numbers(given, f"{place}, its answer to {len(texts)} texts", (2,), wanted)
        if len(found) != len(texts):
            raise AuditError(f"{place}: gives {len(found)} rows for {len(texts)} texts; give a row a text")
        self._classes = self._classes or found.shape[1]
        if found.shape[1] != self._classes or self._classes < 2:
            fault = f"gives {found.shape[1]} classes" + f", and {self._classes} before" * (self._classes > 1)
            raise AuditError(f"{place}: {fault}; {wanted}")
        sums = found.sum(1)
        worst = int(np.nan_to_num(np.abs(sums - 1), nan=np.inf).argmax())
        fault = f"{place}: of the text that begins {' '.join(texts[worst][:5])!r}, the probabilities "
        if not np.isfinite(found).all():
            raise AuditError(f"{fault}hold NaN or an infinite number; give numbers")
        if abs(sums[worst] - 1) > SUM or found.min() < 0:
            row = ", ".join(f"{value:.4g}" for value in found[worst])
            raise AuditError(f"{fault}are {row}; give probabilities that sum to 1, a softmax in float32, or [1 - p, p]")
        return found


class Deleted(NamedTuple):
    """What one training makes of N texts, whole and without some of their words.

    probabilities (N, C): of the whole texts. falls (3, N), by ORDERS: what the predicted class loses when the first
    words of an order are deleted, the mean over `located.sizes`. until (3, N): the share of the words that go until the
    decision flips; NaN where it does not, even when one word is left. top_word (N,): the position of the word of the
    highest score. top_fall (N,): what the class loses without it. best_fall (N,): the most that it loses without any
    one word. supporting (N,): the share of the words without which it loses more than `inert`. NaN and -1 stand for
    texts of one word, from which nothing can be deleted; and, of the top word, for texts whose words all have the same
    score.
    """

    probabilities: Floats
    falls: Floats
    until: Floats
    top_word: Indices
    top_fall: Floats
    best_fall: Floats
    supporting: Floats


def count_gone(lengths: Indices) -> Indices:
    """Count the words that go at each step: one, 5 %, and every tenth of the text, rounded up; one stays: (n, 11)."""
    shares = -(-lengths[:, None] * np.array(STEPS) // 100)
    counts: Indices = np.minimum(np.concatenate([np.ones_like(shares[:, :1]), shares], 1), lengths[:, None] - 1)
    return counts


def most_texts(lengths: Indices) -> int:
    """How many texts are predicted at most: whole, without each word, and step by step in three orders."""
    several = lengths[lengths > 1]
    return int(len(lengths) + several.sum() + len(ORDERS) * (count_gone(several) > 1).sum())


def find_orders(tokens: Texts, scores: Sequence[Floats], lost: Sequence[Floats], several: Indices, seed: int) -> Orders:
    """Put the words of texts in the orders of ORDERS: (3, n) lists of positions.

    By `stream` of the seed, by falling score, and by leave-one-out, `lost`. Of equal scores the earlier word comes
    first; a text whose words all have the same score is in the random order, since its map chooses nothing.
    """
    orders: Orders = [[], [], []]
    for i, loo in zip(several, lost, strict=True):
        chance = stream("shuffle", str(i), seed).random(len(tokens[i]))
        for order, keys in zip(orders, (chance, scores[i] if choose(scores[i]) else chance, loo), strict=True):
            order.append(np.argsort(-keys, kind="stable"))
    return orders


def choose(scores: Floats) -> bool:
    """Tell whether scores prefer some word."""
    return bool((scores != scores[0]).any())


def delete_words(predictions: Predictions, tokens: Texts, scores: Sequence[Floats], seed: int, inert: float) -> Deleted:
    """Delete words of the texts in the orders of ORDERS, and each word alone.

    An order is followed until the decision flips, and as far as the falls need it.
    """
    count, lengths = len(tokens), np.array([len(words) for words in tokens])
    probabilities = predictions.of(tokens)
    predicted = probabilities.argmax(1)
    falls, until = np.full((2, len(ORDERS), count), np.nan)
    top_fall, best_fall, supporting = np.full((3, count), np.nan)
    found = Deleted(probabilities, falls, until, np.full(count, -1), top_fall, best_fall, supporting)
    # texts of similar length come together, so that a batch has little padding
    several = np.array([i for i in np.argsort(lengths, kind="stable") if lengths[i] > 1], np.int64)
    if not len(several):
        return found
    alone = ([*tokens[i][:at], *tokens[i][at + 1 :]] for i in several for at in range(lengths[i]))
    left, own = predictions.of(alone), np.repeat(several, lengths[several])
    moved = probabilities[own, predicted[own]] - left[np.arange(len(own)), predicted[own]]
    lost = np.split(moved, lengths[several].cumsum()[:-1])
    orders = find_orders(tokens, scores, lost, several, seed)
    for i, loo, (top, *_) in zip(several, lost, orders[1], strict=True):
        best_fall[i], supporting[i] = loo.max(), (loo > inert).mean()
        if choose(scores[i]):
            found.top_word[i], top_fall[i] = top, loo[top]
    falls[:, several] = 0.0
    for step, sizes in enumerate(count_gone(lengths[several]).T):
        asked = [
            (order, at)
            for order in range(len(ORDERS))
            for at in range(len(several))
            if step in AVERAGED or np.isnan(until[order, several[at]])
        ]
        if not asked:
            continue
        shortened = (
            [tokens[several[at]][place] for place in np.sort(orders[order][at][sizes[at] :])] for order, at in asked
        )
        for (order, at), now in zip(asked, predictions.of(shortened), strict=True):
            text = several[at]
            if step in AVERAGED:
                falls[order, text] += (probabilities[text] - now)[predicted[text]] / len(AVERAGED)
            if np.isnan(until[order, text]) and now[predicted[text]] < now.max():
                until[order, text] = sizes[at] / lengths[text]
    return found
