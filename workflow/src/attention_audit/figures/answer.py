"""The answer on one model as a figure: a row a question, with its zones, trainings and intervals, and the numbers."""

import json
from collections.abc import Mapping
from math import nan
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.answer.lines import (
    ESTIMATE_PARTS,
    NUMBER_WRITERS,
    Line,
    TableRow,
    describe_run,
    list_known,
    read_row_numbers,
    write_line,
    write_probability,
    write_setting,
    write_share,
)
from attention_audit.answer.statements import BY_CLASS, NONE
from attention_audit.names import display_name
from attention_audit.questions import QUESTIONS, Question, Unit
from attention_audit.tables.wording import Labels, write_name

from . import style
from .style import Keywords, write_sentence

SIDE, STRIP, COLUMN_GAP = 1.64, 3.2, 0.12
"""Inches: the column of questions, that of zones, and between two columns; what is left is that of statements."""
HEADING_HEIGHT, QUESTION_HEIGHT, LEGEND_HEIGHT, ZONES_HEIGHT, CUTS_HEIGHT = 0.27, 0.57, 0.62, 0.27, 0.16
"""Inches: the title, a row, the legend, the zones of a row, and what is below them in it."""
ASKS_LETTERS, SAYS_LETTERS, REASON_LETTERS, HEADING_LETTERS = 25, 28, 38, 104
"""Letters in a line of a question, of a statement, of what stands below it, and of the title."""
TINTS, UNASKED = ("#F6DCD0", "#F1EFE7", "#D3E8E2"), ("#F0F0F0",) * 3
"""The colours of low, middle and high zone; and where nothing is stated."""
UPPER, LOWER, DOTTED = 0.66, 0.24, 0.08
"""Where trainings, the next training and the tolerance are drawn, in heights of a strip."""
UNIT_SUFFIXES: Mapping[Unit, str] = {"share": "", "percent": " %", "points": " points", "probability": " TVD"}
MERGE_DISTANCE = 0.1
"""Numbered dots that are nearer than this, in widths of a zone, are one."""
POINT: Keywords = {
    "color": style.BLUE, "linestyle": "none", "marker": "o", "markersize": 4.2, "zorder": 4, "label": "a training",
}  # fmt: skip
HOLLOW_POINT = POINT | {"markerfacecolor": "white"}
RING = HOLLOW_POINT | {
    "color": style.VERMILLION, "markersize": 5.5, "markeredgewidth": 1.4, "label": "shuffled weights; random words",
}  # fmt: skip
SQUARE = HOLLOW_POINT | {"marker": "s", "markersize": 5, "markeredgewidth": 1.2, "label": "another training"}
NUMBERED_POINT = POINT | {"markersize": 7, "label": "a predicted class"}
NUMBER_LABEL: Keywords = {
    "ha": "center", "va": "center", "fontsize": 5.5, "color": "white",
    "bbox": {"boxstyle": "round,pad=0.25,rounding_size=0.8", "facecolor": style.BLUE, "edgecolor": "white"},
}  # fmt: skip
NEXT_TRAINING_STYLE: Keywords = {"color": "#5A5A5A", "linewidth": 1.0, "label": "95 %, next training"}
TOLERANCE_STYLE: Keywords = {"color": style.BLUE, "linewidth": 1.4, "linestyle": (0, (1, 1.2))}
BAR: Keywords = {"height": 0.38, "alpha": 0.4, "linewidth": 0, "zorder": 2, "label": "95 %, these trainings"}
ZERO_QUESTIONS = ("located", "ranks")
"""Questions whose 0 is random words, or shuffled weights."""
MUTED = "#5A5A5A"
NO_MODEL = "No model of this run was judged."


def list_class_values(row: TableRow, question: str) -> list[float]:
    """List the values of the predicted classes of which something is stated, the lowest first."""
    return sorted(float(entry["value"]) for entry in json.loads(row[f"{question}_classes"] or "[]") if entry["zones"])


