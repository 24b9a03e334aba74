"""Figures that have a panel a data set and model: what all of them do, and what each shows."""

import matplotlib.colors as mcolors
import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable, list_words, points_of, titles, written
from figure_rows import (
    CURVES,
    adversary,
    agreement,
    contributions,
    correlation,
    permutation,
    ranked_sets,
    single_weight,
)
from labels import JW, SS
from matplotlib.collections import LineCollection

from attention_audit.audits.rankings import RANKERS
from attention_audit.columns.audits import BINS
from attention_audit.divergence import LN2
from attention_audit.figures import style
from attention_audit.figures.by_weight import cut_quarters, jw_fig_adversary, jw_fig_permutation
from attention_audit.figures.correlation import (
    average_pairs,
    jw_fig_agreement,
    jw_fig_correlation,
    wp_fig_contributions,
)
from attention_audit.figures.erasure import (
    estimate_curves,
    ss_fig3_delta_js,
    ss_fig5_fraction_removed,
    ss_fig_aopc,
)
from attention_audit.names import ATTRIBUTIONS, MAPS, RANKINGS
from attention_audit.plan import exhibits

ONE = {"sst": ["lstm_tanh"]}


def draw_aopc(rows, models):
    return ss_fig_aopc([rows], models)


FIGURES = {
    jw_fig_correlation: (correlation, JW),
    jw_fig_permutation: (permutation, JW),
    jw_fig_adversary: (adversary, JW),
    jw_fig_agreement: (agreement, JW),
    wp_fig_contributions: (contributions, JW),
    ss_fig3_delta_js: (single_weight, SS),
    ss_fig5_fraction_removed: (ranked_sets, SS),
    draw_aopc: (ranked_sets, SS),
}
every_figure = pytest.mark.parametrize(
    ("draw", "make", "names"),
    [(draw, *how) for draw, how in FIGURES.items()],
)


@every_figure
@pytest.mark.parametrize("many", [1, 2, 5])
def test_no_text_hides_another_or_leaves_the_page(draw, make, names, many):
    shown = list(names)
    models = {"newsgroups-20": shown[-3:], "a-data-set-with-a-name-too-long-for-one-line": shown[:2]}
    assert_readable(draw(make({"snli": shown[:many]} if many < 5 else models), names))


@every_figure
def test_panels_are_named_in_the_papers_order(draw, make, names):
    first, second = list(names)[:2]
    figure = draw(make({"snli": [second, first], "sst": [first]}), names)
    expected = [
        f"{dataset}\n{names[model].label}" for dataset, model in (("SNLI", first), ("SNLI", second), ("SST", first))
    ]
    named = [title for title in titles(figure) if title.startswith(("SNLI", "SST"))]
    assert ["\n".join(title.split("\n")[:2]) for title in named] == expected


@every_figure
def test_words_may_be_categories(draw, make, names):
    frame = make({"snli": list(names)[:2]})
    words = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    categories = frame.astype(dict.fromkeys(words, "category"))
    assert written(draw(frame, names)) == written(draw(categories, names))


@every_figure
def test_a_model_without_a_look_is_drawn_under_its_own_name(draw, make, names):
    assert any("gpt" in text for text in written(draw(make({"sst": [next(iter(names)), "gpt"]}), names)))


@pytest.mark.parametrize(
    ("draw", "column"), [(jw_fig_agreement, "second"), (ss_fig5_fraction_removed, "ranking"), (draw_aopc, "ranking")]
)
def test_a_name_without_a_look_is_drawn_under_its_own_name(draw, column):
    make, names = FIGURES[draw]
    frame = make({"sst": list(names)[:1]})
    frame[column] = frame[column].astype(object).replace(frame[column].iloc[0], "oracle")
    assert "oracle" in written(draw(frame, names))


@pytest.mark.parametrize("draw", [jw_fig_permutation, jw_fig_adversary, jw_fig_correlation, ss_fig5_fraction_removed])
def test_a_text_counts_once_however_many_trainings_read_it(draw):
    make, names = FIGURES[draw]
    (read,) = exhibits.FIGURES[draw.__name__].reads.values()
    frame = make({"sst": [*names][:1]}, 8)[[*read.columns]]
    once, twice = (titles(draw(rows, names)) for rows in (frame, pd.concat([frame, frame.assign(seed=2)])))
    assert once == twice


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
    frame = rows({"snli": ["average_tanh", "lstm_tanh"]})
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


def draw_moved(median):
    """The panel of texts that are all moved so far."""
    (axes,) = jw_fig_permutation(permutation(ONE, texts=20).assign(median_tvd=median), JW).axes
    return axes


