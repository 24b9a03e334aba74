"""Operating characteristics of the summary's words, from what the simulation of each question found."""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from attention_audit.answer.settings import Margins
from makers.calibration.populations import HARD, SETTINGS

MARGINS: Mapping[str, float] = {question: getattr(Margins(), question) for question in SETTINGS}
"""The margins that are calibrated: the defaults, not those of a run, since the page is about the words as they come."""
COVERED = 0.93
"""Wanted coverage of the 95 % intervals, at least."""
WRONG = 0.05
"""Wanted share of wrong words where the truth is at the margin, at most; .025 are meant."""
NEAREST = 3
"""Populations of a regime that count as near the margin."""

Floats = npt.NDArray[np.float64]


def crossing(truth: Floats, bound: Floats, margin: float) -> float:
    """The least truth from which on the bound is at the margin or above; NaN where it never is.

    truth (K,) ascending, with the bound of each; between two of them the bound is taken as linear.
    """
    short = np.flatnonzero(bound < margin)
    first = int(short[-1]) + 1 if len(short) else 0
    if first == len(bound):
        return nan
    if first == 0 or not np.isfinite(bound[first - 1]):
        return float(truth[first])
    return float(np.interp(margin, bound[first - 1 : first + 1], truth[first - 1 : first + 1]))


def of_regime(part: pd.DataFrame, margin: float) -> dict[str, float]:
    """One regime at one size: coverage, wrong words at the margin, and from where on the right word is said.

    A wrong word at the margin is an interval beside the truth, were the margin there. Of all populations the worst
    counts; of wrong words, of those whose truth is nearest to the margin.
    """
    part = part.sort_values("truth")
    near = part.iloc[(part["truth"] - margin).abs().argsort()[:NEAREST]]
    truth, low, high = (part[name].to_numpy() for name in ("truth", "low", "high"))
    return {
        "coverage": float(part["coverage"].min()),
        "wrong_yes": float(near["above"].max()),
        "wrong_no": float(near["below"].max()),
        "yes_from": crossing(truth, low, margin),
        "no_from": -crossing(-truth[::-1], -high[::-1], -margin),
    }


def operating(found: pd.DataFrame, margins: Mapping[str, float]) -> pd.DataFrame:
    """Intervals and words at these margins, from what `simulation` found: a row for each question and size of a run.

    Of the smooth regimes. coverage: wanted is `COVERED` at least. wrong_yes, wrong_no: shares of the runs that say so
    where the truth is at the margin; wanted is `WRONG` at most. yes_from: four of five runs say yes from this effect
    on; NaN: at none; no_from: likewise, downward. Of all regimes, the worst counts: where it does not reach an effect,
    none is named.
    """
    rows: list[dict[str, Any]] = []
    smooth = found[~found["regime"].isin(HARD)]
    for (question, trainings, texts), part in smooth.groupby(["question", "trainings", "texts"], sort=False):
        margin = margins[str(question)]
        regimes = pd.DataFrame([of_regime(one, margin) for _, one in part.groupby("regime")])
        worst = {
            "coverage": regimes["coverage"].min(),
            "wrong_yes": regimes["wrong_yes"].max(),
            "wrong_no": regimes["wrong_no"].max(),
            "yes_from": regimes["yes_from"].max(skipna=False),
            "no_from": regimes["no_from"].min(skipna=False),
        }
        rows.append({"question": question, "margin": margin, "trainings": trainings, "texts": texts, **worst})
    return pd.DataFrame(rows)


def hard(found: pd.DataFrame) -> pd.DataFrame:
    """The worst population of each regime of `HARD`, by question, regime and size: coverage, and `wrong`, the larger
    share of wrong words.
    """
    part = found[found["regime"].isin(HARD)]
    part = part.assign(wrong=part[["above", "below"]].max(axis=1))
    keys = ["question", "regime", "trainings", "texts"]
    return part.groupby(keys, sort=False).agg(coverage=("coverage", "min"), wrong=("wrong", "max")).reset_index()
