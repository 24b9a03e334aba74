"""An effect as a small drawing: its interval and its value on the scale of its question, against the margin.

All rows of a question have one scale, so that they can be compared from row to row. It is declared here and not taken
from the data: where the margin lies must be seen, even beside an effect that is many times as large. What lies beyond
the scale is drawn as an arrow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan

from attention_audit.columns.summary import UNITS

WIDTH, HEIGHT = 120.0, 18.0
"""Of a drawing; it is stretched to the cell in which it stands."""
EDGE = 8.0
"""Room on either side of the scale, for arrows."""
STEM = 9.0
"""Length of the bar of an interval that lies beyond the scale as a whole."""
ROOM = 0.1
"""Share of the scale that is kept on either side of the margin."""


@dataclass(frozen=True)
class Scale:
    """From where to where a question's drawings go; `chance`: the effect of a map that says nothing, if it is known."""

    low: float
    high: float
    chance: float = nan

    def holding(self, margin: float) -> "Scale":
        """The same scale, extended where the margin would lie outside or near one of its ends."""
        if isnan(margin):
            return self
        room = ROOM * (self.high - self.low)
        return replace(self, low=min(self.low, margin - room), high=max(self.high, margin + room))

    def place(self, value: float) -> float:
        """Where a value stands in the drawing, to two digits; one that is beyond the scale stands at its end."""
        inside = min(max(value, self.low), self.high)
        return round(EDGE + (WIDTH - 2 * EDGE) * (inside - self.low) / (self.high - self.low), 2)

    def holds(self, value: float) -> bool:
        """Whether a value is on the scale."""
        return self.low <= value <= self.high


SCALES: Mapping[str, Scale] = {
    "needed": Scale(-0.1, 0.2, chance=0),
    "stable": Scale(-0.5, 1.5, chance=0),
    "used": Scale(0, 0.5),
    "ranks": Scale(-0.5, 1.5, chance=0),
    "located": Scale(-0.5, 1.5, chance=0),
    "signed": Scale(0.5, 1),
    "unique": Scale(-0.5, 1.5, chance=0),
    "transferable": Scale(-0.1, 0.2, chance=0),
}
"""Of every question; the margin of `config.yaml` lies well inside."""


@dataclass(frozen=True)
class Plot:
    """Where things stand, from the left; None for what is not drawn.

    start, end: of the bar, the interval. caps: those of its ends that are on the scale. below, above: whether it goes
    on beyond the scale, on the left and on the right. point: the value. margin: the right of it is the side of yes.
    chance: see `Scale`.
    """

    start: float | None
    end: float | None
    caps: tuple[float, ...]
    below: bool
    above: bool
    point: float | None
    margin: float | None
    chance: float | None


def plotted(value: float, low: float, high: float, margin: float, scale: Scale) -> Plot:
    """The drawing of an effect. Any of the four may be NaN, and the ends of the interval may be infinite."""
    point = scale.place(value) if scale.holds(value) else None
    if isnan(low) or isnan(high):
        # without an interval, a value beyond the scale is an arrow, and no other needs a bar
        low = high = nan if point is not None else value
    start, end = _bar(low, high, scale)
    return Plot(
        start,
        end,
        caps=tuple(scale.place(bound) for bound in (low, high) if scale.holds(bound)),
        below=low < scale.low,
        above=high > scale.high,
        point=point,
        margin=scale.place(margin) if scale.holds(margin) else None,
        chance=scale.place(scale.chance) if scale.holds(scale.chance) else None,
    )


def _bar(low: float, high: float, scale: Scale) -> tuple[float | None, float | None]:
    if isnan(low) or isnan(high):
        return None, None
    if high < scale.low:
        return EDGE, EDGE + STEM
    if low > scale.high:
        return WIDTH - EDGE - STEM, WIDTH - EDGE
    return scale.place(low), scale.place(high)


def alternative(question: str, word: str, value: float, low: float, high: float, margin: float, scale: Scale) -> str:
    """The same drawing in words, for who does not see it."""
    unit = UNITS.get(question, "")
    effect = "no effect is known" if isnan(value) else f"effect {value:z.3f} {unit}".strip()
    if isnan(low) or isnan(high):
        interval = "no interval is known"
    elif isfinite(low) and isfinite(high):
        interval = f"95 % interval {low:z.3f} to {high:z.3f}"
    else:
        interval = "an interval that cannot be bounded"
    against = f"margin {margin:g}, " if not isnan(margin) else ""
    return f"{question}: {word}; {effect}, {interval}, {against}drawn from {scale.low:g} to {scale.high:g}"
