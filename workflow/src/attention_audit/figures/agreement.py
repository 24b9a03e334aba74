"""Which pairs of attributions rank the tokens alike; beyond Jain & Wallace 2019."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.panels import columns_of, panel_grid, panels_of, title
from attention_audit.names import ATTRIBUTIONS, Names

CELL, MARGIN = 0.3, 1.5  # inches

Floats = npt.NDArray[np.float64]


def matrix(rows: pd.DataFrame, names: list[str]) -> Floats:
    """Mean tau of each pair over texts and seeds, below the diagonal; NaN above it, and where tau is undefined."""
    known = rows.dropna(subset="tau")
    one, other = (known[name].astype(str).map(names.index).to_numpy(np.int64) for name in ("first", "second"))
    places = np.maximum(one, other), np.minimum(one, other)
    sums, texts = np.zeros((2, len(names), len(names)))
    np.add.at(sums, places, known["tau"] * known["texts"])
    np.add.at(texts, places, known["texts"])
    with np.errstate(invalid="ignore"):
        return sums / texts


def draw(axes: Axes, values: Floats) -> None:
    """One panel: a shade and a number for each pair; the last attribution has no column, the first no row."""
    shown = values[1:, :-1]
    axes.imshow(shown, cmap=style.DIVERGING, vmin=-1, vmax=1, aspect="auto")
    for row, column in np.argwhere(np.isfinite(shown)):
        value = float(shown[row, column])
        ink = style.ink_on(style.DIVERGING((1 + value) / 2))
        axes.annotate(f"{value:.2f}", (column, row), ha="center", va="center", color=ink, fontsize=style.SMALL)
    if np.isnan(shown).all():
        axes.text(
            0.5, 0.5, "In no text do two of them\norder the words.", transform=axes.transAxes, ha="center", va="center"
        )
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def jw_fig_agreement(agreement: pd.DataFrame, models: Names) -> Figure:
    """Mean Kendall's tau of every two attributions; one panel for each data set and model.

    From columns.AGREEMENT rows of any number of data sets; `models` names and orders the panels. Raises AuditError
    for an attribution that is not one of names.ATTRIBUTIONS.
    """
    names = ATTRIBUTIONS.ordered([*agreement["first"].unique(), *agreement["second"].unique()])
    labels = [ATTRIBUTIONS[name].label for name in names]
    panels = panels_of(agreement, models)
    with style.house_style():
        figure, cells = panel_grid(len(panels), CELL * len(names) + MARGIN)
        for place, ((panel, rows), [axes]) in enumerate(zip(panels.items(), cells, strict=True)):
            draw(axes, matrix(rows, names))
            first = place % columns_of(len(panels)) == 0
            axes.set_yticks(range(len(names) - 1), labels[1:] if first else [""] * (len(names) - 1))
            axes.set_xticks(range(len(names) - 1), labels[:-1], rotation=45, ha="right", rotation_mode="anchor")
            axes.tick_params(labelbottom=True)
            title(axes, panel, models)
    return figure
