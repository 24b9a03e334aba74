"""Models that are trained otherwise: how alike their states are, against what permuted attention changes and how well
attention ranks items; and the accuracy of models that are trained anew on texts with ever more masked words, by which
words go first.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.answer.estimates import Estimate, estimate_mean
from attention_audit.arrays import Floats
from attention_audit.names import RANKINGS, Names
from attention_audit.tables.tidy import estimate_ranks, make_grids, select_ranking, select_run
from attention_audit.tables.variants import Curve, find_twin, make_curves

from . import style
from .panels import describe, draw_legend, make_panels, write_reason
from .style import Keywords

HEIGHT, ROAR_HEIGHT = 3.6, 2.4  # inches
OPEN_BAR_END = 9.0  # where a bar ends that has no end
LEAST, MOST = -0.25, 1.05  # of the axis of `ranks`, unless a model lies below
TVD_AXIS_FACTOR = 1.15  # the axis of TVD ends at so many times the highest end of a bar

Estimates = dict[str, Estimate]
"""By model."""


def estimate_points(
    conicity: pd.DataFrame, permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names
) -> tuple[Estimates, Estimates, Estimates]:
    """Estimate the conicity, the median TVD and the effect of `ranks`, from the rows of one data set."""
    alike, moved = make_grids(conicity, "magnitude", "model"), make_grids(permutation, "median_tvd", "model")
    sets = {model: select_run(ranked_sets, model) for model in models.arrange(ranked_sets["model"].unique())}
    return (
        {model: estimate_mean(alike[model], -1.0) for model in models.arrange(alike)},
        {model: estimate_mean(moved[model]) for model in models.arrange(moved)},
        {model: estimate_ranks(select_ranking(own, "attention"), own) for model, own in sets.items()},
    )


def measure_bar(estimate: Estimate) -> Floats:
    """Measure how far an interval reaches below and above its value, (2, 1), as matplotlib wants it."""
    value, low, high = np.clip(estimate[:3], -OPEN_BAR_END, OPEN_BAR_END)
    return np.fmax([[value - low], [high - value]], 0)


def choose_look(name: str, models: Names) -> Keywords:
    """Choose how the point of a model is drawn: empty where its states are as they are."""
    fill = {} if find_twin(name) else {"markerfacecolor": "none"}
    return style.convert_look(models[name]) | {"markersize": 5, "linestyle": "none"} | fill


def draw_points(axes: Axes, across: Estimates, upwards: Estimates, models: Names) -> None:
    """Draw one point a model, with the intervals of both numbers, and a line from the model without its remedy."""
    known = [name for name in across if name in upwards and np.isfinite(upwards[name].value)]
    for name in known:
        x, y, plain = across[name], upwards[name], find_twin(name)
        if plain in known:
            ends = [across[plain].value, x.value], [upwards[plain].value, y.value]
            axes.plot(*ends, color=style.GREY, linewidth=0.7, zorder=1)
        look = choose_look(name, models) | {"elinewidth": 0.8, "zorder": 2}
        axes.errorbar([x.value], [y.value], xerr=measure_bar(x), yerr=measure_bar(y), **look)
    axes.set_xlim(-0.02, 1.02)


@style.use_house_style()
def md_fig_conicity(
    conicity: pd.DataFrame, permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names
) -> Figure:
    """Draw two parts for each data set: over the conicity of a model's states, the median TVD of its predictions under
    permuted attention (above), and the effect of `ranks` (below; of pairs there is none).

    The frames hold rows of these audits, of any number of data sets. Raises AuditError for a model that is not one of
    `models`.
    """
    shown = models.arrange(conicity["model"].unique())
    figure, panels = make_panels(conicity, HEIGHT, ratios=(1, 1))
    for panel in panels:
        above, below = panel.axes
        permuted, ranked = (frame[frame["dataset"] == panel.dataset] for frame in (permutation, ranked_sets))
        alike, tvd, ranks = estimate_points(panel.rows, permuted, ranked, models)
        draw_points(above, alike, tvd, models)
        draw_points(below, alike, ranks, models)
        highest = max((min(each.high, 1.0) for each in tvd.values()), default=1.0)
        above.set_ylim(0, TVD_AXIS_FACTOR * highest or 1.0)
        lowest = np.nanmin([0.0, *(each.value for each in ranks.values())])
        below.set_ylim(min(LEAST, lowest - 0.1), MOST)
        below.axhline(0, color=style.GREY, **style.DASHES, zorder=0)
        if not ranks:
            write_reason(below, "not asked of pairs")
        above.tick_params(labelbottom=False)
        below.tick_params(labelbottom=panel.lowest)
        panel.name_axes("TVD when permuted", "ranks (share)")
    describe(
        figure,
        "conicity: mean magnitude of the cosine of a state with the mean state",
        "at the right: all states of a text are alike. Above: up is an attention that matters; below: up is an "
        "attention that ranks, 1 as good as can be, 0 (dashes) chance. A line leads from a vanilla model to its "
        "remedies",
    )
    draw_legend(figure, (choose_look(name, models) for name in shown))
    return figure


def draw_curves(axes: Axes, found: dict[str, Curve]) -> None:
    """Draw one panel: a curve an order, with the interval of each point."""
    for order, curve in found.items():
        percents = [*curve]
        values, low, high = 100 * np.array([estimate_mean(right)[:3] for right in curve.values()]).T
        look = style.convert_look(RANKINGS[order])
        axes.fill_between(percents, low, high, color=look["color"], alpha=0.15, linewidth=0)
        axes.plot(percents, values, **look, markersize=3.5, linewidth=1, clip_on=False)
    axes.set_xlim(0, 100)


@style.use_house_style()
def roar_fig_masked(predictions: pd.DataFrame, models: Names) -> Figure:
    """Draw accuracy against the percent of masked words: a panel a data set and a curve an order, with 95 % intervals
    over texts and trainings.

    From rows of the audit predictions, of any number of data sets. Raises AuditError for a model that is not one of
    `models`.
    """
    models.refuse_unknown(predictions["model"].unique())
    figure, panels = make_panels(predictions, ROAR_HEIGHT)
    shown: dict[str, None] = {}
    for panel in panels:
        found = make_curves(panel.rows)
        shown |= dict.fromkeys(found)
        draw_curves(panel.axes[0], found)
    describe(
        figure,
        "words that are masked (%)",
        "below the random curve: a ranking puts first what the task needs",
        "accuracy (%)",
    )
    draw_legend(figure, (style.convert_look(RANKINGS[order]) for order in RANKINGS.arrange(shown)))
    return figure
