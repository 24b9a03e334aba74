"""What changing the attention costs in changed predictions: figure 5 of Wiegreffe & Pinter 2019."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from adjustText import adjust_text
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.panels import datasets_of, describe, legend, panel_grid, up_to_ln2
from attention_audit.names import Names
from attention_audit.units import LN2

HEIGHT = 2.8  # inches
STEPS = 50  # in which labels move apart, and points of a line that they keep clear of
TICKS = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1)
LEAST = 2.0  # times the tolerance: TVD at the top of the y axis, at least
POINTS: dict[str, Any] = {"linestyle": "none", "markeredgewidth": 0, "alpha": 0.8}
BASE, ADVERSARY, CONTINUATION, INSTANCE_ADVERSARY = "base", "adversary", "continuation", "instance_adversary"
ONE_ADVERSARY = "one adversary"
CURVES = (ADVERSARY, CONTINUATION)
"""The families of adversaries, whose curves begin at the base model itself."""
DRAWN: dict[str, dict[str, Any]] = {
    BASE: POINTS | {"label": "further seeds", "markersize": 5.5},
    "uniform": POINTS | {"label": "uniform weights", "markersize": 4.5},
    ADVERSARY: {"label": "adversary from scratch (beside it: λ)", "linestyle": "-", "linewidth": 1, "markersize": 3},
    CONTINUATION: {"label": "adversary by continuation (λ)", "linestyle": "-", "linewidth": 1, "markersize": 3},
}
"""The models that have an entry of their own in the legend; others have one under their own label."""
OTHERS = (ADVERSARY, CONTINUATION, "adversaries", "uniform", "imposed")
"""The models that are no further trainings of the model in question."""
LIMITS: dict[str, dict[str, Any]] = {
    "budget": {"color": style.BLACK, "linewidth": 0.8, "linestyle": (0, (5, 2)), "label": "tolerance"},
    "retrained": {
        "color": style.GREEN,
        "linewidth": 0.8,
        "linestyle": (0, (5, 2)),
        "label": "mean of further seeds",
    },
}
"""The TVD up to which predictions count as nearly the same, and that of another training, as lines."""
JUMP: dict[str, Any] = {"linestyle": (0, (1, 2)), "linewidth": 1, "marker": ""}
"""How two neighbours of a curve are joined between which the search has a gap."""
GAP = 0.2 * LN2
"""JSD (nats) between two neighbours from which on there is one."""


def looks_of(models: Names, compared: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How the models are drawn, a single adversary before the curve of them, and last the per-instance adversary.

    Raises AuditError for a model that is not one of `models`.
    """
    looks: dict[str, dict[str, Any]] = {}
    for name in models.ordered(compared):
        own = style.mark(models[name])
        if name == ADVERSARY:
            looks[ONE_ADVERSARY] = own | POINTS | {"alpha": 0.4, "markersize": 2, "label": ""}
        looks[name] = own | DRAWN.get(name, POINTS | {"markersize": 4.5})
    instance = {"color": style.VERMILLION, "marker": "P", "label": "per-instance adversary"}
    return looks | {INSTANCE_ADVERSARY: instance | POINTS | {"alpha": 1, "markersize": 7}}


