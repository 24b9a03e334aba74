"""Figures 3, 4, 7 and 8 of Serrano & Smith 2019: the effect of erasing the top item against another."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_audit.figures import style
from attention_audit.figures.panels import panel_grid, panels_of, title
from attention_audit.names import RANKINGS, Names

HEIGHT = 1.75  # inches
SLICES, MOST = 200, 10  # of the x axis, and points in each
BARS = np.linspace(0, 1, 26).tolist()
X_LABEL = "Δα: attention of the top item minus that of another"


def compared(single_weight: pd.DataFrame) -> pd.DataFrame:
    """The rows that these figures show: the top item is attention's, and the other item is drawn uniformly."""
    RANKINGS.refuse_unknown(single_weight["ranking"].unique())
    return single_weight[(single_weight["ranking"] == "attention") & (single_weight["draw"] == "corrected")]


def thinned(rows: pd.DataFrame) -> pd.DataFrame:
    """At most MOST rows, drawn at random, for each of SLICES slices of delta_attention between 0 and 1."""
    slices = np.minimum(SLICES * rows["delta_attention"], SLICES - 1).astype(int)
    shuffled = rows.assign(slice=slices).sample(frac=1, random_state=0)
    return shuffled.groupby("slice", sort=False).head(MOST)


def ss_fig3_delta_js(single_weight: pd.DataFrame, models: Names) -> Figure:
    """delta JS (nats) against delta attention, a point for each text and seed, thinned; one panel for each model.

    From columns.SINGLE_WEIGHT rows of any number of data sets; `models` names and orders the panels.
    """
    panels = panels_of(compared(single_weight), models)
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT)
        for (panel, rows), [axes] in zip(panels.items(), cells, strict=True):
            points = thinned(rows)
            axes.axhline(0, color=style.GREY, linewidth=0.8, zorder=0)
            axes.scatter(
                points["delta_attention"],
                points["delta_js"],
                s=4,
                color=style.BLUE,
                alpha=0.5,
                linewidths=0,
                clip_on=False,
                rasterized=True,
            )
            axes.set(xlim=(0, 1))
            axes.tick_params(labelbottom=True)
            title(axes, panel, models)
        lowest, highest = (f([a.get_ylim() for [a] in cells]) for f in (np.min, np.max))
        for [axes] in cells:
            axes.set_ylim(lowest, highest)
        figure.supxlabel(X_LABEL, fontsize=style.TEXT)
        figure.supylabel("ΔJS (nats)", fontsize=style.TEXT)
    return figure


def ss_fig4_negative_delta_js(single_weight: pd.DataFrame, models: Names) -> Figure:
    """Histograms of delta attention over the texts whose delta JS is negative; one panel for each data set and model.

    From columns.SINGLE_WEIGHT rows of any number of data sets; `models` names and orders the panels.
    """
    panels = panels_of(compared(single_weight), models)
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT)
        for (panel, rows), [axes] in zip(panels.items(), cells, strict=True):
            negative = rows.loc[rows["delta_js"] < 0, "delta_attention"]
            axes.hist(negative, BARS, color=style.BLUE)
            axes.set(xlim=(0, 1))
            axes.set_ylim(0, max(1, axes.get_ylim()[1]))
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            axes.tick_params(labelbottom=True)
            title(axes, panel, models, f": {len(negative)} of {len(rows)}")
        figure.supxlabel(X_LABEL, fontsize=style.TEXT)
        figure.supylabel("texts with ΔJS < 0", fontsize=style.TEXT)
    return figure
