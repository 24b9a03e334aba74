"""The figures of the answer, and of all attributions: what is drawn, where, and whether it can be read."""

import json
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable, list_words, points_of, written
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from summaries import answer, row

from attention_audit.columns.tables import INSTEAD, SUMMARY
from attention_audit.figures.answer import NO_MODEL, fig_answer
from attention_audit.figures.attributions import NOT_COMPARED, fig_instead
from attention_audit.questions import QUESTIONS
from attention_audit.tables.wording import collect_labels

LABELS = collect_labels([], {"base": "base", "wp": "W&P"})
CLASSES = [
    {"name": name, "texts": 200, "value": value, "low": value - 0.1, "high": value + 0.1, "zones": zones}
    for name, value, zones in (("good", 0.875, "3"), ("bad", 0.0, "1"))
]


def draw(*answers: dict[str, Any], model: str = "base", **columns: Any) -> Figure:
    """The figure of five trainings, of which nothing is stated but what is given."""
    about = {"dataset": "movies", "seeds": 5, "texts": 400, "groups": 400, "learnt": "yes"}
    scores = {"accuracy": 0.75, "majority_accuracy": 0.5}
    return fig_answer(pd.DataFrame([row(model, *answers, **about | scores | columns)])[SUMMARY.schema.names], LABELS)


def ask(question: str, value: float, low: float, high: float, **columns: Any) -> dict[str, Any]:
    return answer(question, "2", "partly", value, low, high) | {
        f"{question}_{name}": each for name, each in columns.items()
    }


def strip_of(figure: Figure, question: str) -> Axes:
    return figure.axes[list(QUESTIONS).index(question)]


def places_of(axes: Axes, marker: str) -> list[float]:
    return [x for x, _ in points_of(axes, marker)]


def words_of(figure: Figure) -> str:
    return " ".join(" ".join(written(figure)).split())


def test_values_stand_between_cuts_that_are_aligned() -> None:
    located = ask("located", 0.5, 0.375, 0.625, each=[0.25, 0.5, 0.75], next_low=0.0, next_high=1.5)
    figure = draw(located, ask("used", 0.025, 0.01, 0.04, each=[0.025, 0.1]))
    strip = strip_of(figure, "located")
    assert strip.get_xlim() == (-0.25, 1.25)
    assert strip_of(figure, "used").get_xlim() == pytest.approx((-0.05, 0.175))
    # the first is the ring of random words
    assert places_of(strip, "o") == [0, 0.25, 0.5, 0.75]
    assert (places_of(strip, "|"), places_of(strip, ">")) == ([0], [1.25])
    assert places_of(strip_of(figure, "used"), "o") == [0.025, 0.1]
    assert [(bar.get_x(), bar.get_width()) for bar in strip.patches[3:] if isinstance(bar, Rectangle)] == [
        (0.375, 0.25)
    ]
    assert ".50 [.38, .62]" in words_of(figure)
    assert "next .00 to 1.50" in words_of(figure)
    assert_readable(figure)


def test_what_lies_off_the_scale_is_an_arrow() -> None:
    figure = draw(ask("unique", -2.0, -inf, -1.9, zones="1"), ask("used", 0.9, 0.8, 1.0))
    assert places_of(strip_of(figure, "unique"), "<") == [-0.25]
    assert places_of(strip_of(figure, "used"), ">") == pytest.approx([0.175])


def test_within_the_tolerance_the_map_is_dotted_and_other_trainings_a_square() -> None:
    tolerated = {"value": 0.75, "beyond_value": 0.25, "tvd_budget": 0.05}
    unique = ask("unique", 0.25, 0.0, 0.5, tvd=0.1, tvd_budget=0.125)
    figure = draw(
        unique, **{f"unique_tolerance_{name}": value for name, value in tolerated.items()}, stable_each=[0.5, 0.0]
    )
    axes = strip_of(figure, "unique")
    assert places_of(axes, "s") == [0.5]
    (dotted,) = [line for line in axes.lines if line.is_dashed()]
    assert list(np.asarray(dotted.get_xdata())) == [0.25, 0.75]
    assert ".25 at TVD .100" in words_of(figure)
    assert "another training .50; budget: TVD .125" in words_of(figure)


def test_classes_are_numbered_from_the_lowest_and_nothing_of_all_is_drawn() -> None:
    classes = json.dumps(CLASSES)
    apart = ask("located", 0.4, 0.3, 0.5, zones="≠", said="bad hardly; good largely", classes=classes)
    figure = draw(apart)
    dots = {text.get_text(): text.get_position()[0] for text in strip_of(figure, "located").texts}
    assert (dots["1"], dots["2"]) == (0, 0.875)
    assert not any(len(line.get_xdata()) for line in strip_of(figure, "located").lines)
    assert "bad hardly; good largely (1) .00; (2) .88" in words_of(figure)
    assert_readable(figure)


def test_a_question_without_a_statement_says_why() -> None:
    figure = draw(stable_reason="there is one training")
    assert "there is one training" in words_of(figure)
    assert NO_MODEL in words_of(draw(model=""))


def test_attributions_stand_beside_attention_and_the_yardstick_is_hollow() -> None:
    blank = {**INSTEAD.blank, "dataset": "movies", "suite": "wp", "model": "base", "seeds": 5}
    rows = [
        blank
        | {"attribution": name, "located_value": value, "located_low": value - 0.1, "located_high": value + 0.1}
        | {"located_attention": 0.25, "located_yardstick": name == "loo"}
        for name, value in (("attention", 0.25), ("gradient", 0.75), ("loo", 1.0))
    ]
    frame = pd.DataFrame(rows, columns=INSTEAD.schema.names)
    figure = fig_instead(frame, LABELS)
    (axes,) = figure.axes
    assert places_of(axes, "o") == [0.25, 0.75, 1.0]
    hollow = [line.get_markerfacecolor() == "white" for line in axes.lines if line.get_marker() == "o"]
    assert hollow == [False, False, True]
    assert places_of(axes, "|") == [0.25, 0.25]
    assert list_words(axes.get_yticklabels()) == ["attention", "gradient", "leave-one-out"]
    assert_readable(figure)
    assert NOT_COMPARED in words_of(fig_instead(frame.iloc[:0], LABELS))
