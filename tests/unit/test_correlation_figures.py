"""The figures of Jain & Wallace's tests: what they show, that it is readable, and that their bytes repeat."""

import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable, list_words, points_of, titles
from figure_rows import adversary, agreement, correlation, permutation
from labels import JW
from matplotlib.collections import LineCollection

from attention_audit.divergence import LN2
from attention_audit.figures import style
from attention_audit.figures.by_weight import cut_quarters, jw_fig_adversary, jw_fig_permutation
from attention_audit.figures.correlation import average_pairs, jw_fig_agreement, jw_fig_correlation
from attention_audit.names import ATTRIBUTIONS

ONE = {"sst": ["lstm_tanh"]}
FEW = {"snli": ["average_tanh", "lstm_tanh"]}


def test_correlation_marks_means_and_counts_where_it_is_defined():
    frame = correlation(ONE, texts=4)
    frame.loc[frame["pair"] == "attention~gradient", "tau"] = [0.15, 0.35, np.nan, 0.55]
    frame.loc[frame["pair"] == "attention~loo", "tau"] = [-0.55, np.nan, np.nan, 0.15]
    [axes] = jw_fig_correlation(frame, JW).axes
    means = {line.get_color(): line.get_xdata()[0] for line in axes.lines if line.get_marker() == "v"}
    assert means == pytest.approx({style.BLUE: 0.35, style.VERMILLION: -0.2})
    assert axes.get_title(loc="left") == "SST\nBiLSTM (additive)\n3 texts"
    # 3 texts with the gradient, 2 with leave-one-out, in percent of them
    gradient, loo = (patch.get_data().values for patch in axes.patches if not patch.get_fill())
    assert (gradient.max(), gradient.sum()) == (pytest.approx(100 / 3), pytest.approx(100))
    assert (loo[4], loo[11]) == (50, 50)


@pytest.mark.parametrize(
    ("draw", "rows", "said"),
    [
        (jw_fig_correlation, correlation, "no text has a τ"),
        (jw_fig_agreement, agreement, "In no text do two of them\norder the words."),
    ],
)
def test_a_model_whose_attention_orders_nothing_has_no_panel(draw, rows, said):
    frame = rows(FEW)
    known = frame.filter(["pair", "first", "second"]).astype(str).sum(axis=1).str.contains("attention")
    frame.loc[known & (frame["model"] == "average_tanh"), "tau"] = np.nan
    assert not any("average" in title for title in titles(draw(frame, JW)))
    # where there is no other, it says so
    figure = draw(rows(ONE).assign(tau=np.nan, texts=0), JW)
    assert_readable(figure)
    assert list_words(figure.axes[0].texts) == [said]


@pytest.mark.parametrize(
    ("weights", "names"),
    [
        ([0.04] * 9, ["0.04"]),
        ([0.031, 0.032, 0.033, 0.034], ["0.031", "0.032", "0.033", "0.034"]),
        ([0.1] * 6 + [0.5, 0.6], ["0.10", "0.50 to 0.60"]),
    ],
)
def test_quarters_are_named_by_their_weights(weights, names):
    bins = cut_quarters(pd.Series(weights))
    assert list(bins.categories) == names
    assert set(bins.codes) == set(range(len(names)))


def test_small_changes_are_spread_by_a_root():
    frame = permutation(ONE, texts=20).assign(median_tvd=0.25)
    (axes,) = jw_fig_permutation(frame, JW).axes
    assert axes.get_xlim() == (0, 0.25)
    ends, inner = axes.transAxes.inverted().transform(axes.transData.transform([(0.25, 0), (0.0625, 0)]))[:, 0]
    assert (ends, inner) == pytest.approx((1, 0.5))
    assert {label.get_text() for label in axes.get_xticklabels()} == {"0", "0.03", "0.1", "¼"}
    assert {place for place, _ in points_of(axes, "o")} == {0.25}


@pytest.mark.parametrize(("largest", "end"), [(0.003, "0.01"), (0.1, "0.1"), (0.26, "½"), (0.93, "1"), (1.0, "1")])
def test_the_axis_ends_at_a_tick(largest, end):
    frame = permutation(ONE, texts=20).assign(median_tvd=largest)
    (axes,) = jw_fig_permutation(frame, JW).axes
    assert dict(zip(axes.get_xticks(), list_words(axes.get_xticklabels()), strict=True))[axes.get_xlim()[1]] == end


def test_adversary_shows_the_median_and_quartiles_of_each_quarter():
    weights = np.repeat([0.1, 0.2, 0.3, 0.4], 5)
    values = np.tile([0, 0.01, 0.35, LN2, 0.69], 4)
    (axes,) = jw_fig_adversary(adversary(ONE, texts=20).assign(base_max_attention=weights, jsd=values), JW).axes
    assert axes.get_xlim() == (0, LN2)
    assert points_of(axes, "o") == [(0.35, place) for place in range(4)]
    bars = [
        path.vertices for lines in axes.collections if isinstance(lines, LineCollection) for path in lines.get_paths()
    ]
    assert [bar[:, 0].tolist() for bar in bars] == [[0.01, 0.69]] * 4


def test_matrix_weighs_seeds_by_their_texts():
    rows = [("a", "b", 0.5, 1), ("b", "a", 0.1, 3), ("a", "c", np.nan, 0), ("c", "b", -0.4, 2)]
    found = average_pairs(pd.DataFrame(rows, columns=["first", "second", "tau", "texts"]), ["a", "b", "c"])
    # (0.5 + 3 x 0.1) / 4
    assert found[1, 0] == pytest.approx(0.2)
    assert found[2, 1] == pytest.approx(-0.4)
    assert np.isfinite(found).sum() == 2


def test_agreement_writes_every_pair_once():
    figure = jw_fig_agreement(agreement(ONE).assign(tau=0.256), JW)
    axes, bar = figure.axes
    assert bar.get_xlim() == (-1, 1)
    assert list_words(axes.texts) == ["0.26"] * 10
    names = [ATTRIBUTIONS[name].label for name in ATTRIBUTIONS]
    for labels, own in ((axes.get_yticklabels(), names[1:]), (axes.get_xticklabels(), names[:-1])):
        assert list_words(labels) == own


def test_agreement_names_the_columns_once():
    names = list(JW)
    models = {"sst": names[:3], "imdb": names[:2]}
    *panels, _ = jw_fig_agreement(agreement(models), JW).axes
    named = [any(label.get_visible() and label.get_text() for label in axes.get_xticklabels()) for axes in panels]
    assert named == [False, False, True, True, True]
