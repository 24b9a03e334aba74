"""Figures 5, 6, 10 and 11 of Serrano & Smith 2019: how much must be erased until the decision flips."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.margin import above, beside
from attention_audit.figures.panels import columns_of, panel_grid, panels_of, title
from attention_audit.names import RANKINGS, Names

HEIGHT = 1.75  # inches
BEYOND = "smallest"
"""The ranking that the paper does not have; a line above it sets it apart."""


def draw(axes: Axes, values: Mapping[str, pd.Series]) -> None:
    """One panel: a box for each ranking, and the share of texts that it never flips, which have no value."""
    boxes = axes.boxplot(
        [column.dropna().to_numpy() for column in values.values()],
        positions=range(len(values)),
        orientation="horizontal",
        widths=0.65,
        whis=1.5,
        showfliers=False,
        patch_artist=True,
        medianprops={"color": style.BLACK, "linewidth": 1.6},
        whiskerprops={"color": style.BLACK, "linewidth": 0.7},
        capprops={"color": style.BLACK, "linewidth": 0.7},
    )
    for place, (name, column) in enumerate(values.items()):
        colour = style.PALETTE[RANKINGS[name].colour]
        boxes["boxes"][place].set(facecolor=colour, edgecolor=style.BLACK, linewidth=0.7)
        beside(axes, f"{100 * column.isna().mean():.1f} %", place)
        if name == BEYOND:
            axes.axhline(place - 0.5, color=style.GREY, linewidth=0.6, linestyle=(0, (4, 3)))
    above(axes, "never")
    axes.set(xlim=(0, 1), ylim=(len(values) - 0.5, -0.5))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])


def boxes_of(ranked_sets: pd.DataFrame, models: Names, column: str, label: str) -> Figure:
    """Box plots of a column by ranking, in the order of names.RANKINGS; one panel for each data set and model."""
    panels = panels_of(ranked_sets, models)
    rankings = RANKINGS.ordered(ranked_sets["ranking"].unique())
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT)
        for place, ((panel, rows), [axes]) in enumerate(zip(panels.items(), cells, strict=True)):
            draw(axes, {name: rows.loc[rows["ranking"] == name, column] for name in rankings})
            first = place % columns_of(len(panels)) == 0
            axes.set_yticks(range(len(rankings)), [RANKINGS[name].label if first else "" for name in rankings])
            axes.tick_params(labelbottom=True)
            title(axes, panel, models)
        figure.supxlabel(label, fontsize=style.TEXT)
    return figure


def ss_fig5_fraction_removed(ranked_sets: pd.DataFrame, models: Names) -> Figure:
    """Fraction of the items that each ranking erases until the decision flips; whiskers reach 1.5 IQR.

    Texts that a ranking never flips are left out of its box, and counted beside it. From columns.RANKED_SETS rows of
    any number of data sets; `models` names and orders the panels. Raises AuditError for a ranking
    that is not one of names.RANKINGS.
    """
    return boxes_of(ranked_sets, models, "fraction_removed", "fraction of the items erased until the decision flips")


def ss_fig11_mass_removed(ranked_sets: pd.DataFrame, models: Names) -> Figure:
    """Like `ss_fig5_fraction_removed`, with the attention on the erased items instead of their number."""
    return boxes_of(ranked_sets, models, "mass_removed", "attention on the items erased until the decision flips")
