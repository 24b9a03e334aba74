"""The answer on one model as a figure: a row a question, with its zones, trainings and intervals, and the numbers."""

import json
from collections.abc import Iterable, Mapping
from math import isfinite, nan
from textwrap import fill, shorten
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attention_audit.answer.lines import WRITTEN, Line, describe_run, write_line, write_probability, write_share
from attention_audit.answer.statements import CLASSES, NONE
from attention_audit.figures import style
from attention_audit.figures.panels import write_sentence
from attention_audit.names import display_name
from attention_audit.questions import QUESTIONS, Question, Unit
from attention_audit.tables.wording import named

SIDE, STRIP, GAP = 1.62, 3.2, 0.12
"""Inches: the column of questions, that of zones, and between two columns; what is left is that of statements."""
TOP, ROW, KEY, HIGH = 0.27, 0.57, 0.62, 0.27
"""Inches: the title, a row, the legend, and the zones of a row."""
ASKS, SAYS, REASON, TITLE = 25, 33, 40, 110
"""Letters in a line of a question, of a statement, of what stands below it, and of the title."""
ENDS = (-1.0, 2.0)
"""The ends of a strip, in widths of the middle zone from the first cut, which is 0: the three zones are as wide."""
TINTS, UNASKED = ("#F6DCD0", "#F1EFE7", "#D3E8E2"), ("#F0F0F0",) * 3
"""The colours of low, middle and high zone; and where nothing is stated."""
UPPER, LOWER, DOTTED = 0.66, 0.24, 0.08
"""Where trainings, the next training and the tolerance are drawn, in heights of a strip."""
UNITS: Mapping[Unit, str] = {"share": "", "percent": " %", "points": " points", "probability": " TVD"}
NEAR = 0.1
"""Numbered dots that are nearer than this, in widths of a zone, stand one above the other."""
POINT: dict[str, Any] = {
    "color": style.BLUE, "linestyle": "none", "marker": "o", "markersize": 4.2, "zorder": 4, "label": "a training",
}  # fmt: skip
HOLLOW: dict[str, Any] = POINT | {"markerfacecolor": "white"}
RING: dict[str, Any] = HOLLOW | {
    "color": style.VERMILLION, "markersize": 5.5, "markeredgewidth": 1.4, "label": "shuffled weights; random words",
}  # fmt: skip
SQUARE: dict[str, Any] = HOLLOW | {"marker": "s", "markersize": 5, "markeredgewidth": 1.2, "label": "another training"}
NEXT: dict[str, Any] = {"color": "#5A5A5A", "linewidth": 1.0, "label": "95 %, next training"}
TOLERATED: dict[str, Any] = {"color": style.BLUE, "linewidth": 1.4, "linestyle": (0, (1, 1.2))}
BAR: dict[str, Any] = {"facecolor": style.BLUE, "alpha": 0.4, "linewidth": 0, "label": "95 %, these trainings"}
ZEROS = ("located", "ranks")
"""Questions whose 0 is random words, or shuffled weights."""
QUIET = "#5A5A5A"
NO_MODEL = "No model of this run was judged."


def read_number(row: Mapping[Any, Any], name: str) -> float:
    """Read a number of a row; NaN where it has none."""
    return nan if row[name] is None else float(row[name])


