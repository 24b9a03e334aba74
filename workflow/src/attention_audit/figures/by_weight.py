"""Panels of violins for each data set and model: all texts by the largest weight, parted in two ways."""

from collections.abc import Callable, Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style, violins
from attention_audit.figures.panels import columns_of, heading, panels_of, title, uneven_grid
from attention_audit.names import Names
from attention_audit.tables.classes import ClassNames

LINE, BETWEEN = 0.15, 0.65  # inches: of a line of a heading, and of what else stands between panels


def by_weight(
    instances: pd.DataFrame, names: Mapping[str, ClassNames], models: Names, scale: Callable[[Axes], None]
) -> Figure:
    """Two panels for each data set and model, in the paper's bins above, and in quarters of the texts below.

    `instances`: rows with `violins.instances_of`. `names`: of the classes, by data set. `models` names and orders the
    panels, and `scale` sets the x axis of each. Within style.house_style.
    """
    panels = panels_of(instances, models)
    columns = columns_of(len(panels))
    bins = {panel: violins.both(rows["attention"]) for panel, rows in panels.items()}
    keys = {panel: violins.key(names[panel[0]]) for panel in panels}
    lines = max(heading(panel, models, columns, keys[panel]).count("\n") for panel in panels) + 1
    parts = [[violins.height(part, violins.classes_of(names[panel[0]])) for part in bins[panel]] for panel in panels]
    figure, cells = uneven_grid(parts, LINE * lines + BETWEEN)
    for place, ((panel, rows), cell) in enumerate(zip(panels.items(), cells, strict=True)):
        for axes in cell:
            scale(axes)
        violins.draw_both(cell, rows, names[panel[0]], bins[panel])
        for axes, label in zip(cell, (violins.PAPERS, violins.OURS), strict=True):
            axes.tick_params(labelbottom=True)
            if place % columns == 0:
                axes.set_ylabel(label, fontsize=style.SMALL)
        title(cell[0], panel, models, columns, keys[panel])
    return figure
