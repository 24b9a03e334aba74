"""Figures 2-4 of Jain & Wallace 2019: does attention rank the tokens as gradients and leave-one-out do?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_audit.figures import style
from attention_audit.figures.panels import panel_grid, panels_of, title
from attention_audit.figures.violins import FEWEST, NARROWEST
from attention_audit.names import ATTRIBUTIONS, Names

HEIGHT = 1.85  # inches
LINES: dict[str, tuple[int, tuple[int, int]]] = {"gradient": (0, (4, 2)), "loo": (0, (1, 1))}
"""The attributions that the paper compares attention with, and the dashes of the line at their mean."""
BARS = np.linspace(-1, 1, 41).tolist()


def compared(correlation: pd.DataFrame) -> pd.DataFrame:
    """The rows that pair attention with one of LINES, whose name is then in the column `measure`."""
    parts = correlation["pair"].astype(str).str.split("~", expand=True)
    ATTRIBUTIONS.refuse_unknown([*parts[0].unique(), *parts[1].unique()])
    chosen = (parts[0] == "attention") & parts[1].isin(LINES)
    return correlation[chosen].assign(measure=parts.loc[chosen, 1])


def line_of(measure: str) -> dict[str, Any]:
    """How the line of a measure is drawn."""
    return {"color": style.PALETTE[ATTRIBUTIONS[measure].colour], "linestyle": LINES[measure], "linewidth": 1}


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """One panel: for each measure a histogram of tau with its density, each of area 1, and the mean as a line."""
    axes.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
    for measure, values in rows.dropna(subset="tau").groupby("measure")["tau"]:
        line = line_of(str(measure))
        sns.histplot(
            values.to_numpy(),
            bins=BARS,
            stat="density",
            element="step",
            color=line["color"],
            linewidth=0,
            alpha=0.3,
            kde=len(values) >= FEWEST and np.ptp(values) >= NARROWEST,
            line_kws={"linewidth": 1.2},
            ax=axes,
        )
        axes.axvline(values.mean(), **line)
    axes.set(xlim=(-1, 1), xlabel="", ylabel="")
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["-1", "-0.5", "0", "0.5", "1"])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def jw_fig_correlation(correlation: pd.DataFrame, models: Names) -> Figure:
    """Histograms and densities of Kendall's tau of attention with gradient and leave-one-out; one panel for each
    data set and model, which says for how many texts tau is not defined.

    From columns.CORRELATION rows of any number of data sets; `models` names and orders the panels. Raises AuditError
    for an attribution that is not one of names.ATTRIBUTIONS.
    """
    panels = panels_of(compared(correlation), models)
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT)
        for (panel, rows), [axes] in zip(panels.items(), cells, strict=True):
            draw(axes, rows)
            axes.tick_params(labelbottom=True)
            title(axes, panel, models, f"\nwithout τ: {rows['tau'].isna().sum()} of {len(rows)}")
        figure.supxlabel("Kendall's τ with attention", fontsize=style.TEXT)
        figure.supylabel("density over texts", fontsize=style.TEXT)
        handles = [Line2D([], [], label=ATTRIBUTIONS[name].label, **line_of(name)) for name in LINES]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
