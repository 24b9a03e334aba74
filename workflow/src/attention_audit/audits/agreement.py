"""Agreement: how far any two attributions order the tokens alike.

Claims: where attributions that are all meant to say what matters do not agree with one another either, disagreement
with one of them says little against attention. Mean Kendall tau-b over texts, two by two (Neely et al. 2021).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from attention_audit.audits.attributions import Scores
from attention_audit.audits.correlation import tau
from attention_audit.model.batch import Indices


def sample(count: int, most: int) -> Indices:
    """At most `most` of `count` texts, evenly spread, in order."""
    return np.arange(count) if count <= most else np.arange(most) * count // most


def agreement(scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Columns first, second, tau, texts; one row for any two of `scores`, in their order.

    tau is the mean over the `texts` texts where both have an order, NaN where there is none.
    """
    found: dict[str, list[Any]] = {"first": [], "second": [], "tau": [], "texts": []}
    for (first, ours), (second, theirs) in combinations(scores.items(), 2):
        values = np.array([tau(*pair)[0] for pair in zip(ours, theirs, strict=True)])
        defined = values[~np.isnan(values)]
        row = first, second, defined.mean() if len(defined) else np.nan, len(defined)
        for column, value in zip(found.values(), row, strict=True):
            column.append(value)
    return found
