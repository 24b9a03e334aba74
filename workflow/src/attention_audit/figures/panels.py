"""Figures with a panel for each data set and model: their grid, what is written around it, their legend, and notes
beside what is drawn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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

from attention_audit.figures import style
from attention_audit.names import Names, display_name
from attention_audit.units import LN2

COLUMNS = {1: 1, 2: 2, 4: 2}
MOST = 3  # columns
MARGIN = 0.6  # inches
LETTERS = {1: 84, 2: 46, 3: 28}  # in a line of a panel's title, by the number of columns

PAD = 11  # points between a panel and its title: room for the heading of the right margin
TITLED, LINE = 3, 0.15  # lines of titles that panels have room for, and inches of a further one
ENTRIES, HANDLE = 112, 5  # letters in a line of a legend, and as many as a handle takes
HINT = 100  # letters in a line below a figure
SIGNS = ((1, ""), (-1, "\N{MINUS SIGN}"))
SMALL_ROOTS = (0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
ROOTS = {tick: f"{tick:f}".rstrip("0") for tick in SMALL_ROOTS} | {0.25: "¼", 0.5: "½", 1: "1"}
"""Ticks of square-root scales, and what they say."""
APART = 0.15  # of such a scale, at least between two ticks
QUARTERS = {0: "0", 0.25: "¼", 0.5: "½", 0.75: "¾", 1: "1"}
"""Ticks of a scale of shares, and what they say."""

Key = tuple[str, str]
"""A data set and a model; "" for all models."""
Bounds = tuple[float, float]
"""The ends of an axis."""


class Panel(NamedTuple):
    """The rows of a data set and model, and where they are drawn: axes one above the other.

    columns: of the figure. left, lowest: whether no panel stands on its left, or below it.
    """

    dataset: str
    model: str
    rows: pd.DataFrame
    axes: list[Axes]
    columns: int
    left: bool
    lowest: bool

    def title(self, *lines: str, narrower: int = 0) -> None:
        """Name the panel by its data set and, below, some lines, each broken where it has no room. narrower: letters of
        a line that find no room, since the ticks at the left are long.
        """
        room = LETTERS[self.columns] - narrower
        text = "\n".join(
            fill(line, room, break_on_hyphens=max(map(len, line.split())) > room)
            for line in (display_name(self.dataset), *lines)
        )
        self.axes[0].set_title(text, loc="left", fontsize=style.TEXT, pad=PAD)

    def name_axes(self, *labels: str, size: float = style.SMALL) -> None:
        """Say what the y axes of the panels at the left are."""
        for axes, label in zip(self.axes, labels, strict=True):
            axes.set_ylabel(label if self.left else "", fontsize=size)

    def label_rows(self, labels: Sequence[str]) -> None:
        """Label the rows of the panels at the left, the first of which is 0."""
        self.axes[0].set_yticks(range(len(labels)), labels if self.left else [""] * len(labels))


def by_model(rows: pd.DataFrame) -> dict[Key, pd.DataFrame]:
    """Part rows by data set and model, in their order."""
    groups = rows.groupby(["dataset", "model"], sort=False, observed=True)
    return {(str(dataset), str(model)): part for (dataset, model), part in groups}


def by_dataset(rows: pd.DataFrame) -> dict[Key, pd.DataFrame]:
    """Part rows by data set, in their order; all models are together."""
    return {(str(name), ""): part for name, part in rows.groupby("dataset", sort=False, observed=True)}


def by_known_model(rows: pd.DataFrame, models: Names) -> dict[Key, pd.DataFrame]:
    """Part rows by data set, in the order of `rows`, and model, in the order of `models`.

    Raises AuditError for a model that is not one of them.
    """
    parts = by_model(rows)
    shown = models.ordered(model for _, model in parts)
    return {key: parts[key] for key in product(rows["dataset"].unique(), shown) if key in parts}


def panel_grid(
    panels: Mapping[Key, pd.DataFrame], height: float, ratios: Sequence[float] = (1,)
) -> tuple[Figure, list[Panel]]:
    """Make a figure with panels of so many inches, each with axes one above the other, by their heights."""
    count = len(panels)
    columns = COLUMNS.get(count, MOST)
    rows = -(-count // columns)
    figure = Figure(figsize=(style.WIDTH, rows * height + MARGIN), layout="constrained")
    axes = figure.subplots(rows * len(ratios), columns, squeeze=False, height_ratios=[*ratios] * rows)
    cells = axes.reshape(rows, len(ratios), columns).transpose(0, 2, 1).reshape(-1, len(ratios))
    for unused in cells[count:].flat:
        unused.remove()
    return figure, [
        Panel(*key, part, list(cell), columns, place % columns == 0, place + columns >= count)
        for place, ((key, part), cell) in enumerate(zip(panels.items(), cells, strict=False))
    ]


def describe(figure: Figure, x: str, hint: str, y: str = "") -> None:
    """Say below a figure what its numbers are and, in a line of its own, which way is which; beside it, the y axis.

    Panels are titled by now; a row of them with longer titles than usual makes the figure higher.
    """
    further: dict[int, int] = {}
    for axes in figure.axes:
        if place := axes.get_subplotspec():
            row, lines = place.rowspan.start, len(axes.get_title(loc="left").splitlines())
            further[row] = max(further.get(row, 0), lines - TITLED)
    figure.set_figheight(figure.get_figheight() + LINE * sum(further.values()))
    figure.supxlabel(f"{x}\n{fill(hint, HINT)}", fontsize=style.TEXT)
    if y:
        figure.supylabel(y, fontsize=style.TEXT)


def legend(figure: Figure, looks: Iterable[Mapping[str, Any]], columns: int = 3) -> None:
    """Say above the panels what each look stands for, at most so many in a row, or as many as find room."""
    handles = [Line2D([], [], **look) for look in looks]
    letters = [max(map(len, str(handle.get_label()).split("\n"))) for handle in handles]
    # a legend is filled column by column
    while columns > 1 and sum(max(part, default=0) + HANDLE for part in np.array_split(letters, columns)) > ENTRIES:
        columns -= 1
    figure.legend(handles=handles, loc="outside upper center", ncols=columns)


def up_to_ln2(axes: Axes, ticks: Sequence[float] = (0, 0.2, 0.4, 0.6), room: float = 0.05) -> None:
    """Let x be a divergence in nats, from 0 to its bound, with a share of it as room beyond."""
    axes.axvline(LN2, color=style.GREY, **style.DASHES, zorder=0)
    axes.set(xlim=(-0.3 * room, (1 + room) * LN2))
    axes.set_xticks([*ticks, LN2], [*(f"{tick:g}" for tick in ticks), "ln 2"])


def rooted(values: Any) -> Any:
    """Take square roots that have the signs of the values; they part what lies near 0."""
    return np.sign(values) * np.sqrt(np.abs(values))


def scale_by_roots(axes: Axes, way: str, low: float, high: float) -> Bounds:
    """Let x or y be a square-root scale between two values, whose roots are returned; its ticks are 0 and, from far to
    near, as many as find room.
    """
    ends = rooted(low), rooted(high)
    values = {0.0: "0"} | {rooted(sign * tick): before + said for tick, said in ROOTS.items() for sign, before in SIGNS}
    shown: list[float] = []
    for place in sorted(values, key=lambda place: (place != 0, -abs(place))):
        if ends[0] <= place <= ends[1] and all(abs(place - other) >= APART * (ends[1] - ends[0]) for other in shown):
            shown.append(place)
    axes.set(**{f"{way}lim": ends, f"{way}ticks": shown, f"{way}ticklabels": [values[place] for place in shown]})
    return ends


def write_sentence(text: str) -> Figure:
    """Write a sentence in the place of a figure."""
    figure = Figure(figsize=(style.WIDTH, 1), layout="constrained")
    figure.supxlabel(text, fontsize=style.TEXT)
    return figure


def draw_dot(axes: Axes, place: float, ends: Iterable[Any], look: Mapping[str, Any]) -> None:
    """Draw a value with its interval (value, low, high) in a row of a panel."""
    value, low, high = ends
    axes.hlines(place, low, high, color=look["color"], linewidth=1.2, zorder=2)
    axes.plot([value], [place], **look, zorder=3)


def draw_dots(
    axes: Axes, values: pd.DataFrame, names: Sequence[str], style_of: Callable[[str], Mapping[str, Any]]
) -> None:
    """Draw the mean and interval of each name, the first on top. values: mean, low and high by name."""
    for place, name in enumerate(names):
        if name in values.index:
            draw_dot(axes, place, values.loc[name, ["mean", "low", "high"]], style_of(name))


def leave_rows(axes: Axes, count: int) -> None:
    """Make room for so many rows in a panel, the first on top."""
    axes.set_ylim(count - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def instead(axes: Axes, text: str) -> None:
    """Say in a panel why nothing is drawn there."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")


def density(
    axes: Axes, x: Any, y: Any, cells: int | tuple[int, int], window: tuple[Bounds, Bounds], faintest: float
) -> QuadMesh:
    """Shade a panel by how many values lie where, on a logarithmic scale of shades from `faintest` to the greatest
    number in a cell. Cells without any stay white.
    """
    counts, _, _, mesh = axes.hist2d(x, y, bins=cells, range=window, cmin=1, cmap=style.SHADING, rasterized=True)
    mesh.set_norm(LogNorm(faintest, float(np.nanmax(counts, initial=1.0))))
    return mesh
