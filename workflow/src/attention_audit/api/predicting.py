"""What a user's function predicts of texts, and of the same texts without some of their words.

Only the function is known, so each shortened text is given to it as a text of its own.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_audit.audits.located import erased_sets, sizes
from attention_audit.batching import Indices, stream
from attention_audit.errors import AuditError
from attention_audit.given.arrays import numbers
from attention_audit.given.readouts import SUM

Floats = npt.NDArray[np.float64]
Texts = Sequence[Sequence[str]]
Predict = Callable[[list[list[str]]], npt.ArrayLike]
Report = Callable[[str], None]
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


class Measured(NamedTuple):
    """What one training makes of N texts.

    probabilities (N, C): of the whole texts. falls: what the predicted class loses when the first words of an order are
    deleted, the mean over `sizes`, (N,) each: of a random order, of the scores, and of leave-one-out. top_word (N,):
    the position of the word of the highest score. top_fall (N,): what the class loses without it. best_fall (N,): the
    most that it loses without any one word. NaN and -1 stand for texts of one word, from which nothing can be deleted;
    and, of the top word, for texts whose words all have the same score.
    """

    probabilities: Floats
    random: Floats
    scores: Floats
    loo: Floats
    top_word: Indices
    top_fall: Floats
    best_fall: Floats


def most_texts(lengths: Indices) -> int:
    """How many texts are predicted at most: whole, without each word, and without the first words of three orders."""
    several = lengths[lengths > 1]
    return int(len(lengths) + several.sum() + 3 * (sizes(several) > 1).sum())


def measured(predictions: Predictions, tokens: Texts, scores: Sequence[Floats], seed: int) -> Measured:
    """Delete words of the texts in three orders: by `stream` of the seed, by falling score, and by leave-one-out.

    Of equal scores the earlier word comes first; a text whose words all have the same score is in the random order,
    since its map chooses nothing.
    """
    count, lengths = len(tokens), np.array([len(words) for words in tokens])
    probabilities = predictions.of(tokens)
    predicted = probabilities.argmax(1)
    random, by_scores, by_loo, top_fall, best_fall = np.full((5, count), np.nan)
    top_word = np.full(count, -1)
    # texts of similar length come together, so that a batch has little padding
    several = np.array([i for i in np.argsort(lengths, kind="stable") if lengths[i] > 1], np.int64)
    if not len(several):
        return Measured(probabilities, random, by_scores, by_loo, top_word, top_fall, best_fall)

    def falls(members: Indices, shortened: Iterable[Sequence[str]]) -> Floats:
        lost: Floats = (probabilities[members] - predictions.of(shortened))[np.arange(len(members)), predicted[members]]
        return lost

    alone = ([*tokens[i][:at], *tokens[i][at + 1 :]] for i in several for at in range(lengths[i]))
    lost = np.split(falls(np.repeat(several, lengths[several]), alone), lengths[several].cumsum()[:-1])
    orders: list[list[Indices]] = [[], [], []]
    for i, loo in zip(several, lost, strict=True):
        chance, own = stream("shuffle", str(i), seed).random(lengths[i]), scores[i]
        chosen = own if (own != own[0]).any() else chance
        for order, keys in zip(orders, (chance, chosen, loo), strict=True):
            order.append(np.argsort(-keys, kind="stable"))
        best_fall[i] = loo.max()
        if chosen is own:
            top_word[i] = orders[1][-1][0]
            top_fall[i] = loo[top_word[i]]
    text, gone, same = erased_sets(lengths, np.tile(several, 3), [*chain(*orders)])
    shortened = (
        [word for word, out in zip(tokens[i], row[: lengths[i]], strict=True) if not out]
        for i, row in zip(text, gone, strict=True)
    )
    means = falls(text, shortened)[same].mean(1).reshape(3, -1)
    for column, values in zip((random, by_scores, by_loo), means, strict=True):
        column[several] = values
    return Measured(probabilities, random, by_scores, by_loo, top_word, top_fall, best_fall)
