"""Panels of violins for each data set and model: all texts by the largest weight, parted in two ways.

Figure 5 of Jain & Wallace 2019, what shuffling the attention weights does to the prediction; their figures 6-8, how far
attention can move while the prediction stays; and figure 3 of Wiegreffe & Pinter 2019, whether an adversary moves
attention further than another seed does.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style, violins
from attention_audit.figures.notes import above
from attention_audit.figures.panels import PAD, columns_of, describe, heading, panels_of, uneven_grid
from attention_audit.names import Look, Names, display_name
from attention_audit.tables.classes import ClassNames, class_names
from attention_audit.units import LN2

LINE, BETWEEN = 0.15, 0.65  # inches: of a line of a heading, and of what else stands between panels
PARTED = {"paper's bins": violins.papers, "quarters of texts": violins.quarters}
"""The two ways to part the texts, as they are called, from above."""
TICKS = {0: "0", 0.001: "0.001", 0.01: "0.01", 0.1: "0.1", 0.25: "¼", 0.5: "½", 0.75: "¾", 1: "1"}
NEAREST = 0.03  # of the x axis: smaller values have no tick beside 0
SHORTEST = 0.01  # TVD at the end of the x axis, at least; one of the ticks
MOVED = Names(
    "kind of movement",
    "MOVED of attention_audit/figures/by_weight.py",
    {"seeds": Look("further seeds"), "adversary": Look("per-instance adversary")},
)
"""The panels of each data set in the figure of Wiegreffe & Pinter."""


def by_weight(
    instances: pd.DataFrame,
    names: Mapping[str, ClassNames],
    models: Names,
    scale: Callable[[Axes], None],
    columns: int = 0,
) -> Figure:
    """Two parts for each data set and model, in the paper's bins above, and in quarters of the texts below.

    `instances`: rows with a value, the largest weight of attention, the predicted class, and `place`, where the value
    stands on the x axis. `names`: of the classes, by data set. `models` names and orders the panels, and `scale` sets
    the x axis of each. columns: of panels, where a row is to hold one data set; data set and model are then named in
    one line. Within style.house_style.
    """
    panels = panels_of(instances, models)
    titles = {}
    for dataset, model in panels:
        name = [display_name(dataset), models[model].label]
        lines = [": ".join(name)] if columns else name
        titles[dataset, model] = heading(columns or columns_of(len(panels)), *lines, violins.key(names[dataset]))
    most = max(title.count("\n") for title in titles.values()) + 1
    bins = {key: [parted(rows["attention"]) for parted in PARTED.values()] for key, rows in panels.items()}
    heights = [[violins.height(part, violins.classes_of(names[key[0]])) for part in bins[key]] for key in panels]
    figure, drawn = uneven_grid(panels, heights, LINE * most + BETWEEN, columns)
    for panel in drawn:
        key = panel.dataset, panel.model
        for axes, part in zip(panel.axes, bins[key], strict=True):
            scale(axes)
            violins.draw(axes, panel.rows, violins.classes_of(names[panel.dataset]), part)
        above(panel.axes[0], "texts")
        panel.beside(*PARTED)
        panel.axes[0].set_title(titles[key], loc="left", fontsize=style.TEXT, pad=PAD)
    return figure


def up_to_ln2(axes: Axes) -> None:
    """Let x be a divergence in nats, from 0 to its bound."""
    axes.axvline(LN2, color=style.GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.set(xlim=(0, LN2))
    axes.set_xticks([0, 0.2, 0.4, LN2], ["0", "0.2", "0.4", "ln 2"])


def divergences(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of audits that move the attention of a base model, with the columns of `by_weight`."""
    base = {"base_max_attention": "attention", "base_prediction": "prediction"}
    return rows[["dataset", "model", "jsd", *base]].rename(columns=base | {"jsd": "value"}).assign(place=rows["jsd"])


def jw_fig_permutation(permutation: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names) -> Figure:
    """Densities of the median TVD over permutations, by the largest weight and predicted class.

    x has a square-root scale, on which the densities are estimated too, so that what lies near 0 can be read. Two
    panels for each data set and model, in the paper's bins and in quarters of the texts; more than violins.MOST classes
    are pooled. `permutation` holds rows of the audit permutation, of any number of data sets, and `census` has
    columns.CENSUS frames by data set.
    """
    values = permutation["median_tvd"].clip(0, 1)
    instances = permutation.rename(columns={"median_tvd": "value", "max_attention": "attention"})
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


def jw_fig_adversary(instance_adversary: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names) -> Figure:
    """The greatest JSD (nats) that an adversary reaches within epsilon, by the largest weight and predicted class.

    Two panels for each data set and model, in the paper's bins and in quarters of the texts; more than violins.MOST
    classes are pooled. From columns.INSTANCE_ADVERSARY rows of any number of data sets, and columns.CENSUS frames by
    data set; `models` names and orders the panels.
    """
    names = class_names(census)
    with style.house_style(violins.written(names)):
        figure = by_weight(divergences(instance_adversary), names, models, up_to_ln2)
        describe(
            figure,
            "greatest JSD from the model's own attention, with nearly the same prediction (nats)",
            "0: no other map would do; ln 2: a map that shares no word would do as well",
            "largest weight of the text",
        )
    return figure


def median_over_seeds(comparison: pd.DataFrame) -> pd.DataFrame:
    """One row for each test text: the median JSD between the base model and its further seeds."""
    seeds = comparison[comparison["model"] == "base"]
    keys = ["dataset", "id", "base_prediction", "base_max_attention"]
    return seeds.groupby(keys, sort=False)["jsd"].median().reset_index()


def wp_fig3_seed_variance(
    comparison: pd.DataFrame, instance_adversary: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names
) -> Figure:
    """Densities of JSD (nats) from the base model's attention, by its largest weight and predicted class.

    For each data set: left, the median over further seeds (the authors' choice, in their code); right, Jain & Wallace's
    per-instance adversary; above in the paper's bins, below in quarters of the texts. More than violins.MOST classes
    are pooled. From columns.COMPARISON and INSTANCE_ADVERSARY rows of any number of data sets, and columns.CENSUS
    frames by data set. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(comparison["model"].unique())
    adversary = instance_adversary[instance_adversary["model"] == "base"].assign(model="adversary")
    moved = pd.concat([median_over_seeds(comparison).assign(model="seeds"), adversary])
    names = class_names(census)
    with style.house_style(violins.written(names)):
        figure = by_weight(divergences(moved), names, MOVED, up_to_ln2, columns=len(MOVED))
        describe(
            figure,
            "JSD from the base model's attention (nats)",
            "0: the same map; ln 2: maps that share no word",
            "largest weight of the base model in the text",
        )
    return figure
