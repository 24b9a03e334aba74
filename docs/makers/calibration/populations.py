"""Which populations each question is tried on: regimes, and how strong the effect is in each."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from makers.calibration.laws import RARE, SKEW, TWO
from makers.calibration.pools import (
    AnyPool,
    Scores,
    Setting,
    cue_falls,
    flat_adversary,
    graded_adversary,
    graded_falls,
    ranks_pool,
    signed_pool,
    stable_pool,
    sudden_adversary,
    uneven_falls,
    used_pool,
    weak_falls,
)
from makers.calibration.readouts import World

Maker = Callable[..., AnyPool]

APART = (SKEW, TWO, RARE)
FOURS = "dup"
"""Where texts come in fours that are nearly alike."""
HARD = (*APART, FOURS)
"""Regimes in which trainings lie apart, or texts do not come one by one: what the intervals take for granted is not so.
All others are smooth."""
SPREADS = {SKEW: 0.2, TWO: 0.2, RARE: 0.1}
"""How far trainings lie apart in these, as a standard deviation; of `RARE`, those that do not fail."""


def of_world(pool: Maker, regime: str, world: World, name: str, strengths: Sequence[float]) -> list[Setting]:
    """Settings that differ in one value of a world of synthetic readouts."""
    return [Setting(regime, strength, partial(pool, world.but(name, strength))) for strength in strengths]


def of_strength(pool: Maker, regime: str, strengths: Sequence[float]) -> list[Setting]:
    """Settings that differ in the first argument of what makes their pool."""
    return [Setting(regime, strength, partial(pool, strength)) for strength in strengths]


def hard(pool: Maker, world: World, name: str, strengths: Sequence[float]) -> list[Setting]:
    """Settings of a world of synthetic readouts in each of the regimes `HARD`."""
    apart = [
        setting
        for law in APART
        for setting in of_world(pool, law, replace(world, law=law, spread=SPREADS[law]), name, strengths)
    ]
    return [*apart, *of_world(pool, FOURS, replace(world, fours=True), name, strengths)]


PEAKED = World(peaked=2.5)
FLAT = World(peaked=0.6)
CUE = World(peaked=2.0, cue=True, supporting=1.0)
LOOSE = {regime: replace(world, aligned=0.3) for regime, world in (("peaked", PEAKED), ("flat", FLAT), ("cue", CUE))}
"""Worlds in which a training's own taste decides more."""

SETTINGS: dict[str, list[Setting]] = {
    "needed": [
        *of_strength(Scores(2, 1.0).pool, "two classes", (-0.25, -0.06, 0.02, 0.1, 0.3)),
        *of_strength(Scores(2, 1.0, positive=0.2).pool, "rare class", (-0.25, -0.06, 0.02, 0.1, 0.3)),
        *of_strength(Scores(8, 1.0).pool, "eight classes", (-0.25, -0.06, 0.02, 0.1, 0.3)),
        *of_strength(Scores(2, 2.6).pool, "near perfect", (-0.6, 0.0, 0.4, 0.7, 1.3)),
        *(
            setting
            for law in APART
            for setting in of_strength(Scores(2, 1.0, spread=SPREADS[law], law=law).pool, law, (0.0, 0.1))
        ),
        *of_strength(Scores(2, 1.0, fours=True).pool, FOURS, (0.0, 0.1)),
    ],
    "stable": [
        *of_world(stable_pool, "peaked", LOOSE["peaked"], "own", (0.0, 0.3, 0.5, 0.7, 1.0)),
        *of_world(stable_pool, "flat", LOOSE["flat"], "own", (0.0, 0.3, 0.5, 0.7, 1.0)),
        *of_world(stable_pool, "cue", LOOSE["cue"], "own", (0.0, 0.3, 0.5, 0.7, 1.0)),
        *of_world(stable_pool, SKEW, replace(LOOSE["peaked"], law=SKEW, spread=SPREADS[SKEW]), "own", (0.3, 0.5)),
        *of_world(stable_pool, TWO, replace(LOOSE["peaked"], clusters=True), "own", (0.0, 0.3)),
        *of_world(stable_pool, RARE, replace(PEAKED, law=RARE, aligned=0.8), "own", (0.3, 0.5)),
        *of_world(stable_pool, FOURS, replace(LOOSE["peaked"], fours=True), "own", (0.3, 0.5)),
    ],
    "used": [
        *of_world(used_pool, "peaked", PEAKED, "scale", (0.02, 0.1, 0.2, 0.35, 0.8)),
        *of_world(used_pool, "flat", FLAT, "scale", (0.1, 0.4, 0.7, 1.2, 3.0)),
        *of_world(used_pool, "cue", CUE, "scale", (0.02, 0.06, 0.12, 0.25, 0.8)),
        *hard(used_pool, CUE, "scale", (0.12, 0.25)),
    ],
    "ranks": [
        *of_world(ranks_pool, "peaked", PEAKED, "aligned", (-1.0, -0.5, -0.1, 0.3, 1.0)),
        *of_world(ranks_pool, "less peaked", World(peaked=1.2), "aligned", (-1.0, 0.0, 0.5, 0.7, 1.0)),
        *of_world(
            ranks_pool, "cue", World(peaked=1.0, cue=True, supporting=0.7), "aligned", (-1.0, 0.0, 0.3, 0.45, 0.8)
        ),
        *hard(ranks_pool, World(peaked=1.0, cue=True, supporting=0.7), "aligned", (0.3, 0.45)),
    ],
    "located": [
        *of_strength(graded_falls, "graded", (0.0, 0.3, 0.5, 0.7, 1.0)),
        *of_strength(cue_falls, "cue", (0.1, 0.4, 0.55, 0.75, 1.2)),
        *of_strength(uneven_falls, "uneven", (0.1, 0.4, 0.55, 0.75, 1.2)),
        *of_strength(weak_falls, "weak", (0.0, 0.3, 0.5, 0.7, 1.0)),
        *(
            setting
            for law in APART
            for setting in of_strength(partial(cue_falls, spread=SPREADS[law], law=law), law, (0.55, 0.75))
        ),
        *of_strength(partial(cue_falls, fours=True), FOURS, (0.55, 0.75)),
    ],
    "signed": [
        *of_world(signed_pool, "peaked", replace(PEAKED, supporting=0.85), "aligned", (0.0, 0.2, 0.4, 0.6, 1.0)),
        *of_world(signed_pool, "flat", replace(FLAT, supporting=0.9), "aligned", (0.0, 0.4, 0.6, 0.8, 1.0)),
        *of_world(signed_pool, "cue", replace(CUE, spread=0.02), "aligned", (0.2, 0.4, 0.5, 0.6, 0.7)),
        *hard(signed_pool, CUE, "aligned", (0.5, 0.6)),
    ],
    "unique": [
        *of_strength(graded_adversary, "graded", (0.0, 0.3, 0.5, 0.7, 0.95)),
        *of_strength(sudden_adversary, "sudden", (0.1, 0.4, 0.6, 0.8, 0.98)),
        *of_strength(flat_adversary, "flat", (0.0, 0.3, 0.5, 0.7, 0.95)),
        *of_strength(partial(graded_adversary, fours=True), FOURS, (0.3, 0.5)),
    ],
}
"""By question. `transferable` is computed as `needed` is, and is calibrated with it."""
