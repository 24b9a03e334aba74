"""Figures 5, 6, 10 and 11 of Serrano & Smith 2019: how much must go, by each ranking, until the decision flips."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.margin import above, beside
from attention_audit.figures.panels import columns_of, panel_grid, panels_of, title
from attention_audit.figures.rankings import LOOKS

HEIGHT = 1.75  # inches
REFERENCE = 3.5  # the line above the ranking that the paper has not


def draw(axes: Axes, values: Mapping[str, pd.Series]) -> None:
    """One panel: a box for each ranking, and the share of texts that it never flips; those have no value."""
    boxes = axes.boxplot(
        [values[name].dropna().to_numpy() for name in LOOKS],
        positions=range(len(LOOKS)),
        orientation="horizontal",
        widths=0.65,
        whis=1.5,
        showfliers=False,
        patch_artist=True,
        medianprops={"color": style.BLACK, "linewidth": 1.6},
        whiskerprops={"color": style.BLACK, "linewidth": 0.7},
        capprops={"color": style.BLACK, "linewidth": 0.7},
    )
    for place, (name, look) in enumerate(LOOKS.items()):
        boxes["boxes"][place].set(facecolor=look.colour, edgecolor=style.BLACK, linewidth=0.7)
        beside(axes, f"{100 * values[name].isna().mean():.1f} %", place)
    above(axes, "never")
    axes.axhline(REFERENCE, color=style.GREY, linewidth=0.6, linestyle=(0, (4, 3)))
    axes.set(xlim=(0, 1), ylim=(len(LOOKS) - 0.5, -0.5))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])


def boxes_of(ranked_sets: pd.DataFrame, column: str, label: str) -> Figure:
    """Box plots of a column by ranking; a panel a data set and model."""
    panels = panels_of(ranked_sets)
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT)
        for place, ((panel, rows), [axes]) in enumerate(zip(panels.items(), cells, strict=True)):
            draw(axes, dict(iter(rows.groupby("ranking", observed=True)[column])))
            first = place % columns_of(len(panels)) == 0
            axes.set_yticks(range(len(LOOKS)), [look.name if first else "" for look in LOOKS.values()])
            axes.tick_params(labelbottom=True)
            title(axes, panel)
        figure.supxlabel(label, fontsize=style.TEXT)
    return figure


def ss_fig5_fraction_removed(ranked_sets: pd.DataFrame) -> Figure:
    """Fraction of the items that each ranking erases until the decision flips; whiskers reach 1.5 IQR.

    Texts that a ranking never flips are left out of its box, and counted beside it. From columns.RANKED_SETS rows of
    any number of data sets.
    """
    return boxes_of(ranked_sets, "fraction_removed", "fraction of the items erased until the decision flips")


def ss_fig11_mass_removed(ranked_sets: pd.DataFrame) -> Figure:
    """The same with the attention that lay on the erased items."""
    return boxes_of(ranked_sets, "mass_removed", "attention on the items erased until the decision flips")
