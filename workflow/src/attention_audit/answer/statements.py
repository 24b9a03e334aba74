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
NONE, CLASSES = "-", "≠"
"""Instead of zones: no statement; or one for each class, since classes lie apart."""
STATEMENT_ZONES = ("1", "12", "2", "23", "3")
"""The zones of the words of `Question.said`."""
CANNOT_TELL = "cannot tell"
TOO_FEW = "{} of the {} {} needed"
SHUFFLED = "shuffled weights"
NOTHING = "there is nothing to be had: even the best order changes hardly anything"


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

    zones: of 1, 2 and 3; `NONE` with the `reason`; or `CLASSES`. clause: what stands beside the statement. left_out:
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
    return "".join(zone for zone, (least, most) in zip(ZONES, bounds, strict=True) if low <= most and high > least)


def take_lower(one: str, other: str) -> str:
    """Name the zones in which the lower of two values may lie."""
    if not one or not other:
        return one or other
    return "".join(zone for zone in ZONES if min(one[0], other[0]) <= zone <= min(one[-1], other[-1]))


def list_zones(question: str, part: Part) -> tuple[str, str]:
    """Name the zones of the estimate of a part and, of `signed`, of the second one; "" where one is not known."""
    own, avoided = part.estimate, part.avoided or Estimate()
    return list_touched(own.low, own.high, QUESTIONS[question].cuts), list_touched(avoided.low, avoided.high, AVOIDED)


def find_zones(question: str, part: Part) -> str:
    """Name the zones of a part; "" where they are not known."""
    return take_lower(*list_zones(question, part))


def say_zones(zones: str, said: Sequence[str]) -> str:
    """Say zones in words."""
    return CANNOT_TELL if zones == ZONES else said[STATEMENT_ZONES.index(zones)]


def say_part(question: str, part: Part) -> str:
    """Say the zones of a part; of `signed`, also how much it is above shuffled weights, where that is less."""
    own, avoided = list_zones(question, part)
    lower, said = take_lower(own, avoided), QUESTIONS[question].said
    if lower == own or avoided == ZONES:
        return say_zones(lower, said)
    return f"{say_zones(own, said)}, {say_zones(avoided, EXTENTS)} more than {part.chance}"


def count_apart(question: str, part: Part, zones: str) -> int:
    """Count the trainings whose own interval touches none of the zones of the statement."""
    both = [
        [Estimate(low=low, high=high) for low, high in zip(found.each_low, found.each_high, strict=True)]
        for found in (part.estimate, part.avoided)
        if found
    ]
    found = [find_zones(question, Part(*own)) for own in zip(*both, strict=True)]
    return sum(bool(each) and not {*each} & {*zones} for each in found)


def find_objection(question: str, part: Part, needed: int = LEAST_TEXTS) -> str:
    """Say why nothing is stated of a part; "" where something is."""
    if part.shuffled >= ANY_WEIGHTS.get(question, inf):
        return f"any {part.chance.split()[-1]} would do"
    groups = part.estimate.groups if part.fewest is None else part.fewest
    if 0 < groups < needed:
        what = "texts" if groups == part.estimate.texts else "groups of texts"
        return TOO_FEW.format(groups, needed, what)
    return "" if groups and find_zones(question, part) else NOTHING


def has_gap(question: str, known: Sequence[tuple[Part, str]]) -> bool:
    """Tell whether two classes share no zone and differ by as much as the question asks."""
    gap = QUESTIONS[question].gap
    return any(
        not {*zones} & {*others} and abs(one.estimate.value - other.estimate.value) >= gap
        for (one, zones), (other, others) in combinations(known, 2)
    )


def conclude(
    question: str, part: Part, classes: Sequence[Part] = (), *, clause: str = "", reason: str = "", left_out: int = 0
) -> Cell:
    """Say what a question found: of all texts, or of the lowest and the highest class where classes lie apart.

    classes: the same of each predicted class. reason: why nothing is stated, where that is known beforehand.
    """
    of_classes = [
        (one, "" if find_objection(question, one, LEAST_OF_CLASS) else find_zones(question, one)) for one in classes
    ]
    cell = Cell(part, clause=clause, left_out=left_out, classes=of_classes)
    if reason := reason or find_objection(question, part):
        return replace(cell, reason=reason)
    known = sorted((one for one in of_classes if one[1]), key=lambda one: one[0].estimate.value)
    if has_gap(question, known):
        ends = [f"{one.name} {say_part(question, one)}" for one, _ in (known[0], known[-1])]
        return replace(cell, zones=CLASSES, said="; ".join(ends))
    zones = find_zones(question, part)
    return replace(cell, zones=zones, said=say_part(question, part), apart=count_apart(question, part, zones))
