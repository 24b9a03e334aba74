"""Panels of violins for each data set and model: all texts by the largest weight, parted in two ways.

Figure 5 of Jain & Wallace 2019, what shuffling the attention weights does to the prediction; their figures 6-8, how far
attention can move while the prediction stays; and figure 3 of Wiegreffe & Pinter 2019, whether an adversary moves
attention further than another seed does.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from textwrap import fill

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.panels import (
    ENTRIES,
    HANDLE,
    LINE,
    PAD,
    TITLED,
    above,
    beside,
    columns_of,
    describe,
    heading,
    legend,
    panels_of,
    uneven_grid,
    up_to_ln2,
)
from attention_audit.names import Look, Names, display_name
from attention_audit.tables.wording import ClassNames, class_names, isolated, listed

QUARTERS = (0.25, 0.5, 0.75)
"""Where the paper parts largest weights; and where the texts are parted, in the order of their largest weights."""
PAPER_NAMES = ("[0, ¼)", "[¼, ½)", "[½, ¾)", "[¾, 1]")
MOST_DIGITS = 5
FEWEST = 10  # fewer texts are drawn as dots: no density to speak of
NARROWEST = 0.05  # of the x axis; texts within less are one diamond, with their smallest and largest value
MOST = 4  # classes that have violins of their own; more are pooled
SPAN = 0.85  # height that the violins of one bin share
LEAST, PER_BIN, PER_CLASS = 0.62, 0.26, 0.15  # inches: of a panel, of a bin, and of a class in it
BETWEEN = 0.65  # inches: what stands between panels, beside their headings
WIDE = 8  # panels at most that are two in a row
LETTERS = {1: 84, 2: 38, 3: 20}  # in a line of a heading, by the number of columns; bins take room for their names
TICKS = {0: "0", 0.001: "0.001", 0.01: "0.01", 0.1: "0.1", 0.25: "¼", 0.5: "½", 0.75: "¾", 1: "1"}
NEAREST = 0.03  # of the x axis: smaller values have no tick beside 0
SHORTEST = 0.01  # TVD at the end of the x axis, at least; one of the ticks
MOVED = Names(
    "kind of movement",
    "MOVED of attention_audit/figures/by_weight.py",
    {"seeds": Look("further seeds"), "adversary": Look("per-instance adversary")},
)
"""The panels of each data set in the figure of Wiegreffe & Pinter."""


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
    """Which class is which in a panel, in words."""
    if len(names) > MOST:
        return f"all {len(names)} predicted classes together"
    return f"predicted, from above: {listed(names)}"


def colours_of(names: ClassNames) -> list[str]:
    """The colours of the classes of one data set that have violins of their own, or of all of them together."""
    classes = classes_of(names)
    return list(islice(cycle(style.CLASSES), classes)) if classes > 1 else [style.GREY]


def class_legend(figure: Figure, names: Mapping[str, ClassNames]) -> None:
    """Say above the panels which colour is which class; in a line for data sets that call theirs alike."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for dataset, classes in names.items():
        said = tuple(classes.values()) if len(classes) <= MOST else (f"all {len(classes)} classes together",)
        alike.setdefault(said, []).append(dataset)
    several = len(alike) > 1
    columns = several + max(map(len, alike))
    lines: list[list[dict[str, str]]] = []
    high = 1
    for said, datasets in alike.items():
        shown = [", ".join(map(display_name, datasets))] * several + [*map(isolated, said)]
        texts = [fill(text, ENTRIES // columns - HANDLE) for text in shown] + [""] * (columns - len(shown))
        most = max(text.count("\n") for text in texts)
        # of as many lines each, so that those of a data set stay side by side
        line = [{"label": text + "\n" * (most - text.count("\n")), "linestyle": "none"} for text in texts]
        for entry, colour in zip(line[several:], colours_of(names[datasets[0]]), strict=False):
            entry |= {"color": colour, "marker": "s"}
        lines.append(line)
        high += most + 1
    # as a legend is filled
    entries = (entry for column in zip(*lines, strict=True) for entry in column)
    legend(figure, entries, columns, "predicted class, from above in a bin")
    figure.set_figheight(figure.get_figheight() + LINE * high)


def centre(bin_: int, class_: int, bins: int, classes: int) -> float:
    """Where on the y axis a class of a bin stands; the axis points down, so that bins rise and class 0 is on top."""
    return bins - 1 - bin_ + SPAN * ((class_ + 0.5) / classes - 0.5)


def draw(axes: Axes, instances: pd.DataFrame, colours: Sequence[str], bins: pd.Categorical) -> None:
    """One panel: a violin of `place` for each bin and predicted class, with its quartiles and the number of texts.
    colours: of the classes; one where they are pooled.

    The limits of the x axis must be set.
    """
    instances, classes = instances.assign(bin=bins.codes), len(colours)
    if classes == 1:
        instances = instances.assign(prediction=0)
    names = list(bins.categories)
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


PARTED = {"paper's bins": papers, "quarters of texts": quarters}
"""The two ways to part the texts, as they are called, from above."""


def by_weight(
    instances: pd.DataFrame,
    census: Mapping[str, pd.DataFrame],
    models: Names,
    scale: Callable[[Axes], None],
    *said: str,
    columns: int = 0,
) -> Figure:
    """Two parts for each data set and model, in the paper's bins above, and in quarters of the texts below.

    `instances`: rows with a value, the largest weight of attention, the predicted class, and `place`, where the value
    stands on the x axis. `census`: columns.CENSUS frames by data set. `models` names and orders the panels, and `scale`
    sets the x axis of each. said: see `panels.describe`. columns: of panels, where a row is to hold one data set; data
    set and model are then named in one line, and its classes below; else a legend names them.
    """
    panels = panels_of(instances, models)
    names = {dataset: class_names(census)[dataset] for dataset, _ in panels}
    across = columns or (2 if 1 < len(panels) <= WIDE else columns_of(len(panels)))
    titles = {}
    for dataset, model in panels:
        name = [display_name(dataset), models[model].label]
        lines = [": ".join(name), key(names[dataset])] if columns else name
        titles[dataset, model] = heading(LETTERS[across], *lines)
    most = min(TITLED, max(title.count("\n") for title in titles.values()) + 1)
    bins = {which: [parted(rows["attention"]) for parted in PARTED.values()] for which, rows in panels.items()}
    heights = [[height(part, classes_of(names[which[0]])) for part in bins[which]] for which in panels]
    with style.house_style(name for classes in names.values() for name in classes.values()):
        figure, drawn = uneven_grid(panels, heights, LINE * most + BETWEEN, across)
        for panel in drawn:
            which = panel.dataset, panel.model
            for axes, part in zip(panel.axes, bins[which], strict=True):
                scale(axes)
                draw(axes, panel.rows, colours_of(names[panel.dataset]), part)
            above(panel.axes[0], "texts")
            panel.beside(*PARTED)
            panel.axes[0].set_title(titles[which], loc="left", fontsize=style.TEXT, pad=PAD)
        describe(figure, *said)
        if not columns:
            class_legend(figure, names)
    return figure


def divergences(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of audits that move the attention of a base model, with the columns of `by_weight`."""
    base = {"base_max_attention": "attention", "base_prediction": "prediction"}
    return rows[["dataset", "model", "jsd", *base]].rename(columns=base | {"jsd": "value"}).assign(place=rows["jsd"])


def jw_fig_permutation(permutation: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names) -> Figure:
    """Densities of the median TVD over permutations, by the largest weight and predicted class.

    x has a square-root scale, on which the densities are estimated too, so that what lies near 0 can be read. Two
    panels for each data set and model, in the paper's bins and in quarters of the texts; more than MOST classes
    are pooled. `permutation` holds rows of the audit permutation, of any number of data sets, and `census` has
    columns.CENSUS frames by data set.
    """
    values = permutation["median_tvd"].clip(0, 1)
    instances = permutation.rename(columns={"median_tvd": "value", "max_attention": "attention"})
    instances["place"] = np.sqrt(values)
    # the axis ends at a tick, so that the largest value can be read
    furthest = min(tick for tick in TICKS if tick >= max(SHORTEST, values.max()))

    def scale(axes: Axes) -> None:
        ticks = {
            np.sqrt(tick): label for tick, label in TICKS.items() if tick == 0 or NEAREST * furthest <= tick <= furthest
        }
        axes.set(xlim=(0, np.sqrt(furthest)))
        axes.set_xticks(list(ticks), list(ticks.values()))

    return by_weight(
        instances,
        census,
        models,
        scale,
        "TVD of the prediction when attention is permuted (median; square-root scale)",
        "0: it does not matter which word has which weight; 1: the prediction is turned round",
        "largest weight of the text",
    )


def jw_fig_adversary(instance_adversary: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names) -> Figure:
    """The greatest JSD (nats) that an adversary reaches within epsilon, by the largest weight and predicted class.

    Two panels for each data set and model, in the paper's bins and in quarters of the texts; more than MOST
    classes are pooled. From columns.INSTANCE_ADVERSARY rows of any number of data sets, and columns.CENSUS frames by
    data set; `models` names and orders the panels.
    """
    return by_weight(
        divergences(instance_adversary),
        census,
        models,
        partial(up_to_ln2, ticks=(0, 0.2, 0.4), room=0),
        "greatest JSD from the model's own attention, with nearly the same prediction (nats)",
        "0: no other map would do; ln 2: a map that shares no word would do as well",
        "largest weight of the text",
    )


def median_over_seeds(comparison: pd.DataFrame) -> pd.DataFrame:
    """One row for each test text: the median JSD between the base model and its further seeds."""
    seeds = comparison[comparison["model"] == "base"]
    keys = ["dataset", "id", "base_prediction", "base_max_attention"]
    return seeds.groupby(keys, sort=False)["jsd"].median().reset_index()


def wp_fig3_seed_variance(
    comparison: pd.DataFrame, instance_adversary: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names
) -> Figure:
    """Densities of JSD (nats) from the base model's attention, by its largest weight and predicted class.

    For each data set: left, the median over further seeds (the authors' choice, in their code), where there are any;
    right, Jain & Wallace's per-instance adversary; above in the paper's bins, below in quarters of the texts. More than
    MOST classes are pooled. From columns.COMPARISON and INSTANCE_ADVERSARY rows of any number of data sets, and
    columns.CENSUS frames by data set. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(comparison["model"].unique())
    adversary = instance_adversary[instance_adversary["model"] == "base"].assign(model="adversary")
    moved = pd.concat([median_over_seeds(comparison).assign(model="seeds"), adversary])
    return by_weight(
        divergences(moved),
        census,
        MOVED,
        partial(up_to_ln2, ticks=(0, 0.2, 0.4), room=0),
        "JSD from the base model's attention (nats)",
        "0: the same map; ln 2: maps that share no word",
        "largest weight of the base model in the text",
        columns=moved["model"].nunique(),
    )
