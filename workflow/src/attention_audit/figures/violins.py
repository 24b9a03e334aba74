"""Violins by the largest attention weight of a text and its predicted class."""

from collections.abc import Mapping, Sequence
from itertools import cycle, islice

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from attention_audit.figures import style
from attention_audit.figures.notes import beside
from attention_audit.tables.classes import ClassNames, listed

QUARTERS = (0.25, 0.5, 0.75)
"""Where the paper parts largest weights; and where the texts are parted, in the order of their largest weights."""
PAPER_NAMES = ("[0, ¼)", "[¼, ½)", "[½, ¾)", "[¾, 1]")
MOST_DIGITS = 5
FEWEST = 10  # fewer texts are drawn as dots: no density to speak of
NARROWEST = 0.05  # of the x axis; texts within less are one diamond, with their smallest and largest value
MOST = 4  # classes that have violins of their own; more are pooled
SPAN = 0.85  # height that the violins of one bin share
LEAST, PER_BIN, PER_CLASS = 0.62, 0.26, 0.15  # inches: of a panel, of a bin, and of a class in it


def papers(weights: pd.Series) -> pd.Categorical:
    """Weights in the paper's four bins of equal width, named, from the lowest; those without a text are left out."""
    bins = pd.cut(weights.to_numpy(), [-np.inf, *QUARTERS, np.inf], right=False, labels=PAPER_NAMES)
    return bins.remove_unused_categories()


def quarters(weights: pd.Series) -> pd.Categorical:
    """The same in four bins with the same number of texts, or fewer where many texts have the same largest weight."""
    edges = np.unique(np.quantile(weights, QUARTERS))
    bins = pd.cut(weights.to_numpy(), [-np.inf, *edges, np.inf], right=False).remove_unused_categories()
    parts = [weights[bins.codes == place] for place in range(len(bins.categories))]
    names = spans([(float(part.min()), float(part.max())) for part in parts])
    return bins.rename_categories(dict(zip(bins.categories, names, strict=True)))


def spans(ends: Sequence[tuple[float, float]]) -> list[str]:
    """Names of bins: the smallest and the largest weight in them, with the digits that tell their beginnings apart."""
    for digits in range(2, MOST_DIGITS + 1):
        names = [[f"{end:.{digits}f}" for end in bounds] for bounds in ends]
        if len({low for low, _ in names}) == len(ends):
            break
    return [low if low == high else f"{low} to {high}" for low, high in names]


def classes_of(names: ClassNames) -> int:
    """The number of classes that have violins of their own in one data set; 1 where they are more than MOST, and so are
    pooled.
    """
    return len(names) if len(names) <= MOST else 1


def key(names: ClassNames) -> str:
    """Which class is which in a panel."""
    if len(names) > MOST:
        return f"all {len(names)} predicted classes together"
    return f"predicted, from above: {listed(names)}"


def written(names: Mapping[str, ClassNames]) -> list[str]:
    """All names of classes that a figure may write."""
    return [name for classes in names.values() for name in classes.values()]


def centre(bin_: int, class_: int, bins: int, classes: int) -> float:
    """Where on the y axis a class of a bin stands; the axis points down, so that bins rise and class 0 is on top."""
    return bins - 1 - bin_ + SPAN * ((class_ + 0.5) / classes - 0.5)


def colours_of(classes: int) -> list[str]:
    """A colour for each class; grey where classes are pooled."""
    return list(islice(cycle(style.CLASSES), classes)) if classes > 1 else [style.GREY]


def draw(axes: Axes, instances: pd.DataFrame, classes: int, bins: pd.Categorical) -> None:
    """One panel: a violin of `place` for each bin and predicted class, with its quartiles and the number of texts.

    The limits of the x axis must be set.
    """
    instances = instances.assign(bin=bins.codes)
    if classes == 1:
        instances = instances.assign(prediction=0)
    colours, names = colours_of(classes), list(bins.categories)
    groups = instances.groupby(["bin", "prediction"])
    many = groups["place"].transform("size") >= FEWEST
    wide = groups["place"].transform(np.ptp) >= NARROWEST * np.ptp(axes.get_xlim())
    if (many & wide).any():
        dense = instances[many & wide]
        sns.violinplot(
            dense.assign(bin=dense["bin"].map(dict(enumerate(names)))),
            x="place",
            y="bin",
            hue="prediction",
            order=names[::-1],
            hue_order=range(classes),
            palette=colours,
            saturation=1,
            orient="h",
            inner="quart",
            inner_kws={"color": "white", "linewidth": 0.9},
            density_norm="width",
            width=SPAN,
            dodge=True,  # else a violin fills its bin wherever each bin has violins of one class
            cut=0,
            linewidth=0.4,
            legend=False,
            ax=axes,
        )
    sparse = instances[~many]
    heights = [centre(b, c, len(names), classes) for b, c in zip(sparse["bin"], sparse["prediction"], strict=True)]
    inks = [colours[c] for c in sparse["prediction"]]
    axes.scatter(sparse["place"], heights, s=9, c=inks, linewidths=0, clip_on=False, zorder=3)
    for (bin_, class_), rows in instances[many & ~wide].groupby(["bin", "prediction"]):
        summed_up(axes, rows, centre(bin_, class_, len(names), classes), colours[class_])
    counts = groups.size()
    for bin_ in range(len(names)):
        for class_ in range(classes):
            beside(axes, f"{counts.get((bin_, class_), 0)}", centre(bin_, class_, len(names), classes))
    axes.set(ylim=(len(names) - 0.5, -0.5), xlabel="", ylabel="")
    axes.set_yticks(range(len(names)), names[::-1])


def summed_up(axes: Axes, rows: pd.DataFrame, height: float, colour: str) -> None:
    """Texts whose values hardly differ: a diamond, and the smallest and the largest value."""
    at, (left, right) = rows["place"].median(), axes.get_xlim()
    axes.scatter(at, height, s=16, c=colour, marker="D", linewidths=0, clip_on=False, zorder=3)
    first = at < (left + right) / 2
    ends = [f"{end:.3f}" for end in (rows["value"].min(), rows["value"].max())]
    axes.annotate(
        ends[0] if ends[0] == ends[1] else " to ".join(ends),
        (at, height),
        xytext=(5 if first else -5, 0),
        textcoords="offset points",
        ha="left" if first else "right",
        va="center",
        fontsize=style.SMALL,
    )


def height(bins: pd.Categorical, classes: int) -> float:
    """Inches that the violins of a panel need."""
    return max(LEAST, len(bins.categories) * max(PER_BIN, PER_CLASS * classes))
