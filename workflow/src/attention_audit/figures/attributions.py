"""Attributions beside each other, on one scale: which ones point to marked words; which one to show instead of
attention; and which map of a Transformer may be shown.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.columns.tables import WORDED_BY
from attention_audit.names import NEAREST, PLAUSIBLE, RANKINGS, display_name
from attention_audit.tables.wording import Labels, write_names

from . import style
from .panels import draw_legend, explain_axes, make_panels
from .style import Keywords, write_sentence

DOT_ROW_HEIGHT, MAP_ROW_HEIGHT = 0.17, 0.19
"""Inches: a row of a panel; where it has two dots, or a map."""
DOTS_MARGIN, MAP_MARGIN = 0.85, 1.0
"""Inches: the title and axis of a panel; of maps, whose axes have labels of two lines."""
OFFSET = 0.16
"""How far, in rows, the two questions stand above and below the middle of a row."""
# whole at the ends of a scale too
DOT: Keywords = {"linestyle": "none", "clip_on": False, "markersize": 5}
EDGED_DOT = DOT | {"markersize": 6, "markeredgewidth": 0.5, "markeredgecolor": "white"}
FRAMED_DOT = DOT | {"markersize": 8, "markeredgewidth": 1, "markeredgecolor": style.BLACK}
"""The dot of attention, which is in question."""
HOLLOW: Keywords = {"markerfacecolor": "white", "markeredgewidth": 1.2}
TICK: Keywords = {"color": style.BLACK, "marker": "|", "markersize": 8, "linestyle": "none"}
QUESTION_DOTS: dict[str, Keywords] = {
    "located": DOT | {"color": style.BLUE, "marker": "o", "label": "located: words deleted from the input"},
    "ranks": DOT | {"color": style.VERMILLION, "marker": "s", "label": "ranks: items erased until the decision flips"},
}
BOUND: Keywords = {"linewidth": 1.2, "zorder": 1}
BOUND_STYLES: dict[str, Keywords] = {
    "random": BOUND | {"color": style.ORANGE, "linestyle": (0, (1, 1.5)), "label": "random or uniform weights"},
    "frequency": BOUND | {"color": style.GREY, "linestyle": (0, (5, 1.5, 1, 1.5)), "label": "rare words first"},
    "others": BOUND | {"color": style.BLACK, "linestyle": (0, (4, 2)), "label": "the other annotators"},
}
"""The floors and the ceiling of plausibility, as lines."""
MAP_MEASURES = {
    "located": "located\n(1: as leave-one-out)",
    "opposes": "first word opposes\n(share of texts)",
    "rank_stability": "same order when retrained\n(rank correlation)",
    "auprc": "marked words first\n(AUPRC)",
}
"""The measures of maps from left to right: what the axis says."""
NOT_MARKED = "No words of the test texts of this run are marked."
NOT_LOCATED = "Of no map of a generated token is it known which words it locates."
NOT_COMPARED = "No attribution of this run can be held against another."


def draw_dot(axes: Axes, y: float, ends: Iterable[Any], look: Keywords) -> None:
    """Draw a value with its interval (value, low, high) in a row of a panel."""
    value, low, high = ends
    axes.hlines(y, low, high, color=look["color"], linewidth=1.2, zorder=2)
    axes.plot([value], [y], **look, zorder=3)


def clear_rows(axes: Axes, count: int) -> None:
    """Make room for so many rows in a panel, the first on top."""
    axes.set_ylim(count - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def draw_dots(axes: Axes, values: pd.DataFrame, names: Sequence[str], choose_look: Callable[[str], Keywords]) -> None:
    """Draw the mean and interval of each name, the first on top. values: mean, low and high by name."""
    for row, name in enumerate(names):
        if name in values.index:
            draw_dot(axes, row, values.loc[name, ["mean", "low", "high"]], choose_look(name))
    clear_rows(axes, len(names))


def choose_dot(attribution: str) -> Keywords:
    """Choose how the dot of an attribution is drawn beside marked words."""
    look = style.convert_look(PLAUSIBLE[attribution])
    edge = FRAMED_DOT if attribution == "attention" else EDGED_DOT
    return look | edge | ({"markersize": 9} if look["marker"] == "*" else {})


@style.use_house_style()
def fig_plausibility(plausibility: pd.DataFrame, labels: Labels) -> Figure:
    """Draw the AUPRC of each attribution against marked words, with floors and ceiling; a panel a data set and model.

    `plausibility`: the table of this name, of columns.TABLE. `labels`: what models are called.
    """
    rows = plausibility[(plausibility["metric"] == "auprc") & plausibility["mean"].notna()]
    if rows.empty:
        return write_sentence(NOT_MARKED)
    names = [name for name in PLAUSIBLE.arrange(rows["ranking"]) if name not in BOUND_STYLES]
    titles = [write_names(of_whom, labels) for of_whom in zip(rows["paper"], rows["model"], strict=True)]
    rows = rows.assign(model=titles)
    height = DOT_ROW_HEIGHT * len(names) + DOTS_MARGIN
    figure, panels = make_panels(rows, height, dict(zip(titles, titles, strict=True)))
    highest = float(np.nanmax(rows[["mean", "high"]].where(rows["high"].notna(), 0.0)))
    for panel in panels:
        [axes] = panel.axes
        values = panel.rows.set_index("ranking")
        for name in values.index.intersection([*BOUND_STYLES]):
            axes.axvline(values.loc[name, "mean"], **BOUND_STYLES[name])
        draw_dots(axes, values, names, choose_dot)
        panel.label_rows(PLAUSIBLE, names)
        axes.set_xlim(-0.02 * highest, min(1.02, 1.05 * highest))
    explain_axes(
        figure,
        "AUPRC: average precision of an attribution's order of the words, of the marked ones; 95 % intervals",
        "to the right: more of the marked words come first; at the other annotators' line: as people agree with "
        "one another",
    )
    draw_legend(figure, (look for name, look in BOUND_STYLES.items() if name in set(rows["ranking"])))
    return figure


@style.use_house_style()
def fig_instead(instead: pd.DataFrame, labels: Labels) -> Figure:
    """Draw `located` and `ranks` of all attributions, a panel a data set and model; from a columns.INSTEAD frame."""
    rows = instead.dropna(subset=[f"{question}_value" for question in WORDED_BY], how="all")
    if rows.empty:
        return write_sentence(NOT_COMPARED)
    names = RANKINGS.arrange(map(str, rows["attribution"]))
    figure, panels = make_panels(rows, MAP_ROW_HEIGHT * len(names) + DOTS_MARGIN, labels)
    for panel in panels:
        [axes] = panel.axes
        for question, shift in zip(WORDED_BY, (-OFFSET, OFFSET), strict=True):
            for row in panel.rows.dropna(subset=f"{question}_value").to_dict("records"):
                y = names.index(row["attribution"]) + shift
                if row["attribution"] != "attention":
                    axes.plot([row[f"{question}_attention"]], [y], **TICK, zorder=2)
                look = QUESTION_DOTS[question] | (HOLLOW if row[f"{question}_yardstick"] else {})
                draw_dot(axes, y, [row[f"{question}_{end}"] for end in ("value", "low", "high")], look)
        for value in (0, 1):
            axes.axvline(value, color=style.GREY, **style.DASHES, zorder=0)
        clear_rows(axes, len(names))
        panel.label_rows(RANKINGS, names)
    zeros = " or ".join(rows["ranks_zero"].unique())
    explain_axes(
        figure,
        f"0: random words (located), {zeros} (ranks); 1: leave-one-out, the smallest set; 95 % intervals",
        "to the right: the attribution finds more of what matters",
    )
    hollow = DOT | HOLLOW | {"color": style.GREY, "marker": "o", "label": "hollow: sets the 1 of its scale"}
    tick = TICK | {"label": "attention on the same texts"}
    draw_legend(figure, [*QUESTION_DOTS.values(), hollow, tick], columns=2)
    return figure


@style.use_house_style()
def hf_fig_maps(maps: pd.DataFrame, labels: Labels) -> Figure:
    """Draw each map of each model, the one that best locates the words that matter on top; a column for each measure
    that was taken, with 95 % intervals.

    `maps`: the table hf_table_maps. `labels`: what models and maps are called.
    """
    rows = maps[maps["metric"].isin([*MAP_MEASURES]) & maps["mean"].notna()]
    measures = [name for name in MAP_MEASURES if name in set(rows["metric"])]
    blocks = [*rows.groupby(["dataset", "paper", "model"], sort=False, observed=True)]
    heights = [MAP_ROW_HEIGHT * part["ranking"].nunique() + MAP_MARGIN for _, part in blocks]
    if not blocks:
        return write_sentence(NOT_COMPARED)
    figure = Figure(figsize=(style.PAGE_WIDTH, sum(heights)), layout="constrained")
    grid = figure.subplots(len(blocks), len(measures), squeeze=False, sharey="row", height_ratios=heights)
    for row, ((dataset, *names), part) in zip(grid, blocks, strict=True):
        order = part["ranking"].unique().tolist()
        for axes, measure in zip(row, measures, strict=True):
            values = part[part["metric"] == measure].set_index("ranking")
            draw_dots(
                axes, values, order, lambda name: style.convert_look(RANKINGS[name]) | EDGED_DOT | {"markersize": 5.5}
            )
            axes.set_yticks(range(len(order)), [RANKINGS[name].label for name in order])
            axes.grid(axis="y", linewidth=0.3)
            axes.axvline(0, color=style.GREY, linewidth=0.6, zorder=0)
            axes.set_xlabel(MAP_MEASURES[measure], fontsize=style.SMALL_SIZE)
        row[0].set_title(f"{display_name(dataset)}, {write_names(names, labels)}", loc="left", fontsize=style.TEXT_SIZE)
    return figure


def hf_fig_generated(generated: pd.DataFrame, labels: Labels) -> Figure:
    """Draw how well each map of generated tokens locates the words that matter, the best first, a panel a data set and
    model; the band of the nearest words is behind all of them.

    generated: columns.GENERATED rows, of which a call has those of one model, without its name. labels: what models and
    maps are called.
    """
    located = generated[(generated["question"] == "located") & generated["value"].notna()]
    called = {name: labels.get(name, name) for name in map(str, located["map"].unique())}
    blocks = [part.set_index("map") for _, part in located.groupby(["dataset", "model"], sort=False)]
    if not blocks:
        return write_sentence(NOT_LOCATED)
    heights = [MAP_ROW_HEIGHT * len(part.index.drop(NEAREST, errors="ignore")) + MAP_MARGIN for part in blocks]
    with style.use_house_style(called.values()):
        figure = Figure(figsize=(style.PAGE_WIDTH, sum(heights)), layout="constrained")
        panels = figure.subplots(len(blocks), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for axes, part in zip(panels, blocks, strict=True):
            maps = part.drop(NEAREST, errors="ignore").sort_values("value", ascending=False)
            for at, ends in enumerate(maps[["value", "low", "high"]].to_numpy(np.float64)):
                draw_dot(axes, at, ends, EDGED_DOT | {"color": style.BLUE, "marker": "o"})
            for _, nearest in part.filter([NEAREST], axis=0).iterrows():
                axes.axvspan(nearest["low"], nearest["high"], color=style.VERMILLION, alpha=0.2, linewidth=0)
                axes.axvline(nearest["value"], color=style.VERMILLION, label=called[NEAREST])
            axes.set_yticks(range(len(maps)), [called[name] for name in maps.index])
            clear_rows(axes, len(maps))
            axes.axvline(0, **BOUND_STYLES["random"] | {"label": "random words"})
            dataset, model = part[["dataset", "model"]].iloc[0]
            if dataset:
                title = f"{display_name(dataset)}, {labels.get(model, model)}"
                axes.set_title(title, loc="left", fontsize=style.TEXT_SIZE)
        axes.set_xlabel("located (1: as the best single words)")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=2)
    return figure
