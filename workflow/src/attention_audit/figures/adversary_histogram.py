"""Figures 6-8 of Jain & Wallace 2019: how far attention can move while the prediction stays."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_audit.figures import style, violins
from attention_audit.figures.panels import columns_of, panel_grid, panels_of, title
from attention_audit.names import Names
from attention_audit.units import LN2

HEIGHT = 3.2  # inches
RATIOS = (1, 2)  # of histogram and violins
BARS = np.linspace(0, LN2, 26).tolist()


def draw_histogram(axes: Axes, instances: pd.DataFrame, classes: int) -> None:
    """The texts by `value`, predicted classes on top of one another."""
    instances = violins.pooled(instances, classes)
    values = [instances.loc[instances["prediction"] == class_, "value"].to_numpy() for class_ in range(classes)]
    axes.hist(values, BARS, color=violins.colours_of(classes), stacked=True)
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))


def jw_fig_adversary(instance_adversary: pd.DataFrame, models: Names) -> Figure:
    """The greatest JSD (nats) that an adversary reaches within epsilon: a histogram, and violins by the largest weight.

    Two panels a data set and model, by predicted class; more than violins.MOST classes are pooled. From
    columns.INSTANCE_ADVERSARY rows of any number of data sets; `models` names and orders the panels.
    """
    instances = violins.instances_of(instance_adversary, "jsd", "base_max_attention", "base_prediction")
    panels, classes = panels_of(instances, models), violins.classes_by_dataset(instances)
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT, RATIOS)
        for place, ((panel, rows), [above, below]) in enumerate(zip(panels.items(), cells, strict=True)):
            draw_histogram(above, rows, classes[panel[0]])
            violins.draw(below, rows, classes[panel[0]])
            for axes in (above, below):
                violins.up_to_ln2(axes)
            above.tick_params(labelbottom=False)
            below.tick_params(labelbottom=True, labelleft=place % columns_of(len(panels)) == 0)
            title(above, panel, models)
        figure.supxlabel("greatest JSD from the model's own attention (nats)", fontsize=style.TEXT)
        figure.supylabel("texts (above), largest weight (below)", fontsize=style.TEXT)
        handles = violins.legend(list(classes.values()))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
