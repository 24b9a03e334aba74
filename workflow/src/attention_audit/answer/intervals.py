"""Intervals of means with two sources of chance: which trainings were made, and which texts were tested.

All means, shares, and differences and ratios of means have these, in the summary and in tables; what is no quotient of
sums, such as a median, has those of `bootstrap`.

Every effect is a quotient of two sums over the cells of a table of S trainings and N texts. A training contributes its
row to both sums, and a text its column. The variance that K units bring is K / (K - 1) times the sum of the squared
deviations of their contributions.

- What a text does in one training only is in the rows and in the columns. Its variance, from the cells without the
  means of their row and column, is taken off that of the texts, so that it counts once (Cameron, Gelbach & Miller
  2011).
- There are few trainings and many texts. So the variance of trainings counts with Student's quantile, that of the texts
  with a normal one, and the squares add. This holds its level whatever the two variances are (Banerjee 1960), where
  Satterthwaite's degrees of freedom, with three trainings, do not. Two groups of trainings have Welch's quantile.
- The interval is Fieller's (1954): all rho for which numerator - rho denominator is not clearly different from 0. So
  the denominator is drawn too. Where it is not clearly different from 0 itself, the interval is unbounded.
- Effects of texts are often skewed: a few texts have most of it. The quantiles of the texts are moved by Hall's
  transformation (1992), with the third moment of the texts' contributions.
- Where all tested texts are alike, their variance is 0, and yet the next one may differ. So two texts are added to the
  variance, one at either end of the effect's scale (in the manner of Agresti & Coull 1998).

docs/calibration.md shows how well these intervals hold their level.
"""

from collections.abc import Sequence
from math import cbrt, exp, hypot, inf, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CONFIDENCE = 0.95
NORMAL = float(special.ndtri((1 + CONFIDENCE) / 2))
ADDED = 2
"""Texts that are added to the variance."""
CLEAR = 3.0
"""Standard errors that what can be had in a training must lie above 0, for the training to tell anything of a share."""
FARTHEST = 1.0
"""Logarithm of a ratio beyond which a stretched bound goes on in a straight line."""


class Effect(NamedTuple):
    """An effect with its 95 % interval, and how many trainings and texts it rests on.

    clusters: how many clusters these texts are, each of which counts as one; 0 where each text stands for itself.
    With one training, the interval holds the chance of the texts only. value, low and high are NaN where no text tells
    anything; low and high are infinite where the denominator may be 0.
    """

    value: float
    low: float
    high: float
    trainings: int
    texts: int
    clusters: int = 0

    @property
    def independent(self) -> int:
        """How many texts, or clusters of texts, it rests on."""
        return self.clusters or self.texts


class Design(NamedTuple):
    """Which chance an interval holds.

    clusters (N,): a number for each text, the same for texts that belong together and so count as one; None where each
    text stands for itself. fixed: whether it is of these trainings alone, so that only texts are a chance.
    """

    clusters: Integers | None = None
    fixed: bool = False

    def of(self, effect: Effect, texts: int) -> Effect:
        """An effect that was found of clusters, as one of so many texts."""
        return effect if self.clusters is None else effect._replace(texts=texts, clusters=effect.texts)


PLAIN = Design()
"""Each text stands for itself, and another training and another text are a chance."""


class Cells(NamedTuple):
    """What each training (a row) and text (a column) contributes to the numerator and to the denominator: (S, N) each.

    For pairs of trainings, a row has what the jackknife makes of all pairs with this training.
    """

    top: Floats
    bottom: Floats


def products(rows: Floats) -> Floats:
    """The sums of products of any two rows of (K, M), as (K, K).

    Not a product of matrices: of so few rows, its threads wait for one another longer than they work.
    """
    found: Floats = np.einsum("ik,jk->ij", rows, rows)
    return found


def moments(top: Floats, bottom: Floats) -> Floats:
    """Variances and covariance of two sums of K contributions (K,) each, as a matrix (2, 2)."""
    both = np.stack([top, bottom])
    both -= both.mean(1, keepdims=True)
    count = both.shape[1]
    found: Floats = count / (count - 1) * products(both)
    return found


