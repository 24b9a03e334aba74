"""Recursive ROAR (Madsen et al. 2022): does accuracy fall faster where the words go that an order puts first?

Models of suite roar are named <order>_<percent of the words that are masked>, and `base`, in which none is.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import estimate
from attention_audit.answer.samples import take_share
from attention_audit.names import RANKINGS, Names
from attention_audit.tables.arrays import Floats, cell, cube
from attention_audit.tables.diversity import correct
from attention_audit.tables.tidy import as_table

BASE, RANDOM = "base", "random"
METRICS = ("racu", "texts")

Curve = dict[int, Floats]
"""Whether predictions are right, (S, N), by the percent of the words that are masked, ascending from 0."""


def curves(right: Mapping[str, Floats]) -> dict[str, Curve]:
    """The curve of each order, in the order of names.RANKINGS, from what is right by model."""
    found: dict[str, Curve] = {}
    for model, values in right.items():
        order, _, percent = model.rpartition("_")
        if order:
            found.setdefault(order, {0: right[BASE]})[int(percent)] = values
    return {order: dict(sorted(found[order].items())) for order in RANKINGS.ordered(found)}


def curves_of(predictions: pd.DataFrame) -> dict[str, Curve]:
    """The same from the rows of one data set of the audit of this name."""
    return curves(cube(correct(predictions), "accuracy", "model"))


def area(curve: Curve) -> Floats:
    """The area below a curve by the trapezoidal rule, (S, N), over shares of the words from 0 to 1."""
    return np.trapezoid(np.stack([*curve.values()]), np.array([*curve]) / 100, axis=0)


def parts(curve: Curve, random: Curve) -> tuple[Floats, Floats]:
    """The area between the random curve and another, and what it could be at most, (S, N) each: that between the random
    curve and what random masking leaves at its end.
    """
    below = area(random)
    return below - area(curve), below - random[max(random)]


def roar_table_racu(predictions: pd.DataFrame, models: Names) -> pd.DataFrame:
    """RACU of each order but the random one (Madsen et al. 2022): the area between the two curves of
    accuracy, as a share of what it could be; mean over trainings.

    predictions: rows of the audit of this name, of any number of data sets. The columns are those of `TABLE`.
    Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(predictions["model"].unique())
    rows = []
    for dataset, own in predictions.groupby("dataset", sort=False, observed=True):
        found = curves_of(own)
        for order, curve in found.items():
            if order == RANDOM:
                continue
            top, bottom = parts(curve, found[RANDOM])
            racu = estimate(take_share(top, bottom))
            about = {"dataset": str(dataset), "row": order, "seeds": len(top)}
            rows.append({**about, "metric": "racu", **cell(racu, np.array(racu.each))})
            rows.append({**about, "metric": "texts", "mean": float(top.shape[1])})
    return as_table(pd.DataFrame(rows), list(RANKINGS), METRICS)
