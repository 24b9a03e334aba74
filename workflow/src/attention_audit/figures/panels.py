"""Figures with a panel for each data set and model: their grid, what is written around it, their legend, and notes
beside what is drawn.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import product
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_audit.names import Names, display_name
from attention_audit.tables.wording import Labels, write_name

from . import style

MAX_COLUMNS = 3
PANELS_MARGIN = 0.6  # inches
LETTERS_BY_COLUMNS = {1: 84, 2: 46, 3: 28}  # in a line of a panel's title, by the number of columns

PAD = 11  # points between a panel and its title: room for the heading of the right margin
TITLE_LINES, TITLE_LINE_HEIGHT = 3, 0.15  # lines of titles that panels have room for, and inches of a further one
ROOT_TICKS = {
    0.00001: "0.00001", 0.00003: "0.00003", 0.0001: "0.0001", 0.0003: "0.0003", 0.001: "0.001", 0.003: "0.003",
    0.01: "0.01", 0.03: "0.03", 0.1: "0.1", 0.25: "¼", 0.5: "½", 1: "1",
}  # fmt: skip
"""Ticks of square-root scales, and what they say."""
MIN_TICK_DISTANCE = 0.15  # of such a scale, at least between two ticks of a small panel
MIN_SCALE = 0.01  # such a scale reaches so far at least
QUARTER_TICKS = {0: "0", 0.25: "¼", 0.5: "½", 0.75: "¾", 1: "1"}
"""Ticks of a scale of shares, and what they say."""


class Panel(NamedTuple):
    """The rows of a data set and, where models have panels, of a model, and where they are drawn: axes one above the
    other.

    columns: of the figure. left, lowest: whether no panel stands on its left, or below it.
    """

    dataset: str
    names: list[str]
    rows: pd.DataFrame
    axes: list[Axes]
    columns: int
    left: bool
    lowest: bool

    def write_title(self, *lines: str, narrower: int = 0) -> None:
        """Name the panel by its data set, its model and further lines, each broken where it has no room. narrower:
        letters of a line that find no room, since the ticks at the left are long.
        """
        room = LETTERS_BY_COLUMNS[self.columns] - narrower
        text = "\n".join(
            fill(line, room, break_on_hyphens=max(map(len, line.split())) > room) for line in (*self.names, *lines)
        )
        self.axes[0].set_title(text, loc="left", fontsize=style.TEXT_SIZE, pad=PAD)

    def name_axes(self, *labels: str, size: float = style.SMALL_SIZE) -> None:
        """Say what the y axes of the panels at the left are."""
        for axes, label in zip(self.axes, labels, strict=True):
            axes.set_ylabel(label if self.left else "", fontsize=size)

    def label_rows(self, looks: Names, names: Sequence[str]) -> None:
        """Label the rows of the panels at the left by names, the first of which is in row 0."""
        self.axes[0].set_yticks(range(len(names)), [looks[name].label if self.left else "" for name in names])


def make_panels(
    rows: pd.DataFrame, height: float, models: Names | Labels | None = None, ratios: Sequence[float] = (1,)
) -> tuple[Figure, list[Panel]]:
    """Make a figure with a panel of so many inches a data set or, where `models` has their labels, a data set and
    model; each has axes one above the other, by their heights.

    All are in the order of the rows; models that are `Names`, in the order of these.
    """
    keys = ["dataset"] if models is None else ["dataset", "model"]
    parts = {tuple(map(str, key)): part for key, part in rows.groupby(keys, sort=False, observed=True)}
    if isinstance(models, Names):
        order = product(rows["dataset"].unique(), models.arrange(model for _, model in parts))
        parts = {key: parts[key] for key in order if key in parts}
    count = len(parts)
    columns = 2 if count == 4 else min(count, MAX_COLUMNS)
    high = -(-count // columns)
    figure = Figure(figsize=(style.PAGE_WIDTH, high * height + PANELS_MARGIN), layout="constrained")
    axes = figure.subplots(high * len(ratios), columns, squeeze=False, height_ratios=[*ratios] * high)
    cells = np.hstack(np.split(axes, high)).T
    for unused in cells[count:].flat:
        unused.remove()
    labels = models.labels if isinstance(models, Names) else models or {}
    panels = []
    for index, ((dataset, *model), part) in enumerate(parts.items()):
        names = [display_name(dataset), *(write_name(name, labels) for name in model)]
        is_left, is_lowest = index % columns == 0, index + columns >= count
        panels.append(Panel(dataset, names, part, list(cells[index]), columns, is_left, is_lowest))
        panels[-1].write_title()
    return figure, panels


def explain_axes(figure: Figure, x: str, hint: str, y: str = "") -> None:
    """Say below a figure what its numbers are and, in a line of its own, which way is which; beside it, the y axis.

    Panels are titled by now; a row of them with longer titles than usual makes the figure higher.
    """
    extra_lines: dict[int, int] = {}
    for axes in figure.axes:
        if spec := axes.get_subplotspec():
            row, lines = spec.rowspan.start, len(axes.get_title(loc="left").splitlines())
            extra_lines[row] = max(extra_lines.get(row, 0), lines - TITLE_LINES)
    figure.set_figheight(figure.get_figheight() + TITLE_LINE_HEIGHT * sum(extra_lines.values()))
    figure.supxlabel(f"{x}\n{fill(hint, style.LINE_LETTERS)}", fontsize=style.TEXT_SIZE)
    if y:
        figure.supylabel(y, fontsize=style.TEXT_SIZE)


def draw_legend(figure: Figure, looks: Iterable[style.Keywords], columns: int = 3) -> None:
    """Say above the panels what each look stands for, at most so many in a row, or as many as find room."""
    handles = [Line2D([], [], **look) for look in looks]
    for fewer in range(columns, 0, -1):
        figure.legends.clear()
        legend = figure.legend(handles=handles, loc="outside upper center", ncols=fewer)
        if legend.get_window_extent().width <= figure.bbox.width:
            break


def scale_to_ln2(axes: Axes, ticks: Sequence[float] = (0, 0.2, 0.4, 0.6), room: float = 0.05) -> None:
    """Let x be a divergence in nats, from 0 to its bound, with a share of it as room beyond."""
    bound = math.log(2)
    axes.axvline(bound, color=style.GREY, **style.DASHES, zorder=0)
    axes.set(xlim=(-0.3 * room, (1 + room) * bound))
    axes.set_xticks([*ticks, bound], [*(f"{tick:g}" for tick in ticks), "ln 2"])


def take_signed_root(values: Any) -> Any:
    """Take square roots that have the signs of the values; they part what lies near 0."""
    return np.sign(values) * np.sqrt(np.abs(values))


def find_reach(values: Any) -> float:
    """Find the first tick of a square-root scale that no value is beyond, so that the largest can be read."""
    return next((tick for tick in ROOT_TICKS if tick >= np.asarray(values).max(initial=MIN_SCALE)), 1.0)


def scale_by_roots(axes: Axes, way: str, low: float, high: float, min_distance: float = MIN_TICK_DISTANCE) -> None:
    """Let x or y be a square-root scale between two values; its ticks are 0 and, from far to near, as many as find
    room.
    """
    room = min_distance * (take_signed_root(high) - take_signed_root(low))
    labels = {0.0: "0"}
    for tick, label in reversed(ROOT_TICKS.items()):
        for value, text in ((tick, label), (-tick, f"\N{MINUS SIGN}{label}")):
            if low <= value <= high and all(
                abs(take_signed_root(value) - take_signed_root(near)) >= room for near in labels
            ):
                labels[value] = text
    getattr(axes, f"set_{way}scale")("function", functions=(take_signed_root, lambda values: values * np.abs(values)))
    axes.set(**{f"{way}lim": (low, high), f"{way}ticks": [*labels], f"{way}ticklabels": [*labels.values()]})


def write_reason(axes: Axes, text: str) -> None:
    """Say in a panel why nothing is drawn there."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")


def draw_density(axes: Axes, x: Any, y: Any, cells: tuple[int, int], faintest: float) -> QuadMesh:
    """Shade a panel by how many values lie where, on a logarithmic scale of shades from `faintest` to the greatest
    number in a cell. Cells, so many along x and y, are alike on the scales and within the limits of the axes; those
    without any value stay white.
    """
    edges = []
    for axis, count in zip((axes.xaxis, axes.yaxis), cells, strict=True):
        ends, scale = axis.get_view_interval(), axis.get_transform()
        low, high = scale.transform(ends)
        inner = scale.inverted().transform(np.linspace(low, high, count + 1)[1:-1])
        edges.append([ends[0], *inner, ends[1]])
    counts, _, _, mesh = axes.hist2d(x, y, bins=edges, cmin=1, cmap=style.SHADING, rasterized=True)
    mesh.set_norm(LogNorm(faintest, float(np.nanmax(counts, initial=1.0))))
    return mesh
