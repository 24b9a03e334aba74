"""Figures 3, 4, 7 and 8 of Serrano & Smith 2019: the effect of erasing the top item against another."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_audit.figures import style
from attention_audit.figures.margin import above, beside
from attention_audit.figures.panels import Panel, columns_of, describe, panel_grid, panels_of, title
from attention_audit.names import Names, display_name
from attention_audit.tables.delta_js import compared

HEIGHT, ROW, MARGIN = 1.9, 0.2, 1.2  # inches
CELLS = (40, 30)  # of the density of a panel, along x and y
FAINTEST = 0.3  # texts, so that a single one is seen
LEAST = 0.01  # of both axes
TICKS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
X_LABEL = "Δα: attention of the top item minus that of another"
HINT = "above 0 the top item matters more than the other, below 0 less"


class Window(NamedTuple):
    """The axes of all panels of one data set."""

    furthest: float
    lowest: float
    highest: float

    def counts(self, rows: pd.DataFrame) -> npt.NDArray[np.float64]:
        """How many texts lie in each cell."""
        bounds = ((0, self.furthest), (self.lowest, self.highest))
        counts: npt.NDArray[np.float64] = np.histogram2d(rows["delta_attention"], rows["delta_js"], CELLS, bounds)[0]
        return counts


def window(rows: pd.DataFrame) -> Window:
    """The axes that hold all texts, with a little room."""
    furthest = 1.05 * max(LEAST, rows["delta_attention"].max())
    return Window(furthest, 1.05 * min(-LEAST, rows["delta_js"].min()), 1.05 * max(LEAST, rows["delta_js"].max()))


def draw_density(axes: Axes, rows: pd.DataFrame, window: Window, most: float) -> QuadMesh:
    """One panel: how many texts lie where, on a logarithmic scale of shades, up to `most` in a cell."""
    counts = window.counts(rows)
    mesh = axes.pcolormesh(
        np.linspace(0, window.furthest, CELLS[0] + 1),
        np.linspace(window.lowest, window.highest, CELLS[1] + 1),
        np.ma.masked_equal(counts.T, 0),
        cmap=style.SHADING,
        norm=LogNorm(FAINTEST, most),
        rasterized=True,
    )
    axes.axhline(0, color=style.BLACK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set(xlim=(0, window.furthest), ylim=(window.lowest, window.highest))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4))
    return mesh


def ss_fig3_delta_js(single_weight: pd.DataFrame, models: Names) -> Figure:
    """delta JS (nats) against delta attention: how many texts and seeds lie where; one panel for each model.

    The panels of a data set have the same axes, which hold all its texts; all panels have the same shades. From
    columns.SINGLE_WEIGHT rows of any number of data sets; `models` names and orders the panels.
    """
    rows = compared(single_weight)
    panels = panels_of(rows, models)
    windows = {str(name): window(part) for name, part in rows.groupby("dataset", sort=False, observed=True)}
    most = max(2.0, *(windows[dataset].counts(part).max() for (dataset, _), part in panels.items()))
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT, share=False)
        for (panel, part), [axes] in zip(panels.items(), cells, strict=True):
            mesh = draw_density(axes, part, windows[panel[0]], most)
            title(axes, panel, models, columns_of(len(panels)), f"below 0: {share(part)}")
        bar = figure.colorbar(mesh, ax=figure.axes, orientation="horizontal", aspect=50, fraction=0.03, pad=0.02)
        ticks = [tick for tick in TICKS if tick <= most]
        bar.set_ticks(ticks, labels=[f"{tick:,}" for tick in ticks])
        bar.minorticks_off()
        bar.outline.set_visible(False)
        describe(figure, f"{X_LABEL}; shades: texts in a cell", HINT, "ΔJS (nats)")
    return figure


def share(rows: pd.DataFrame) -> str:
    """How many of the texts have a negative delta JS."""
    return f"{(rows['delta_js'] < 0).sum()} of {len(rows)}"


def draw_strip(axes: Axes, panels: dict[Panel, pd.DataFrame]) -> None:
    """A row a panel: the delta attention of each text with a negative delta JS, and a bar at their median."""
    jitter = np.random.default_rng(0)
    for place, rows in enumerate(panels.values()):
        values = rows.loc[rows["delta_js"] < 0, "delta_attention"]
        heights = place + jitter.uniform(-0.3, 0.3, len(values))
        axes.scatter(values, heights, s=5, color=style.BLUE, alpha=0.5, linewidths=0, clip_on=False, rasterized=True)
        if len(values):
            axes.vlines(values.median(), place - 0.4, place + 0.4, color=style.BLACK, linewidth=1.2)
        beside(axes, share(rows), place)
    above(axes, "texts")


def ss_fig4_negative_delta_js(single_weight: pd.DataFrame, models: Names) -> Figure:
    """The delta attention of each text whose delta JS is negative, with their median and number; one row a model.

    From columns.SINGLE_WEIGHT rows of any number of data sets; `models` names and orders the rows. The table of the
    same name has the numbers.
    """
    panels = panels_of(compared(single_weight), models)
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH, ROW * len(panels) + MARGIN), layout="constrained")
        axes = figure.subplots()
        draw_strip(axes, panels)
        names = [f"{display_name(dataset)}, {models[model].label}" for dataset, model in panels]
        axes.set_yticks(range(len(panels)), names)
        negative = pd.concat(panels.values()).query("delta_js < 0")["delta_attention"]
        axes.set(xlim=(0, min(1.0, 1.05 * max(LEAST, negative.max()))) if len(negative) else (0, 1))
        axes.set_ylim(len(panels) - 0.5, -0.5)
        describe(
            figure,
            f"{X_LABEL}, of texts with ΔJS < 0 (bar: median)",
            "few texts, and near 0: attention is right about importance; far to the right: a far smaller weight "
            "mattered more",
        )
    return figure
