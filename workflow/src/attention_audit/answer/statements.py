"""From estimates to statements: which zones an interval touches, in words, of all texts or of predicted classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import inf, nan
from typing import Any

from attention_audit.questions import ANY_WEIGHTS, AVOIDED, EXTENTS, LEAST_OF_CLASS, LEAST_TEXTS, QUESTIONS

from .estimates import Estimate

ZONES = "123"
"""Low, middle and high."""
NONE, BY_CLASS = "-", "≠"
"""Instead of zones: no statement; or one for each class, since classes lie apart."""
STATEMENT_ZONES = ("1", "12", "2", "23", "3")
"""The zones of the words of `Question.said`."""
CANNOT_TELL = "cannot tell"
TOO_FEW = "{} of the {} {} needed"
SHUFFLED = "shuffled weights"
NOTHING_TO_FIND = "there is nothing to be had: even the best order changes hardly anything"


@dataclass(frozen=True)
class Part:
    """What was found of all texts, or of those of one predicted class.

    name: of the class; "" of all. fewest: its texts, or groups, in the training that has the fewest; None of all.
    shuffled: the same under shuffled weights, on the raw scale of the question; NaN where it is not asked. avoided: the
    second estimate of `signed`. chance: what both are held against.
    """

    estimate: Estimate = field(default_factory=Estimate)
    avoided: Estimate | None = None
    shuffled: float = nan
    name: str = ""
    fewest: int | None = None
    chance: str = SHUFFLED


@dataclass(frozen=True)
class Cell:
    """One question of one model: the estimate, the zones that its interval touches, and what is said.

    zones: of 1, 2 and 3; `NONE` with the `reason`; or `BY_CLASS`. clause: what stands beside the statement. left_out:
    texts of one item. apart: trainings that lie in none of the zones. classes: the part and the zones of each predicted
    class; "" of one with too few texts. beside: further columns of the summary.
    """

    part: Part = field(default_factory=Part)
    zones: str = NONE
    said: str = ""
    reason: str = ""
    clause: str = ""
    left_out: int = 0
    apart: int = 0
    classes: Sequence[tuple[Part, str]] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)


def list_touched(low: float, high: float, cuts: tuple[float, float]) -> str:
    """Name the zones that an interval touches; a value at a cut lies in the zone below it. NaN touches none."""
    bounds = pairwise((-inf, *cuts, inf))
    return "".join(zone for zone, (bottom, top) in zip(ZONES, bounds, strict=True) if low <= top and high > bottom)


def take_lower(zones_a: str, zones_b: str) -> str:
    """Name the zones in which the lower of two values may lie."""
    if not zones_a or not zones_b:
        return zones_a or zones_b
    return "".join(zone for zone in ZONES if min(zones_a[0], zones_b[0]) <= zone <= min(zones_a[-1], zones_b[-1]))


def list_part_zones(question: str, part: Part) -> tuple[str, str]:
    """Name the zones of the estimate of a part and, of `signed`, of the second one; "" where one is not known."""
    main, avoided = part.estimate, part.avoided or Estimate()
    return list_touched(main.low, main.high, QUESTIONS[question].cuts), list_touched(avoided.low, avoided.high, AVOIDED)


def find_zones(question: str, part: Part) -> str:
    """Name the zones of a part; "" where they are not known."""
    return take_lower(*list_part_zones(question, part))


def say_zones(zones: str, words: Sequence[str]) -> str:
    """Say zones in words."""
    return CANNOT_TELL if zones == ZONES else words[STATEMENT_ZONES.index(zones)]


def say_part(question: str, part: Part) -> str:
    """Say the zones of a part; of `signed`, also how much it is above shuffled weights, where that is less."""
    main, avoided = list_part_zones(question, part)
    lower, words = take_lower(main, avoided), QUESTIONS[question].said
    if lower == main or avoided == ZONES:
        return say_zones(lower, words)
    return f"{say_zones(main, words)}, {say_zones(avoided, EXTENTS)} more than {part.chance}"


def count_apart(question: str, part: Part, zones: str) -> int:
    """Count the trainings whose own interval touches none of the zones of the statement."""
    intervals = [
        [Estimate(low=low, high=high) for low, high in zip(measured.each_low, measured.each_high, strict=True)]
        for measured in (part.estimate, part.avoided)
        if measured
    ]
    touched = [find_zones(question, Part(*estimates)) for estimates in zip(*intervals, strict=True)]
    return sum(bool(each) and not {*each} & {*zones} for each in touched)


def find_objection(question: str, part: Part, needed: int = LEAST_TEXTS) -> str:
    """Say why nothing is stated of a part; "" where something is."""
    if part.shuffled >= ANY_WEIGHTS.get(question, inf):
        return f"any {part.chance.split()[-1]} would do"
    groups = part.estimate.groups if part.fewest is None else part.fewest
    if 0 < groups < needed:
        what = "texts" if groups == part.estimate.texts else "groups of texts"
        return TOO_FEW.format(groups, needed, what)
    return "" if groups and find_zones(question, part) else NOTHING_TO_FIND


def has_gap(question: str, classes: Sequence[tuple[Part, str]]) -> bool:
    """Tell whether two classes share no zone and differ by as much as the question asks."""
    gap = QUESTIONS[question].gap
    return any(
        not {*zones_a} & {*zones_b} and abs(part_a.estimate.value - part_b.estimate.value) >= gap
        for (part_a, zones_a), (part_b, zones_b) in combinations(classes, 2)
    )


def conclude(
    question: str, part: Part, classes: Sequence[Part] = (), *, clause: str = "", reason: str = "", left_out: int = 0
) -> Cell:
    """Say what a question found: of all texts, or of the lowest and the highest class where classes lie apart.

    classes: the same of each predicted class. reason: why nothing is stated, where that is known beforehand.
    """
    of_classes = [
        (of_class, "" if find_objection(question, of_class, LEAST_OF_CLASS) else find_zones(question, of_class))
        for of_class in classes
    ]
    cell = Cell(part, clause=clause, left_out=left_out, classes=of_classes)
    if reason := reason or find_objection(question, part):
        return replace(cell, reason=reason)
    stated = sorted((pair for pair in of_classes if pair[1]), key=lambda pair: pair[0].estimate.value)
    if has_gap(question, stated):
        ends = [f"{end.name} {say_part(question, end)}" for end, _ in (stated[0], stated[-1])]
        return replace(cell, zones=BY_CLASS, said="; ".join(ends))
    zones = find_zones(question, part)
    return replace(cell, zones=zones, said=say_part(question, part), apart=count_apart(question, part, zones))
