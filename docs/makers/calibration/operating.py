"""Operating characteristics of the summary's words, from what the simulation of each question found."""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import spare
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


def of_regime(part: pd.DataFrame, question: str, trainings: int) -> dict[str, float]:
    """One regime at one size: coverage, wrong words at the margin, and from where on the right word is said.

    Of all populations the worst counts; of wrong words, of those whose truth is nearest to the margin.
    """
    margin = MARGINS[question]
    further = spare(question, margin, trainings)
    part = part.sort_values("truth")
    near = part.iloc[(part["truth"] - margin).abs().argsort()[:NEAREST]]
    truth = part["truth"].to_numpy()

    def yes(low: str, beyond: float) -> float:
        return crossing(truth, part[low].to_numpy(), margin + beyond)

    def no(high: str, beyond: float) -> float:
        return -crossing(-truth[::-1], -part[high].to_numpy()[::-1], beyond - margin)

    return {
        "coverage": float(part["coverage"].min()),
        **{name: float(near[name].max()) for name in ("wrong", "own_wrong")},
        "yes_from": yes("low", further),
        "no_from": no("high", further),
        "own_yes_from": yes("own_low", 0.0),
        "own_no_from": no("own_high", 0.0),
    }


def operating(found: pd.DataFrame) -> pd.DataFrame:
    """Intervals and words at the margins, from what `simulation` found: a row for each question and size of a run.

    Of the smooth regimes. coverage: wanted is `COVERED` at least. wrong, own_wrong: shares of the runs that say a wrong
    word, of the next training and of these, where the truth is at the margin; wanted is `WRONG` at most. yes_from: four
    of five runs say yes of the next training from this effect on; NaN: at none; no_from: likewise, downward;
    own_yes_from, own_no_from: of these trainings. Of all regimes, the worst counts: where it does not reach an effect,
    none is named.
    """
    rows: list[dict[str, Any]] = []
    smooth = found[~found["regime"].isin(HARD)]
    for (question, trainings, texts), part in smooth.groupby(["question", "trainings", "texts"], sort=False):
        count = int(part["trainings"].iloc[0])
        regimes = pd.DataFrame([of_regime(one, str(question), count) for _, one in part.groupby("regime")])
        worst = {
            "coverage": regimes["coverage"].min(),
            **regimes[["wrong", "own_wrong"]].max(),
            **regimes[["yes_from", "own_yes_from"]].max(skipna=False),
            **regimes[["no_from", "own_no_from"]].min(skipna=False),
        }
        rows.append(
            {"question": question, "margin": MARGINS[str(question)], "trainings": trainings, "texts": texts, **worst}
        )
    return pd.DataFrame(rows)


def hard(found: pd.DataFrame) -> pd.DataFrame:
    """The worst population of each regime of `HARD`, by question, regime and size: coverage and wrong words."""
    keys = ["question", "regime", "trainings", "texts"]
    worst = {"coverage": ("coverage", "min"), "wrong": ("wrong", "max"), "own_wrong": ("own_wrong", "max")}
    return found[found["regime"].isin(HARD)].groupby(keys, sort=False).agg(**worst).reset_index()
