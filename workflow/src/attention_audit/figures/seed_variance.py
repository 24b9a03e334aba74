"""Figure 3 of Wiegreffe & Pinter 2019: does an adversary move attention further than another seed does?"""

from __future__ import annotations

import math
from collections.abc import Collection

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from attention_audit.figures import style
from attention_audit.figures.margin import above, beside
from attention_audit.names import display_name

LN2 = math.log(2)
BINS = (0.0, 0.25, 0.5, 0.75, math.inf)  # rounding may lift a lone weight above 1
BIN_NAMES = ("[0, ¼)", "[¼, ½)", "[½, ¾)", "[¾, 1]")
TWO_CLASSES = ("negative", "positive")
FEWEST, NARROWEST = 5, 0.01  # fewer texts, or within fewer nats, are drawn as dots: no density to speak of
MOST = 4  # classes that have violins of their own; more are pooled
SPAN = 0.85  # height that the violins of one bin share
ROW_HEIGHT, PER_CLASS, MARGIN = 1.9, 0.5, 0.7  # inches; a row grows with each class after the second


def binned(instances: pd.DataFrame) -> pd.DataFrame:
    """`instances` with the column `bin`: the bin (0 to 3) of the base model's largest weight."""
    codes = pd.cut(instances["base_max_attention"], BINS, right=False, labels=False)
    return instances.assign(bin=codes)


def median_over_seeds(comparison: pd.DataFrame) -> pd.DataFrame:
    """One row a test instance: the median JSD between the base model and its further seeds."""
    seeds = comparison[comparison["model"] == "base"]
    keys = ["dataset", "id", "base_prediction", "base_max_attention"]
    return seeds.groupby(keys, sort=False)["jsd"].median().reset_index()


def centre(bin_: int, class_: int, classes: int) -> float:
    """Where on the y axis a class of a bin stands; the axis points down, so that bins rise and class 0 is on top."""
    return len(BIN_NAMES) - 1 - bin_ + SPAN * ((class_ + 0.5) / classes - 0.5)


def classes_of(*frames: pd.DataFrame) -> int:
    """How many classes the texts of one data set are told apart by: those predicted, at least two, or 1 where they
    are so many that they are pooled."""
    predicted = 1 + max(1, *(frame["base_prediction"].max() for frame in frames))
    return predicted if predicted <= MOST else 1


def colours_of(classes: int) -> list[str]:
    """A colour a class; grey for pooled ones."""
    return style.class_colours(classes) if classes > 1 else [style.GREY]


def draw(axes: Axes, instances: pd.DataFrame, classes: int) -> None:
    """One panel: a violin of JSD for each bin and predicted class, with its quartiles and the number of texts."""
    instances, colours = binned(instances), colours_of(classes)
    if classes == 1:
        instances = instances.assign(base_prediction=0)
    groups = instances.groupby(["bin", "base_prediction"])["jsd"]
    spread = groups.transform("max") - groups.transform("min")
    is_dense = (groups.transform("size") >= FEWEST) & (spread >= NARROWEST)
    dense, sparse = instances[is_dense], instances[~is_dense]
    if len(dense):
        sns.violinplot(
            dense.assign(bin=dense["bin"].map(dict(enumerate(BIN_NAMES)))),
            x="jsd",
            y="bin",
            hue="base_prediction",
            order=BIN_NAMES[::-1],
            hue_order=range(classes),
            palette=colours,
            saturation=1,
            orient="h",
            split=classes == len(TWO_CLASSES),
            inner="quart",
            inner_kws={"color": "white", "linewidth": 0.9},
            density_norm="width",
            width=SPAN,
            cut=0,
            linewidth=0.4,
            legend=False,
            ax=axes,
        )
    heights = [centre(b, c, classes) for b, c in zip(sparse["bin"], sparse["base_prediction"], strict=True)]
    inks = [colours[c] for c in sparse["base_prediction"]]
    axes.scatter(sparse["jsd"], heights, s=9, c=inks, linewidths=0, clip_on=False, zorder=3)
    counts = groups.size()
    for bin_ in range(len(BIN_NAMES)):
        for class_ in range(classes):
            beside(axes, f"{counts.get((bin_, class_), 0)}", centre(bin_, class_, classes), colours[class_])
    above(axes, "texts")
    axes.axvline(LN2, color=style.GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.set(xlim=(0, LN2), ylim=(len(BIN_NAMES) - 0.5, -0.5), xlabel="", ylabel="")
    axes.set_xticks([0, 0.2, 0.4, 0.6, LN2], ["0", "0.2", "0.4", "0.6", "ln 2"])
    axes.set_yticks(range(len(BIN_NAMES)), BIN_NAMES[::-1])


def legend(counts: Collection[int]) -> list[Patch]:
    """A patch for each colour of panels with so many classes, named as it is in all of them."""
    most, two = max(counts), len(TWO_CLASSES) in counts
    names = [f"class {class_}" for class_ in range(most)] if most > 1 else []
    if two:
        names[: len(TWO_CLASSES)] = (
            TWO_CLASSES if most == 2 else [f"class {i} ({n})" for i, n in enumerate(TWO_CLASSES)]
        )
    named = [(colour, f"predicted {name}") for colour, name in zip(colours_of(most), names, strict=False)]
    if 1 in counts:
        named.append((style.GREY, "all classes"))
    return [Patch(color=colour, label=label) for colour, label in named]


def wp_fig3_seed_variance(comparison: pd.DataFrame, instance_adversary: pd.DataFrame) -> Figure:
    """Densities of JSD (nats) from the base model's attention, by its largest weight and predicted class.

    A row a data set: left, the median over further seeds (the authors' choice, in their code); right, Jain &
    Wallace's per-instance adversary. More than MOST classes are pooled. From schema.COMPARISON and INSTANCE_ADVERSARY
    rows of any number of data sets.
    """
    datasets = comparison["dataset"].unique()
    shown = {"seeds": median_over_seeds(comparison), "per-instance adversary": instance_adversary}
    counts = [classes_of(*(frame[frame["dataset"] == dataset] for frame in shown.values())) for dataset in datasets]
    heights = [ROW_HEIGHT + PER_CLASS * max(0, classes - 2) for classes in counts]
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH, sum(heights) + MARGIN), layout="constrained")
        panels = figure.subplots(len(datasets), 2, sharex=True, sharey=True, squeeze=False, height_ratios=heights)
        for dataset, classes, row in zip(datasets, counts, panels, strict=True):
            for axes, (what, frame) in zip(row, shown.items(), strict=True):
                draw(axes, frame[frame["dataset"] == dataset], classes)
                axes.set_title(f"{display_name(dataset)}: {what}", loc="left")
                axes.tick_params(labelbottom=True, labelleft=True)
        figure.supxlabel("JSD from the base model's attention (nats)", fontsize=style.TEXT)
        figure.supylabel("largest weight of the base model", fontsize=style.TEXT)
        figure.legend(handles=legend(counts), loc="outside upper center", ncols=max(counts) + 1)
    return figure
