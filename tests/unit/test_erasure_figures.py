"""The figures of Serrano & Smith's erasure tests: what they show, that it is readable, and that their bytes repeat."""

import numpy as np
import pandas as pd
import pytest
from drawn import list_words, points_of
from figure_rows import CURVES, ranked_sets, single_weight
from labels import SS

from attention_audit.audits.attributed import FURTHER
from attention_audit.audits.rankings import RANKERS
from attention_audit.columns.audits import BINS
from attention_audit.figures.erasure import (
    estimate_curves,
    ss_fig3_delta_js,
    ss_fig5_fraction_removed,
    ss_fig_aopc,
)
from attention_audit.names import MAPS, RANKINGS

FEW = {"imdb-ratings": ["flan_none", "han_rnn"]}


def test_figure3_counts_attention_with_the_corrected_draw_whole():
    frame = single_weight({"yelp": ["han_rnn"]}, texts=20)
    axes, _ = ss_fig3_delta_js(frame, SS).axes
    shown = frame[(frame["ranking"] == "attention") & (frame["draw"] == "corrected")]
    cells = axes.collections[0].get_array()
    assert cells.sum() == 20
    low, high = axes.get_ylim()
    assert low < shown["delta_js"].min() < shown["delta_js"].max() < high < 1.1 * shown["delta_js"].max()
    assert shown["delta_attention"].max() < axes.get_xlim()[1] < 1.1 * shown["delta_attention"].max()
    assert axes.get_title(loc="left").endswith(f"below 0: {(shown['delta_js'] < 0).sum()} of 20")


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
    points = estimate_curves(frame, SS)
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
    assert {*own} == {*RANKERS, *FURTHER}
    for values in zip(*own.values(), strict=True):
        assert len({*values}) == len(own)


def test_ones_own_ranking_appears_in_every_figure():
    frame = ranked_sets({"yelp": ["han_rnn"]})
    frame = pd.concat([frame, frame[frame["ranking"] == "random"].assign(ranking="my_positions:position")])
    [axes] = ss_fig5_fraction_removed(frame, SS).axes
    assert list_words(axes.get_yticklabels()) == [*(RANKINGS[name].label for name in RANKERS), "position"]
    [dashed] = [line for line in axes.lines if line.get_linewidth() == 0.6]
    assert set(dashed.get_ydata()) == {3.5}
    (legend,) = ss_fig_aopc([frame], SS).legends
    assert list_words(legend.get_texts())[-1] == "position"
