"""The answer on one model as a figure: the finding, and a line a claim, from the low to the high end of its scale.

It is drawn for a page, and once more for the screen of a telephone.
"""

import json
from collections.abc import Mapping
from math import isfinite, nan
from textwrap import wrap
from typing import Any, NamedTuple

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
    write_beside,
    write_finding,
    write_line,
    write_percent,
    write_share,
)
from attention_audit.answer.verdicts import BY_CLASS, NONE, ZONES
from attention_audit.names import display_name
from attention_audit.questions import QUESTIONS, Question, Unit
from attention_audit.tables.wording import Labels, write_name

from . import style
from .style import Keywords, write_sentence

MARGIN, STRIP_HEIGHT, FINDING_SIZE = 0.12, 0.13, 10.5
"""Inches; and points of the finding."""


class Layout(NamedTuple):
    """Where things stand, in inches: how wide the figure is, how high a row, and where scales begin and how wide they
    are. beside: whether claims and verdicts stand beside the scales, or above. Letters of a line: of the finding, of
    what is small, of a reason on a scale, and of the numbers behind a verdict.
    """

    width: float
    row: float
    left: float
    scale: float
    beside: bool
    finding: int
    note: int
    reason: int
    numbers: int

    def find_place(self, inches: float) -> float:
        """Find a place of the figure in shares of a scale."""
        return (inches - self.left) / self.scale


WIDE = Layout(style.PAGE_WIDTH, 0.47, 2.62, 2.55, True, 74, 128, 46, 31)
NARROW = Layout(4.2, 0.8, MARGIN, 4.2 - 2 * MARGIN, False, 46, 76, 70, 76)
TINTS, UNASKED = ("#F1DDD6", "#EFE6CC", "#D6E8DD"), ("#EEEEEE",) * 3
"""The colours of no, in part and yes; and where there is no verdict."""
VERDICT_COLOURS = {ZONES[0]: "#A8432A", ZONES[-1]: "#1F6B4A", ZONES: "#6B6B6B", NONE: "#6B6B6B"}
"""The colours of verdicts by their zones; all others are `PARTLY`."""
PARTLY, MUTED, DARK, BASELINE = "#7A5F14", "#5A5A5A", style.BLACK, "#B45309"
UNIT_SUFFIXES: Mapping[Unit, str] = {"share": "", "percent": " %", "points": " points", "probability": ""}
NOTE = (
    "Thick: where models trained like this lie in the mean (95 %). Thin: where one more training would lie. Dots: the "
    "trainings. Line: no, in part, yes."
)
NOTE_ALONE = "Thick: where the mean of {} lies (95 %, chance of the texts alone). Line: no, in part, yes."
NO_MODEL = "No model of this run was judged."


def locate(question: Question, value: float) -> float:
    """Locate a value between the ends of a scale, from 0 to 1; beyond them, at the end."""
    low, high = question.span
    return float(np.clip((value - low) / (high - low), 0, 1))


def draw_scale(axes: Axes, question: Question, stated: bool) -> None:
    """Draw the scale of a question: its zones, and below it what its ends are called."""
    bounds = [0.0, *(locate(question, cut) for cut in question.cuts), 1.0]
    for start, stop, tint in zip(bounds[:-1], bounds[1:], TINTS if stated else UNASKED, strict=True):
        axes.axvspan(start, stop, color=tint, linewidth=0, zorder=0)
    # in print, where tints are alike
    if stated:
        axes.vlines(bounds[1:-1], 0, 1, color="white", linewidth=1.0, zorder=1)
    axes.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    for at, name, side in zip((0, 1), question.ends, ("left", "right"), strict=True):
        write_at(axes, at, -3, name, ha=side, va="top", color=MUTED, fontsize=style.SMALL_SIZE)


def write_at(axes: Axes, at: float, points: float, text: str, **look: Any) -> None:
    """Write a text at a place of a scale, so many points above its top; below its bottom where they are negative."""
    height = 1 if points >= 0 else 0
    axes.annotate(
        text, (at, height), xytext=(0, points), xycoords="axes fraction", textcoords="offset points",
        annotation_clip=False, **look,
    )  # fmt: skip


def list_class_values(row: TableRow, question: str) -> list[tuple[str, float]]:
    """List the predicted classes of which there is a verdict, with their values, the lowest first."""
    entries = json.loads(row[f"{question}_classes"] or "[]")
    return sorted(((each["name"], float(each["value"])) for each in entries if each["zones"]), key=lambda each: each[1])


