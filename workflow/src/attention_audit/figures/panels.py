"""Figures with a panel for each data set and model."""

from collections.abc import Sequence
from itertools import product
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.names import Names, display_name

COLUMNS = {1: 1, 2: 2, 4: 2}
MOST = 3  # columns
MARGIN = 0.6  # inches
LETTERS = {1: 84, 2: 46, 3: 22}  # in a line of a panel's title, by the number of columns

PAD = 11  # points between a panel and its title: room for the heading of the right margin
HINT = 100  # letters in a line below a figure

Panel = tuple[str, str]
"""A data set and a model."""


def panels_of(rows: pd.DataFrame, models: Names) -> dict[Panel, pd.DataFrame]:
    """The rows of each data set, in the order of `rows`, and model, in the order of `models`.

    Raises AuditError for a model that is not one of them.
    """
    groups = rows.groupby(["dataset", "model"], sort=False, observed=True)
    parts = {(str(dataset), str(model)): part for (dataset, model), part in groups}
    shown = models.ordered(model for _, model in parts)
    return {panel: parts[panel] for panel in product(rows["dataset"].unique(), shown) if panel in parts}


def columns_of(count: int) -> int:
    """The number of columns for so many panels."""
    return COLUMNS.get(count, MOST)


def panel_grid(
    count: int, height: float, ratios: Sequence[float] = (1,), share: bool = True
) -> tuple[Figure, list[list[Axes]]]:
    """A figure with `count` panels of so many inches, and the axes of each, one above the other, by their heights.

    share: whether all have the same x axis.
    """
    parts = [ratio * height / sum(ratios) for ratio in ratios]
    return uneven_grid([parts] * count, share=share)


def uneven_grid(
    panels: Sequence[Sequence[float]], title: float = 0, share: bool = True
) -> tuple[Figure, list[list[Axes]]]:
    """The same, where each panel has parts of its own heights (inches); those of a row have the greatest of them.

    title: further inches of each row.
    """
    count, columns = len(panels), columns_of(len(panels))
    starts = range(0, count, columns)
    heights = [max(part) for start in starts for part in zip(*panels[start : start + columns], strict=True)]
    rows = len(starts)
    size = (style.WIDTH, sum(heights) + rows * title + MARGIN)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(heights), columns, sharex=share, squeeze=False, height_ratios=heights)
    cells = axes.reshape(rows, len(panels[0]), columns).transpose(0, 2, 1).reshape(-1, len(panels[0]))
    for unused in cells[count:].flat:
        unused.remove()
    return figure, [list(cell) for cell in cells[:count]]


def filled(lines: Sequence[str], letters: int) -> str:
    """Lines of a title, each broken where it is longer than so many letters."""
    return "\n".join(
        fill(line, letters, break_on_hyphens=max(map(len, line.split())) > letters) for line in lines if line
    )


def heading(panel: Panel, models: Names, columns: int, more: str = "") -> str:
    """What a panel is called: its data set and, below, its model; lines of `more` follow."""
    dataset, model = panel
    return filled([display_name(dataset), models[model].label, *more.splitlines()], LETTERS[columns])


def title(axes: Axes, panel: Panel, models: Names, columns: int, more: str = "") -> None:
    """Name a panel by its heading."""
    axes.set_title(heading(panel, models, columns, more), loc="left", fontsize=style.TEXT, pad=PAD)


def describe(figure: Figure, x: str, hint: str, y: str = "") -> None:
    """Say below a figure what its numbers are and, in a line of its own, which way is which; beside it, the y axis."""
    figure.supxlabel(f"{x}\n{fill(hint, HINT)}", fontsize=style.TEXT)
    if y:
        figure.supylabel(y, fontsize=style.TEXT)
