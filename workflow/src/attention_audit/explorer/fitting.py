"""What fits into the explorer's page: a stratified sample of the texts where it cannot show all, the same for all views
of a data set; and numbers with as few digits as the page can do with.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import ceil, floor, log10

import numpy as np
import pandas as pd

from attention_audit.arrays import Floats

MOST = 2000
"""Texts of a data set at most."""
LIMIT = 15_000_000
"""Bytes of the page at most."""


def drawn(ids: Sequence[str], strata: Sequence[object]) -> list[int]:
    """Order the positions of all texts in an order of which any beginning is a stratified sample.

    A stratum with a share of the texts has that share of any beginning, to one text; and of each stratum one text comes
    before the second of any. Within a stratum a hash of the id decides, so that neither order nor content chooses.
    """
    hashes = [sha256(id_.encode("utf-8", "replace")).hexdigest() for id_ in ids]
    texts = pd.DataFrame({"hash": hashes, "stratum": [*strata]})
    members = texts.sort_values("hash").groupby("stratum")["hash"]
    number = members.cumcount()
    texts["rank"] = ((number + 0.5) / members.transform("size")).where(number > 0, 0.0)
    return texts.sort_values(["rank", "hash"]).index.tolist()


def fitting(counts: Mapping[str, int], sizes: Mapping[str, float], room: float) -> dict[str, int]:
    """Choose how many texts of each data set fit into `room` bytes together, at least one of each.

    counts: how many there are; sizes: bytes of one. A data set that needs no more than an equal share has all its
    texts, and what it leaves is shared among the others.
    """
    fitted: dict[str, int] = {}
    left = room
    for name in sorted(counts, key=lambda name: counts[name] * sizes[name]):
        share = left / (len(counts) - len(fitted))
        enough = counts[name] * sizes[name] <= share
        fitted[name] = counts[name] if enough else max(1, floor(share / sizes[name]))
        left = max(0.0, left - fitted[name] * sizes[name])
    return fitted


TOLERANCE = 9e-4
"""How far a logit of the page may be from that of the readout; what is promised is 1e-3."""
OF_STATES = 6e-4
"""The part of it that the digits of states and biases may take."""
SIGNIFICANT = 3
"""Digits of a weight, where these are enough; and decimals of a state at least."""
DIGITS = 9
"""Digits at most: those of the numbers that are read, which are of 32 bits."""
NOTHING = 1e-7
"""Smaller weights are written as 0."""


def significant(values: Floats, digits: int = SIGNIFICANT) -> Floats:
    """Round to the nearest numbers of so many significant digits; 0 where the magnitude is below `NOTHING`."""
    magnitude = np.abs(values)
    small = magnitude < NOTHING
    places = digits - 1 - np.floor(np.log10(np.where(small, 1.0, magnitude)))
    scale = 10.0**places
    return np.where(small, 0.0, np.rint(values * scale) / scale)


def count_decimals(steep: float) -> int:
    """Count the decimals of states that leave the logits under any weights that sum to 1 within `OF_STATES`; biases
    have two more. steep: by how much a logit moves at most where every score moves by 1.
    """
    return min(max(SIGNIFICANT, ceil(log10(0.505 * steep / OF_STATES))), DIGITS)


def round_weights(map_: Floats, exact: tuple[Floats, Floats], rounded: tuple[Floats, Floats], steep: Floats) -> Floats:
    """Round weights (L,) or, of several heads, (H, L), to three significant digits; with more where a logit that the
    page makes of them, or of their mean, and of rounded states (L, S) and biases (S,) would be further than `TOLERANCE`
    from the exact. steep: as for `count_decimals`, of each score (S,).
    """
    wanted, found = np.atleast_2d(map_).mean(0) @ exact[0] + exact[1], map_
    for digits in range(SIGNIFICANT, DIGITS):
        found = significant(map_, digits)
        made = np.atleast_2d(found).mean(0) @ rounded[0] + rounded[1]
        if (steep * np.abs(made - wanted)).max() <= TOLERANCE:
            break
    return found