def together(cells: Cells) -> Floats:
    """The same of what trainings and texts do together: of the cells without the means of their row and column."""
    trainings, texts = cells.top.shape
    rows, columns = (np.stack([values.sum(axis) for values in cells]) for axis in (1, 0))
    total = rows.sum(1)
    squares = products(np.stack([values.ravel() for values in cells]))
    squares -= products(rows) / texts + products(columns) / trainings - np.outer(total, total) / (trainings * texts)
    found: Floats = trainings / (trainings - 1) * texts / (texts - 1) * squares
    return found


def at(moments: Floats, rho: float) -> float:
    """The variance of numerator - rho denominator."""
    return float(moments[0, 0] - 2 * rho * moments[0, 1] + rho**2 * moments[1, 1])


def of_trainings(groups: Sequence[Cells], rho: float) -> Floats:
    """What trainings add to the square of the interval's half width, as a matrix (2, 2): Student's quantile is in it.

    groups: trainings that have nothing to do with one another, at least two in each.
    """
    rows = [moments(cells.top.sum(1), cells.bottom.sum(1)) for cells in groups]
    variances = np.array([at(found, rho) for found in rows])
    total = variances.sum()
    if total <= 0:
        return np.zeros((2, 2))
    freedom = total**2 / (variances**2 / [len(cells.top) - 1 for cells in groups]).sum()
    added: Floats = float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) ** 2 * np.sum(rows, axis=0)
    return added


def skewed(skewness: float, normal: float) -> float:
    """The quantile of a studentised mean whose estimate has this skewness, by the quantile of a normal one.

    Hall 1992: the cubic t + s t^2 / 3 + s^2 t^3 / 27 + s / 6 of a studentised t is nearly normal; this is its inverse.
    """
    if abs(skewness) < 1e-9:
        return normal
    return 3 / skewness * (cbrt(1 + skewness * (normal - skewness / 6)) - 1)


def root(top: float, bottom: float, square: Floats, side: int) -> float:
    """The rho at which top - rho bottom is as large as the half width; one of Fieller's two bounds.

    square (2, 2): the square of the half width, as variances and covariance of top and bottom. side: 1 is the lower
    bound, -1 the upper one. Where the denominator may be 0, the bound is infinite.
    """
    a = bottom**2 - square[1, 1]
    b = top * bottom - square[0, 1]
    c = top**2 - square[0, 0]
    if a <= 0 or bottom <= 0:
        return -side * inf
    return float((b - side * sqrt(max(b**2 - a * c, 0.0))) / a)


def bounds(
    top: float,
    bottom: float,
    texts: tuple[Floats, Floats],
    groups: Sequence[Cells],
    scale: float = 1.0,
    design: Design = PLAIN,
) -> tuple[float, float]:
    """The 95 % interval of top / bottom.

    texts: what each text contributes to top and to bottom, (N,) each; clusters are put together already. groups: of
    trainings, see `of_trainings`; a group of a single training says nothing of chance. scale: how far one text among N
    may move the effect, times N.
    """
    rho, count = top / bottom, len(texts[0])
    if count < 2:
        return -inf, inf
    added = np.zeros((2, 2))
    added[0, 0] = ADDED * (scale * bottom / count) ** 2
    of_texts = moments(*texts)
    residuals = texts[0] - rho * texts[1]
    residuals -= residuals.mean()
    skewness = float((residuals * residuals * residuals).sum()) / at(of_texts + added, rho) ** 1.5
    square = np.zeros((2, 2))
    several = [] if design.fixed else [cells for cells in groups if len(cells.top) > 1]
    if several:
        square = of_trainings(several, rho)
        of_texts -= np.sum([together(cells) for cells in several], axis=0)
        if at(of_texts, rho) < 0:
            of_texts[:] = 0
    low, high = (
        root(top, bottom, square + skewed(skewness, side * NORMAL) ** 2 * (of_texts + added), side) for side in (1, -1)
    )
    return (low, high) if isfinite(low) and isfinite(high) else (-inf, inf)


