"""Figures 2-4 of Jain & Wallace 2019: does attention rank the tokens as gradients and leave-one-out do?

And, beyond the paper, which pairs of attributions rank the tokens alike.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from attention_audit.arrays import Floats
from attention_audit.names import ATTRIBUTIONS, Names

from . import style
from .panels import Key, by_model, describe, instead, legend, panel_grid

HEIGHT = 1.95  # inches: of a panel of histograms
CELL, MARGIN = 0.3, 1.5  # inches: of a panel of pairs
LINES: dict[str, Any] = {"gradient": "-", "loo": (0, (2, 1))}
"""The attributions that the paper compares attention with, and the dashes of their outlines."""
BARS = np.linspace(-1, 1, 21)


def compared(correlation: pd.DataFrame) -> pd.DataFrame:
    """Take the rows that pair attention with one of LINES, whose name is then in the column `measure`."""
    pairs = correlation["pair"].astype(str)
    ATTRIBUTIONS.refuse_unknown(name for pair in pairs.unique() for name in pair.split("~"))
    measures = pairs.map({f"attention~{name}": name for name in LINES})
    return correlation.assign(measure=measures).dropna(subset="measure")


def line_of(measure: str) -> dict[str, Any]:
    """Choose how the outline of a measure is drawn."""
    return {"color": style.PALETTE[ATTRIBUTIONS[measure].colour], "linestyle": LINES[measure], "linewidth": 1.2}


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw one panel: for each measure a histogram of tau, in percent of the texts, and a triangle at the mean."""
    axes.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
    for measure, values in rows.dropna(subset="tau").groupby("measure")["tau"]:
        line = line_of(str(measure))
        shares = 100 * np.histogram(values, BARS)[0] / len(values)
        axes.stairs(shares, BARS, fill=True, color=line["color"], alpha=0.2)
        axes.stairs(shares, BARS, **line)
        top = axes.get_xaxis_transform()
        axes.plot(values.mean(), 1, "v", markersize=5, color=line["color"], transform=top, clip_on=False)
    axes.set(xlim=(-1, 1))
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    if not axes.patches:
        instead(axes, "no text has a τ")
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["-1", "-0.5", "0", "0.5", "1"])


@style.house_style()
def jw_fig_correlation(correlation: pd.DataFrame, models: Names) -> Figure:
    """Draw histograms of Kendall's tau of attention with gradient and leave-one-out; one panel for each data set and
    model that has a text where tau is defined, with the number of these texts.

    From columns.CORRELATION rows of any number of data sets; `models` names and orders the panels. Raises AuditError
    for an attribution that is not one of names.ATTRIBUTIONS.
    """
    figure, panels = panel_grid(with_values(by_model(compared(correlation), models)), HEIGHT)
    for panel in panels:
        draw(panel.axes[0], panel.rows)
        panel.title(models[panel.model].label, f"{panel.rows.groupby('measure')['tau'].count().max()} texts")
    describe(
        figure,
        "Kendall's τ with attention, text by text (triangles: means)",
        "1: attention orders the tokens as the measure does; 0: unrelated; -1: the opposite order",
        "% of texts",
    )
    legend(figure, ({"label": ATTRIBUTIONS[name].label, **line_of(name)} for name in LINES))
    return figure


def with_values(panels: dict[Key, pd.DataFrame]) -> dict[Key, pd.DataFrame]:
    """Keep the panels in which some tau is defined, which it is not where all weights of a text are equal; all panels
    where it is in none.
    """
    return {key: rows for key, rows in panels.items() if rows["tau"].notna().any()} or panels


def matrix(rows: pd.DataFrame, names: list[str]) -> Floats:
    """Average tau of each pair over texts and seeds, below the diagonal; NaN above it, and where tau is undefined."""
    known = rows.dropna(subset="tau")
    pairs = [known[name].astype(str).map(names.index).to_numpy(np.int64) for name in ("first", "second")]
    places = tuple(np.sort(pairs, axis=0)[::-1])
    sums, texts = np.zeros((2, len(names), len(names)))
    np.add.at(sums, places, known["tau"] * known["texts"])
    np.add.at(texts, places, known["texts"])
    with np.errstate(invalid="ignore"):
        return sums / texts


def draw_pairs(axes: Axes, values: Floats) -> AxesImage:
    """Draw one panel: a shade and a number for each pair; the last attribution has no column, the first no row."""
    shown = values[1:, :-1]
    image = axes.imshow(shown, cmap=style.DIVERGING, vmin=-1, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(shown):
        if np.isfinite(value):
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color="black", fontsize=style.SMALL)
    if np.isnan(shown).all():
        instead(axes, "In no text do two of them\norder the words.")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


@style.house_style()
def jw_fig_agreement(agreement: pd.DataFrame, models: Names) -> Figure:
    """Draw the mean Kendall's tau of every two attributions; one panel for each data set and model of which attention
    orders the words of some text.

    From columns.AGREEMENT rows of any number of data sets; `models` names and orders the panels. Raises AuditError
    for an attribution that is not one of names.ATTRIBUTIONS.
    """
    names = ATTRIBUTIONS.ordered([*agreement["first"].unique(), *agreement["second"].unique()])
    labels = [ATTRIBUTIONS[name].label for name in names]
    with_attention = agreement[(agreement[["first", "second"]] == "attention").any(axis=1)]
    shown = with_values(by_model(with_attention, models))
    every = by_model(agreement, models)
    figure, panels = panel_grid({key: every[key] for key in shown}, CELL * len(names) + MARGIN)
    for panel in panels:
        [axes] = panel.axes
        image = draw_pairs(axes, matrix(panel.rows, names))
        panel.label_rows(labels[1:])
        axes.set_xticks(range(len(names) - 1), labels[:-1], rotation=45, ha="right", rotation_mode="anchor")
        # the columns of the panels above are those of the lowest
        axes.tick_params(labelbottom=panel.lowest)
        panel.title(models[panel.model].label)
    bar = figure.colorbar(image, ax=figure.axes, orientation="horizontal", fraction=0.03, aspect=50, pad=0.02)
    bar.outline.set_visible(False)
    describe(
        figure,
        "Kendall's τ of two attributions over the tokens of a text, mean over texts",
        "1: the same order; 0: unrelated; -1: the opposite order",
    )
    return figure
