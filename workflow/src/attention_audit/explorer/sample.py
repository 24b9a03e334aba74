"""Which texts the page shows where it cannot show all: a stratified sample, the same for all views of a data set."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import floor

MOST = 2000
"""Texts of a data set at most."""
LIMIT = 15_000_000
"""Bytes of the page at most."""


def drawn(ids: Sequence[str], strata: Sequence[object]) -> list[int]:
    """The positions of all texts in an order of which any beginning is a stratified sample.

    A stratum with a share of the texts has that share of any beginning, to one text; and of each stratum one text comes
    before the second of any. Within a stratum a hash of the id decides, so that neither order nor content chooses.
    """
    members: dict[object, list[int]] = {}
    hashed = [sha256(id_.encode("utf-8", "replace")).hexdigest() for id_ in ids]
    for place in sorted(range(len(ids)), key=hashed.__getitem__):
        members.setdefault(strata[place], []).append(place)
    rank = {
        place: (number + 0.5) / len(every) if number else 0.0
        for every in members.values()
        for number, place in enumerate(every)
    }
    return sorted(range(len(ids)), key=lambda place: (rank[place], hashed[place]))


def fitting(counts: Mapping[str, int], sizes: Mapping[str, float], room: float) -> dict[str, int]:
    """How many texts of each data set fit into `room` bytes together, at least one of each.

    counts: how many there are; sizes: bytes of one. A data set that needs no more than an equal share has all its
    texts, and what it leaves is shared among the others.
    """
    fitted: dict[str, int] = {}
    left = room
    names = sorted(counts, key=lambda name: counts[name] * sizes[name])
    for place, name in enumerate(names):
        share = left / (len(names) - place)
        wanted = counts[name] * sizes[name]
        fitted[name] = counts[name] if wanted <= share else max(1, floor(share / sizes[name]))
        left = max(0.0, left - fitted[name] * sizes[name])
    return fitted
