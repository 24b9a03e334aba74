"""A panel of violins for each data set and model: its texts in four quarters by their largest weight.

Figure 5 of Jain & Wallace 2019, what shuffling the attention weights does to the prediction; their figures 6-8, how far
attention can move while the prediction stays; and figure 3 of Wiegreffe & Pinter 2019, whether an adversary moves
attention further than another seed does. The papers have four bins of equal width, the lowest of which holds nearly all
texts, and part them by predicted class too.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.names import Names, Style

from . import style
from .panels import draw_legend, explain_axes, find_reach, make_panels, scale_by_roots, scale_to_ln2

QUARTILES = (0.25, 0.5, 0.75)
"""Where the texts are parted, in the order of their largest weights."""
MOST_DIGITS = 5
VIOLINS_HEIGHT = 1.6  # inches
MAX_LABEL_LETTERS = 8  # letters: the room that the names of quarters take from a title
SPAN = 0.85  # height that the violins of one quarter share
SINGLE_KIND = "one"
"""Stands in the column `kind` where all rows are of one kind."""
MOVEMENT_KINDS = Names(
    {
        "seeds": Style("further seeds", "green", "s"),
        "adversary": Style("per-instance adversary", "vermillion", "s"),
        SINGLE_KIND: Style("", "blue", "s"),
    },
)
"""The violins of a quarter, from above."""


def cut_quarters(weights: pd.Series) -> pd.Categorical:
    """Part texts by their largest weights, from the lowest, into four bins with as many texts each; fewer where many
    texts have the same largest weight. Bins are named by the smallest and the largest weight in them.
    """
    edges = np.unique(np.quantile(weights, QUARTILES))
    bins = pd.cut(weights.to_numpy(), [-np.inf, *edges, np.inf], right=False).remove_unused_categories()
    ends = weights.groupby(pd.Series(bins, weights.index), observed=True).agg(["min", "max"])
    # as many digits as tell the beginnings apart
    for digits in range(2, MOST_DIGITS + 1):
        names = ends.map(f"{{:.{digits}f}}".format)
        if names["min"].is_unique:
            break
    spans = [low if low == high else f"{low} to {high}" for low, high in names.to_numpy()]
    return bins.rename_categories(dict(zip(bins.categories, spans, strict=True)))


def draw_violins(axes: Axes, rows: pd.DataFrame, kinds: Sequence[str]) -> None:
    """Draw one panel: a violin of `place` for each quarter and kind, with a bar between its quartiles and a dot at its
    median.

    The limits of the x axis must be set.
    """
    bins = cut_quarters(rows["attention"])
    sns.violinplot(
        rows.assign(bin=bins.astype(str)),
        x="place",
        y="bin",
        hue="kind",
        order=list(bins.categories)[::-1],
        hue_order=kinds,
        palette=[style.PALETTE[MOVEMENT_KINDS[kind].colour] for kind in kinds],
        saturation=1,
        orient="h",
        inner=None,
        density_norm="width",
        width=SPAN,
        cut=0,
        linewidth=0,
        legend=False,
        ax=axes,
    )
    # seen too where a violin is a line, since all texts have nearly the same value
    for (row, bin_), (number, kind) in product(enumerate(bins.categories[::-1]), enumerate(kinds)):
        part = rows.loc[(bins == bin_) & (rows["kind"] == kind), "place"]
        if part.empty:
            continue
        height = row + SPAN * ((number + 0.5) / len(kinds) - 0.5)
        low, middle, high = np.quantile(part, QUARTILES)
        axes.hlines(height, low, high, color=style.BLACK, linewidth=1.4, clip_on=False)
        axes.plot(middle, height, "o", mec=style.BLACK, mfc="white", markersize=3.6, clip_on=False)
    axes.set(xlabel="", ylabel="")


scale_in_nats = partial(scale_to_ln2, ticks=(0, 0.2, 0.4), room=0)


def draw_by_weight(
    rows: pd.DataFrame,
    models: Names | None,
    x: str,
    hint: str,
    scale: Callable[[Axes], None] = scale_in_nats,
    weight: str = "base_max_attention",
    value: str = "jsd",
) -> Figure:
    """Draw a panel for each data set and model; for each data set where `models` is None.

    rows: of a text each, with its `kind`; weight, value: their columns of the largest weight and of what stands on the
    x axis. `models` names and orders the panels, and `scale` sets the x axis of each. x, hint: see
    `panels.explain_axes`.
    """
    instances = rows.assign(attention=rows[weight], place=rows[value])
    kinds = MOVEMENT_KINDS.arrange(rows["kind"].unique())
    with style.use_house_style():
        figure, panels = make_panels(instances, VIOLINS_HEIGHT, models)
        for panel in panels:
            scale(panel.axes[0])
            draw_violins(panel.axes[0], panel.rows, kinds)
            panel.write_title(f"{panel.rows['id'].nunique()} texts", narrower=MAX_LABEL_LETTERS)
        explain_axes(figure, x, hint, "largest weight of the text,\nin quarters of the texts")
        if len(kinds) > 1:
            draw_legend(figure, (style.convert_look(MOVEMENT_KINDS[kind]) | {"linestyle": "none"} for kind in kinds))
    return figure


def jw_fig_permutation(permutation: pd.DataFrame, models: Names) -> Figure:
    """Draw densities of the median TVD over permutations, by the largest weight.

    x has a square-root scale, on which the densities are estimated too, so that what lies near 0 can be read.
    `permutation` holds rows of the audit permutation, of any number of data sets.
    """
    values = permutation["median_tvd"].clip(0, 1)
    return draw_by_weight(
        permutation.assign(median_tvd=values, kind=SINGLE_KIND),
        models,
        "TVD of the prediction when attention is permuted (median; square-root scale)",
        "0: it does not matter which word has which weight; 1: the prediction is turned round",
        partial(scale_by_roots, way="x", low=0, high=find_reach(values)),
        "max_attention",
        "median_tvd",
    )


def jw_fig_adversary(instance_adversary: pd.DataFrame, models: Names) -> Figure:
    """Draw the greatest JSD (nats) that an adversary reaches within epsilon, by the largest weight.

    From columns.INSTANCE_ADVERSARY rows of any number of data sets; `models` names and orders the panels.
    """
    return draw_by_weight(
        instance_adversary.assign(kind=SINGLE_KIND),
        models,
        "greatest JSD from the model's own attention, with nearly the same prediction (nats)",
        "0: no other map would do; ln 2: a map that shares no word would do as well",
    )


def take_seed_median(comparison: pd.DataFrame) -> pd.DataFrame:
    """Take the median JSD between the base model and its further seeds, text by text."""
    keys = ["dataset", "model", "id", "base_max_attention"]
    return comparison[comparison["model"] == "base"].groupby(keys, sort=False)["jsd"].median().reset_index()


def wp_fig3_seed_variance(comparison: pd.DataFrame, instance_adversary: pd.DataFrame) -> Figure:
    """Draw densities of JSD (nats) from the base model's attention, by its largest weight; one panel for each data set.

    In each quarter of the texts, above, the median over further seeds (the authors' choice, in their code), where there
    are any; below, Jain & Wallace's per-instance adversary. From columns.COMPARISON and INSTANCE_ADVERSARY rows of any
    number of data sets.
    """
    adversary = instance_adversary[instance_adversary["model"] == "base"]
    movements = take_seed_median(comparison).assign(kind="seeds"), adversary.assign(kind="adversary")
    return draw_by_weight(
        pd.concat(movements, ignore_index=True),
        None,
        "JSD from the base model's attention (nats)",
        "0: the same map; ln 2: maps that share no word",
    )