class Strip:
    """The axes of one question: values are placed so that the cuts of all questions stand below each other."""

    def __init__(self, axes: Axes, asked: Question, stated: bool) -> None:
        self.axes, self.asked, self.stated = axes, asked, stated
        axes.set(xlim=ENDS, ylim=(0, 1), xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        for start, tint in zip((-1, 0, 1), TINTS if stated else UNASKED, strict=True):
            axes.add_patch(Rectangle((start, 0), 1, 1, facecolor=tint, linewidth=0, zorder=0))
        self.write_scale()

    def write_scale(self) -> None:
        """Write below the zones what they and their cuts are called."""
        write = WRITTEN[self.asked.unit]
        texts = *self.asked.said[::2], *(write(cut).lstrip("+") for cut in self.asked.cuts)
        for place, text in zip((-0.5, 0.5, 1.5, 0, 1), texts, strict=True):
            self.axes.text(place, -0.1, text, ha="center", va="top", fontsize=style.SMALL, color=QUIET)

    def place(self, value: float) -> float:
        """Place a value on the strip; it may lie beyond its ends."""
        low, high = self.asked.cuts
        return (value - low) / (high - low)

    def within(self, value: float) -> float:
        """Place a value on the strip, or at its end."""
        return min(max(self.place(value), ENDS[0]), ENDS[1])

    def draw_mark(self, value: float, height: float, look: Mapping[str, Any], arrow: float) -> None:
        """Draw a mark; an arrow of some points at the end where it lies beyond."""
        place, end = self.place(value), self.within(value)
        own = {} if place == end else {"marker": "<" if place < end else ">", "markersize": arrow}
        self.axes.plot([end], [height], **{**look, **own}, clip_on=False)

    def draw_point(self, value: float, look: Mapping[str, Any]) -> None:
        """Draw a value, if there is one."""
        if isfinite(value):
            self.draw_mark(value, UPPER, look, 6)

    def draw_interval(self, low: float, high: float) -> None:
        """Draw the interval of these trainings as a bar."""
        if low <= high:
            left, right = self.within(low), self.within(high)
            look = BAR if self.stated else BAR | {"facecolor": style.GREY}
            self.axes.add_patch(Rectangle((left, UPPER - 0.19), right - left, 0.38, **look, zorder=2))

    def draw_range(self, low: float, high: float, height: float, look: Mapping[str, Any], tick: str = "|") -> None:
        """Draw a range as a line, with a tick at each end, or an arrow where it goes on beyond the strip."""
        if low <= high:
            self.axes.plot([self.within(low), self.within(high)], [height] * 2, **look, zorder=3, solid_capstyle="butt")
            for value in (low, high):
                end = {"color": look["color"], "marker": tick, "markersize": 5, "zorder": 3}
                self.draw_mark(value, height, end, 4)

    def draw_classes(self, classes: list[dict[str, Any]]) -> None:
        """Draw a numbered dot a class, the lowest first; one dot for several that are near one another."""
        groups: list[list[float]] = []
        for place in (self.within(one["value"]) for one in classes):
            if groups and place - groups[-1][0] < NEAR:
                groups[-1].append(place)
            else:
                groups.append([place])
        self.axes.plot([], [], **POINT | {"markersize": 7, "label": "a predicted class, numbered from the lowest"})
        last = 0
        for group in groups:
            first, last = last + 1, last + len(group)
            self.axes.text(
                sum(group) / len(group),
                0.5,
                f"{first}" if first == last else f"{first}–{last}",
                ha="center",
                va="center",
                fontsize=5.5,
                color="white",
                bbox={"boxstyle": "round,pad=0.25,rounding_size=0.8", "facecolor": style.BLUE, "edgecolor": "white"},
            )


def list_classes(row: Mapping[Any, Any], question: str) -> list[dict[str, Any]]:
    """List the predicted classes of which something is stated, the lowest first."""
    classes = [one for one in json.loads(row[f"{question}_classes"] or "[]") if one["zones"]]
    return sorted(classes, key=lambda one: float(one["value"]))


def list_known(row: Mapping[Any, Any], name: str) -> list[float]:
    """List the numbers of a row that are known of single trainings."""
    return [float(one) for one in row[name] if one is not None]


def draw_unique(strip: Strip, row: Mapping[Any, Any]) -> None:
    """Draw how much the other trainings share, and where the search stands within the tolerance."""
    for shared in list_known(row, "stable_each")[:1]:
        strip.draw_point(shared, SQUARE)
    high, beyond, budget = (
        read_number(row, f"unique_tolerance_{name}") for name in ("value", "beyond_value", "tvd_budget")
    )
    high = 1.0 if not isfinite(high) and isfinite(budget) else high
    look = TOLERATED | {"label": f"adversaries within TVD {write_share(budget)}"}
    strip.draw_range(beyond if isfinite(beyond) else -9.0, high, DOTTED, look, tick="")


def draw_row(strip: Strip, row: Mapping[Any, Any], question: str) -> None:
    """Draw one question."""
    if row[f"{question}_zones"] == CLASSES:
        strip.draw_classes(list_classes(row, question))
        return
    value, low, high, next_low, next_high = (
        read_number(row, f"{question}_{name}") for name in ("value", "low", "high", "next_low", "next_high")
    )
    strip.draw_interval(low, high)
    strip.draw_range(next_low, next_high, LOWER, NEXT)
    if question == "signed":
        strip.draw_point(read_number(row, "signed_shuffled"), RING)
    if question in ZEROS and isfinite(value):
        strip.draw_point(0.0, RING)
    if question == "unique":
        draw_unique(strip, row)
    for one in list_known(row, f"{question}_each") or [value]:
        strip.draw_point(one, POINT if strip.stated else POINT | {"color": style.GREY})


def write_numbers(row: Mapping[Any, Any], line: Line) -> tuple[str, str]:
    """Write the estimate with its interval, and what stands below it."""
    question = line.question
    unit = QUESTIONS[question].unit
    if row[f"{question}_zones"] == CLASSES:
        classes = list_classes(row, question)
        said = (f"({end}) {WRITTEN[unit](classes[end - 1]['value'])}{UNITS[unit]}" for end in {1: 0, len(classes): 0})
        return "; ".join(said), ""
    if not line.value:
        return "", line.remark
    if question == "unique":
        tvd, budget = (write_probability(read_number(row, f"unique_{name}")) for name in ("tvd", "tvd_budget"))
        shared = [f"another training {write_share(one)}; " for one in list_known(row, "stable_each")[:1]]
        value = f"{line.value} at TVD {tvd}" if tvd else line.interval
        return value, f"{''.join(shared)}budget: TVD {budget}"
    interval = f" [{line.interval.replace(' to ', ', ')}]" if line.interval else ""
    return f"{line.value}{UNITS[unit]}{interval}", f"next {line.next}" if line.next else ""


def write_row(axes: Axes, row: Mapping[Any, Any], line: Line) -> None:
    """Write the question at the left of a strip, and at its right the statement and the numbers."""
    inches: dict[str, Any] = {"textcoords": "offset points", "xycoords": "axes fraction", "annotation_clip": False}
    axes.annotate(fill(line.asks, ASKS), (0, 0.5), xytext=(-72 * (SIDE + GAP), 0), **inches, va="center")
    numbers, below = write_numbers(row, line)
    stated = row[f"{line.question}_zones"] != NONE
    if not stated and row[f"{line.question}_reason"]:
        below = line.remark.split("; ")[0]
    colour = style.BLACK if stated else QUIET
    parts: list[tuple[str, dict[str, Any]]] = [
        (fill(shorten(line.said, 2 * SAYS, placeholder=" …"), SAYS), {"weight": "bold", "color": colour}),
        (numbers, {"color": colour}),
        (fill(shorten(below, 3 * REASON, placeholder=" …"), REASON), {"fontsize": style.SMALL, "color": QUIET}),
    ]
    high = 16.0
    for text, look in parts:
        axes.annotate(text, (1, 0.5), xytext=(72 * GAP, high), **inches, va="top", **look)
        high -= 10.5 * len(text.splitlines())


def list_marks(strips: Iterable[Strip]) -> list[Artist]:
    """List one mark of each kind that strips have, those of a stated question before others."""
    marks = [mark for strip in strips for mark in (*strip.axes.lines, *strip.axes.patches)]
    named = {str(mark.get_label()): mark for mark in marks}
    return [mark for label, mark in named.items() if label and not label.startswith("_")]


@style.house_style()
def fig_answer(summary: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw the answer on the first model of a columns.SUMMARY frame; labels: what models are called."""
    judged = summary[summary["model"] != ""].to_dict("records")
    if not judged:
        return write_sentence(NO_MODEL)
    row = judged[0]
    high = TOP + ROW * len(QUESTIONS) + KEY
    figure = Figure(figsize=(style.WIDTH, high))
    strips: list[Strip] = []
    for place, (question, asked) in enumerate(QUESTIONS.items()):
        bottom = high - TOP - ROW * (place + 0.72)
        left = SIDE + GAP + 0.02
        axes = figure.add_axes((left / style.WIDTH, bottom / high, STRIP / style.WIDTH, HIGH / high))
        strip = Strip(axes, asked, row[f"{question}_zones"] != NONE)
        strips.append(strip)
        draw_row(strip, row, question)
        write_row(axes, row, write_line(row, question))
    title = f"{display_name(row['dataset'])}, {named(row['model'], labels)}: {describe_run(row)}"
    figure.text(0.02 / style.WIDTH, 1 - 0.05 / high, fill(title, TITLE), va="top", fontsize=style.TITLE)
    marks = list_marks(sorted(strips, key=lambda strip: strip.stated))
    figure.legend(handles=marks, loc="lower left", ncols=3, bbox_to_anchor=(0, 0), borderaxespad=0.2)
    return figure
