"""Accuracy of models that are trained anew on texts with ever more masked words, by which words go first."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.answer.estimates import mean
from attention_audit.names import RANKINGS, Names
from attention_audit.tables.variants import Curve, curves_of

from . import style
from .panels import by_dataset, describe, legend, panel_grid

HEIGHT = 2.4  # inches


def draw(axes: Axes, found: dict[str, Curve]) -> None:
    """Draw one panel: a curve an order, with the interval of each point."""
    for order, curve in found.items():
        percents = [*curve]
        values, low, high = 100 * np.array([mean(right)[:3] for right in curve.values()]).T
        look = style.mark(RANKINGS[order])
        axes.fill_between(percents, low, high, color=look["color"], alpha=0.15, linewidth=0)
        axes.plot(percents, values, **look, markersize=3.5, linewidth=1, clip_on=False)
    axes.set_xlim(0, 100)


@style.house_style()
def roar_fig_masked(predictions: pd.DataFrame, models: Names) -> Figure:
    """Draw accuracy against the percent of masked words: a panel a data set and a curve an order, with 95 % intervals
    over texts and trainings.

    From rows of the audit predictions, of any number of data sets. Raises AuditError for a model that is not one of
    `models`.
    """
    models.refuse_unknown(predictions["model"].unique())
    figure, panels = panel_grid(by_dataset(predictions), HEIGHT)
    shown: dict[str, None] = {}
    for panel in panels:
        found = curves_of(panel.rows)
        shown |= dict.fromkeys(found)
        draw(panel.axes[0], found)
        panel.title()
    describe(
        figure,
        "words that are masked (%)",
        "below the random curve: a ranking puts first what the task needs",
        "accuracy (%)",
    )
    legend(figure, (style.mark(RANKINGS[order]) for order in RANKINGS.ordered(shown)))
    return figure
