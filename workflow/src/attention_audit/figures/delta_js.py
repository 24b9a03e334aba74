"""Figures 3, 4, 7 and 8 of Serrano & Smith 2019: the effect of erasing the top item against another."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_audit.figures import style
from attention_audit.figures.panels import Key, Window, above, beside, density, describe, panel_grid, panels_of
from attention_audit.names import Names, display_name
from attention_audit.tables.erasure import compared

HEIGHT, ROW, MARGIN = 1.9, 0.2, 1.2  # inches
CELLS = (40, 30)  # of the density of a panel, along x and y
FAINTEST = 0.3  # texts, so that a single one is seen
LEAST = 0.01  # of both axes
TICKS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
X_LABEL = "Δα: attention of the top item minus that of another"
HINT = "above 0 the top item matters more than the other, below 0 less"


def window(rows: pd.DataFrame) -> Window:
    """The bounds that hold all texts, with a little room."""
    furthest = 1.05 * max(LEAST, rows["delta_attention"].max())
    return (0, furthest), (1.05 * min(-LEAST, rows["delta_js"].min()), 1.05 * max(LEAST, rows["delta_js"].max()))


@style.house_style()
def ss_fig3_delta_js(single_weight: pd.DataFrame, models: Names) -> Figure:
    """delta JS (nats) against delta attention: how many texts and seeds lie where, on a logarithmic scale of shades.

    One panel for each model. Those of a data set have the same axes, which hold all its texts; all panels have the same
    shades. From columns.SINGLE_WEIGHT rows of any number of data sets; `models` names and orders the panels.
    """
    rows = compared(single_weight)
    windows = {str(name): window(part) for name, part in rows.groupby("dataset", sort=False, observed=True)}
    figure, panels = panel_grid(panels_of(rows, models), HEIGHT)
    drawn = []
    for panel in panels:
        [axes] = panel.axes
        x, y = panel.rows["delta_attention"], panel.rows["delta_js"]
        drawn.append(density(axes, x, y, CELLS, windows[panel.dataset], FAINTEST))
        axes.axhline(0, color=style.BLACK, linewidth=0.8, linestyle=(0, (4, 3)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(4))
        panel.title(models[panel.model].label, f"below 0: {share(panel.rows)}")
    most = max(2.0, *(most for _, most in drawn))
    for mesh, _ in drawn:
        mesh.set_clim(vmax=most)
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


def draw_strip(axes: Axes, panels: dict[Key, pd.DataFrame]) -> None:
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


@style.house_style()
def ss_fig4_negative_delta_js(single_weight: pd.DataFrame, models: Names) -> Figure:
    """The delta attention of each text whose delta JS is negative, with their median and number; one row a model.

    From columns.SINGLE_WEIGHT rows of any number of data sets; `models` names and orders the rows. The table of the
    same name has the numbers.
    """
    panels = panels_of(compared(single_weight), models)
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
