"""One line a question, from a row of the summary: what terminal, tables, report, explorer and notebooks show."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import inf, isfinite, isnan, log, nan
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, rel_entr

from attention_audit.arrays import Integers
from attention_audit.questions import HARMS, LEAST_OF_CLASS, QUESTIONS, Question, Unit

from .verdicts import BY_CLASS, NONE, ZONES

ZONE_MARKS = {NONE: " – ", BY_CLASS: " ≠ "}
"""The marks of what has no zones."""


ESTIMATE_PARTS = "value low high next_low next_high"
"""The estimate of a question, and the ends of its intervals."""
TableRow = Mapping[Any, Any]
"""A row of a table, by column; here one of columns.SUMMARY."""


class Line(NamedTuple):
    """What is shown of one question of one model.

    mark: its zones, as "·●·". said: the verdict. value: the estimate; interval: the 95 % interval; next: the range of
    one more training; each "" where it is not known. beside: what the estimate must be held against, and what the end
    of the scale means that it lies beyond. remark: the clause beside the verdict, or why there is none, and which
    trainings are to be named.
    """

    question: str
    mark: str
    claim: str
    said: str
    value: str
    interval: str
    next: str
    beside: str
    remark: str


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


def write_beside(row: TableRow, question: str) -> str:
    """Write what an estimate must be held against, where that is no end of its scale; else ""."""
    if question == "signed" and (chance := write_percent(*read_row_numbers(row, question, "shuffled"))):
        # scores without weights, which cannot be shuffled, belong to no suite
        return f"{'shuffled weights' if row['suite'] else 'a random item'} {chance} %"
    if question == "unique" and (change := write_probability(*read_row_numbers(row, question, "tvd"))):
        [training_change] = read_row_numbers(row, question, "others_tvd")
        [tolerance] = read_row_numbers(row, "unique_tolerance", "tvd_budget")
        written = write_probability(training_change)
        if training_change > tolerance:
            return f"TVD {change}; another training {written}"
        training = f" (another training {written})" if written else ""
        return f"TVD {change}; tolerance {write_setting(tolerance)}{training}"
    return ""


def read_row_numbers(row: TableRow, start: str, names: str) -> list[float]:
    """Read numbers of a row, by the beginning of their names and the ends; NaN where it has none."""
    return np.array([row[f"{start}_{name}"] for name in names.split()], np.float64).tolist()


def list_known(row: TableRow, name: str) -> list[float]:
    """List the numbers of a row that are known of single trainings."""
    each = np.array(row[name], np.float64)
    return each[np.isfinite(each)].tolist()


def name_end(definition: Question, value: float) -> str:
    """Say what the end of a scale from 0 to 1 means that a value, as it is written, lies beyond; "" where none is."""
    (low, high), value = definition.ends, round(value, 2)
    if definition.unit != "share":
        return ""
    return f"0 means: {low}" if value < 0 else f"1 means: {high}" if value > 1 else ""


def write_line(row: TableRow, question: str) -> Line:
    """Write the line of a question from a row of columns.SUMMARY."""
    definition = QUESTIONS[question]
    zones, write = str(row[f"{question}_zones"]), NUMBER_WRITERS[definition.unit]
    outliers = [
        f"seed {each['seed']}: {write(each['value'])}" for each in json.loads(row[f"{question}_outliers"] or "[]")
    ]
    numbers = read_row_numbers(row, question, ESTIMATE_PARTS)
    remarks = row[f"{question}_reason"], row[f"{question}_clause"], *outliers
    beside = (
        "" if zones == BY_CLASS else write_beside(row, question),
        "" if zones in (NONE, BY_CLASS) else name_end(definition, numbers[0]),
    )
    # where classes differ, numbers of all texts say nothing
    value, low, high, next_low, next_high = [nan] * len(numbers) if zones == BY_CLASS else numbers
    return Line(
        question=question,
        mark=write_zones(zones),
        claim=definition.claim,
        said=str(row[f"{question}_said"]) or "–",
        value=write(value),
        # of adversaries, it is the bracket of a search
        interval="" if question == "unique" else write_range(low, high, definition.unit),
        next=write_range(next_low, next_high, definition.unit),
        beside="; ".join(filter(None, beside)),
        remark="; ".join(filter(None, remarks)),
    )


def write_lines(row: TableRow) -> list[Line]:
    """Write all lines of a row of columns.SUMMARY."""
    return [write_line(row, question) for question in QUESTIONS]


COUNTED = {
    "1": ("fails", "fail"), "3": ("holds", "hold"), "23": ("holds at least in part", "hold at least in part"),
    "12": ("holds at most in part", "hold at most in part"), BY_CLASS: ("differs by class", "differ by class"),
    ZONES: ("cannot be told", "cannot be told"),
}  # fmt: skip
"""What is said of one claim, and of several, whose verdict is of these zones; "in part" counts as at least in part."""
MAX_SENTENCES = 3
"""Clear claims that the finding says in words."""
OF_TRAININGS = {1: "in this one training, ", 2: "in these two trainings, "}


def say_clear(row: TableRow, question: str) -> str:
    """Say a claim that clearly holds or fails in a sentence."""
    definition = QUESTIONS[question]
    if row[f"{question}_zones"] == ZONES[-1]:
        return definition.holds
    return definition.harms if str(row[f"{question}_said"]).startswith(HARMS) else definition.fails


def count_verdicts(zones: Iterable[str]) -> list[str]:
    """Count verdicts by their zones, in words: "2 fail", "1 holds"."""
    counts = Counter("23" if each == ZONES[1] else each for each in zones)
    return [f"{counts[each]} {words[counts[each] > 1]}" for each, words in COUNTED.items() if counts[each]]


def describe_verdicts(row: TableRow) -> str:
    """Count the verdicts on one row of columns.SUMMARY, but for the claims that could not be asked."""
    zones = [str(row[f"{question}_zones"]) for question in QUESTIONS]
    return ", ".join(count_verdicts(each for each in zones if each != NONE)) or "no claim could be asked"


def write_finding(row: TableRow) -> str:
    """Write what was found of one row of columns.SUMMARY: the clear claims as sentences, those that fail before those
    that hold, and how many of the others there are of each kind.
    """
    zones = {question: str(row[f"{question}_zones"]) for question in QUESTIONS}
    zones = {question: each for question, each in zones.items() if each != NONE}
    if not zones:
        return "No claim could be asked."
    clear = [question for zone in (ZONES[0], ZONES[-1]) for question, each in zones.items() if each == zone]
    sentences = [say_clear(row, question) for question in clear[:MAX_SENTENCES]]
    rest = {question: each for question, each in zones.items() if question not in clear[:MAX_SENTENCES]}
    counts = count_verdicts(rest.values())
    opening = OF_TRAININGS.get(int(row["seeds"]), "")
    if not sentences:
        finding = f"{opening}no claim clearly holds or fails: of {len(zones)}, {', '.join(counts)}."
        return finding[0].upper() + finding[1:]
    *firsts, last = sentences
    finding = opening + ", ".join(firsts) + (f", and {last}" if firsts else last)
    ending = f" Of the other {len(rest)}, {', '.join(counts)}." if rest else ""
    if len(rest) == 1:
        ending = f" The other claim {counts[0].removeprefix('1 ')}."
    return f"{finding[0].upper()}{finding[1:]}.{ending}"


def describe_small_classes(row: TableRow) -> list[str]:
    """Say which predicted classes have too few texts for a verdict of their own: in the training that predicts them
    least, and how many texts of the test have this label, where labels are known.
    """
    classes: dict[str, tuple[int, int | None]] = {}
    for question in QUESTIONS:
        for entry in json.loads(row[f"{question}_classes"] or "[]"):
            count = max(entry["texts"], classes.get(entry["name"], (0, None))[0])
            classes[entry["name"]] = count, entry.get("labelled")
    return [
        f"{name}: too few texts ({count} in the training that predicts it least"
        + ("" if labelled is None else f", {labelled} in the test")
        + ")"
        for name, (count, labelled) in classes.items()
        if count < LEAST_OF_CLASS
    ]


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
    elif row["majority_accuracy"] is not None and not isnan(row["majority_accuracy"]):
        largest = write_share(row["majority_accuracy"])
        description += f"; no labels, largest predicted class {largest}"
    return "; ".join([description, *describe_small_classes(row)])


def warn_of_others(row: TableRow) -> str:
    """Say how many of all trainings could be of a kind that none of S was: up to 1 - .05 ** (1 / S)."""
    seeds = int(row["seeds"])
    if seeds < 2:
        return "One training says nothing of others."
    share = write_percent(1 - 0.05 ** (1 / seeds))
    return f"With {seeds} trainings, up to {share} % of all trainings could behave in a way that none of these did."


MOST_NAMED = 3
"""Claims that do not hold that are named; others are counted."""


def warn_of_controls(failed: Sequence[str], claims: int) -> str:
    """Say which of so many claims on controls do not hold; "" where all do."""
    if not failed:
        return ""
    rest = f" and {len(failed) - MOST_NAMED} more" if len(failed) > MOST_NAMED else ""
    return (
        f"controls: {len(failed)} of {claims} claims do not hold ({', '.join(failed[:MOST_NAMED])}{rest}): read no "
        "answer of this run before you know why"
    )


def warn_of_claims(claims: Iterable[TableRow]) -> str:
    """Say which rows of columns.CONTROLS do not hold; "" where all do."""
    rows = [*claims]
    failed = [f"{row['dataset']} {row['model']}: {row['claim']}" for row in rows if not row["holds"]]
    return warn_of_controls(failed, len(rows))


def warn_of_verdicts(rows: Iterable[TableRow]) -> str:
    """Say which verdicts on controls are not what they must be, from rows of columns.SUMMARY; "" where all are."""
    judged = [(row, json.loads(row["controls"])) for row in rows if row["controls"]]
    failed = [f"{row['dataset']} {row['model']}: {claim}" for row, claims in judged for claim in claims["failed"]]
    return warn_of_controls(failed, sum(claims["claims"] for _, claims in judged))


LOW_ACCURACY_RATIO = 0.75
"""Share of the accuracy in another order of the classes below which that of their own order asks for it."""
CHANCE_LEVEL = 1e-3
"""How probable it is at most that some other order fits as well by chance."""


def ask_order(labels: Integers, predictions: Integers) -> str:
    """Ask whether labels are in another order than the classes of a model: labels (N,), predictions (S, N) -> a line.

    "" where the labels are not known, and unless one other order of the classes has a far higher accuracy, and more
    than chance has: by Chernoff's bound of a model that predicts as often each class and knows nothing, over all
    orders.
    """
    if labels.min() < 0:
        return ""
    # it takes long to import, as other parts of scipy, scikit-learn and matplotlib do
    from scipy.optimize import linear_sum_assignment

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