def draw_classes(axes: Axes, row: TableRow, question: str) -> None:
    """Draw a dot a class; the lowest and the highest are named, and all others where they find room."""
    values = [(name, locate(QUESTIONS[question], value)) for name, value in list_class_values(row, question)]
    dots: Keywords = {"color": style.BLUE, "markersize": 5, "markeredgecolor": "white", "clip_on": False, "zorder": 5}
    axes.plot([at for _, at in values], [0.5] * len(values), "o", **dots)
    taken: list[float] = []
    for name, at in [values[0], values[-1], *values[1:-1]]:
        room = 0.018 * (len(name) + 3)
        if all(abs(at - spot) > room for spot in taken):
            side = "left" if at < 0.15 else "right" if at > 0.85 else "center"
            write_at(axes, at, 2, name, ha=side, va="bottom", color=style.BLUE, fontsize=style.SMALL_SIZE)
            taken.append(at)


def find_baseline(row: TableRow, question: str) -> tuple[float, str]:
    """Find what an estimate must be held against, and what it is called; NaN where that is an end of the scale."""
    if question == "signed":
        [chance] = read_row_numbers(row, "signed", "shuffled")
        return chance, f"{'shuffled map' if row['suite'] else 'random item'} {write_percent(chance)} %"
    if question == "unique" and (shared := list_known(row, "stable_each")[:1]):
        return shared[0], f"another training {write_share(shared[0])}"
    return nan, ""


def draw_estimate(axes: Axes, row: TableRow, question: str) -> None:
    """Draw the estimate of a question: its interval, the range of one more training, trainings, and the baseline."""
    definition = QUESTIONS[question]
    value, low, high, next_low, next_high = read_row_numbers(row, question, ESTIMATE_PARTS)
    low_at, high_at, at = (locate(definition, each) for each in (low, high, value))
    if isfinite(next_low) and isfinite(next_high):
        ends = [locate(definition, each) for each in (next_low, next_high)]
        axes.plot(ends, [0.5] * 2, color=style.BLUE, linewidth=1.2, solid_capstyle="butt", zorder=4)
    axes.barh(0.5, high_at - low_at, left=low_at, height=0.75, color="#5E8FBC", alpha=0.62, linewidth=0, zorder=3)
    each = list_known(row, f"{question}_each")
    dots = [locate(definition, number) for number in each]
    axes.plot(dots, [0.5] * len(dots), "o", color=style.BLUE, markersize=3.2, markeredgecolor="white",
              markeredgewidth=0.6, clip_on=False, zorder=5)  # fmt: skip
    axes.plot([at] * 2, [-0.1, 1.1], color=DARK, linewidth=1.3, clip_on=False, zorder=6)
    if not definition.span[0] <= value <= definition.span[1]:
        beyond, offset = ("<", -0.014) if at == 0 else (">", 0.014)
        axes.plot([at + offset], [0.5], beyond, color=DARK, markersize=4, clip_on=False, zorder=6)
    baseline, name = find_baseline(row, question)
    if isfinite(baseline):
        at = locate(definition, baseline)
        axes.plot([at] * 2, [0, 1.3], color=BASELINE, linewidth=1.2, clip_on=False, zorder=6)
        side = "left" if at < 0.2 else "right" if at > 0.8 else "center"
        write_at(axes, at, 3, name, ha=side, va="bottom", color=BASELINE, fontsize=style.SMALL_SIZE)


def write_numbers(row: TableRow, line: Line) -> str:
    """Write the estimate with its interval; of classes that differ, the lowest and the highest."""
    unit = QUESTIONS[line.question].unit
    if row[f"{line.question}_zones"] == BY_CLASS:
        values = list_class_values(row, line.question)
        write = NUMBER_WRITERS[unit]
        return "; ".join(f"{name} {write(value)}{UNIT_SUFFIXES[unit]}" for name, value in (values[0], values[-1]))
    interval = f"  ({line.interval})" if line.interval else ""
    return f"{line.value}{UNIT_SUFFIXES[unit]}{interval}" if line.value else ""


