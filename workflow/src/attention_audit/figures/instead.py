"""Which attribution to show instead of attention: all of them on one scale, beside attention on the same texts."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.columns.tables import BY
from attention_audit.names import RANKINGS
from attention_audit.tables.wording import named

from . import style
from .panels import by_model, describe, draw_dot, leave_rows, legend, panel_grid, write_sentence

LINE, MARGIN = 0.19, 0.85
"""Inches: a row of a panel; and the title and axis of a panel."""
OFFSET = 0.16
"""How far, in rows, the two questions stand above and below the middle of a row."""
LOOKS: Mapping[str, dict[str, Any]] = {
    "located": {"color": style.BLUE, "marker": "o", "label": "located: words deleted from the input"},
    "ranks": {"color": style.VERMILLION, "marker": "s", "label": "ranks: items erased"},
}
POINT: dict[str, Any] = style.DOTS | {"markersize": 5}
YARDSTICK: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 1.2}
ATTENTION: dict[str, Any] = {"color": style.BLACK, "marker": "|", "markersize": 8, "linestyle": "none"}
NOTHING = "No attribution of this run can be held against another."


def draw_rows(axes: Axes, rows: pd.DataFrame, names: list[str]) -> None:
    """Draw the attributions of one model, the first of `names` on top: rows of columns.INSTEAD."""
    for question, shift in zip(BY, (-OFFSET, OFFSET), strict=True):
        for row in rows.dropna(subset=f"{question}_value").to_dict("records"):
            at = names.index(row["attribution"]) + shift
            if row["attribution"] != "attention":
                axes.plot([row[f"{question}_attention"]], [at], **ATTENTION, zorder=2)
            look = POINT | LOOKS[question] | (YARDSTICK if row[f"{question}_yardstick"] else {})
            draw_dot(axes, at, [row[f"{question}_{end}"] for end in ("value", "low", "high")], look)
    for value in (0, 1):
        axes.axvline(value, color=style.GREY, **style.DASHES, zorder=0)


@style.house_style()
def fig_instead(instead: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw `located` and `ranks` of all attributions, a panel a data set and model; from a columns.INSTEAD frame."""
    rows = instead[instead[[f"{question}_value" for question in BY]].notna().any(axis=1)]
    if rows.empty:
        return write_sentence(NOTHING)
    names = RANKINGS.ordered({*map(str, rows["attribution"])})
    figure, panels = panel_grid(by_model(rows), LINE * len(names) + MARGIN)
    for panel in panels:
        [axes] = panel.axes
        draw_rows(axes, panel.rows, names)
        leave_rows(axes, len(names))
        panel.label_rows([RANKINGS[name].label for name in names])
        panel.title(named(panel.model, labels))
    describe(
        figure,
        "0: random; 1: leave-one-out (located), the smallest set that flips the decision (ranks); 95 % intervals",
        "to the right: the attribution finds more of what matters",
    )
    hollow = POINT | YARDSTICK | {"color": style.GREY, "marker": "o", "label": "hollow: the yardstick itself"}
    tick = ATTENTION | {"label": "attention on the same texts"}
    legend(figure, [*(POINT | look for look in LOOKS.values()), hollow, tick], columns=2)
    return figure
