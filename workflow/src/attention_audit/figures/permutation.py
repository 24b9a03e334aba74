"""Figure 5 of Jain & Wallace 2019: what shuffling the attention weights does to the prediction."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from attention_audit.figures import style, violins
from attention_audit.figures.panels import columns_of, panel_grid, panels_of, title
from attention_audit.names import Names

HEIGHT = 2.3  # inches


def jw_fig_permutation(permutation: pd.DataFrame, models: Names) -> Figure:
    """Densities of the median TVD over permutations, by the largest weight and predicted class.

    One panel for each data set and model; more than violins.MOST classes are pooled. `permutation` holds rows of the
    audit permutation, of any number of data sets.
    """
    instances = violins.instances_of(permutation, "median_tvd", "max_attention", "prediction")
    panels, classes = panels_of(instances, models), violins.classes_by_dataset(instances)
    with style.house_style():
        figure, cells = panel_grid(len(panels), HEIGHT)
        for place, ((panel, rows), [axes]) in enumerate(zip(panels.items(), cells, strict=True)):
            violins.draw(axes, rows, classes[panel[0]])
            axes.set(xlim=(0, 1))
            axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
            axes.tick_params(labelbottom=True, labelleft=place % columns_of(len(panels)) == 0)
            title(axes, panel, models)
        figure.supxlabel("TVD of the prediction when attention is permuted (median)", fontsize=style.TEXT)
        figure.supylabel("largest weight", fontsize=style.TEXT)
        handles = violins.legend(list(classes.values()))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
