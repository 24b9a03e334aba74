"""Figure 5 of Jain & Wallace 2019: what shuffling the attention weights does to the prediction."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style, violins
from attention_audit.figures.by_weight import by_weight
from attention_audit.figures.panels import describe
from attention_audit.names import Names
from attention_audit.tables.classes import class_names

TICKS = {0: "0", 0.001: "0.001", 0.01: "0.01", 0.1: "0.1", 0.25: "¼", 0.5: "½", 0.75: "¾", 1: "1"}
NEAREST = 0.03  # of the x axis: smaller values have no tick beside 0
SHORTEST = 0.01  # TVD at the end of the x axis, at least; one of the ticks


def jw_fig_permutation(permutation: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names) -> Figure:
    """Densities of the median TVD over permutations, by the largest weight and predicted class.

    x has a square-root scale, on which the densities are estimated too, so that what lies near 0 can be read. Two
    panels for each data set and model, in the paper's bins and in quarters of the texts; more than violins.MOST classes
    are pooled. `permutation` holds rows of the audit permutation, of any number of data sets, and `census` has
    columns.CENSUS frames by data set.
    """
    instances = violins.instances_of(permutation, "median_tvd", "max_attention", "prediction")
    values = instances["value"].clip(0, 1)
    instances["place"] = np.sqrt(values)
    # the axis ends at a tick, so that the largest value can be read
    furthest = min(tick for tick in TICKS if tick >= max(SHORTEST, values.max()))
    names = class_names(census)

    def scale(axes: Axes) -> None:
        ticks = {
            np.sqrt(tick): label for tick, label in TICKS.items() if tick == 0 or NEAREST * furthest <= tick <= furthest
        }
        axes.set(xlim=(0, np.sqrt(furthest)))
        axes.set_xticks(list(ticks), list(ticks.values()))

    with style.house_style(violins.written(names)):
        figure = by_weight(instances, names, models, scale)
        describe(
            figure,
            "TVD of the prediction when attention is permuted (median; square-root scale)",
            "0: it does not matter which word has which weight; 1: the prediction is turned round",
            "largest weight of the text",
        )
    return figure
