"""Which map may be shown: every map of a Transformer beside the others, measure by measure."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.names import RANKINGS, display_name
from attention_audit.tables.wording import named

from . import style
from .panels import by_model, draw_dots, leave_rows

LINE, BLOCK = 0.19, 1.0  # inches: a map, and title and axis of its block
MEASURES: Mapping[str, str] = {
    "located": "located\n(1: as leave-one-out)",
    "opposes": "first word opposes\n(share of texts)",
    "rank_stability": "same order when retrained\n(rank correlation)",
    "auprc": "marked words first\n(AUPRC)",
}
"""The measures from left to right: what the axis says."""
POINT: dict[str, Any] = style.DOTS | {"markersize": 5.5, "markeredgewidth": 0.5, "markeredgecolor": "white"}


def draw(axes: Axes, values: pd.DataFrame, maps: list[str]) -> None:
    """Draw one measure: a point with its interval for each map, the first one on top."""
    draw_dots(axes, values, maps, lambda name: style.mark(RANKINGS[name]) | POINT)
    leave_rows(axes, len(maps))
    axes.set_yticks(range(len(maps)), [RANKINGS[name].label for name in maps])
    axes.grid(axis="y", linewidth=0.3)
    axes.axvline(0, color=style.GREY, linewidth=0.6, zorder=0)


@style.house_style()
def hf_fig_maps(maps: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw each map of each model, the one that best locates the words that matter on top; a column for each measure
    that was taken, with 95 % intervals.

    `maps`: the table hf_table_maps. `labels`: what models and maps are called.
    """
    known = maps[maps["metric"].isin([*MEASURES]) & maps["mean"].notna()]
    known = known.join(known["row"].str.extract("(?P<model>.*)/(?P<map>.*)"))
    measures = [name for name in MEASURES if name in set(known["metric"])]
    blocks = by_model(known)
    orders = [list(dict.fromkeys(part["map"])) for part in blocks.values()]
    heights = [LINE * len(order) + BLOCK for order in orders]
    figure = Figure(figsize=(style.WIDTH, sum(heights) or 1.0), layout="constrained")
    if not blocks:
        return figure
    grid = figure.subplots(len(blocks), len(measures), squeeze=False, sharey="row", height_ratios=heights)
    for axes, ((dataset, model), part), order in zip(grid, blocks.items(), orders, strict=True):
        for panel, measure in zip(axes, measures, strict=True):
            draw(panel, part[part["metric"] == measure].set_index("map"), order)
            panel.set_xlabel(MEASURES[measure], fontsize=style.SMALL)
        axes[0].set_title(f"{display_name(dataset)}, {named(model, labels)}", loc="left", fontsize=style.TEXT)
    return figure
