"""Which pairs of attributions rank the tokens alike; beyond Jain & Wallace 2019."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from attention_audit.figures import style
from attention_audit.figures.panels import columns_of, describe, panel_grid, panels_of, title
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


def draw(axes: Axes, values: Floats) -> AxesImage:
    """One panel: a shade and a number for each pair; the last attribution has no column, the first no row."""
    shown = values[1:, :-1]
    image = axes.imshow(shown, cmap=style.DIVERGING, vmin=-1, vmax=1, aspect="auto")
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
    return image


def jw_fig_agreement(agreement: pd.DataFrame, models: Names) -> Figure:
    """Mean Kendall's tau of every two attributions; one panel for each data set and model.

    From columns.AGREEMENT rows of any number of data sets; `models` names and orders the panels. Raises AuditError
    for an attribution that is not one of names.ATTRIBUTIONS.
    """
    names = ATTRIBUTIONS.ordered([*agreement["first"].unique(), *agreement["second"].unique()])
    labels = [ATTRIBUTIONS[name].label for name in names]
    panels = panels_of(agreement, models)
    columns = columns_of(len(panels))
    with style.house_style():
        figure, cells = panel_grid(len(panels), CELL * len(names) + MARGIN)
        for place, ((panel, rows), [axes]) in enumerate(zip(panels.items(), cells, strict=True)):
            image = draw(axes, matrix(rows, names))
            first = place % columns == 0
            last = place + columns >= len(panels)
            axes.set_yticks(range(len(names) - 1), labels[1:] if first else [""] * (len(names) - 1))
            # the columns of the panels above are those of the lowest
            below = labels[:-1] if last else [""] * (len(names) - 1)
            axes.set_xticks(range(len(names) - 1), below, rotation=45, ha="right", rotation_mode="anchor")
            axes.tick_params(labelbottom=last)
            title(axes, panel, models, columns)
        bar = figure.colorbar(image, ax=figure.axes, orientation="horizontal", fraction=0.03, aspect=50, pad=0.02)
        bar.outline.set_visible(False)
        describe(
            figure,
            "Kendall's τ of two attributions over the tokens of a text, mean over texts",
            "1: the same order; 0: unrelated; -1: the opposite order",
        )
    return figure