def draw_zones(axes: Axes, question: Question, stated: bool) -> None:
    """Draw the zones of a question, which are as wide as each other, and below them what they and their cuts are
    called.
    """
    low, high = question.cuts
    wide = high - low
    for start, tint in zip((low - wide, low, high), TINTS if stated else UNASKED, strict=True):
        axes.axvspan(start, start + wide, color=tint, linewidth=0, zorder=0)
    begin, end = (NUMBER_WRITERS[question.unit](cut).lstrip("+") for cut in question.cuts)
    bad, _, fair, _, good = question.said
    axes.set_xticks(np.linspace(low - wide / 2, high + wide / 2, 5), [bad, begin, fair, end, good], color=MUTED)
    axes.set(xlim=(low - wide, high + wide), ylim=(0, 1), yticks=[])
    axes.tick_params(length=0, pad=2)
    axes.spines[:].set_visible(False)


def draw_mark(axes: Axes, value: float, height: float, look: Keywords, arrow: float = 6) -> None:
    """Draw a value; an arrow of some points at the end of the zones where it lies beyond."""
    end = np.clip(value, *axes.get_xlim())
    if value != end:
        # the legend shows no arrow
        axes.plot([], [], **look)
        look = look | {"marker": "<" if value < end else ">", "markersize": arrow, "label": ""}
    axes.plot([end], [height], **look, clip_on=False)


def draw_range(axes: Axes, low: float, high: float, height: float, look: Keywords, tick: str = "|") -> None:
    """Draw a range as a line, with a tick at each end, or an arrow where it goes on beyond the zones."""
    if low <= high:
        axes.plot(np.clip((low, high), *axes.get_xlim()), [height] * 2, **look, zorder=3, solid_capstyle="butt")
        for value in (low, high):
            end = {"color": look["color"], "marker": tick, "markersize": 5, "zorder": 3}
            draw_mark(axes, value, height, end, 4)


def draw_classes(axes: Axes, values: list[float]) -> None:
    """Draw a numbered dot a class, the lowest first; one dot for several that are near one another."""
    axes.plot([], [], **NUMBERED_POINT)
    low, high = axes.get_xlim()
    positions = np.clip(values, low, high)
    gaps = np.flatnonzero(np.diff(positions) >= MERGE_DISTANCE * (high - low) / 3)
    for numbers in np.split(np.arange(len(positions)), gaps + 1):
        ends = dict.fromkeys(f"{number + 1}" for number in numbers[[0, -1]])
        axes.text(positions[numbers].mean(), 0.5, "\N{EN DASH}".join(ends), **NUMBER_LABEL)


def draw_row(axes: Axes, row: TableRow, question: str, stated: bool) -> None:
    """Draw one question."""
    if row[f"{question}_zones"] == BY_CLASS:
        draw_classes(axes, list_class_values(row, question))
        return
    value, low, high, next_low, next_high = read_row_numbers(row, question, ESTIMATE_PARTS)
    colour = style.BLUE if stated else style.GREY
    if low <= high:
        start, stop = np.clip((low, high), *axes.get_xlim())
        axes.barh(UPPER, stop - start, left=start, color=colour, **BAR)
    draw_range(axes, next_low, next_high, LOWER, NEXT_TRAINING_STYLE)
    ring = 0.0 if question in ZERO_QUESTIONS and np.isfinite(value) else nan
    if question == "signed":
        [ring] = read_row_numbers(row, "signed", "shuffled")
    if question == "unique" and np.isfinite(value):
        # how much the other trainings share, and where the search stands within the tolerance
        for shared in list_known(row, "stable_each")[:1]:
            draw_mark(axes, shared, UPPER, SQUARE)
        highest, beyond, budget = read_row_numbers(row, "unique_tolerance", "value beyond_value tvd_budget")
        if np.isfinite(budget):
            look = TOLERANCE_STYLE | {"label": f"adversaries within TVD {write_setting(budget)}"}
            draw_range(axes, np.fmax(beyond, -np.inf), np.fmin(highest, 1.0), DOTTED, look, tick="")
    each = list_known(row, f"{question}_each") or [value]
    for dot, look in [(ring, RING), *((dot, POINT | {"color": colour}) for dot in each)]:
        if np.isfinite(dot):
            draw_mark(axes, dot, UPPER, look)


