"""The figures of the answer, of attributions and of plausibility: what is drawn, and whether it can be read."""

import json
from math import inf

import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable, list_words, points_of, written
from labels import LABELS
from matplotlib.patches import Rectangle
from summaries import answer, row
from tabled import cells

from attention_audit.columns.tables import INSTEAD, SUMMARY, TABLE
from attention_audit.figures.answer import NO_MODEL, fig_answer, fig_answer_narrow
from attention_audit.figures.attributions import NOT_COMPARED, NOT_MARKED, fig_instead, fig_plausibility
from attention_audit.figures.style import list_texts
from attention_audit.names import PLAUSIBLE
from attention_audit.questions import QUESTIONS

CLASSES = [
    {
        "name": name,
        "texts": 200,
        "labelled": 200,
        "value": value,
        "low": value - 0.1,
        "high": value + 0.1,
        "zones": zones,
    }
    for name, value, zones in (("good", 0.875, "3"), ("bad", 0.0, "1"))
]


def draw(*answers, model="base", **columns):
    """The figure of five trainings, of which there is no verdict but those that are given."""
    about = {"dataset": "movies", "seeds": 5, "texts": 400, "groups": 400, "learnt": "yes"}
    scores = {"accuracy": 0.75, "majority_accuracy": 0.5}
    frame = pd.DataFrame([row(model, *answers, **about | scores | columns)])[SUMMARY.schema.names]
    # for a telephone it says the same
    narrow, wide = fig_answer_narrow(frame, LABELS), fig_answer(frame, LABELS)
    assert_readable(narrow)
    assert [len(axes.lines) for axes in narrow.axes] == [len(axes.lines) for axes in wide.axes]
    return wide


def ask(question, value, low, high, **columns):
    return answer(question, "2", "in part", value, low, high) | {
        f"{question}_{name}": each for name, each in columns.items()
    }


def strip_of(figure, question):
    return figure.axes[list(QUESTIONS).index(question)]


def places_of(axes, marker):
    return [float(x) for line in axes.lines if line.get_marker() == marker for x in line.get_xdata()]


def list_bars(axes):
    """Where bars begin, and how wide they are, but for the zones."""
    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle) and bar.get_height() < 1]
    return [(bar.get_x(), pytest.approx(bar.get_width())) for bar in bars]


def words_of(figure):
    return " ".join(" ".join(list_texts(figure)).split())


def test_a_scale_goes_from_its_low_end_to_its_high_end():
    located = ask("located", 0.5, 0.375, 0.625, each=[0.25, 0.5, 0.75], next_low=0.0, next_high=1.5)
    used = ask("used", 0.025, 0.0125, 0.05, each=[0.025, 0.2], next_low=0.0, next_high=0.1)
    figure = draw(located, used)
    strip = strip_of(figure, "located")
    assert places_of(strip, "o") == [0.25, 0.5, 0.75]
    assert list_bars(strip) == [(0.375, 0.25)]
    # a quarter of the probability is the end
    assert places_of(strip_of(figure, "used"), "o") == pytest.approx([0.1, 0.8])
    assert list_bars(strip_of(figure, "used")) == [(pytest.approx(0.05), 0.15)]
    assert [text.get_text() for text in strip.texts][:2] == ["random words", "best single words"]
    assert ".50 (.38 to .62)" in words_of(figure)
    assert "No claim clearly holds or fails: of 2, 2 hold at least in part." in words_of(figure)
    assert_readable(figure)


def test_what_lies_beyond_an_end_is_an_arrow():
    figure = draw(ask("unique", -2.0, -inf, -1.9, zones="1"), ask("used", 0.9, 0.8, 1.0, zones="3"))
    assert len(places_of(strip_of(figure, "unique"), "<")) == 1
    assert len(places_of(strip_of(figure, "used"), ">")) == 1
    assert places_of(strip_of(figure, "used"), "<") == []


def test_baselines_stand_where_they_are_and_are_named():
    unique = ask("unique", 0.25, 0.0, 0.5, tvd=0.1, tvd_budget=0.125, others_tvd=0.125)
    signed = ask("signed", 0.85, 0.8, 0.9, shuffled=0.75)
    figure = draw(unique, signed, stable_each=[0.5, 0.0], unique_tolerance_tvd_budget=0.05)
    for question, at in (("unique", 0.5), ("signed", 0.5)):
        assert at in [float(line.get_xdata()[0]) for line in strip_of(figure, question).lines if len(line.get_xdata())]
    assert "another training .50" in words_of(figure)
    assert "shuffled map 75 %" in words_of(figure)
    assert "TVD .100; another training .125" in words_of(figure)
    assert_readable(figure)


