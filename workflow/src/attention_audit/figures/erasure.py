"""Figures of erasing attention, after Serrano & Smith 2019; and of masking words, after Madsen et al. 2022.

Their figures 3 and 7, the effect of erasing the top item against another; their figures 5, 6 and 10, how much must be
erased until the decision flips; and, beyond the paper, attention-comprehensiveness and attention-sufficiency of
each ranking. These are DeYoung et al.'s measures (2020) where attention is erased, and not words of the input. Of
recursive ROAR, the accuracy of models that are trained anew on texts with ever more masked words, by which words go
first.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_audit.answer.estimates import estimate_mean
from attention_audit.arrays import Floats
from attention_audit.columns.audits import BINS
from attention_audit.names import RANKINGS, Names
from attention_audit.tables.tidy import average_columns, select_ranking
from attention_audit.tables.variants import make_curves

from . import style
from .panels import QUARTER_TICKS, draw_density, draw_legend, explain_axes, make_panels, scale_by_roots, write_reason
from .style import Keywords

ERASURE_HEIGHT, PAIR_HEIGHT, ROAR_HEIGHT = 1.9, 3.2, 2.4  # inches: of a panel, of a pair of them, and of one of ROAR
TEXT_CELLS = (40, 30)  # of the density of a panel, along x and y
MIN_TEXTS_SHADED = 0.3  # texts, so that a single one is seen
MIN_ATTENTION_END, MIN_JS_END = 0.01, 0.0001  # what the axes of attention and of divergence reach at least
MIN_BELOW_ZERO = 0.01  # of the axis of divergence lies below 0 at least, before its root
SHADES = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
NOT_IN_PAPER = "smallest"
"""The ranking that the paper does not have; a line above it sets it apart."""
ERASER_MEASURES = {
    "comprehensiveness": "attention-\ncomprehensiveness\n↑ higher is better",
    "sufficiency": "attention-\nsufficiency\n↓ lower is better",
}
"""The measures, by the beginning of the names of their columns, and their labels."""
RANKING_LINE: Keywords = {"markersize": 3, "linewidth": 0.7}
ROAR_CURVE: Keywords = {"markersize": 3.5, "linewidth": 1, "clip_on": False}
FIRST_MARKER_POINTS = 6.0  # points: the marker of the first ranking
MARGINAL: Keywords = {"textcoords": "offset points", "fontsize": style.SMALL_SIZE}
"""What stands in the right margin."""
THIN_LINE: Keywords = {"color": style.BLACK, "linewidth": 0.7}


def find_axis_ends(values: pd.Series, reach: float) -> tuple[float, float]:
    """Reach from 0, or the smallest value, to the largest, or `reach`, with a little room."""
    return 1.05 * min(0.0, values.min()), 1.05 * max(reach, values.max())


@style.use_house_style()
def ss_fig3_delta_js(single_weight: pd.DataFrame, models: Names) -> Figure:
    """Draw delta JS (nats) against delta attention: how many texts and seeds lie where, on a logarithmic scale of
    shades.

    One panel for each data set and model, whose axes hold all its texts, that of delta JS with a square-root scale; all
    panels have the same shades. The top item is attention's, and the other item is drawn uniformly. From
    columns.SINGLE_WEIGHT rows of any number of data sets; `models` names and orders the panels.
    """
    corrected = single_weight[single_weight["draw"] == "corrected"]
    figure, panels = make_panels(select_ranking(corrected, "attention"), ERASURE_HEIGHT, models)
    meshes = []
    for panel in panels:
        [axes] = panel.axes
        x, y = panel.rows["delta_attention"], panel.rows["delta_js"]
        low, high = find_axis_ends(y, MIN_JS_END)
        axes.set_xlim(find_axis_ends(x, MIN_ATTENTION_END))
        scale_by_roots(axes, "y", min(low, -MIN_BELOW_ZERO * high), high)
        meshes.append(draw_density(axes, x, y, TEXT_CELLS, MIN_TEXTS_SHADED))
        axes.axhline(0, color=style.BLACK, **style.DASHES)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        panel.write_title(f"below 0: {100 * (y < 0).mean():.0f} % of {panel.rows['id'].nunique()} texts")
    highest = max(2.0, *(mesh.get_clim()[1] for mesh in meshes))
    for mesh in meshes:
        mesh.set_clim(vmax=highest)
    bar = figure.colorbar(
        mesh, ax=figure.axes, aspect=25, fraction=0.03, pad=0.02, label="texts in a cell",
        ticks=[tick for tick in SHADES if tick <= highest], format="{x:,.0f}",
    )  # fmt: skip
    bar.minorticks_off()
    bar.outline.set_visible(False)
    explain_axes(
        figure,
        "Δα: attention of the top item minus that of another",
        "above 0 the top item matters more than the other, below 0 less",
        "ΔJS (nats; square-root scale)",
    )
    return figure


def draw_boxes(axes: Axes, fractions: pd.DataFrame) -> None:
    """Draw one panel: a box for each ranking, its mean, and the percent of texts that it never flips; or a sentence.

    fractions: of the items that are erased, by ranking (columns); NaN where the ranking never flips the decision.
    """
    axes.set_ylim(fractions.shape[1] - 0.5, -0.5)
    if fractions.empty:
        write_reason(axes, "no ranking flips any text")
        return
    values = fractions.fillna(1.0)
    boxes = axes.boxplot(
        values.to_numpy(),
        positions=range(values.shape[1]),
        orientation="horizontal",
        widths=0.65,
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        medianprops={"color": style.BLACK, "linewidth": 1.6},
        whiskerprops=THIN_LINE,
        capprops=THIN_LINE,
    )
    for row, name in enumerate(map(str, values)):
        colour = style.PALETTE[RANKINGS[name].colour]
        boxes["boxes"][row].set(facecolor=colour, edgecolor=style.BLACK, linewidth=0.7)
        mean = values[name].mean()
        axes.plot(mean, row, "D", markersize=4, markerfacecolor="white", markeredgecolor=style.BLACK, clip_on=False)
        note = f"{mean:.2f}  {100 * fractions[name].isna().mean():.1f} %"
        axes.annotate(note, (1, row), xycoords=axes.get_yaxis_transform(), xytext=(4, 0), va="center", **MARGINAL)
        if name == NOT_IN_PAPER:
            axes.axhline(row - 0.5, color=style.GREY, **style.DASHES | {"linewidth": 0.6})
    axes.annotate("mean, never", (1, 1), xycoords="axes fraction", xytext=(4, 2), color=style.GREY, **MARGINAL)


@style.use_house_style()
def ss_fig5_fraction_removed(ranked_sets: pd.DataFrame, models: Names) -> Figure:
    """Draw the fraction of the items that each ranking erases until the decision flips, in the order of names.RANKINGS;
    whiskers from 5 to 95 % of the texts. One panel for each data set and model.

    The boxes of a panel are of the same texts, those whose decision some ranking flips; a ranking that never does has
    erased all items there. Beside its box stand its mean, and how often that is. From columns.RANKED_SETS rows of any
    number of data sets; `models` names and orders the panels.
    """
    rankings = RANKINGS.arrange(ranked_sets["ranking"].unique())
    figure, panels = make_panels(ranked_sets, ERASURE_HEIGHT, models)
    for panel in panels:
        [axes] = panel.axes
        all_fractions = panel.rows.pivot(index=["seed", "id"], columns="ranking", values="fraction_removed")
        fractions = all_fractions.reindex(columns=rankings).dropna(how="all")
        draw_boxes(axes, fractions)
        panel.label_rows(RANKINGS, rankings)
        some, texts = (rows.index.unique("id").size for rows in (fractions, all_fractions))
        panel.write_title(f"{some} of {texts} text{' flips' if texts == 1 else 's flip'}")
        axes.set(xlim=(0, 1))
        axes.set_xticks([*QUARTER_TICKS], [*QUARTER_TICKS.values()])
    explain_axes(
        figure,
        "fraction of the items erased until the decision flips (bar: median; diamond: mean)",
        "further left: the ranking finds what decides sooner",
    )
    return figure


def estimate_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Take the mean and 95 % interval (mean, low, high) by dataset, model, ranking, measure and bin, as "0" to "4".

    `curves`: columns.RANKED_SETS rows of any number of data sets, each list in columns of its own: the entries of
    comprehensiveness_curve as comprehensiveness_curve_0 to _4. Rows without curves are passed over.
    """
    columns = [f"{measure}_curve_{number}" for measure in ERASER_MEASURES for number in range(len(BINS))]
    curves = curves.dropna(subset=columns)
    points = average_columns(curves, ["model", "ranking"], columns, signed=columns)
    return points.join(points["metric"].str.extract("(?P<measure>.*)_curve_(?P<bin>.*)")).dropna(subset="measure")


