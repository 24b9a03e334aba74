"""How many digits numbers are written with: as few as the page can do with."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

TOLERANCE = 9e-4
"""How far a logit of the page may be from that of the readout; what is promised is 1e-3."""
OF_STATES = 6e-4
"""The part of it that the digits of states and biases may take."""
SIGNIFICANT = 3
"""Digits of a weight, where these are enough."""
MOST = 9
"""Digits at most: those of the numbers that are read, which are of 32 bits."""
NOTHING = 1e-7
"""Smaller weights are written as 0."""


def significant(values: Floats, digits: int = SIGNIFICANT) -> Floats:
    """The nearest numbers of so many significant digits; 0 where the magnitude is below `NOTHING`."""
    magnitude = np.abs(values)
    small = magnitude < NOTHING
    places = digits - 1 - np.floor(np.log10(np.where(small, 1.0, magnitude)))
    scale = 10.0**places
    return np.where(small, 0.0, np.rint(values * scale) / scale)


Logits = Callable[[Floats, Floats, Floats], Floats]
"""From weights (..., L), states (L, S) and biases (S,) to all logits that are made of them, (..., K)."""


def within(found: Floats, wanted: Floats, most: float) -> bool:
    """Whether no number is further from the wanted one than `most`."""
    return bool(np.abs(found - wanted).max() <= most)


def states(maps: Floats, z: Floats, bias: Floats, logits: Logits) -> tuple[Floats, Floats]:
    """States (L, S) and biases (S,) with as few decimals as leave the logits of all maps (M, L) within `OF_STATES`; at
    least three, with which the scores under any weights that sum to 1 are as near as that.
    """
    exact = logits(maps, z, bias)
    for decimals in range(3, MOST):
        rounded = z.round(decimals), bias.round(decimals + 2)
        if within(logits(maps, *rounded), exact, OF_STATES):
            break
    return rounded


def weights(map_: Floats, exact: tuple[Floats, Floats], rounded: tuple[Floats, Floats], logits: Logits) -> Floats:
    """Weights (L,) or, of several heads, (H, L), with three significant digits; with more where a logit that the page
    makes of them, or of their mean, and of rounded states and biases would be further than `TOLERANCE` from the exact.
    """
    wanted = logits(np.atleast_2d(map_).mean(0), *exact)
    for digits in range(SIGNIFICANT, MOST):
        found = significant(map_, digits)
        if within(logits(np.atleast_2d(found).mean(0), *rounded), wanted, TOLERANCE):
            break
    return found
