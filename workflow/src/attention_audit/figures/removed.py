"""Figures 5, 6, 10 and 11 of Serrano & Smith 2019: how much must be erased until the decision flips."""

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.panels import above, beside, describe, instead, panel_grid, panels_of
from attention_audit.names import RANKINGS, Names

HEIGHT = 1.9  # inches
BEYOND = "smallest"
"""The ranking that the paper does not have; a line above it sets it apart."""
LEFT = 1e-6
"""Attention that counts as none; it is all that the rounding of weights lets one tell from 0."""
TICKS = {LEFT: "≤ 10⁻⁶", 1e-4: "10⁻⁴", 1e-2: "0.01", 1: "1"}


def flipped(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """A column by text and seed (rows) and ranking (columns), NaN where the ranking never flips the decision.

    Only of texts whose decision some ranking flips.
    """
    places = rows.assign(ranking=rows["ranking"].astype(str)).set_index(["seed", "id", "ranking"])
    return places[column].unstack("ranking").dropna(how="all")


def draw(axes: Axes, values: pd.DataFrame, never: pd.Series) -> None:
    """One panel: a box for each ranking, and the percent of texts that it never flips; in words, that none flips."""
    axes.set_ylim(len(never) - 0.5, -0.5)
    if values.empty:
        instead(axes, "no ranking flips any text")
        return
    boxes = axes.boxplot(
        values.to_numpy(),
        positions=range(len(never)),
        orientation="horizontal",
        widths=0.65,
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        medianprops={"color": style.BLACK, "linewidth": 1.6},
        whiskerprops={"color": style.BLACK, "linewidth": 0.7},
        capprops={"color": style.BLACK, "linewidth": 0.7},
    )
    for place, name in enumerate(map(str, values)):
        colour = style.PALETTE[RANKINGS[name].colour]
        boxes["boxes"][place].set(facecolor=colour, edgecolor=style.BLACK, linewidth=0.7)
        beside(axes, f"{float(never[name]):.1f} %", place)
        if name == BEYOND:
            axes.axhline(place - 0.5, color=style.GREY, linewidth=0.6, linestyle=(0, (4, 3)))
    above(axes, "never")


def boxes_of(
    ranked_sets: pd.DataFrame, models: Names, column: str, shown: Callable[[pd.DataFrame], pd.DataFrame]
) -> Figure:
    """Box plots of a column by ranking, in the order of names.RANKINGS; one panel for each data set and model.

    All boxes of a panel are of the same texts: those whose decision some ranking flips. shown: from the column, where a
    ranking that never flips a text has erased all of it, to what is drawn.
    """
    rankings = RANKINGS.ordered(ranked_sets["ranking"].unique())
    figure, panels = panel_grid(panels_of(ranked_sets, models), HEIGHT)
    for panel in panels:
        [axes] = panel.axes
        values = flipped(panel.rows, column).reindex(columns=rankings)
        texts = len(panel.rows.drop_duplicates(["seed", "id"]))
        draw(axes, shown(values.fillna(1.0)), 100 * values.isna().mean())
        axes.set_yticks(range(len(rankings)), [RANKINGS[name].label if panel.left else "" for name in rankings])
        flip = "text flips" if texts == 1 else "texts flip"
        panel.title(models[panel.model].label, f"{len(values)} of {texts} {flip}")
    return figure


@style.house_style()
def ss_fig5_fraction_removed(ranked_sets: pd.DataFrame, models: Names) -> Figure:
    """Fraction of the items that each ranking erases until the decision flips; whiskers from 5 to 95 % of the texts.

    The boxes of a panel are of the same texts, those whose decision some ranking flips; a ranking that never does has
    erased all items there, and how often that is stands beside its box. From columns.RANKED_SETS rows of any number of
    data sets; `models` names and orders the panels. Raises AuditError for a ranking that is not one of names.RANKINGS.
    """
    figure = boxes_of(ranked_sets, models, "fraction_removed", lambda fractions: fractions)
    for axes in figure.axes:
        axes.set(xlim=(0, 1))
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    describe(
        figure,
        "fraction of the items erased until the decision flips",
        "further left: the ranking finds what decides sooner",
    )
    return figure


@style.house_style()
def ss_fig11_mass_removed(ranked_sets: pd.DataFrame, models: Names) -> Figure:
    """Like `ss_fig5_fraction_removed`, with the attention on the items that are left, on a logarithmic scale.

    Less than LEFT is drawn as LEFT.
    """
    figure = boxes_of(ranked_sets, models, "mass_removed", lambda masses: (1 - masses).clip(LEFT, 1))
    for axes in figure.axes:
        axes.set_xscale("log")
        axes.set(xlim=(LEFT, 1))
        axes.set_xticks(list(TICKS), list(TICKS.values()))
        axes.minorticks_off()
    describe(
        figure,
        "attention on the items that are left when the decision flips (logarithmic)",
        "further right: the decision flips although most of the attention is left; further left: nearly all had to go",
    )
    return figure