def write_numbers(row: TableRow, line: Line) -> tuple[str, str]:
    """Write the estimate with its interval, and what stands below it."""
    question = line.question
    unit = QUESTIONS[question].unit
    if row[f"{question}_zones"] == BY_CLASS:
        values = list_class_values(row, question)
        ends = {1: values[0], len(values): values[-1]}
        return "; ".join(
            f"({number}) {NUMBER_WRITERS[unit](value)}{UNIT_SUFFIXES[unit]}" for number, value in ends.items()
        ), ""
    if not line.value:
        return "", line.remark
    if question == "unique":
        tvd, budget = map(write_probability, read_row_numbers(row, question, "tvd tvd_budget"))
        shared = [f"another training {write_share(similarity)}; " for similarity in list_known(row, "stable_each")[:1]]
        value = f"{line.value} at TVD {tvd}" if tvd else line.interval
        return value, f"{''.join(shared)}budget: TVD {budget}"
    interval = f" [{line.interval.replace(' to ', ', ')}]" if line.interval else ""
    return f"{line.value}{UNIT_SUFFIXES[unit]}{interval}", f"next {line.next}" if line.next else ""


def write_row(axes: Axes, row: TableRow, line: Line, stated: bool) -> None:
    """Write the question at the left of its zones, and at their right the statement and the numbers."""
    inches: Keywords = {"textcoords": "offset points", "xycoords": "axes fraction", "annotation_clip": False}
    axes.annotate(
        fill(line.asks, ASKS_LETTERS), (0, 0.5), xytext=(1 - 72 * (SIDE + COLUMN_GAP), 0), **inches, va="center"
    )
    numbers, below = write_numbers(row, line)
    if not stated and row[f"{line.question}_reason"]:
        below = line.remark.split("; ")[0]
    colour = style.BLACK if stated else MUTED
    high, room = 16.0, 4
    for text, letters, lines, look in (
        (line.said, SAYS_LETTERS, 3, {"weight": "bold", "color": colour}),
        (numbers, HEADING_LETTERS, 1, {"color": colour}),
        (below, REASON_LETTERS, 3, {"fontsize": style.SMALL_SIZE, "color": MUTED}),
    ):
        wrapped = fill(text, letters, max_lines=min(lines, room), placeholder=" …").splitlines()[:room]
        axes.annotate("\n".join(wrapped), (1, 0.5), xytext=(72 * COLUMN_GAP, high), **inches, va="top", **look)
        high, room = high - 10.5 * len(wrapped), room - len(wrapped)


@style.use_house_style()
def fig_answer(summary: pd.DataFrame, labels: Labels) -> Figure:
    """Draw the answer on the first model of a columns.SUMMARY frame; labels: what models are called."""
    judged = summary[summary["model"] != ""].to_dict("records")
    if not judged:
        return write_sentence(NO_MODEL)
    row = judged[0]
    high = HEADING_HEIGHT + QUESTION_HEIGHT * len(QUESTIONS) + LEGEND_HEIGHT
    figure = Figure(figsize=(style.PAGE_WIDTH, high))
    figure.subplots_adjust(
        left=(SIDE + COLUMN_GAP) / style.PAGE_WIDTH,
        right=(SIDE + COLUMN_GAP + STRIP) / style.PAGE_WIDTH,
        bottom=(LEGEND_HEIGHT + CUTS_HEIGHT) / high,
        top=1 - (HEADING_HEIGHT + QUESTION_HEIGHT - ZONES_HEIGHT - CUTS_HEIGHT) / high,
        hspace=QUESTION_HEIGHT / ZONES_HEIGHT - 1,
    )
    handles: Keywords = {}
    for axes, (question, definition) in zip(figure.subplots(len(QUESTIONS)), QUESTIONS.items(), strict=True):
        stated = row[f"{question}_zones"] != NONE
        draw_zones(axes, definition, stated)
        draw_row(axes, row, question, stated)
        write_row(axes, row, write_line(row, question), stated)
        marks, names = axes.get_legend_handles_labels()
        entries = dict(zip(names, marks, strict=True))
        # those of a stated question are in colour
        handles = handles | entries if stated else entries | handles
    title = f"{display_name(row['dataset'])}, {write_name(row['model'], labels)}: {describe_run(row)}"
    heading = fill(title, HEADING_LETTERS, max_lines=2, placeholder=" …")
    figure.text(0.02 / style.PAGE_WIDTH, 1 - 0.05 / high, heading, va="top", fontsize=style.TITLE_SIZE)
    figure.legend(handles.values(), handles, loc="lower left", ncols=3, bbox_to_anchor=(0, 0), borderaxespad=0.2)
    return figure