def quotient(top: Floats, bottom: Floats, scale: float = 1.0, design: Design = PLAIN) -> Effect:
    """The sum of `top` divided by the sum of `bottom`, (S, N) each, NaN where there is no value.

    One text moves the effect by scale / N at most. Trainings and texts without any value do not count.
    """
    top, bottom, texts = known_of(top, bottom, design)
    return design.of(estimated((top.sum(0), bottom.sum(0)), Cells(top, bottom), len(top), scale, design), texts)


def mean(values: Floats, least: float = 0.0, most: float = 1.0, design: Design = PLAIN) -> Effect:
    """The mean of values between `least` and `most`, from (S, N), NaN where there is no value."""
    return within(quotient(values, np.where(np.isfinite(values), 1.0, np.nan), most, design), least, most)


def parts_of(values: Floats) -> Floats:
    """What each training and text contributes to the mean of values (S, N), NaN where there is no value; (S, N).

    A text without a value adds the mean itself, so that the parts sum to the mean, and deviate as it does by the delta
    method. Trainings without any value are left out.
    """
    values = values[np.isfinite(values).any(1)]
    known = np.isfinite(values)
    own = values[known].mean()
    parts: Floats = np.where(known, values - own, 0.0) / known.sum() + own / values.size
    return parts


def apart(difference: float, one: Floats, other: Floats, scale: float = 1.0, design: Design = PLAIN) -> Effect:
    """The difference of two numbers of the same N texts, of trainings that have nothing to do with one another.

    one, other (S1, N), (S2, N): what each training and text contributes to either number. A text counts once for both.
    scale: see `bounds`.
    """
    known = one.shape[1]
    one, other = (clustered(parts, design) for parts in (one, other))
    groups = [Cells(parts, np.zeros_like(parts)) for parts in (one, other)]
    count = one.shape[1]
    texts = one.sum(0) - other.sum(0)
    low, high = bounds(difference, 1.0, (texts, np.zeros(count)), groups, scale, design)
    return design.of(Effect(difference, low, high, min(len(one), len(other)), count), known)


def pair_of(one: Floats, other: Floats) -> tuple[Floats, Floats] | None:
    """`parts_of` both, of the texts that have a value in either; None where one has no value."""
    either = np.isfinite(one).any(0) | np.isfinite(other).any(0)
    if not (np.isfinite(one).any() and np.isfinite(other).any()):
        return None
    return parts_of(one[:, either]), parts_of(other[:, either])


def difference(one: Floats, other: Floats, least: float = 0.0, most: float = 1.0) -> Effect:
    """The mean of `one` (S1, N) minus that of `other` (S2, N), of values between `least` and `most`, as `apart`.

    NaN where there is no value: a mean is over the values that there are.
    """
    both = pair_of(one, other)
    if both is None:
        return Effect(nan, nan, nan, 0, 0)
    value = float(np.nanmean(one) - np.nanmean(other))
    return within(apart(value, *both, most), least - most, most - least)


def ratio(one: Floats, other: Floats) -> Effect:
    """The mean of `one` (S1, N) divided by that of `other` (S2, N), likewise, of values that are not below 0."""
    both = pair_of(one, other)
    if both is None or not np.nanmean(other):
        return Effect(nan, nan, nan, 0, 0)
    top, bottom = both
    groups = [Cells(top, np.zeros_like(top)), Cells(np.zeros_like(bottom), bottom)]
    means = float(np.nanmean(one)), float(np.nanmean(other))
    low, high = bounds(*means, (top.sum(0), bottom.sum(0)), groups)
    return within(Effect(means[0] / means[1], low, high, min(len(top), len(bottom)), top.shape[1]), 0.0, inf)


def by_training(top: Floats, bottom: Floats, design: Design = PLAIN) -> Effect:
    """The mean over trainings of each one's own sum of `top` divided by its sum of `bottom`, (S, N) each, NaN where
    there is no value.

    For shares of what can be had, where trainings differ in how much that is: each counts alike. A training in which
    nothing can be had tells nothing of the share, and is left out; `CLEAR` says when. Where all are so, the interval is
    unbounded.
    """
    top, bottom, texts = known_of(top, bottom, design)
    alone = design._replace(clusters=None)
    if top.shape[1] < 2:
        return design.of(quotient(top, bottom, design=alone), texts)
    sums = bottom.sum(1)
    clear = sums > CLEAR * np.sqrt(bottom.var(1, ddof=1) * bottom.shape[1])
    if not clear.any():
        return design.of(quotient(top, bottom)._replace(low=-inf, high=inf), texts)
    own = sums[clear, None]
    return design.of(quotient(top[clear] / own, bottom[clear] / own, design=alone), texts)


