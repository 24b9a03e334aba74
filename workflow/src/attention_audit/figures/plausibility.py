"""Whether attributions point to marked words."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from attention_audit.names import PLAUSIBLE
from attention_audit.tables.wording import named

from . import style
from .panels import by_model, describe, draw_dots, leave_rows, legend, panel_grid, write_sentence

LINE, MARGIN = 0.17, 0.85  # inches: a row of a panel, and its title and axis
END: dict[str, Any] = {"linewidth": 1.2, "zorder": 1}
ENDS: dict[str, dict[str, Any]] = {
    "random": END | {"color": style.ORANGE, "linestyle": (0, (1, 1.5)), "label": "random or uniform weights"},
    "frequency": END | {"color": style.GREY, "linestyle": (0, (5, 1.5, 1, 1.5)), "label": "rare words first"},
    "others": END | {"color": style.BLACK, "linestyle": (0, (4, 2)), "label": "the other annotators"},
}
"""The floors and the ceiling, as lines."""
NOTHING = "No words of the test texts of this run are marked."
POINT: dict[str, Any] = style.DOTS | {"markersize": 6, "markeredgewidth": 0.5, "markeredgecolor": "white"}
ATTENTION: dict[str, Any] = POINT | {"markersize": 8, "markeredgewidth": 1, "markeredgecolor": style.BLACK}
"""How points are drawn, and that of attention, which is in question."""


def look_of(attribution: str) -> dict[str, Any]:
    """Choose how the point of an attribution is drawn."""
    look = PLAUSIBLE[attribution]
    own = ATTENTION if attribution == "attention" else POINT
    return style.mark(look) | own | ({"markersize": 9} if look.marker == "*" else {})


@style.house_style()
def fig_plausibility(plausibility: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw the AUPRC of each attribution against marked words, with floors and ceiling; a panel a data set and model.

    `plausibility`: the table of this name, of columns.TABLE. `labels`: what models are called.
    """
    rows = plausibility[(plausibility["metric"] == "auprc") & plausibility["mean"].notna()]
    rows = rows.join(rows["row"].str.extract("(?P<model>.*) - (?P<attribution>.*)"))
    if rows.empty:
        return write_sentence(NOTHING)
    names = PLAUSIBLE.ordered(set(rows["attribution"]) - {*ENDS})
    figure, panels = panel_grid(by_model(rows), LINE * len(names) + MARGIN)
    highest = float(np.nanmax(rows[["mean", "high"]].where(rows["high"].notna(), 0.0)))
    for panel in panels:
        [axes] = panel.axes
        values = panel.rows.set_index("attribution")
        for name in values.index.intersection([*ENDS]):
            axes.axvline(values.loc[name, "mean"], **ENDS[name])
        draw_dots(axes, values, names, look_of)
        leave_rows(axes, len(names))
        panel.label_rows([PLAUSIBLE[name].label for name in names])
        panel.title(named(panel.model, labels))
        axes.set_xlim(-0.02 * highest, min(1.02, 1.05 * highest))
    describe(
        figure,
        "AUPRC: average precision of an attribution's order of the words, of the marked ones; 95 % intervals",
        "to the right: more of the marked words come first; at the other annotators' line: as people agree with "
        "one another",
    )
    legend(figure, (look for name, look in ENDS.items() if name in set(rows["attribution"])))
    return figure
