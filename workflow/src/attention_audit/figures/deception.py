"""Honest models and liars: how much attention is on the impermissible words, what that costs, and what notices it."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.answer import questions
from attention_audit.figures import style
from attention_audit.figures.panels import datasets_of, describe, legend, panel_grid
from attention_audit.names import Names
from attention_audit.tables.arrays import curve, different, grid, of_ranking

HEIGHT = 3.6  # inches
LABELS = {"accuracy": "accuracy (%)", "located": "located"}
RANKED = ("random", "attention", "loo")
POINT: dict[str, Any] = {"linestyle": "none", "markeredgewidth": 0}


def located_of(rows: pd.DataFrame) -> float:
    """The effect of the question `located` in one training, from its rows of that audit."""
    rows = rows.assign(fall=curve(rows))
    seeds, ids = different(rows, "seed"), different(rows, "id")
    falls = (grid(of_ranking(rows, name), "fall", seeds, ids) for name in RANKED)
    return questions.located(*falls).value


def points(impermissible: pd.DataFrame, located: pd.DataFrame) -> pd.DataFrame:
    """A row a data set, model and seed: mass and accuracy in percent, and `located`, NaN where it was not asked."""
    run = ["dataset", "model", "seed"]
    effects = {key: located_of(rows) for key, rows in located.groupby(run, observed=True)}
    found = 100.0 * impermissible.groupby(run, sort=False, observed=True)[["mass", "right"]].mean()
    found["located"] = [effects.get(key, np.nan) for key in found.index]
    return found.rename(columns={"right": "accuracy"}).reset_index()


def draw(axes: Axes, rows: pd.DataFrame, measure: str, models: Names) -> None:
    """One measure of one data set against the attention on the impermissible words: a point a model and seed."""
    for name in models.ordered(rows["model"].unique()):
        own, look = rows[rows["model"] == name], style.mark(models[name]) | POINT
        axes.plot(own["mass"], own[measure], **look, markersize=4.5, alpha=0.75, clip_on=False, zorder=3)


@style.house_style()
def pd_fig_deception(impermissible: pd.DataFrame, located: pd.DataFrame, models: Names) -> Figure:
    """Accuracy (above) and `located` (below) against the attention on the impermissible words; a pair of panels a data
    set, and a point a model and seed.

    From rows of the audits impermissible and located; each list of the latter in columns of its own. Raises AuditError
    for a model that is not one of `models`.
    """
    models.refuse_unknown(impermissible["model"].unique())
    rows = points(impermissible, located)
    figure, panels = panel_grid(datasets_of(rows), HEIGHT, [1] * len(LABELS))
    for panel in panels:
        for measure, axes in zip(LABELS, panel.axes, strict=True):
            draw(axes, panel.rows, measure, models)
            axes.set_xlim(-3, 103)
        panel.axes[1].axhline(0, color=style.GREY, linewidth=0.8, zorder=0)
        panel.title()
        panel.beside(*LABELS.values(), size=style.TEXT)
    describe(
        figure,
        "attention on the impermissible words (%)",
        "to the left: hidden; above: as right as the honest models, green; below: 1 where words with weight are "
        "those that matter, 0 where they are chosen by chance",
    )
    legend(figure, (style.mark(models[name]) | POINT for name in models.ordered(rows["model"].unique())))
    return figure
