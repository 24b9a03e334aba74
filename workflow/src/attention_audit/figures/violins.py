"""Violins by the largest attention weight of a text and its predicted class."""

from __future__ import annotations

import math
from collections.abc import Collection

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from attention_audit.figures import style
from attention_audit.figures.margin import above, beside
from attention_audit.units import LN2

BINS = (0.0, 0.25, 0.5, 0.75, math.inf)  # rounding may lift a lone weight above 1
BIN_NAMES = ("[0, ¼)", "[¼, ½)", "[½, ¾)", "[¾, 1]")
TWO_CLASSES = ("negative", "positive")
FEWEST, NARROWEST = 5, 0.01  # fewer texts, or within less, are drawn as dots: no density to speak of
MOST = 4  # classes that have violins of their own; more are pooled
SPAN = 0.85  # height that the violins of one bin share


def instances_of(rows: pd.DataFrame, value: str, attention: str, prediction: str) -> pd.DataFrame:
    """`rows` with three of their columns also under the names value, attention (the largest weight) and prediction."""
    return rows.assign(value=rows[value], attention=rows[attention], prediction=rows[prediction])


def centre(bin_: int, class_: int, classes: int) -> float:
    """Where on the y axis a class of a bin stands; the axis points down, so that bins rise and class 0 is on top."""
    return len(BIN_NAMES) - 1 - bin_ + SPAN * ((class_ + 0.5) / classes - 0.5)


def classes_of(*frames: pd.DataFrame) -> int:
    """The number of classes that have violins of their own in one data set: those predicted, but at least two; 1 where
    they are more than MOST, and so are pooled."""
    predicted = 1 + max(1, *(frame["prediction"].max() for frame in frames))
    return int(predicted) if predicted <= MOST else 1


def classes_by_dataset(instances: pd.DataFrame) -> dict[str, int]:
    """The number of classes of each data set, from `classes_of`."""
    groups = instances.groupby("dataset", sort=False, observed=True)
    return {str(dataset): classes_of(rows) for dataset, rows in groups}


def colours_of(classes: int) -> list[str]:
    """A colour for each class; grey where classes are pooled."""
    return style.class_colours(classes) if classes > 1 else [style.GREY]


def pooled(instances: pd.DataFrame, classes: int) -> pd.DataFrame:
    """`instances` with one prediction for all where classes are pooled."""
    return instances if classes > 1 else instances.assign(prediction=0)


def draw(axes: Axes, instances: pd.DataFrame, classes: int) -> None:
    """One panel: a violin of `value` for each bin and predicted class, with its quartiles and the number of texts."""
    bins = pd.cut(instances["attention"], BINS, right=False, labels=False)
    instances, colours = pooled(instances.assign(bin=bins), classes), colours_of(classes)
    groups = instances.groupby(["bin", "prediction"])["value"]
    spread = groups.transform("max") - groups.transform("min")
    is_dense = (groups.transform("size") >= FEWEST) & (spread >= NARROWEST)
    dense, sparse = instances[is_dense], instances[~is_dense]
    if len(dense):
        sns.violinplot(
            dense.assign(bin=dense["bin"].map(dict(enumerate(BIN_NAMES)))),
            x="value",
            y="bin",
            hue="prediction",
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
    heights = [centre(b, c, classes) for b, c in zip(sparse["bin"], sparse["prediction"], strict=True)]
    inks = [colours[c] for c in sparse["prediction"]]
    axes.scatter(sparse["value"], heights, s=9, c=inks, linewidths=0, clip_on=False, zorder=3)
    count(axes, groups.size(), classes)
    axes.set(ylim=(len(BIN_NAMES) - 0.5, -0.5), xlabel="", ylabel="")
    axes.set_yticks(range(len(BIN_NAMES)), BIN_NAMES[::-1])


def count(axes: Axes, counts: pd.Series, classes: int) -> None:
    """Write the number of texts of each bin and class to the right of its violin."""
    for bin_ in range(len(BIN_NAMES)):
        for class_ in range(classes):
            beside(axes, f"{counts.get((bin_, class_), 0)}", centre(bin_, class_, classes), colours_of(classes)[class_])
    above(axes, "texts")


def up_to_ln2(axes: Axes) -> None:
    """Let x be a divergence in nats, from 0 to its bound."""
    axes.axvline(LN2, color=style.GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.set(xlim=(0, LN2))
    axes.set_xticks([0, 0.2, 0.4, 0.6, LN2], ["0", "0.2", "0.4", "0.6", "ln 2"])


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
