"""How far whole adversaries move the weights, and how far the exact contributions of the same adversaries."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.panels import datasets_of, describe, legend, panel_grid, up_to_ln2
from attention_audit.names import Names, display_name

HEIGHT = 2.6  # inches
SHOWN, ABOVE = 2.0, 1.15  # the axis of TVD ends at so many times the budget, or the greatest TVD of a seed
ADVERSARIES = ("adversary", "continuation", "adversaries")
OTHERS = (*ADVERSARIES, "uniform", "imposed")
"""The models that are no further seeds of the base model."""
MAPS: dict[str, dict[str, Any]] = {
    "jsd": {"color": style.BLUE, "marker": "o", "markersize": 3, "label": "frontier of attention weights"},
    "contribution_jsd": {
        "color": style.VERMILLION,
        "marker": "s",
        "markersize": 6,
        "markerfacecolor": "none",
        "linestyle": "--",
        "label": "the same adversaries' exact contributions",
    },
}
"""What of an adversary is compared with the base model's, by column, and how it is drawn: a dot within a square where
both moved alike."""
SMALL: dict[str, Any] = {"linestyle": "none", "markersize": 2.5, "markeredgewidth": 0, "alpha": 0.5}
SEEDS: dict[str, Any] = {"linestyle": "none", "marker": "^", "markersize": 5, "markerfacecolor": "none"}
BUDGET: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.8, "linestyle": (0, (1, 2)), "label": "budget"}
LEGEND: list[dict[str, Any]] = [
    *(look | {"linewidth": 1} for look in MAPS.values()),
    SMALL | {"color": style.BLACK, "marker": "o", "label": "other adversaries"},
    SEEDS | {"color": style.BLACK, "label": "further seeds"},
    BUDGET,
]


def frontier(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs whose weights (`jsd`) are further away than those of every run with a smaller or equal TVD."""
    ordered = runs.sort_values(["tvd", "jsd"], ascending=[True, False], kind="stable")
    earlier = ordered["jsd"].cummax().shift(fill_value=0)
    return ordered[ordered["jsd"] > earlier]


def draw(axes: Axes, adversaries: pd.DataFrame, seeds: pd.DataFrame, budget: float) -> None:
    """One panel: seeds, all adversaries, and the frontier from the base model on, of weights and of contributions."""
    best = frontier(adversaries)
    axes.hlines(
        best["tvd"], best["contribution_jsd"], best["jsd"], color=style.GREY, linewidth=0.5, alpha=0.6, zorder=1
    )
    for column, look in MAPS.items():
        plain = {name: look[name] for name in ("color", "marker")}
        axes.plot(seeds[column], seeds["tvd"], **plain | SEEDS, zorder=4)
        axes.plot(adversaries[column], adversaries["tvd"], **plain | SMALL, zorder=2)
        axes.plot([0, *best[column]], [0, *best["tvd"]], **look | {"linewidth": 1, "marker": ""}, zorder=3)
        axes.plot(best[column], best["tvd"], **look | {"linestyle": "none"}, zorder=3)
    axes.axhline(budget, **BUDGET, zorder=0)
    up_to_ln2(axes)
    highest = max(SHOWN * budget, ABOVE * seeds["tvd"].max() if len(seeds) else 0.0) or 1.0
    axes.set(ylim=(-0.03 * highest, highest))


@style.house_style()
def wp_fig_frontier(comparison: pd.DataFrame, models: Names, budget: float) -> Figure:
    """Means over texts of prediction change (TVD) against the change of two maps (JSD, nats), both from the base model.

    One panel for each data set. Of all adversaries, those are joined whose attention is further away than that of any
    other at the same or a smaller TVD; beside each of them lies the map of its exact contributions. `comparison` holds
    rows of that audit, of any number of data sets. `budget`: the TVD up to which predictions count as the same. Raises
    AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(comparison["model"].unique())
    by = ["dataset", "model", "lambda", "seed"]
    runs = comparison.groupby(by, sort=False, as_index=False, dropna=False)[["tvd", *MAPS]].mean()
    figure, panels = panel_grid(datasets_of(runs), HEIGHT)
    for panel in panels:
        [axes], own = panel.axes, panel.rows
        draw(axes, own[own["model"].isin(ADVERSARIES)], own[~own["model"].isin(OTHERS)], budget)
        axes.set_title(display_name(panel.dataset), loc="left")
    describe(
        figure,
        "JSD from the base model's map (nats)",
        "at the left: the same map; below the budget: the same predictions. Dots at the right with squares at the "
        "left: only the weights moved, not the evidence",
        "TVD of predictions",
    )
    legend(figure, LEGEND)
    return figure
