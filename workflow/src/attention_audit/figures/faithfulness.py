"""Attention-comprehensiveness and attention-sufficiency of each ranking, beyond Serrano & Smith 2019.

They are DeYoung et al.'s measures (2020) where attention is erased, and not words of the input.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.columns.ranked_sets import BINS
from attention_audit.figures import style
from attention_audit.figures.panels import describe, legend, panel_grid, panels_of
from attention_audit.names import RANKINGS, Names
from attention_audit.tables.means import means

HEIGHT = 3.2  # inches
MEASURES = {
    "comprehensiveness": "attention-\ncomprehensiveness\n↑ higher is better",
    "sufficiency": "attention-\nsufficiency\n↓ lower is better",
}
"""The measures, by the beginning of the names of their columns, and their labels."""
LINE: dict[str, Any] = {"markersize": 3.5, "linewidth": 0.9}


def curve_points(curves: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Mean and 95 % interval (mean, low, high) by dataset, model, ranking, measure and bin (percent).

    `curves`: columns.RANKED_SETS rows of any number of data sets, each list in columns of its own: the entries of
    comprehensiveness_curve as comprehensiveness_curve_0 to _4. Rows without curves are passed over.
    """
    columns = {f"{measure}_curve_{place}": (measure, bin_) for measure in MEASURES for place, bin_ in enumerate(BINS)}
    curves = curves.dropna(subset=list(columns))
    models.refuse_unknown(curves["model"].unique())
    points = means(curves, ["model", "ranking"], list(columns), signed=columns)
    points = points[points["metric"] != "texts"].reset_index(drop=True)
    points[["model", "ranking"]] = points["row"].str.split("/", expand=True)
    return points.join(pd.DataFrame([columns[name] for name in points["metric"]], columns=["measure", "bin"]))


def draw(axes: Axes, points: pd.DataFrame) -> None:
    """One measure of one model: a line for each ranking, with intervals."""
    for name in RANKINGS.ordered(points["ranking"].unique()):
        line, mark = points[points["ranking"] == name].sort_values("bin"), style.mark(RANKINGS[name])
        axes.fill_between(line["bin"], line["low"], line["high"], color=mark["color"], alpha=0.15, linewidth=0)
        axes.plot(line["bin"], line["mean"], **mark, **LINE)
    axes.axhline(0, color=style.GREY, linewidth=0.8, zorder=0)
    axes.set_xlim(0, 1.05 * max(BINS))
    axes.set_xticks(BINS, [str(bin_) for bin_ in BINS])


@style.house_style()
def ss_fig_aopc(ranked_sets: Iterable[pd.DataFrame], models: Names) -> Figure:
    """What the predicted class loses without a ranking's first items (above) and with them alone (below).

    A pair of panels a data set and model. From frames of columns.RANKED_SETS rows, one or more, so that the curves of
    one data set at a time need be in memory; each list in columns of its own, as for `curve_points`. Raises AuditError
    for a ranking that is not one of names.RANKINGS.
    """
    points = pd.concat([curve_points(frame, models) for frame in ranked_sets], ignore_index=True)
    figure, panels = panel_grid(panels_of(points, models), HEIGHT, [1] * len(MEASURES))
    for panel in panels:
        for measure, axes in zip(MEASURES, panel.axes, strict=True):
            draw(axes, panel.rows[panel.rows["measure"] == measure])
        panel.beside(*MEASURES.values(), size=style.TEXT)
        panel.title(models[panel.model].label)
    limits = [axes.get_ylim() for axes in figure.axes]
    for axes in figure.axes:
        axes.set_ylim(np.min(limits), np.max(limits))
    describe(
        figure,
        "items from the top of the ranking (%)",
        "above: what the predicted class loses without them; below: what it loses when only they are left",
    )
    names = RANKINGS.ordered(points["ranking"].unique())
    legend(figure, (style.mark(RANKINGS[name]) | LINE for name in names), len(names))
    return figure