def draw_band(axes: Axes, positions: Sequence[int], ends: Floats, look: Keywords) -> None:
    """Draw a line in the band of its intervals. ends: means, low and high ends, (3, positions)."""
    means, low, high = ends
    axes.fill_between(positions, low, high, color=look["color"], linewidth=0, alpha=0.2)
    axes.plot(positions, means, **look)


def draw_curves(axes: Axes, points: pd.DataFrame) -> None:
    """Draw one measure of one model: for each ranking a line over the bins, as far apart as any two, in the band of its
    intervals. Those drawn later have smaller markers, so that none hides another.
    """
    names = RANKINGS.arrange(points["ranking"].unique())
    for number, name in enumerate(names):
        line = points[points["ranking"] == name].sort_values("bin")
        look = (
            style.convert_look(RANKINGS[name]) | RANKING_LINE | {"markersize": max(2.5, FIRST_MARKER_POINTS - number)}
        )
        draw_band(axes, range(len(line)), line[["mean", "low", "high"]].to_numpy().T, look)
    axes.axhline(0, color=style.GREY, linewidth=0.8, zorder=0)
    axes.set_xlim(-0.2, len(BINS) - 0.8)
    axes.set_xticks(range(len(BINS)), [str(bin_) for bin_ in BINS])


@style.use_house_style()
def ss_fig_aopc(ranked_sets: Iterable[pd.DataFrame], models: Names) -> Figure:
    """Draw what the predicted class loses without a ranking's first items (above) and with them alone (below).

    A pair of panels a data set and model. From frames of columns.RANKED_SETS rows, one or more, so that the curves of
    one data set at a time need be in memory; each list in columns of its own, as for `estimate_curves`.
    """
    points = pd.concat([estimate_curves(frame) for frame in ranked_sets], ignore_index=True)
    figure, panels = make_panels(points, PAIR_HEIGHT, models, [1] * len(ERASER_MEASURES))
    for panel in panels:
        for measure, axes, shared_axes in zip(ERASER_MEASURES, panel.axes, panels[0].axes, strict=True):
            if axes is not shared_axes:
                axes.sharey(shared_axes)
            draw_curves(axes, panel.rows[panel.rows["measure"] == measure])
        panel.name_axes(*ERASER_MEASURES.values(), size=style.TEXT_SIZE)
    explain_axes(
        figure,
        "items from the top of the ranking (%)",
        "above: what the predicted class loses without them; below: what it loses when only they are left",
    )
    names = RANKINGS.arrange(points["ranking"].unique())
    draw_legend(figure, (style.convert_look(RANKINGS[name]) | RANKING_LINE for name in names), len(names))
    return figure


@style.use_house_style()
def roar_fig_masked(predictions: pd.DataFrame) -> Figure:
    """Draw accuracy against the percent of masked words: a panel a data set and a curve an order, with 95 % intervals
    over texts and trainings.

    From rows of the audit predictions, of any number of data sets.
    """
    figure, panels = make_panels(predictions, ROAR_HEIGHT)
    orders: dict[str, None] = {}
    for panel in panels:
        [axes] = panel.axes
        for order, curve in make_curves(panel.rows).items():
            ends = 100 * np.array([estimate_mean(right)[:3] for right in curve.values()]).T
            draw_band(axes, [*curve], ends, style.convert_look(RANKINGS[order]) | ROAR_CURVE)
            orders[order] = None
        axes.set_xlim(0, 100)
    explain_axes(
        figure,
        "words that are masked (%)",
        "below the random curve: a ranking puts first what the task needs",
        "accuracy (%)",
    )
    draw_legend(figure, (style.convert_look(RANKINGS[order]) for order in RANKINGS.arrange(orders)))
    return figure