def test_small_changes_are_spread_by_a_root():
    axes = draw_moved(0.25)
    assert axes.get_xlim() == (0, 0.25)
    ends, inner = axes.transAxes.inverted().transform(axes.transData.transform([(0.25, 0), (0.0625, 0)]))[:, 0]
    assert (ends, inner) == pytest.approx((1, 0.5))
    assert {*list_words(axes.get_xticklabels())} == {"0", "0.03", "0.1", "¼"}
    assert {place for place, _ in points_of(axes, "o")} == {0.25}


@pytest.mark.parametrize(("largest", "end"), [(0.003, "0.01"), (0.1, "0.1"), (0.26, "½"), (0.93, "1"), (1.0, "1")])
def test_the_axis_ends_at_a_tick(largest, end):
    axes = draw_moved(largest)
    assert dict(zip(axes.get_xticks(), list_words(axes.get_xticklabels()), strict=True))[axes.get_xlim()[1]] == end


def test_adversary_shows_the_median_and_quartiles_of_each_quarter():
    weights = np.repeat([0.1, 0.2, 0.3, 0.4], 5)
    values = np.tile([0, 0.01, 0.35, LN2, 0.69], 4)
    (axes,) = jw_fig_adversary(adversary(ONE, texts=20).assign(base_max_attention=weights, jsd=values), JW).axes
    assert axes.get_xlim() == (0, LN2)
    assert points_of(axes, "o") == [(0.35, place) for place in range(4)]
    bars = (lines for lines in axes.collections if isinstance(lines, LineCollection))
    assert [path.vertices[:, 0].tolist() for lines in bars for path in lines.get_paths()] == [[0.01, 0.69]] * 4


def test_matrix_weighs_seeds_by_their_texts():
    rows = [("a", "b", 0.5, 1), ("b", "a", 0.1, 3), ("a", "c", np.nan, 0), ("c", "b", -0.4, 2)]
    found = average_pairs(pd.DataFrame(rows, columns=["first", "second", "tau", "texts"]), ["a", "b", "c"])
    # (0.5 + 3 x 0.1) / 4
    assert found[1, 0] == pytest.approx(0.2)
    assert found[2, 1] == pytest.approx(-0.4)
    assert np.isfinite(found).sum() == 2


def test_agreement_writes_every_pair_once():
    axes, bar = jw_fig_agreement(agreement(ONE).assign(tau=0.256), JW).axes
    assert bar.get_xlim() == (-1, 1)
    assert list_words(axes.texts) == ["0.26"] * 10
    names = [ATTRIBUTIONS[name].label for name in ATTRIBUTIONS]
    for labels, own in ((axes.get_yticklabels(), names[1:]), (axes.get_xticklabels(), names[:-1])):
        assert list_words(labels) == own


def test_agreement_names_the_columns_once():
    first, second, third, *_ = JW
    *panels, _ = jw_fig_agreement(agreement({"sst": [first, second, third], "imdb": [first, second]}), JW).axes
    named = [any(label.get_visible() and label.get_text() for label in axes.get_xticklabels()) for axes in panels]
    assert named == [False, False, True, True, True]


def test_figure3_counts_attention_with_the_corrected_draw_whole():
    frame = single_weight({"yelp": ["han_rnn"]}, texts=20)
    axes, _ = ss_fig3_delta_js(frame, SS).axes
    shown = frame[(frame["ranking"] == "attention") & (frame["draw"] == "corrected")]
    assert axes.collections[0].get_array().sum() == 20
    low, high = axes.get_ylim()
    assert low < shown["delta_js"].min() < shown["delta_js"].max() < high < 1.1 * shown["delta_js"].max()
    assert shown["delta_attention"].max() < axes.get_xlim()[1] < 1.1 * shown["delta_attention"].max()
    assert axes.get_title(loc="left").endswith(f"below 0: {5 * (shown['delta_js'] < 0).sum()} % of 20 texts")


def test_boxes_are_of_the_same_texts():
    frame = ranked_sets({"yelp": ["han_rnn"]}, texts=10)
    never = frame["id"].isin(["text 8", "text 9"])
    frame.loc[never, "fraction_removed"] = np.nan
    for ranking, fractions in {"attention": [*np.linspace(0.1, 0.7, 7), np.nan], "random": [np.nan] * 8}.items():
        frame.loc[(frame["ranking"] == ranking) & ~never, "fraction_removed"] = fractions
    frame.loc[(frame["ranking"] == "smallest") & ~never, "fraction_removed"] = 0.05
    [axes] = ss_fig5_fraction_removed(frame, SS).axes
    # of 8 texts that some ranking flips, attention never flips one, and random none: all items count as erased
    never_flips = [text.get_text().split("  ")[-1] for text in axes.texts]
    assert never_flips == ["100.0 %", "12.5 %", "0.0 %", "0.0 %", "0.0 %", "mean, never"]
    # seven at .4 on average, and one at 1
    assert [text.get_text()[:4] for text in axes.texts[:2]] == ["1.00", "0.47"]
    assert points_of(axes, "D")[:2] == [(1, 0), (0.475, 1)]
    first, second, *_, last = (line.get_xdata()[0] for line in axes.lines if line.get_linewidth() == 1.6)
    # what the paper has not is set apart
    assert [{*line.get_ydata()} for line in axes.lines if line.get_linewidth() == 0.6] == [{3.5}]
    assert (first, second, last) == pytest.approx((1, (0.4 + 0.5) / 2, 0.05))
    assert axes.get_title(loc="left") == "Yelp\nHANrnn\n8 of 10 texts flip"
    assert list_words(axes.get_yticklabels()) == [RANKINGS[name].label for name in RANKERS]


