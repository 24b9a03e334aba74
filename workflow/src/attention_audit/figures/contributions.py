"""Attention against exact contributions, suite by suite; the papers have no such figure."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.arrays import Floats
from attention_audit.columns.audits import TOP
from attention_audit.names import Names

from . import style
from .panels import (
    QUARTERS,
    by_model,
    density,
    describe,
    panel_grid,
    reach,
    scale_by_roots,
)

HEIGHT = 2.9  # inches
RATIOS = (2.6, 1, 1)
CELLS = 40  # of the map of items, a side
FAINTEST = 0.2  # items, so that a single one is seen
BARS = np.linspace(0, 1, 26)
WIDTH = 0.08  # of a bar that stands for one value
Y_LABELS = ("contribution (share)", "% of texts", "% of texts")


def items_of(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """Take attention, and contribution as a share of the sum of all absolute ones, of the top items of all texts.

    Each list of `rows` is in columns of its own, such as top_weights_0. Texts whose contributions are all 0 are left
    out.
    """
    weights, contributions = (
        rows.reindex(columns=[f"{name}_{place}" for place in range(TOP)])
        for name in ("top_weights", "top_contributions")
    )
    shares = contributions.div(rows["magnitude"], axis=0).to_numpy()
    known = np.isfinite(shares)
    return weights.to_numpy()[known], shares[known]


def draw_items(axes: Axes, rows: pd.DataFrame) -> None:
    """Show how many items have which attention and which signed share of the contributions, on square-root scales that
    end where the items do.
    """
    weights, shares = items_of(rows)
    axes.axhline(0, color=style.GREY, linewidth=0.8)
    axes.plot((0, 1), (0, 1), color=style.GREY, **style.DASHES)
    scale_by_roots(axes, "x", 0, reach(weights))
    scale_by_roots(axes, "y", -reach(-shares), reach(shares))
    density(axes, weights, shares, (CELLS, CELLS), FAINTEST)
    axes.set_xlabel("attention of an item", fontsize=style.SMALL)


def say(axes: Axes, what: str, values: pd.Series) -> None:
    """Write above bars what they count, and the mean; their x axis is of shares."""
    said = f"{what}: mean {values.mean():.2f}" if len(values) else f"{what}: no text of more than {TOP} items"
    axes.set_title(said, loc="left", fontsize=style.SMALL, pad=3)
    axes.set_xticks([*QUARTERS], [*QUARTERS.values()])


def draw_against(axes: Axes, rows: pd.DataFrame) -> None:
    """Show how many texts have how much of their attention on items that speak against the prediction."""
    counts, _ = np.histogram(rows["against"].clip(0, 1), BARS)
    axes.bar(BARS[:-1], 100 * counts / len(rows), BARS[1], align="edge", color=style.VERMILLION, linewidth=0)
    axes.set_xlim(0, 1)
    say(axes, "against the prediction", rows["against"])


def draw_overlap(axes: Axes, rows: pd.DataFrame) -> None:
    """Show how many texts of more than TOP items share how many of the first TOP."""
    values = rows.loc[rows["items"] > TOP, "overlap"]
    shares = np.arange(TOP + 1) / TOP
    counts = np.bincount((TOP * values).round().astype(int), minlength=TOP + 1)
    axes.bar(shares, 100 * counts / max(1, len(values)), WIDTH, color=style.GREEN, linewidth=0)
    axes.set(xlim=(-WIDTH / 2, 1 + WIDTH / 2), ylim=(0, None if len(values) else 100))
    say(axes, f"overlap of the first {TOP}", values)


@style.house_style()
def wp_fig_contributions(contributions: pd.DataFrame, models: Names) -> Figure:
    """Draw three parts for each data set and model, from columns.CONTRIBUTIONS rows of any number of data sets, each
    list in columns of its own; `models` names and orders the panels.
    """
    figure, panels = panel_grid(by_model(contributions, models), HEIGHT, RATIOS)
    for panel in panels:
        for draw, axes in zip((draw_items, draw_against, draw_overlap), panel.axes, strict=True):
            draw(axes, panel.rows)
        panel.name_axes(*Y_LABELS)
        panel.title(models[panel.model].label)
    describe(
        figure,
        "above: items, the darker the more of them (logarithmic, each panel by itself; both axes are square roots)",
        "on the dashes: attention is what the item adds; below 0: the item speaks against the prediction. Less "
        "against, and more overlap, is better",
    )
    return figure
