"""Whether attributions point to marked words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.panels import by_model, describe, draw_dot, legend, name_rows, panel_grid, write_sentence
from attention_audit.names import PLAUSIBLE
from attention_audit.tables.wording import named

LINE, MARGIN = 0.17, 0.85  # inches: a row of a panel, and its title and axis
END: dict[str, Any] = {"linewidth": 1.2, "zorder": 1}
ENDS: dict[str, dict[str, Any]] = {
    "random": END | {"color": style.ORANGE, "linestyle": (0, (1, 1.5)), "label": "random or uniform weights"},
    "frequency": END | {"color": style.GREY, "linestyle": (0, (5, 1.5, 1, 1.5)), "label": "rare words first"},
    "others": END | {"color": style.BLACK, "linestyle": (0, (4, 2)), "label": "the other annotators"},
}
"""The floors and the ceiling, as lines."""
NOTHING = "No words of the test texts of this run are marked."
POINT: dict[str, Any] = {
    "linestyle": "none", "markersize": 6, "markeredgewidth": 0.5, "markeredgecolor": "white", "clip_on": False,
}  # fmt: skip
ATTENTION: dict[str, Any] = POINT | {"markersize": 8, "markeredgewidth": 1, "markeredgecolor": style.BLACK}
"""How points are drawn, whole at the ends of a scale too, and that of attention, which is in question."""


def cells(plausibility: pd.DataFrame) -> pd.DataFrame:
    """The rows of columns.TABLE that have a value, with what their rows are about: `model` (as named in the table) and
    `attribution`.
    """
    known = plausibility[plausibility["mean"].notna() & plausibility["row"].str.contains(" - ", regex=False)]
    parts = [row.rsplit(" - ", 1) for row in known["row"]]
    about = pd.DataFrame(parts, columns=["model", "attribution"], index=known.index)
    return pd.concat([known, about], axis=1)


def look_of(attribution: str) -> dict[str, Any]:
    """How the point of an attribution is drawn."""
    look = PLAUSIBLE[attribution]
    own = ATTENTION if attribution == "attention" else POINT
    return style.mark(look) | own | ({"markersize": 9} if look.marker == "*" else {})


def draw_ends(axes: Axes, ends: pd.Series) -> None:
    """Vertical lines at floors and ceiling, values by name."""
    for name, look in ENDS.items():
        if name in ends:
            axes.axvline(float(ends[name]), **look)


def draw_dots(axes: Axes, rows: pd.DataFrame, names: Sequence[str]) -> None:
    """One panel: a dot with its interval for each attribution, the first of `names` on top."""
    values = rows.set_index("attribution")
    draw_ends(axes, values["mean"])
    for place, name in enumerate(names):
        if name in values.index:
            draw_dot(axes, place, values.loc[name, ["mean", "low", "high"]], look_of(name))


@style.house_style()
def fig_plausibility(plausibility: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """AUPRC of each attribution against marked words, with floors and ceiling; a panel for each data set and model.

    `plausibility`: the table of this name, of columns.TABLE. `labels`: what models are called.
    """
    rows = cells(plausibility)
    rows = rows[rows["metric"] == "auprc"]
    if rows.empty:
        return write_sentence(NOTHING)
    names = PLAUSIBLE.ordered(set(rows["attribution"]) - {*ENDS})
    figure, panels = panel_grid(by_model(rows), LINE * len(names) + MARGIN)
    highest = float(np.nanmax(rows[["mean", "high"]].where(rows["high"].notna(), 0.0)))
    for panel in panels:
        [axes] = panel.axes
        draw_dots(axes, panel.rows, names)
        name_rows(axes, [PLAUSIBLE[name].label if panel.left else "" for name in names])
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
