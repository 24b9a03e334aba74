"""Whether attributions point to marked words, and whether those that do are faithful."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from attention_audit.figures import style
from attention_audit.figures.panels import describe, legend, panel_grid, placed
from attention_audit.names import PLAUSIBLE, display_name
from attention_audit.tables.plausibility import FAITHFUL, parts_of
from attention_audit.tables.wording import named

LINE, MARGIN = 0.17, 0.85  # inches: a row of a panel, and its title and axis
PANEL, TITLE, BELOW = 2.3, 0.25, 1.3  # inches: a pair of panels, a line of its title, legend and axis of all
WIDE = 120  # letters in a line as wide as the figure
ENTRIES = 4  # of the legend, in a row
WORST, BEST = -0.3, 1.15  # the axis of faithfulness, at least
END: dict[str, Any] = {"linewidth": 1.2, "zorder": 1}
ENDS: dict[str, dict[str, Any]] = {
    "random": END | {"color": style.ORANGE, "linestyle": (0, (1, 1.5)), "label": "random or uniform weights"},
    "frequency": END | {"color": style.GREY, "linestyle": (0, (5, 1.5, 1, 1.5)), "label": "rare words first"},
    "others": END | {"color": style.BLACK, "linestyle": (0, (4, 2)), "label": "the other annotators"},
}
"""The floors and the ceiling, as lines."""
AXES = {
    "ranks": "ranks: states under the attention\n(0 chance, 1 as good as can be)",
    "located": "located: words of the input\n(0 chance, 1 as leave-one-out)",
}
NO_BREAK = "\N{NO-BREAK SPACE}"
NOTHING = "No words of the test texts of this run are marked."
POINT: dict[str, Any] = {
    "linestyle": "none", "markersize": 6, "markeredgewidth": 0.5, "markeredgecolor": "white", "clip_on": False,
}  # fmt: skip
ATTENTION: dict[str, Any] = POINT | {"markersize": 8, "markeredgewidth": 1, "markeredgecolor": style.BLACK}
"""How points are drawn, whole at the ends of a scale too, and that of attention, which is in question."""


def cells(plausibility: pd.DataFrame) -> pd.DataFrame:
    """The rows of columns.TABLE that have a value, with what their rows are about: `model` (as named in the table) and
    `attribution`.
    """
    known = plausibility[plausibility["mean"].notna() & plausibility["row"].str.contains(" - ", regex=False)]
    about = pd.DataFrame([parts_of(row) for row in known["row"]], columns=["model", "attribution"], index=known.index)
    return pd.concat([known, about], axis=1)


def look_of(attribution: str) -> dict[str, Any]:
    """How the point of an attribution is drawn."""
    look = PLAUSIBLE[attribution]
    own = ATTENTION if attribution == "attention" else POINT
    return style.mark(look) | own | ({"markersize": 9} if look.marker == "*" else {})


@style.house_style()
def empty() -> Figure:
    """The figure of a run without marks: a sentence."""
    figure = Figure(figsize=(style.WIDTH, 1), layout="constrained")
    figure.supxlabel(NOTHING, fontsize=style.TEXT)
    return figure


def draw_ends(axes: Axes, ends: pd.Series) -> None:
    """Vertical lines at floors and ceiling, values by name."""
    for name, look in ENDS.items():
        if name in ends:
            axes.axvline(float(ends[name]), **look)


def draw_dots(axes: Axes, rows: pd.DataFrame, names: Sequence[str]) -> None:
    """One panel: a dot with its interval for each attribution, the first of `names` on top."""
    values = rows.set_index("attribution")
    draw_ends(axes, values["mean"])
    for place, name in enumerate(names):
        if name in values.index:
            look, cell = look_of(name), values.loc[name]
            axes.hlines(place, cell["low"], cell["high"], color=look["color"], linewidth=1.2, zorder=2)
            axes.plot([cell["mean"]], [place], **look, zorder=3)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


@style.house_style()
def fig_plausibility(plausibility: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """AUPRC of each attribution against marked words, with floors and ceiling; a panel for each data set and model.

    `plausibility`: the table of this name, of columns.TABLE. `labels`: what models are called.
    """
    rows = cells(plausibility)
    rows = rows[rows["metric"] == "auprc"]
    if rows.empty:
        return empty()
    names = PLAUSIBLE.ordered(set(rows["attribution"]) - {*ENDS})
    groups = rows.groupby(["dataset", "model"], sort=False)
    figure, panels = panel_grid({(str(d), str(m)): part for (d, m), part in groups}, LINE * len(names) + MARGIN)
    highest = float(np.nanmax(rows[["mean", "high"]].where(rows["high"].notna(), 0.0)))
    for panel in panels:
        [axes] = panel.axes
        draw_dots(axes, panel.rows, names)
        axes.set_yticks(range(len(names)), [PLAUSIBLE[name].label if panel.left else "" for name in names])
        panel.title(named(panel.model, labels))
        axes.set_xlim(-0.02 * highest, min(1.02, 1.05 * highest))
    describe(
        figure,
        "AUPRC: average precision of an attribution's order of the words, of the marked ones; 95 % intervals",
        "to the right: more of the marked words come first; at the other annotators' line: as people agree with "
        "one another",
    )
    legend(figure, (look for name, look in ENDS.items() if name in set(rows["attribution"])))
    return figure


def pairs_of(rows: pd.DataFrame, question: str) -> pd.DataFrame:
    """Attributions of models that have both an AUPRC and an effect of a question: columns model, attribution, and mean,
    low and high of both, such as mean_x of AUPRC and mean_y of the effect.
    """
    auprc, effect = (
        rows.loc[rows["metric"] == metric, ["model", "attribution", "mean", "low", "high"]]
        for metric in ("auprc", question)
    )
    return auprc.merge(effect, on=["model", "attribution"])


def draw_points(axes: Axes, points: pd.DataFrame) -> None:
    """One panel: a point with both intervals for each attribution and model."""
    for value in (0, 1):
        axes.axhline(value, color=style.GREY, linewidth=0.7, zorder=0)
    # attention, which is in question, lies on top
    ordered = points.iloc[np.argsort(points["attribution"] == "attention", kind="stable")]
    for point in ordered.to_dict("records"):
        look = look_of(point["attribution"])
        faint = {"color": look["color"], "linewidth": 0.8, "alpha": 0.45, "zorder": 2}
        x, y = point["mean_x"], point["mean_y"]
        axes.hlines(y, point["low_x"], point["high_x"], **faint)
        # matplotlib draws no line to infinity
        axes.vlines(x, *np.clip([point["low_y"], point["high_y"]], -1e3, 1e3), **faint)
        axes.plot([x], [y], **look, zorder=4 if point["attribution"] == "attention" else 3)


def number_points(axes: Axes, points: pd.DataFrame, numbers: Mapping[str, int]) -> None:
    """Write beside each point the number of its model, attention first, where it hides nothing. The layout is final."""
    figure = axes.get_figure(root=True)
    half = 3.2 * (figure.dpi if figure else style.DPI) / 72
    places = axes.transData.transform(points[["mean_x", "mean_y"]].to_numpy(np.float64))
    taken = [Bbox([at - half, at + half]) for at in places]
    room = axes.get_window_extent()
    order = np.argsort(points["attribution"] != "attention", kind="stable")
    for point in points.iloc[order].to_dict("records"):
        text, colour = str(numbers[point["model"]]), look_of(point["attribution"])["color"]
        placed(axes, text, colour, (point["mean_x"], point["mean_y"]), taken, room)


@style.house_style()
def fig_plausible_faithful(plausibility: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """AUPRC against faithfulness: a point for each attribution and model, one row of two panels for each data set.

    Left, the effect of the question `ranks`; right, that of `located`. Intervals both ways; floors and ceiling of AUPRC
    are lines, the means over models. `plausibility`: the table of this name, of columns.TABLE. `labels`: what models
    are called.
    """
    rows = cells(plausibility)
    # where all words are marked, or none, there is no AUPRC
    parts = {
        str(dataset): part
        for dataset, part in rows.groupby("dataset", sort=False)
        if any(len(pairs_of(part, question)) for question in FAITHFUL)
    }
    if not parts:
        return empty()
    models = {dataset: list(dict.fromkeys(part["model"])) for dataset, part in parts.items()}
    titles = [_title(dataset, names, labels) for dataset, names in models.items()]
    heights = [PANEL + TITLE * len(title.splitlines()) for title in titles]
    figure = Figure(figsize=(style.WIDTH, sum(heights) + BELOW), layout="constrained")
    FigureCanvasAgg(figure)  # measures the numbers
    drawn: list[tuple[Axes, pd.DataFrame, dict[str, int]]] = []
    rows_of_panels = figure.subfigures(len(parts), 1, squeeze=False, height_ratios=heights)[:, 0]
    for (dataset, own), title, sub in zip(parts.items(), titles, rows_of_panels, strict=True):
        sub.suptitle(title, x=0.01, ha="left", fontsize=style.TEXT)
        of_ends = own[(own["metric"] == "auprc") & own["attribution"].isin([*ENDS])]
        means = of_ends.groupby("attribution")["mean"].mean()
        pairs = [pairs_of(own, question) for question in FAITHFUL]
        # as far as points and lines go, which may lie close, and a little further
        across = [*pd.concat(pairs)["mean_x"], *means]
        margin = max(0.15 * (max(across) - min(across)), 0.02)
        numbers = {name: place for place, name in enumerate(models[dataset], start=1)}
        for question, points, axes in zip(FAITHFUL, pairs, sub.subplots(1, len(FAITHFUL)), strict=True):
            draw_ends(axes, means)
            draw_points(axes, points)
            axes.set_ylabel(AXES[question])
            if len(points):
                axes.set_ylim(min(WORST, points["mean_y"].min() - 0.1), max(BEST, points["mean_y"].max() + 0.1))
            axes.set_xlim(max(-0.02, min(across) - margin), min(1.02, max(across) + margin))
            drawn.append((axes, points, numbers))
    describe(
        figure,
        "AUPRC against marked words",
        "to the right: people mark these words; upwards: the model needs them. At the lower right an attribution "
        "pleases and misleads",
    )
    shown = pd.concat(parts.values())
    names = PLAUSIBLE.ordered(set(shown.loc[shown["metric"].isin(FAITHFUL), "attribution"]))
    ends = set(rows.loc[rows["metric"] == "auprc", "attribution"])
    legend(figure, [*map(look_of, names), *(look for name, look in ENDS.items() if name in ends)], ENTRIES)
    figure.draw_without_rendering()
    for axes, points, numbers in drawn:
        if len(numbers) > 1:
            number_points(axes, points, numbers)
    return figure


def _title(dataset: str, models: Sequence[str], labels: Mapping[str, str]) -> str:
    """The data set, and its models with the numbers that their points have, where there are several."""
    called = [named(model, labels) for model in models]
    if len(called) > 1:
        # no line ends within a name
        called = [f"{number} {label}".replace(" ", NO_BREAK) for number, label in enumerate(called, start=1)]
    return f"{display_name(dataset)}\n{fill('; '.join(called), WIDE)}"
