"""What a user's function predicts of texts, and of the same texts without some of their words.

Only the function is known, so each shortened text is given to it as a text of its own.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.arrays import Floats
from attention_audit.audits.deletion import ROUNDING
from attention_audit.errors import AuditError
from attention_audit.given import SUM, convert_numbers
from attention_audit.model.outputs import Target
from attention_audit.transformer.outputs import OutputKind

Predict = Callable[[list[list[str]]], npt.ArrayLike]
Reporter = Callable[[str], None]
MAX_REPEAT_DIFFERENCE = 1e-3
"""How far a prediction may be from that of the same text in another batch."""
MAX_TENTHS = 10
COARSE_DIGITS = 1
"""Decimals of probabilities that may hide what the deletion of a word does."""
CLOSE_RATIO, MIN_CLOSE = 0.1, 10
"""Where classes come ever closer and never change places: how close, beside the median, and how often."""
MIN_TEXTS_IN_ORDER = 10
"""Fewer texts may have one order of classes by chance."""


def call_with_texts(function: Callable[[list[list[str]]], Any], texts: Sequence[Sequence[str]], place: str) -> Any:
    """Return what a function that was given gives for texts. Raises AuditError where it raises anything."""
    try:
        return function([[*words] for words in texts])
    except AuditError:
        raise
    except Exception as error:
        example = f"{', '.join(map(repr, texts[0][:5]))}{', ...' if len(texts[0]) > 5 else ''}"
        raise AuditError(
            place,
            f"called with a list of {len(texts)} texts, the first being the list of words [{example}], it raises "
            f"{error!r}",
            "make it take such lists",
        ) from error


@dataclass
class Predictions:
    """The predictions of a function, of each different text once, in batches.

    place: what messages call the function. most: how many different texts are expected at most. output: what it
    answers: probabilities of classes, (n, C), which sum to 1, those of labels, (n, K), or a number each, (n,).
    """

    function: Predict
    place: str
    batch_size: int
    most: int
    report: Reporter
    output: OutputKind = "classes"
    known: dict[bytes, Floats] = field(default_factory=dict)

    @property
    def rounded(self) -> bool:
        """Tell whether no probability has more than `COARSE_DIGITS`, as those that are 0 and 1 alone."""
        if self.output == "number":
            return False
        rows = np.stack([*self.known.values()])
        # few texts have few probabilities
        several = len({*rows.max(1).round(COARSE_DIGITS)}) <= len(rows) / 4
        return several and bool((np.abs(rows - rows.round(COARSE_DIGITS)) < ROUNDING).all())

    def ask_columns(self) -> str:
        """Ask whether columns are classes, where in each row the probabilities fall; "" where they do not.

        Raises AuditError where they are sorted beyond doubt: those of two columns are often nearly the same, and never
        the other way round.
        """
        rows = np.stack([*self.known.values()]).clip(ROUNDING)
        ratios = -np.diff(np.log(rows), axis=1)
        if (ratios < 0).any() or not ratios.any():
            return ""
        close = (ratios > 0) & (ratios < CLOSE_RATIO * np.median(ratios, axis=0))
        if max(len({*column[near].round(6)}) for column, near in zip(ratios.T, close.T, strict=True)) >= MIN_CLOSE:
            fault = "in each row the probabilities fall, as where they are sorted (top_k=None of a pipeline)"
            raise AuditError(self.place, fault, "give each class a column of its own")
        return (
            f"is each column of {self.place} one class? Probabilities fall in all rows, of shortened texts too, as "
            "sorted ones do"
        )

    def predict(self, texts: Iterable[Sequence[str]]) -> Floats:
        """Predict the probabilities of n texts, (n, C), or a number, (n, 1); the function gets those that it has not
        had yet.

        Raises AuditError where it answers anything but probabilities, and where its answers depend on the batch.
        """
        keys, new = [], {}
        for words in map(list, texts):
            keys.append(blake2b(repr(words).encode(), digest_size=16).digest())
            if keys[-1] not in self.known:
                new[keys[-1]] = words
            if len(new) == self.batch_size:
                self._ask(new)
                new = {}
        if new:
            self._ask(new)
        return np.stack([self.known[key] for key in keys])

    def _ask(self, new: dict[bytes, list[str]]) -> None:
        texts, before = [*new.values()], len(self.known)
        answers = self._call(texts)
        if not before:
            # the shorter half of the texts has less padding by itself
            half = np.argsort([*map(len, texts)])[: (1 + len(texts)) // 2]
            difference = np.abs(self._call([texts[at] for at in half]) - answers[half]).max()
            if difference > MAX_REPEAT_DIFFERENCE:
                raise AuditError(
                    self.place,
                    f"moves a probability by {difference:.2g} when the same texts come in another batch",
                    "switch off dropout (model.eval()), and keep padding out of the prediction, or give batch_size=1",
                )
        self.known |= zip(new, answers, strict=True)
        count = len(self.known)
        if MAX_TENTHS * count // self.most > MAX_TENTHS * before // self.most:
            self.report(f"{self.place}: {count} texts predicted, of {self.most} at most")

    def _call(self, texts: list[list[str]]) -> Floats:
        output = call_with_texts(self.function, texts, self.place)
        count = len(texts)
        if self.output != "classes":
            return self._check_outputs(output, count)
        wanted = f"give the probabilities of C classes, ({count}, C), which of one number p a text are [1 - p, p]"
        answers = convert_numbers(output, f"{self.place}, its answer to {count} texts", (2,), wanted, count)
        classes, before = answers.shape[1], len(next(iter(self.known.values()), answers[0]))
        if classes != before or classes < 2:
            fault = f"gives {classes} classes" + f", and {before} before" * (before > 1)
            raise AuditError(self.place, fault, wanted)
        deviations = np.abs(np.abs(answers).sum(1) - 1)
        # a row with NaN is the furthest
        worst = int(deviations.argmax())
        if not deviations[worst] <= SUM:
            row = ", ".join(f"{value:.4g}" for value in answers[worst])
            raise AuditError(
                self.place,
                f"of the text that begins {' '.join(texts[worst][:5])!r}, the probabilities are {row}",
                "give probabilities that sum to 1, a softmax in float32, or [1 - p, p] of one label",
            )
        return answers

    def _check_outputs(self, output: Any, count: int) -> Floats:
        """Check the probabilities of labels, or numbers, of so many texts: (n, K)."""
        place, number = f"{self.place}, its answer to {count} texts", self.output == "number"
        wanted = f"give a number for each text, ({count},)" if number else f"give probabilities, ({count}, K)"
        answers = convert_numbers(output, place, (1, 2) if number else (2,), wanted, count).reshape(count, -1)
        before = len(next(iter(self.known.values()), answers[0]))
        if answers.shape[1] != before or (number and before > 1):
            raise AuditError(self.place, f"gives {answers.shape[1]} numbers a text", wanted)
        if not (np.isfinite(answers) if number else (answers >= 0) & (answers <= 1)).all():
            raise AuditError(
                self.place, "gives what is no number" if number else "gives what is no probability", wanted
            )
        return answers


@dataclass
class TargetPredictions:
    """What a function says of a target: the probabilities of no and yes, (n, 2)."""

    predictions: Predictions
    target: Target

    @property
    def rounded(self) -> bool:
        """Tell whether probabilities are rounded, see `Predictions`."""
        return self.predictions.rounded

    def predict(self, texts: Iterable[Sequence[str]]) -> Floats:
        """Predict the probabilities of no and yes of n texts, (n, 2)."""
        scores = compute_scores(self.predictions.predict(texts), self.predictions.output)
        yes = self.target.read(torch.from_numpy(scores)).sigmoid().numpy()
        return np.concatenate([1 - yes, yes], 1)


def compute_scores(answers: Floats, output: OutputKind) -> Floats:
    """Compute what a target is read of: the logarithms of probabilities of classes, the log odds of labels; a number is
    one: (n, K) -> (n, K).
    """
    if output == "number":
        return answers
    tensor = torch.from_numpy(answers)
    return (tensor.logit() if output == "labels" else tensor.log()).numpy()
