"""One line a question, from a row of the summary: what terminal, tables, report, explorer and notebooks show."""

import json
from collections.abc import Mapping
from functools import partial
from math import inf, isfinite, isnan, log, nan
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln, rel_entr

from attention_audit.arrays import Integers
from attention_audit.questions import LEAST_OF_CLASS, QUESTIONS, Unit

from .statements import BY_CLASS, NONE, ZONES

ZONE_MARKS = {NONE: " – ", BY_CLASS: " ≠ "}
"""The marks of what has no zones."""


ESTIMATE_PARTS = "value low high next_low next_high"
"""The estimate of a question, and the ends of its intervals."""
TableRow = Mapping[Any, Any]
"""A row of a table, by column; here one of columns.SUMMARY."""


class Line(NamedTuple):
    """What is shown of one question of one model.

    mark: its zones, as "·●·". value: the estimate; interval: of these trainings; trainings: the lowest and the highest;
    next: the range of another one; each "" where it is not known. remark: the clause beside the statement, or why there
    is none, and which trainings, texts and classes are to be named. brief: the interval, and what the estimate must be
    held against, where there is no room for the remark.
    """

    question: str
    mark: str
    asks: str
    said: str
    value: str
    interval: str
    trainings: str
    next: str
    remark: str
    brief: str


UNIT_FORMATS: Mapping[Unit, tuple[int, str]] = {
    "share": (1, "z.2f"), "percent": (100, "z.0f"), "points": (100, "+z.1f"), "probability": (1, "z.3f"),
    "setting": (1, "g"),
}  # fmt: skip
"""By what a number is multiplied, and its digits; differences of F1 in points have a sign, settings all digits."""


def write_number(unit: Unit, value: float) -> str:
    """Write a number without a 0 before the point, unless it is in percent: .35, −.12; "" where it is not known."""
    scale, form = UNIT_FORMATS[unit]
    written = f"{scale * value:{form}}".replace("-", "−") if isfinite(value) else ""
    return written.replace("0.", ".", 1) if scale == 1 and abs(value) < 1 else written


NUMBER_WRITERS = {unit: partial(write_number, unit) for unit in UNIT_FORMATS}
write_share, write_percent, write_points, write_probability, write_setting = NUMBER_WRITERS.values()


def write_range(low: float, high: float, unit: Unit) -> str:
    """Write two ends; one that is not bounded, or not known, is left out."""
    write = NUMBER_WRITERS[unit]
    if isnan(low) or isnan(high) or (low, high) == (-inf, inf):
        return ""
    if low == -inf:
        return f"≤ {write(high)}"
    return f"≥ {write(low)}" if high == inf else f"{write(low)} to {write(high)}"


def write_zones(zones: str) -> str:
    """Draw zones as three dots, of which those that are touched are full."""
    return ZONE_MARKS.get(zones) or "".join("●" if zone in zones else "·" for zone in ZONES)


def write_brief(row: TableRow, question: str, interval: str) -> str:
    """Write the interval of an estimate and what it must be held against; of `unique`, the latter alone."""
    if question == "signed" and (chance := write_percent(*read_row_numbers(row, question, "shuffled"))):
        # scores without weights, which cannot be shuffled, belong to no suite
        return f"{interval}; {'shuffled' if row['suite'] else 'random'} {chance}"
    if question == "unique" and (change := write_probability(*read_row_numbers(row, question, "tvd"))):
        return f"TVD {change} of {write_probability(row['unique_tvd_budget'])}"
    return interval


def read_row_numbers(row: TableRow, start: str, names: str) -> list[float]:
    """Read numbers of a row, by the beginning of their names and the ends; NaN where it has none."""
    return np.array([row[f"{start}_{name}"] for name in names.split()], np.float64).tolist()


def list_known(row: TableRow, name: str) -> list[float]:
    """List the numbers of a row that are known of single trainings."""
    each = np.array(row[name], np.float64)
    return each[np.isfinite(each)].tolist()


def write_line(row: TableRow, question: str) -> Line:
    """Write the line of a question from a row of columns.SUMMARY."""
    definition = QUESTIONS[question]
    zones = str(row[f"{question}_zones"])
    outliers = int(row[f"{question}_apart"])
    lie = f"{outliers} of {row[f'{question}_trainings']} trainings lie{'s' * (outliers == 1)} in other zones"
    remarks = row[f"{question}_reason"], row[f"{question}_clause"], lie * bool(outliers)
    numbers, each = read_row_numbers(row, question, ESTIMATE_PARTS), list_known(row, f"{question}_each")
    # where classes lie apart, numbers of all texts say nothing
    value, low, high, next_low, next_high = [nan] * len(numbers) if zones == BY_CLASS else numbers
    interval = write_range(low, high, definition.unit)
    return Line(
        question,
        write_zones(zones),
        definition.asks,
        str(row[f"{question}_said"]) or "–",
        NUMBER_WRITERS[definition.unit](value),
        interval,
        write_range(min(each), max(each), definition.unit) if len(each) > 1 and zones != BY_CLASS else "",
        write_range(next_low, next_high, definition.unit),
        "; ".join(filter(None, remarks)),
        write_brief(row, question, interval) if interval else "",
    )


