"""How many more trainings, or more texts, would probably decide an open word.

A longer run holds the present one: its effect is drawn around the present effect, and its interval has both components
of the variance, of more trainings and of more texts. So many such runs are drawn, and each is given its word by the
rule of all words. docs/method/intervals.md tells it, and docs/calibration.md how often it comes true.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from attention_audit.answer.intervals import CONFIDENCE, NORMAL, Effect, Floats
from attention_audit.answer.sizes import OF_THESE, counted
from attention_audit.answer.words import NO, UNDECIDED, YES, said

TRAININGS = range(1, 201)
"""So many more trainings are tried."""
TEXTS = (1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)
"""So many times the texts are tried."""
BOTH = 10
"""So many times the texts are tried with more trainings, where neither is enough alone."""
PROBABLE = 0.8
"""The share of the longer runs that must come to a yes or a no."""
DRAWS = 200
SEED = 0
MANY = 1e9
"""Trainings that leave the chance of the texts alone."""


TRIED = f"neither {TRAININGS[-1]} more trainings nor {TEXTS[-1]:g} times the texts"
TRIED_TEXTS = f"not even {TEXTS[-1]:g} times the texts; of more trainings, one does not tell"
UNBOUNDED = "nothing that can be foretold, since the effect cannot be bounded"
ELSE = "no number of trainings or texts, but what its note says"
"""What is said where no way is found: the last one of `unique`, whose search is what leaves it open."""


class More(NamedTuple):
    """Further trainings and further texts that together would probably decide a word; 0: as many as there are."""

    trainings: int
    texts: int

    def __str__(self) -> str:
        parts = [counted(self.trainings, "more training"), counted(self.texts, "more text")]
        return " with ".join(part for part, number in zip(parts, self, strict=True) if number)


NONE = More(0, 0)
"""No number that is tried would."""
Price = Callable[[More, int, int], str]


class Present(NamedTuple):
    """What is known of a run whose word is open.

    tell: the effect with its interval, by the parts of a `Design`. effect: with the interval of the run. own: with that
    of these trainings alone. each: the effect of each training, or pair.
    """

    question: str
    margin: float
    tell: Callable[..., Effect]
    effect: Effect
    own: Effect
    each: Sequence[float]


def sides(effect: Effect) -> Floats:
    """How far the two ends of an interval lie from the effect, (2,)."""
    return np.array([effect.value - effect.low, effect.high - effect.value])


def decides(run: Present, way: More) -> bool:
    """Whether so many more trainings and texts would probably come to a yes or a no.

    The spread of trainings is known from S of them only: it is drawn as S - 1 over a chi-square of as many degrees of
    freedom tells. Then the mean of all trainings is drawn, the further trainings around it, and what further texts move
    all of them by. The interval of a drawn run has the spread of its own trainings.
    """
    question, margin, tell, effect, own, each = run
    random = np.random.default_rng(SEED)
    trainings, texts = effect.trainings + way.trainings, effect.texts + way.texts
    times = texts / effect.texts
    own_low, own_high = sides(tell(fixed=True, texts=times))
    moved = sides(own).mean() / NORMAL * sqrt(1 - 1 / times) * random.standard_normal((DRAWS, 1))
    values = np.tile([value for value in each if isfinite(value)], (DRAWS, 1))
    effects, ends = effect.value + moved, np.tile(sides(tell(trainings=MANY, texts=times)), (DRAWS, 1))
    if values.shape[1] > 1:
        free, middle = values.shape[1] - 1, values.mean(1, keepdims=True)
        spread = values.std(1, ddof=1, keepdims=True) * np.sqrt(free / random.chisquare(free, (DRAWS, 1)))
        mean = middle + spread / sqrt(free + 1) * random.standard_normal((DRAWS, 1))
        values = np.hstack([values, mean + spread * random.standard_normal((DRAWS, way.trainings))])
        count = values.shape[1]
        effects = effects + values.mean(1, keepdims=True) - middle
        student = float(special.stdtrit(count - 1, (1 + CONFIDENCE) / 2))
        ends = np.hypot(ends, student * values.std(1, ddof=1, keepdims=True) / sqrt(count))

    def undecided(value: float, low: float, high: float, *each: float) -> bool:
        whole = Effect(value, value - low, value + high, trainings, texts)
        these = Effect(value, value - own_low, value + own_high, trainings, texts)
        return said(question, margin, whole, these, each)[0] not in (YES, NO)

    # of all trainings the lowest and the highest tell on which side of the margin they lie
    extremes = np.array([values.min(1), values.max(1)]).T + moved if values.size else moved[:, :0]
    drawn = np.hstack([effects, ends, extremes]).tolist()
    allowed = round((1 - PROBABLE) * DRAWS)
    return next(islice((True for one in drawn if undecided(*one)), allowed, None), None) is None


def deciding(run: Present) -> list[More]:
    """The ways that would probably decide an open word: by the fewest trainings, and by the fewest texts; or by the
    fewest trainings with `BOTH` times the texts, where neither is enough; or `NONE`.

    Of one training nothing is known of others, and a question of pairs says no word of others: there only texts are
    tried. Nothing is, where an interval has no ends.
    """
    effect = run.effect
    if not all(map(isfinite, (*effect[:3], *run.own[:3]))):
        return [NONE]
    run = run._replace(tell=cache(run.tell))
    apart = len({value for value in run.each if isfinite(value)}) > 1
    several = TRAININGS if apart and run.question not in OF_THESE else ()
    texts = [round(effect.texts * (times - 1)) for times in TEXTS]

    def fewest(ways: Sequence[More]) -> list[More]:
        """The first that decides, of ways of which each does more than the one before it; in a list, perhaps empty."""
        if not ways or not decides(run, ways[-1]):
            return []
        return [ways[bisect_left(ways, True, hi=len(ways) - 1, key=lambda way: decides(run, way))]]

    alone = [*fewest([More(more, 0) for more in several]), *fewest([More(0, more) for more in texts])]
    return alone or fewest([More(more, (BOTH - 1) * effect.texts) for more in several]) or [NONE]


def ways_of(row: Mapping[Any, Any], question: str) -> list[More]:
    """The ways that a row of columns.SUMMARY has for a question."""
    both = zip(row[f"{question}_more_trainings"], row[f"{question}_more_texts"], strict=True)
    return [More(int(trainings), int(texts)) for trainings, texts in both]


def would_decide(row: Mapping[Any, Any], question: str, price: Price = lambda *_: "") -> str:
    """What would probably decide a question, each way with its price in brackets; "" where it is not undecided, or
    where nobody has tried.

    row: of columns.SUMMARY. price: of a way, by the trainings and texts of the run; "" where it is not known.
    """
    if row[question] != UNDECIDED:
        return ""
    trainings, texts = (int(row[f"{question}_{name}"]) for name in ("trainings", "texts"))
    if (ways := ways_of(row, question)) != [NONE]:
        return ", or ".join(f"{way} ({cost})" if (cost := price(way, trainings, texts)) else str(way) for way in ways)
    low, high, margin = (float(row[f"{question}_{name}"]) for name in ("low", "high", "margin"))
    if trainings < 2 and not low <= margin <= high:
        return ELSE
    if not (isfinite(low) and isfinite(high)):
        return UNBOUNDED
    return TRIED_TEXTS if trainings == 1 else TRIED