def clustered(cells: Floats, design: Design) -> Floats:
    """What each cluster of texts contributes, (S, K), from what each text does, (S, N)."""
    if design.clusters is None:
        return cells
    order = np.argsort(design.clusters, kind="stable")
    _, starts = np.unique(design.clusters[order], return_index=True)
    joined: Floats = np.add.reduceat(cells[:, order], starts, axis=1) if len(starts) else cells
    return joined


def known_of(top: Floats, bottom: Floats, design: Design) -> tuple[Floats, Floats, int]:
    """The same with 0 in place of NaN, without trainings and texts that have no value at all, cluster by cluster; and
    how many texts these are.
    """
    known = np.isfinite(top) & np.isfinite(bottom)
    if not known.all():
        rows, columns = known.any(1), known.any(0)
        top, bottom = (np.where(known, values, 0.0)[rows][:, columns] for values in (top, bottom))
        if design.clusters is not None:
            design = design._replace(clusters=design.clusters[columns])
    return clustered(top, design), clustered(bottom, design), top.shape[1]


def estimated(
    texts: tuple[Floats, Floats], cells: Cells, trainings: int, scale: float = 1.0, design: Design = PLAIN
) -> Effect:
    """The effect whose sums are those of the texts' contributions."""
    top, bottom = (float(values.sum()) for values in texts)
    if not bottom:
        return Effect(nan, nan, nan, trainings, len(texts[0]))
    return Effect(top / bottom, *bounds(top, bottom, texts, [cells], scale, design), trainings, len(texts[0]))


def within(effect: Effect, low: float, high: float) -> Effect:
    """The same effect, its interval no wider than the scale of the effect."""
    return effect._replace(low=min(max(effect.low, low), high), high=max(min(effect.high, high), low))


def stretched(effect: Effect) -> Effect:
    """The same effect, which is above 0, with an interval that is symmetric on the scale of logarithms where it was
    symmetric before.

    For distances, and for shares of rare texts: over trainings they vary in proportion to their size, and never fall
    below 0. An interval that is many times as wide as a tiny value is mostly the chance of the texts, which does not
    grow with the value: beyond `FARTHEST` the upper bound goes on in a straight line.
    """
    value = effect.value
    if not value > 0 or not isfinite(effect.high):
        return effect
    above = (effect.high - value) / value
    curved = min(above, FARTHEST)
    return effect._replace(
        low=value * exp((effect.low - value) / value), high=value * exp(curved) * (1 + above - curved)
    )


def minus(one: Effect, other: Effect) -> Effect:
    """The difference of two effects, with an interval from theirs (Zou & Donner 2008, the method of variance estimates
    recovery): each bound of the difference is as far from it as the bounds of both effects are from theirs, squares
    added. It holds for intervals that are not symmetric. Effects that are measured on the same texts have less chance
    between them than it allows for, so that it is rather too wide.
    """
    difference = one.value - other.value
    return Effect(
        difference,
        difference - hypot(one.value - one.low, other.high - other.value),
        difference + hypot(one.high - one.value, other.value - other.low),
        min(one.trainings, other.trainings),
        min(one.texts, other.texts),
        min(one.clusters, other.clusters),
    )


def odds(share: Effect) -> Effect:
    """share / (1 - share), which grows with the share, so that its bounds are those of the share; infinite at 1."""
    value, low, high = (each / (1 - each) if each != 1 else inf for each in share[:3])
    return share._replace(value=value, low=low, high=high)


def root_of(effect: Effect) -> Effect:
    """The square root of an effect that is not below 0, likewise."""
    return effect._replace(value=sqrt(effect.value), low=sqrt(effect.low), high=sqrt(effect.high))


def one_minus(effect: Effect) -> Effect:
    """1 minus the effect."""
    return effect._replace(value=1 - effect.value, low=1 - effect.high, high=1 - effect.low)
