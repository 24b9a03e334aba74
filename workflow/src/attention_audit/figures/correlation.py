"""Figures 2-4 of Jain & Wallace 2019: does attention rank the tokens as gradients and leave-one-out do?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from attention_audit.figures import style
from attention_audit.figures.panels import columns_of, describe, panel_grid, panels_of, title
from attention_audit.names import ATTRIBUTIONS, Names

HEIGHT = 1.95  # inches
LINES: dict[str, Any] = {"gradient": "-", "loo": (0, (2, 1))}
"""The attributions that the paper compares attention with, and the dashes of their outlines."""
BARS = np.linspace(-1, 1, 21)


def compared(correlation: pd.DataFrame) -> pd.DataFrame:
    """The rows that pair attention with one of LINES, whose name is then in the column `measure`."""
    parts = correlation["pair"].astype(str).str.split("~", expand=True)
    ATTRIBUTIONS.refuse_unknown([*parts[0].unique(), *parts[1].unique()])
    chosen = (parts[0] == "attention") & parts[1].isin(LINES)
    return correlation[chosen].assign(measure=parts.loc[chosen, 1])


def line_of(measure: str) -> dict[str, Any]:
    """How the outline of a measure is drawn."""
    return {"color": style.PALETTE[ATTRIBUTIONS[measure].colour], "linestyle": LINES[measure], "linewidth": 1.2}


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """One panel: for each measure a histogram of tau, in percent of the texts, and a triangle at the mean."""
    axes.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
    for measure, values in rows.dropna(subset="tau").groupby("measure")["tau"]:
        line = line_of(str(measure))
        counts, _ = np.histogram(values, BARS)
        axes.stairs(100 * counts / len(values), BARS, fill=True, color=line["color"], alpha=0.2)
        axes.stairs(100 * counts / len(values), BARS, **line)
        top = axes.get_xaxis_transform()
        axes.plot(values.mean(), 1, marker="v", markersize=5, color=line["color"], transform=top, clip_on=False)
    axes.set(xlim=(-1, 1))
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    if not axes.patches:
        axes.set(ylim=(0, 100))
        reason = "no text has a τ: all weights,\nor all scores, of a text are equal"
        axes.text(0, 50, reason, ha="center", va="center", fontsize=style.SMALL, backgroundcolor="white")
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["-1", "-0.5", "0", "0.5", "1"])


def undefined(rows: pd.DataFrame) -> str:
    """For how many of the texts tau is not defined, measure by measure."""
    known = {name: rows.loc[rows["measure"] == name, "tau"] for name in LINES}
    counts = [f"{ATTRIBUTIONS[name].label} {tau.isna().sum()}" for name, tau in known.items() if len(tau)]
    texts = max(len(tau) for tau in known.values())
    return f"no τ: {', '.join(counts)} of {texts} texts" if rows["tau"].isna().any() else f"{texts} texts"


def jw_fig_correlation(correlation: pd.DataFrame, models: Names) -> Figure:
    """Histograms of Kendall's tau of attention with gradient and leave-one-out; one panel for each data set and model,
    which says how many texts it has and for how many of them tau is not defined.

    From columns.CORRELATION rows of any number of data sets; `models` names and orders the panels. Raises AuditError
    for an attribution that is not one of names.ATTRIBUTIONS.
    """
    panels = panels_of(compared(correlation), models)
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT)
        for (panel, rows), [axes] in zip(panels.items(), cells, strict=True):
            draw(axes, rows)
            axes.tick_params(labelbottom=True)
            title(axes, panel, models, columns_of(len(panels)), undefined(rows))
        describe(
            figure,
            "Kendall's τ with attention, text by text (triangles: means)",
            "1: attention orders the tokens as the measure does; 0: unrelated; -1: the opposite order",
            "% of texts",
        )
        handles = [Line2D([], [], label=ATTRIBUTIONS[name].label, **line_of(name)) for name in LINES]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