def write_verdict(axes: Axes, line: Line, numbers: str, colour: str, layout: Layout) -> None:
    """Write claim, verdict and numbers beside a scale, or above it."""
    verdict: Keywords = {"fontsize": style.TITLE_SIZE, "weight": "bold", "color": colour, "va": "bottom"}
    if layout.beside:
        whole: Keywords = {"transform": axes.transAxes}
        behind = layout.find_place(layout.left + layout.scale + MARGIN)
        axes.text(layout.find_place(MARGIN), 0.45, line.claim, va="center", color=DARK, **whole)
        axes.text(behind, 0.6, line.said, **verdict, **whole)
        below = "\n".join(wrap(numbers, layout.numbers, max_lines=2, placeholder=" …"))
        axes.text(behind, 0.35, below, va="top", color=MUTED, fontsize=style.SMALL_SIZE, **whole)
        return
    write_at(axes, 0, 22.5, line.claim, va="bottom", color=DARK, fontsize=style.TITLE_SIZE)
    write_at(axes, 0, 10.5, line.said, **verdict)
    # behind the verdict, as wide as bold letters are in the mean
    at = layout.find_place(MARGIN + len(line.said) * 0.58 * style.TITLE_SIZE / 72 + 0.08)
    short = "".join(wrap(numbers, layout.numbers - 2 * len(line.said), max_lines=1, placeholder=" …"))
    write_at(axes, at, 10.5, short, va="bottom", color=MUTED, fontsize=style.TEXT_SIZE)


def draw_verdict(axes: Axes, row: TableRow, question: str, layout: Layout) -> None:
    """Draw one claim: what it says, its scale, the verdict and the number."""
    line, zones = write_line(row, question), str(row[f"{question}_zones"])
    draw_scale(axes, QUESTIONS[question], zones != NONE)
    verdict, _, beyond = ("differs by class" if zones == BY_CLASS else line.said).partition(", ")
    beside = write_beside(row, question) if question == "unique" else ""
    numbers = "; ".join(filter(None, [write_numbers(row, line), beyond.partition(" (")[0], beside]))
    said, colour = line._replace(said=verdict), VERDICT_COLOURS.get(zones, PARTLY)
    write_verdict(axes, said, "" if zones == NONE else numbers, colour, layout)
    if zones == NONE:
        reason = " ".join(wrap(line.remark.split("; ")[0], layout.reason, max_lines=1, placeholder=" …"))
        axes.text(0.5, 0.45, reason, ha="center", va="center", color=MUTED, fontsize=style.SMALL_SIZE)
    elif zones == BY_CLASS:
        draw_classes(axes, row, question)
    else:
        draw_estimate(axes, row, question)


def draw_answer(summary: pd.DataFrame, labels: Labels, layout: Layout) -> Figure:
    """Draw the answer on the first model of a columns.SUMMARY frame."""
    judged = summary[summary["model"] != ""].to_dict("records")
    if not judged:
        return write_sentence(NO_MODEL)
    row = judged[0]
    finding = wrap(write_finding(row), layout.finding)
    about = f"{display_name(row['dataset'])}, {write_name(row['model'], labels)}: {describe_run(row)}"
    run = wrap(about, layout.note, max_lines=3, placeholder=" …")
    alone = {1: "this training", 2: "these two trainings"}.get(int(row["seeds"]))
    note = wrap(NOTE_ALONE.format(alone) if alone else NOTE, layout.note)
    heading, foot = 0.2 * len(finding) + 0.13 * len(run) + 0.2, 0.13 * len(note) + 0.1
    height = heading + layout.row * len(QUESTIONS) + foot
    figure = Figure(figsize=(layout.width, height))
    side = MARGIN / layout.width
    small: Keywords = {"fontsize": style.SMALL_SIZE, "color": MUTED, "linespacing": 1.25}
    top: Keywords = {"va": "top", "fontsize": FINDING_SIZE, "weight": "bold", "linespacing": 1.25}
    figure.text(side, 1 - 0.08 / height, "\n".join(finding), **top)
    figure.text(side, 1 - (0.12 + 0.2 * len(finding)) / height, "\n".join(run), va="top", **small)
    for number, question in enumerate(QUESTIONS):
        bottom = height - heading - layout.row * (number + 1) + 0.17
        strip = layout.left / layout.width, bottom / height, layout.scale / layout.width, STRIP_HEIGHT / height
        draw_verdict(figure.add_axes(strip), row, question, layout)
    figure.text(side, 0.06 / height, "\n".join(note), va="bottom", **small)
    return figure


@style.use_house_style()
def fig_answer(summary: pd.DataFrame, labels: Labels) -> Figure:
    """Draw the answer on the first model of a columns.SUMMARY frame; labels: what models are called."""
    return draw_answer(summary, labels, WIDE)


@style.use_house_style()
def fig_answer_narrow(summary: pd.DataFrame, labels: Labels) -> Figure:
    """Draw the same for the screen of a telephone."""
    return draw_answer(summary, labels, NARROW)