def write_lines(row: TableRow) -> list[Line]:
    """Write all lines of a row of columns.SUMMARY."""
    return [write_line(row, question) for question in QUESTIONS]


def count_zones(row: TableRow) -> str:
    """Count how many readings hold, fail, lie in between, and cannot be told, of one row of columns.SUMMARY."""
    zones = [str(row[f"{question}_zones"]) for question in QUESTIONS]
    hold, fail = zones.count("3"), zones.count("1")
    unknown = sum(each in (NONE, ZONES) for each in zones)
    between = len(zones) - hold - fail - unknown
    return f"{hold} hold, {fail} fail, {between} in between, {unknown} cannot be told"


def count_readings(row: TableRow) -> str:
    """Count all readings, and those of `count_zones`."""
    return f"{len(QUESTIONS)} readings: {count_zones(row)}"


def list_small_classes(row: TableRow) -> list[tuple[str, int]]:
    """List the predicted classes that have too few texts for a statement of their own, with how many they have."""
    classes: dict[str, int] = {}
    for question in QUESTIONS:
        for entry in json.loads(row[f"{question}_classes"] or "[]"):
            classes[entry["name"]] = max(entry["texts"], classes.get(entry["name"], 0))
    return [(name, count) for name, count in classes.items() if count < LEAST_OF_CLASS]


def describe_run(row: TableRow) -> str:
    """Say on how many trainings and texts a row of columns.SUMMARY rests, and how well the model predicts."""
    texts, groups, seeds = (int(row[name]) for name in ("texts", "groups", "seeds"))
    description = f"{seeds} training{'s' * (seeds != 1)}, {texts:,} text{'s' * (texts != 1)}"
    if groups != texts:
        description += f" in {groups:,} group{'s' * (groups != 1)}"
    if row["accuracy"] is not None and not isnan(row["accuracy"]):
        largest = f"largest class {write_share(row['majority_accuracy'])}"
        than = largest if row["learnt"] == "yes" else f"not clearly better than the {largest}"
        description += f"; accuracy {write_share(row['accuracy'])}, {than}"
    return "; ".join([description, *(f"{name}: {count}, too few" for name, count in list_small_classes(row))])


def warn_of_next(row: TableRow) -> str:
    """Say for how many trainings of another kind those at hand leave room: 1 - .05 ** (1 / S)."""
    seeds = int(row["seeds"])
    if seeds < 2:
        return "Another training may differ: of one, nothing is known of others."
    room = write_percent(1 - 0.05 ** (1 / seeds))
    return f"Another training may differ: {seeds} leave room for a kind that {room} % of trainings are of."


LOW_ACCURACY_RATIO = 0.75
"""Share of the accuracy in another order of the classes below which that of their own order asks for it."""
CHANCE_LEVEL = 1e-3
"""How probable it is at most that some other order fits as well by chance."""


def ask_order(labels: Integers, predictions: Integers) -> str:
    """Ask whether labels are in another order than the classes of a model: labels (N,), predictions (S, N) -> a line.

    "" unless one other order of the classes has a far higher accuracy, and more than chance has: by Chernoff's bound of
    a model that predicts as often each class and knows nothing, over all orders.
    """
    count = 1 + max(labels.max(), predictions.max())
    pairs = (count * predictions + labels).ravel()
    shares = np.bincount(pairs, minlength=count**2).reshape(count, count) / len(pairs)
    order = linear_sum_assignment(shares, maximize=True)
    share, best = np.trace(shares), min(shares[order].sum(), 1.0)
    by_chance = (shares.sum(1)[order[0]] * shares.sum(0)[order[1]]).sum()
    surprise = len(labels) * (rel_entr(best, by_chance) + rel_entr(1 - best, 1 - by_chance))
    if not share < LOW_ACCURACY_RATIO * best or surprise - gammaln(count + 1) < -log(CHANCE_LEVEL):
        return ""
    return (
        f"are the labels in another order than the model's classes? Accuracy {share:.3f}, in another order {best:.3f}"
    )


def describe_marks(row: TableRow) -> str:
    """Say how well attention points to marked words, beside chance and other annotators; "" where none are marked.

    row: of columns.SUMMARY, with None or NaN where a value is not known. Never part of the answer: a map may please and
    mislead.
    """
    value, low, high, random, ceiling = read_row_numbers(row, "plausibility", "value low high random others")
    if isnan(value):
        return ""
    ends = "" if isnan(low) else f" [{low:.2f}, {high:.2f}]"
    agreement = "" if isnan(ceiling) else f", one annotator against the others {ceiling:.2f}"
    return f"Marked words: AUPRC {value:.2f}{ends}; random {random:.2f}{agreement}."