def test_classes_that_lie_apart_stand_by_name_and_nothing_of_all_is_drawn():
    classes = json.dumps(CLASSES)
    figure = draw(ask("located", 0.4, 0.3, 0.5, zones="≠", said="bad no; good yes", classes=classes))
    strip = strip_of(figure, "located")
    assert places_of(strip, "o") == [0, 0.875]
    assert {"bad", "good"} <= {text.get_text() for text in strip.texts}
    assert list_bars(strip) == []
    assert "differs by class" in words_of(figure)
    assert "bad .00; good .88" in words_of(figure)
    assert_readable(figure)


def test_a_claim_without_a_verdict_says_why():
    why = "located needs a network that can be run again, and of mine only readouts are given"
    signed = answer("signed", "23", "at least in part, beyond shuffled weights (80 %)", 0.97, 0.96, 0.98)
    figure = draw(signed, located_reason=why, dataset="movies " * 60)
    assert why[:40] in words_of(figure)
    assert "at least in part" in words_of(figure)
    assert "beyond shuffled weights" in words_of(figure)
    assert_readable(figure)
    assert NO_MODEL in words_of(draw(model=""))


def test_of_one_training_the_note_says_so():
    assert "the mean of this training" in words_of(draw(seeds=1))
    assert "one more training" in words_of(draw())


def test_attributions_stand_beside_attention_and_what_sets_the_1_is_hollow():
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


SIX = ["WP2019/base", "SS2019/flan_rnn", "JW2019/lstm_tanh", "JW2019/cnn_tanh", "SS2019/han_none", "JW2019/cnn_dot"]


def table(datasets, models, names=tuple(PLAUSIBLE)):
    """A made-up table; the last model has a row that says why it was not asked."""
    random = np.random.default_rng(0)
    named = [
        {"dataset": dataset, **dict(zip(("paper", "model"), model.split("/"), strict=True)), "ranking": name}
        | {"metric": metric, "mean": mean}
        | {"low": mean - 0.05, "high": mean + 0.05}
        for dataset in datasets
        for model in models
        for name in names
        for metric, mean in (("auprc", random.uniform(0.2, 0.5)), ("iou", 0.9))
    ]
    unasked = [
        {"dataset": dataset, "paper": "SS2019", "model": "han_rnn", "note": "not asked: sentences"}
        for dataset in datasets
    ]
    return pd.DataFrame([TABLE.blank | each for each in [*named, *unasked]])


def auprc(frame, row):
    return cells(frame, row)["auprc"]


@pytest.mark.parametrize(
    ("datasets", "models", "names"),
    [
        (["needle"], SIX[:1], ("attention", "gradient", "random")),
        (["yelp-hat"], SIX[:4], tuple(PLAUSIBLE)),
        pytest.param(["yelp-hat", "sst"], SIX, tuple(PLAUSIBLE), marks=pytest.mark.whole),
    ],
)
def test_what_is_written_can_be_read(datasets, models, names):
    figure = fig_plausibility(table(datasets, models, names), LABELS)
    assert_readable(figure)
    texts = written(figure)
    assert "random or uniform weights" in texts
    assert ("the other annotators" in texts) == ("others" in names)
    assert not any("han_rnn" in text for text in texts)


def test_a_dot_is_at_the_auprc_of_its_attribution():
    frame = table(["needle"], SIX[:2], ("attention", "product", "random", "others"))
    figure = fig_plausibility(frame, LABELS)
    assert len(figure.axes) == 2
    for axes, model in zip(figure.axes, SIX, strict=False):
        # attention is on top
        for place, (name, marker) in enumerate((("attention", "o"), ("product", "s"))):
            assert points_of(axes, marker) == [(round(auprc(frame, f"{model}/{name}"), 9), place)]
        lines = {float(line.get_xdata()[0]) for line in axes.lines if line.get_linestyle() != "None"}
        assert lines == {auprc(frame, f"{model}/{name}") for name in ("random", "others")}


def test_without_marks_the_figure_is_a_sentence():
    figure = fig_plausibility(table(["needle"], SIX[:1]).iloc[:0], LABELS)
    assert NOT_MARKED in written(figure)
