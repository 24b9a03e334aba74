"""Drawings of effects, with coordinates worked by hand: 104 units of scale between two edges of 8."""

from math import inf, nan

import pytest

from attention_audit.answer.settings import Margins
from attention_audit.columns.summary import QUESTIONS
from attention_audit.report.interval_plot import SCALES, Plot, Scale, alternative, plotted

UNIT = Scale(0, 1)


def test_an_effect_on_the_scale() -> None:
    # 8 + 104 x: .25 stands at 34, .5 at 60, .75 at 86; the margin .125 at 21
    assert plotted(0.5, 0.25, 0.75, 0.125, UNIT) == Plot(34, 86, (34, 86), False, False, 60, 21, None)


def test_chance_is_drawn_where_it_is_on_the_scale() -> None:
    # from -1 to 3 in 104: a unit is 26 wide, and 0 stands at 8 + 26
    assert plotted(1, 0, 2, 1, Scale(-1, 3, chance=0)) == Plot(34, 86, (34, 86), False, False, 60, 60, 34)
    assert plotted(0.5, 0.5, 0.5, 0.5, Scale(0, 1, chance=-1)).chance is None


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-1, 0.5, (8, 60, (60,), True, False)),
        (0.5, 2, (60, 112, (60,), False, True)),
        (-inf, inf, (8, 112, (), True, True)),
        (-3, -2, (8, 17, (), True, False)),
        (2, 3, (103, 112, (), False, True)),
        (0, 1, (8, 112, (8, 112), False, False)),
        (0.5, 0.5, (60, 60, (60, 60), False, False)),
    ],
)
def test_what_lies_beyond_the_scale_is_an_arrow(
    low: float, high: float, expected: tuple[float, float, tuple[float, ...], bool, bool]
) -> None:
    assert plotted(nan, low, high, nan, UNIT) == Plot(*expected, None, None, None)


def test_a_value_beyond_the_scale_is_no_point() -> None:
    assert plotted(2, 0.5, 4, 0.5, UNIT) == Plot(60, 112, (60,), False, True, None, 60, None)
    assert plotted(1, 0.5, 1, 0.5, UNIT).point == 112


@pytest.mark.parametrize(("low", "high"), [(nan, nan), (0.25, nan), (nan, 0.75)])
def test_without_an_interval_there_is_no_bar(low: float, high: float) -> None:
    assert plotted(0.5, low, high, 0.25, UNIT) == Plot(None, None, (), False, False, 60, 34, None)
    assert plotted(2, low, high, 0.25, UNIT) == Plot(103, 112, (), False, True, None, 34, None)
    assert plotted(-2, low, high, 0.25, UNIT) == Plot(8, 17, (), True, False, None, 34, None)
    assert plotted(nan, low, high, 0.25, UNIT) == Plot(None, None, (), False, False, None, 34, None)


def test_a_scale_makes_room_for_the_margin() -> None:
    assert UNIT.holding(0.5) == UNIT.holding(0.1) == UNIT.holding(nan) == UNIT
    assert UNIT.holding(0) == Scale(-0.1, 1)
    assert UNIT.holding(1) == Scale(0, 1.1)
    assert UNIT.holding(3) == Scale(0, 3.1)


def test_every_question_has_a_scale_that_holds_its_margin() -> None:
    margins = Margins()
    assert tuple(SCALES) == QUESTIONS
    for question, scale in SCALES.items():
        assert scale.holding(getattr(margins, question)) == scale


def test_the_words_say_what_the_drawing_shows() -> None:
    assert alternative("needed", "yes", 0.25, 0.125, 0.5, 0.01, SCALES["needed"]) == (
        "needed: yes; effect 0.250 F1, 95 % interval 0.125 to 0.500, margin 0.01, drawn from -0.1 to 0.2"
    )
    assert alternative("ranks", "undecided", nan, -inf, inf, 0.5, SCALES["ranks"]) == (
        "ranks: undecided; no effect is known, an interval that cannot be bounded, margin 0.5, drawn from -0.5 to 1.5"
    )
    assert alternative("used", "no", -0.0001, nan, nan, nan, SCALES["used"]) == (
        "used: no; effect 0.000 probability, no interval is known, drawn from 0 to 0.5"
    )
