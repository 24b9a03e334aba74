"""From estimates to verdicts: which zones an interval touches, in words, of all texts or of predicted classes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import inf, nan
from typing import Any

from attention_audit.questions import (
    ANY_WEIGHTS,
    AVOIDED,
    HARMS,
    LEAST_OF_CLASS,
    LEAST_TEXTS,
    QUESTIONS,
    VERDICTS,
)

from .estimates import CONFIDENCE, FEWEST_TRAININGS, Estimate, Sample, subtract

ZONES = "123"
"""Low, middle and high."""
NONE, BY_CLASS = "-", "≠"
"""Instead of zones: no verdict; or one for each class, since classes differ."""
VERDICT_ZONES = ("1", "12", "2", "23", "3")
"""The zones of `VERDICTS`."""
CANNOT_TELL = "cannot tell"
ALONE = {1: "in this training", 2: "in these two"}
"""What a verdict is of where there are too few trainings to speak of others."""
TOO_FEW = "{} of the {} {} needed"
SHUFFLED = "shuffled weights"
NOTHING_TO_FIND = "nothing can be told apart: even the best order changes hardly anything"
LOST = "nothing to be had in {} of {} trainings"
Differ = Callable[[Sample, float], Estimate]
"""Estimates a difference of two classes at this confidence."""


@dataclass(frozen=True)
class Part:
    """What was found of all texts, or of those of one predicted class.

    name: of the class; "" of all. fewest: its texts, or groups, in the training that has the fewest; None of all.
    labelled: texts that have this label; None of all, and where there are no labels. sample: what the estimate is of,
    where classes are compared. seeds: of its trainings. shuffled: the same under shuffled weights, on the raw scale of
    the question; NaN where it is not asked. avoided: the second estimate of `signed`. chance: what both are held
    against.
    """

    estimate: Estimate = field(default_factory=Estimate)
    avoided: Estimate | None = None
    shuffled: float = nan
    name: str = ""
    fewest: int | None = None
    chance: str = SHUFFLED
    labelled: int | None = None
    sample: Sample | None = None
    seeds: Sequence[int] = ()


@dataclass(frozen=True)
class Cell:
    """One question of one model: the estimate, the zones that its interval touches, and what is said.

    zones: of 1, 2 and 3; `NONE` with the `reason`; or `BY_CLASS`. clause: what stands beside the verdict. left_out:
    texts of one item. apart: the trainings that lie in none of the zones, as places among all of them. classes: the
    part and the zones of each predicted class; "" of one with too few texts. beside: further columns of the summary.
    """

    part: Part = field(default_factory=Part)
    zones: str = NONE
    said: str = ""
    reason: str = ""
    clause: str = ""
    left_out: int = 0
    apart: Sequence[int] = ()
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


def say_zones(zones: str) -> str:
    """Say zones in words."""
    return CANNOT_TELL if zones == ZONES else VERDICTS[VERDICT_ZONES.index(zones)]


def say_part(question: str, part: Part) -> str:
    """Say the zones of a part; of `signed`, also beside what they are lower than they would be by themselves."""
    main, avoided = list_part_zones(question, part)
    zones = take_lower(main, avoided)
    verdict = say_zones(zones)
    if QUESTIONS[question].harms and part.estimate.high < -QUESTIONS[question].cuts[0]:
        return HARMS
    if zones == main or avoided == ZONES:
        return verdict
    if zones == ZONES[0]:
        return f"{verdict}, not beyond {part.chance}"
    return f"{verdict}, beyond {part.chance} ({100 * part.shuffled:.0f} %)"


def say_alone(question: str, part: Part) -> str:
    """Say the verdict of a part, and of which trainings it is, where these are one or two."""
    # that of adversaries is of one training whatever there are
    alone = "" if question == "unique" else ALONE.get(part.estimate.made, "")
    return ", ".join(filter(None, [say_part(question, part), alone]))


def list_apart(question: str, part: Part, zones: str) -> list[int]:
    """List the trainings, by their places, whose own interval touches none of the zones of the verdict."""
    intervals = [
        [Estimate(low=low, high=high) for low, high in zip(measured.each_low, measured.each_high, strict=True)]
        for measured in (part.estimate, part.avoided)
        if measured
    ]
    touched = [find_zones(question, Part(*estimates)) for estimates in zip(*intervals, strict=True)]
    return [number for number, each in enumerate(touched) if each and not {*each} & {*zones}]


def find_objection(question: str, part: Part, needed: int = LEAST_TEXTS) -> str:
    """Say why no verdict is given of a part; "" where one is."""
    effect = part.estimate
    if part.shuffled >= ANY_WEIGHTS.get(question, inf):
        return f"any {part.chance.split()[-1]} would do"
    groups = effect.groups if part.fewest is None else part.fewest
    if 0 < groups < needed:
        what = "texts" if groups == effect.texts else "groups of texts"
        return TOO_FEW.format(groups, needed, what)
    if not groups or not find_zones(question, part):
        return NOTHING_TO_FIND
    if effect.trainings < FEWEST_TRAININGS <= effect.made:
        return LOST.format(effect.made - effect.trainings, effect.made)
    return ""


def lie_apart(question: str, pair: tuple[tuple[Part, str], ...], differ: Differ, confidence: float) -> bool:
    """Tell whether two classes lie apart: they share no zone, differ by as much as the question asks, and the interval
    of their difference excludes 0.
    """
    (part_a, zones_a), (part_b, zones_b) = pair
    gap = abs(part_a.estimate.value - part_b.estimate.value)
    if {*zones_a} & {*zones_b} or gap < QUESTIONS[question].gap or part_a.sample is None or part_b.sample is None:
        return False
    difference = differ(subtract(part_a.sample, part_b.sample), confidence)
    return difference.low > 0 or difference.high < 0


def find_apart(question: str, classes: Sequence[tuple[Part, str]], differ: Differ) -> tuple[Part, ...]:
    """Find the two classes that lie apart the furthest, the lower first; none where no two do.

    Every two classes of which there is a verdict are compared, so that each difference has a confidence of 1 - .05 /
    the number of pairs (Bonferroni).
    """
    pairs = [*combinations(sorted(classes, key=lambda each: each[0].estimate.value), 2)]
    confidence = 1 - (1 - CONFIDENCE) / max(len(pairs), 1)
    pairs.sort(key=lambda pair: pair[0][0].estimate.value - pair[1][0].estimate.value)
    return next(((a[0], b[0]) for a, b in pairs if lie_apart(question, (a, b), differ, confidence)), ())


def conclude(
    question: str,
    part: Part,
    classes: Sequence[Part] = (),
    differ: Differ | None = None,
    *,
    clause: str = "",
    reason: str = "",
    left_out: int = 0,
) -> Cell:
    """Say what a question found: of all texts, or of the lowest and the highest class where classes differ.

    classes: the same of each predicted class, and how they differ. reason: why no verdict is given, where that is known
    beforehand.
    """
    of_classes = [
        (of_class, "" if find_objection(question, of_class, LEAST_OF_CLASS) else find_zones(question, of_class))
        for of_class in classes
    ]
    cell = Cell(part, clause=clause, left_out=left_out, classes=of_classes)
    if reason := reason or find_objection(question, part):
        return replace(cell, reason=reason)
    stated = [pair for pair in of_classes if pair[1]]
    if differ and (ends := find_apart(question, stated, differ)):
        return replace(cell, zones=BY_CLASS, said="; ".join(f"{end.name} {say_part(question, end)}" for end in ends))
    zones = find_zones(question, part)
    return replace(cell, zones=zones, said=say_alone(question, part), apart=list_apart(question, part, zones))