def averages(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Mean JSD and TVD for each of `by`."""
    return rows.groupby(by, as_index=False, sort=False, dropna=False)[["jsd", "tvd"]].mean()


def curves_of(runs: pd.DataFrame) -> list[pd.DataFrame]:
    """The curves of one data set, each in the order of lambda: the mean over seeds of the adversaries from scratch, and
    every search by continuation, whose lambdas are its own.
    """
    scratch = averages(runs[runs["model"] == ADVERSARY], ["model", "lambda"]).sort_values("lambda")
    searches = [rows.sort_values("lambda") for _, rows in runs[runs["model"] == CONTINUATION].groupby("seed")]
    return [curve for curve in (scratch, *searches) if len(curve)]


def draw(
    axes: Axes,
    looks: Mapping[str, Mapping[str, Any]],
    runs: pd.DataFrame,
    curves: Iterable[pd.DataFrame],
    instance: pd.DataFrame,
    budget: float,
) -> None:
    """Draw one panel: a point for each run of a model, the limits of TVD, and the curves over lambda, dotted over gaps
    of the search. looks: by what is drawn. budget: the tolerance.
    """
    points = {name: runs[runs["model"] == name] for name in looks if name not in CURVES}
    points |= {ONE_ADVERSARY: runs[runs["model"] == ADVERSARY], INSTANCE_ADVERSARY: instance}
    if points[ONE_ADVERSARY]["seed"].nunique() <= 1:
        del points[ONE_ADVERSARY]
    for name, rows in points.items():
        axes.plot(rows["jsd"], rows["tvd"], **looks[name], clip_on=False, zorder=3)
    for curve in curves:
        look = dict(looks[curve["model"].iloc[0]])
        stops = np.vstack([np.zeros(2), curve[["jsd", "tvd"]].to_numpy()])
        for part in pairwise(stops):
            (x, further), y = zip(*part, strict=True)
            own = JUMP if abs(further - x) > GAP else {"marker": ""}
            axes.plot((x, further), y, **look | own, clip_on=False, zorder=3)
        axes.plot(*stops[1:].T, **look | {"linestyle": "none"}, clip_on=False, zorder=3)
    axes.axhline(budget, **LIMITS["budget"], zorder=1)
    trainings = runs[~runs["model"].isin(OTHERS)]
    if len(trainings):
        axes.axhline(trainings["tvd"].mean(), **LIMITS["retrained"], zorder=1)
    up_to_ln2(axes)


def label_lambdas(axes: Axes, looks: Mapping[str, Mapping[str, Any]], curves: Iterable[pd.DataFrame]) -> None:
    """Name the lambdas at both ends of the first curve of each family, clear of lines, points and each other.

    The layout must be final.
    """
    firsts: dict[str, pd.DataFrame] = {}
    for curve in curves:
        firsts.setdefault(curve["model"].iloc[0], curve)
    texts = []
    for name, curve in firsts.items():
        for x, y, value in curve.iloc[sorted({0, len(curve) - 1})][["jsd", "tvd", "lambda"]].itertuples(index=False):
            # as short as possible: 2e-5
            text = f"{value:.2g}".replace("e-0", "e-")
            texts.append(axes.text(x, y, text, color=looks[name]["color"], fontsize=style.SMALL))
    if texts:
        # paths in pixels, in which scales are straight
        paths = [
            axes.transData.transform(line.get_xydata()) for line in axes.lines if line.get_transform() == axes.transData
        ]
        steps = [np.linspace(*ends, STEPS) for path in paths for ends in pairwise(path)]
        points = axes.transData.inverted().transform(np.concatenate([*paths, *steps]))
        adjust_text(texts, *points.T, ax=axes, iter_lim=STEPS)


@style.house_style()
def wp_fig5_tvd_jsd(comparison: pd.DataFrame, instance_adversary: pd.DataFrame, models: Names, budget: float) -> Figure:
    """Means over texts of prediction change (TVD) against attention change (JSD, nats), both from the base model.

    One panel for each data set; TVD has a square-root scale. In each: further seeds,
    uniform weights, the adversary from scratch for every lambda (the mean over its seeds, and a small dot for each seed
    where there are several), every search by continuation, and the per-instance adversary. Curves begin at the base
    model, where nothing is changed, and are dotted where the search has a gap. Lines: `budget`, the TVD up to which
    predictions count as nearly the same, and the mean TVD of further seeds. The frames hold rows of the audits
    comparison and instance_adversary, of any number of data sets. Raises AuditError for a model that is not one of
    `models`.
    """
    # where there are several models, the others are held against the base
    base = instance_adversary["model"] == BASE
    instance_adversary = instance_adversary[base | (not base.any())]
    looks = looks_of(models, comparison["model"].unique())
    runs = averages(comparison, ["dataset", "model", "lambda", "seed"])
    instances = averages(instance_adversary, ["dataset"])
    figure, panels = panel_grid(datasets_of(runs), HEIGHT)
    curves = [curves_of(panel.rows) for panel in panels]
    for panel, drawn in zip(panels, curves, strict=True):
        [axes] = panel.axes
        instance = instances[instances["dataset"] == panel.dataset]
        draw(axes, looks, panel.rows, drawn, instance, budget)
        highest = max(LEAST * budget, 1.15 * pd.concat([panel.rows["tvd"], instance["tvd"]]).max())
        axes.set_yscale("function", functions=(lambda values: np.sqrt(np.clip(values, 0, None)), np.square))
        axes.set(ylim=(0, highest))
        ticks = [tick for tick in TICKS if tick <= highest and (tick != 0.02 or highest < 0.3)]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        panel.title()
    describe(
        figure,
        "JSD of attention from the base model's (nats)",
        "at the lower right, below the dashes: other maps, nearly the same predictions; dotted: a gap of the search, "
        "of which nothing is known",
        "TVD of predictions (square-root scale)",
    )
    legend(figure, [*(look for look in looks.values() if look["label"]), *LIMITS.values()])
    figure.draw_without_rendering()
    for panel, drawn in zip(panels, curves, strict=True):
        label_lambdas(panel.axes[0], looks, drawn)
    return figure