def test_a_panel_says_that_no_text_flips():
    frame = ranked_sets({"yelp": ["han_rnn"]}, texts=4).assign(fraction_removed=np.nan)
    [axes] = ss_fig5_fraction_removed(frame, SS).axes
    assert axes.get_title(loc="left").endswith("0 of 4 texts flip")
    assert list_words(axes.texts) == ["no ranking flips any text"]


def test_figure_aopc_draws_the_means_over_texts_and_seeds():
    frame = ranked_sets({"yelp": ["han_rnn"]}, texts=3)
    frame = pd.concat([frame, frame.assign(seed=2, sufficiency_curve_3=0)])
    points = estimate_curves(frame)
    assert len(points) == 4 * 2 * 5
    assert ((points["low"] <= points["mean"]) & (points["mean"] <= points["high"])).all()
    above, below = ss_fig_aopc(iter([frame]), SS).axes
    assert above.get_ylabel() == "attention-\ncomprehensiveness\n↑ higher is better"
    assert below.get_ylabel() == "attention-\nsufficiency\n↓ lower is better"
    assert list_words(above.get_xticklabels()) == [str(bin_) for bin_ in BINS]
    lines = [line for line in below.lines if len(line.get_xdata()) == 5]
    assert [line.get_marker() for line in lines] == [RANKINGS[name].marker for name in RANKERS if name != "smallest"]
    # a later ranking is drawn on top, and smaller
    assert np.diff([line.get_markersize() for line in lines]).max() < 0
    means = frame.groupby("ranking")[CURVES[5:]].mean().dropna()
    for line, name in zip(lines, RANKERS, strict=False):
        np.testing.assert_allclose(line.get_xydata(), [*enumerate(means.loc[name])])


def test_no_two_rankings_look_alike():
    own = {name: look for name, look in RANKINGS.items() if name not in MAPS}
    for values in zip(*own.values(), strict=True):
        assert len({*values}) == len(own)


def test_the_map_of_items_ends_where_they_do():
    """Of a long text every weight is small: the panel is not empty beyond. Its scales are square roots."""
    frame = contributions(ONE)
    frame[[*frame.filter(like="top_")]] /= 100
    # a text that has no contributions is left out
    frame.loc[0, ["magnitude", *frame.filter(like="top_contributions")]] = 0
    axes = wp_fig_contributions(frame, JW).axes[0]
    # weights and shares are at most .0036 now, so that all axes end at the tick of .01
    assert frame.filter(like="top_weights").max().max() == pytest.approx(0.0035, abs=1e-4)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 0.01), (-0.01, 0.01))
    assert axes.collections[-1].get_array().sum() == 195
    ticks = dict(zip(axes.get_yticks(), list_words(axes.get_yticklabels()), strict=True))
    assert ticks == {0: "0", 0.01: "0.01", 0.003: "0.003", -0.01: "−0.01", -0.003: "−0.003"}


def test_what_is_counted():
    frame = contributions(ONE, texts=4).assign(against=[0.01, 0.02, 0.99, 1.0], overlap=[1, 0.6, 0.6, 0.2])
    items, against, overlap = wp_fig_contributions(frame, JW).axes
    assert items.collections[-1].get_array().sum() == 20
    heights = [bar.get_height() for bar in against.patches]
    assert (heights[0], heights[-1], sum(heights)) == pytest.approx((50, 50, 100))
    assert [bar.get_height() for bar in overlap.patches] == pytest.approx([0, 25, 0, 50, 0, 25])
    assert titles(items.figure)[1:] == ["against the prediction: mean 0.51", "overlap of the first 5: mean 0.60"]
    assert {mcolors.to_hex(bar.get_facecolor()).upper() for bar in against.patches} == {style.VERMILLION}


def test_texts_of_few_items_have_no_overlap_to_show():
    figure = wp_fig_contributions(contributions(ONE, items=3), JW)
    assert figure.axes[2].get_title(loc="left") == "overlap of the first 5: no text of more than 5 items"
    assert_readable(figure)
