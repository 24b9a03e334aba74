"""Figures with a panel for each data set and model."""

from __future__ import annotations

import math
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
LETTERS = 26  # in a line of a panel's title

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


def panel_grid(count: int, height: float, ratios: Sequence[float] = (1,)) -> tuple[Figure, list[list[Axes]]]:
    """A figure with `count` panels of so many inches, and the axes of each, one above the other, by their heights."""
    columns = columns_of(count)
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(style.WIDTH, rows * height + MARGIN), layout="constrained")
    heights = [*ratios] * rows
    axes = figure.subplots(len(heights), columns, sharex=True, squeeze=False, height_ratios=heights)
    cells = axes.reshape(rows, len(ratios), columns).transpose(0, 2, 1).reshape(-1, len(ratios))
    for unused in cells[count:].flat:
        unused.remove()
    return figure, [list(cell) for cell in cells[:count]]


def title(axes: Axes, panel: Panel, models: Names, more: str = "") -> None:
    """Name a panel by data set and, below, by model; `more` follows the model."""
    dataset, model = panel
    text = f"{fill(display_name(dataset), LETTERS)}\n{models[model].label}{more}"
    axes.set_title(text, loc="left", fontsize=style.TEXT)
