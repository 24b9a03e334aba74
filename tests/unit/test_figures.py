"""Figures: what they show, that it is readable, and that their bytes repeat."""

import json
import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from audited import adversaries, subject
from drawn import assert_readable, list_words, points_of, titles
from figure_rows import ANSWER, attention_maps
from labels import WP
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from PIL import Image
from seaborn.utils import relative_luminance

from attention_audit.divergence import LN2
from attention_audit.errors import AuditError
from attention_audit.figures import style
from attention_audit.figures.attention_maps import wp_fig2_attention_maps
from attention_audit.figures.by_weight import wp_fig3_seed_variance
from attention_audit.figures.models import wp_fig5_tvd_jsd
from attention_audit.figures.panels import draw_legend
from attention_audit.figures.style import save
from attention_audit.names import Names, Style

LAMBDAS = [2e-5, 2e-4, 1e-3, 2e-3]
SOUGHT = {1: [1e-3, 9e-3, 3e-3], 2: [1e-3, 3e-3, 0.0273]}
"""The lambdas of two searches by continuation, by seed, in the order in which they were tried."""
TEXT = "one of the most beautiful , wonderful films i have seen ; the $ 5 act drags a little _ at 100 % ."
REVIEW = TEXT.split()


def comparison(datasets, texts=40):
    """Plausible columns.COMPARISON rows: three further seeds, three uniform models, two adversaries a lambda, and the
    steps of two searches.
    """
    runs = [(model, math.nan, s) for model in ("base", "uniform") for s in (1, 2, 3)]
    runs += [("adversary", lambda_, s) for lambda_ in LAMBDAS for s in (1, 2)]
    runs += [("continuation", lambda_, s) for s, lambdas in SOUGHT.items() for lambda_ in lambdas]
    about = pd.DataFrame(runs, columns=["model", "lambda", "seed"])
    reach = np.where(about["lambda"].isna(), 0.3, 0.1 + 0.1 * np.searchsorted(LAMBDAS, about["lambda"]))
    frames = []
    for number, dataset in enumerate(datasets):
        random = np.random.default_rng(number)
        text = pd.DataFrame({"id": [f"{dataset}-{i}" for i in range(texts)]})
        text = text.assign(dataset=dataset, base_max_attention=random.uniform(0.05, 1, texts))
        frame = about.assign(reach=reach).merge(text, how="cross")
        jsd, tvd = frame["reach"].to_numpy() * random.random((2, len(frame)))
        frames.append(frame.assign(jsd=jsd, tvd=tvd / 3))
    return pd.concat(frames, ignore_index=True)


def instance_adversary(compared):
    """Plausible columns.INSTANCE_ADVERSARY rows for the same texts."""
    texts = compared[(compared["model"] == "base") & (compared["seed"] == 1)]
    random = np.random.default_rng(0)
    return texts.assign(jsd=random.uniform(0.4, LN2, len(texts)), tvd=random.uniform(0, 0.05, len(texts)), admissible=5)


def draw_fig3(compared):
    return wp_fig3_seed_variance(compared, instance_adversary(compared))


def draw_fig5(compared, tolerance=0.05, models=WP, **further):
    return wp_fig5_tvd_jsd(compared, instance_adversary(compared), models, tolerance, **further)


def words_of_fig2(maps, *predictions):
    return list_words(wp_fig2_attention_maps(maps, CENSUS, ANSWER, *predictions).axes[0].texts)


CENSUS = {"sst": pd.DataFrame({"label": [0, 1], "label_name": ["bad", "good"]})}


@pytest.mark.parametrize("datasets", [["sst"], ["needle", "chorus", "static"]])
def test_figure3_has_a_panel_a_data_set_up_to_ln2(datasets):
    figure = draw_fig3(comparison(datasets))
    names = ["SST"] if datasets == ["sst"] else datasets
    assert titles(figure) == [f"{name}\n40 texts" for name in names]
    for axes in figure.axes:
        assert axes.get_xlim() == (0, LN2)
        assert axes.get_xticklabels()[-1].get_text() == "ln 2"
    (key,) = figure.legends
    assert list_words(key.get_texts()) == ["further seeds", "per-instance adversary"]


@pytest.mark.parametrize("draw", [draw_fig3, draw_fig5])
def test_long_names_of_data_sets_hide_nothing(draw):
    names = ["customer-complaints-2023-german", "amazon-product-reviews-electronics", "medical-discharge-summaries"]
    assert_readable(draw(comparison(names)))


@pytest.mark.parametrize(("letters", "columns"), [(10, 3), (20, 2), (40, 1)])
def test_a_legend_has_as_many_columns_as_find_room(letters, columns):
    figure = Figure(figsize=(style.PAGE_WIDTH, 2))
    draw_legend(figure, [{"label": "m" * letters}] * 6)
    assert figure.legends[0]._ncols == columns


def test_figure3_without_further_seeds_shows_the_adversary_alone():
    compared = comparison(["sst", "needle"])
    alone = compared[compared["model"] != "base"]
    figure = wp_fig3_seed_variance(alone, instance_adversary(compared))
    assert titles(figure) == ["SST\n40 texts", "needle\n40 texts"]
    assert not figure.legends
    # one violin in each quarter
    assert all({height for _, height in points_of(axes, "o")} == {0, 1, 2, 3} for axes in figure.axes)


def test_figure3_parts_texts_into_quarters_by_their_largest_weight_and_takes_the_median_over_seeds():
    compared = comparison(["sst"], texts=8)
    compared["base_max_attention"] = np.tile(np.arange(1, 9) / 10, len(compared) // 8)
    base = compared["model"] == "base"
    compared.loc[base, "jsd"] = [*[0.0] * 8, *[0.0, 0.02, 0.1, 0.12, 0.2, 0.22, 0.3, 0.3], *[0.6] * 8]
    instances = instance_adversary(compared).assign(jsd=0.5)
    (axes,) = wp_fig3_seed_variance(compared, instances).axes
    names = list_words(axes.get_yticklabels())
    assert names == ["0.70 to 0.80", "0.50 to 0.60", "0.30 to 0.40", "0.10 to 0.20"]
    # of two texts each, the highest quarter on top; seeds above the adversary, whose violins are lines
    above, below = -0.85 / 4, 0.85 / 4
    seeds = {(jsd, place + above) for place, jsd in enumerate([0.3, 0.21, 0.11, 0.01])}
    assert {*points_of(axes, "o")} == seeds | {(0.5, place + below) for place in range(4)}


@pytest.mark.parametrize("datasets", [["sst"], list("abcdef")])
def test_figure5_shows_instance_averages(datasets):
    compared = comparison(datasets)
    instances = instance_adversary(compared)
    figure = wp_fig5_tvd_jsd(compared, instances, WP, 0.05)
    for axes, dataset in zip(figure.axes, datasets, strict=True):
        lines = [line.get_xydata() for line in axes.lines if line.get_marker() == ""]
        points = [(line.get_marker(), line.get_xydata()) for line in axes.lines if line.get_linestyle() == "None"]
        ours = compared[compared["dataset"] == dataset].set_index(["model", "seed", "lambda"])[["jsd", "tvd"]]
        for marker, model in (("^", "base"), ("s", "uniform")):
            assert_allclose(dict(points)[marker], ours.loc[model].groupby("seed").mean())
        assert_allclose(dict(points)["P"], [instances.query("dataset == @dataset")[["jsd", "tvd"]].mean()])
        # every seed from scratch, then their means; of searches each seed by itself, in the order of lambda
        searches = ours.loc["continuation"].groupby(["seed", "lambda"]).mean()
        singles, *curves = (at for marker, at in points if marker in "oD")
        assert len(singles) == 2 * len(LAMBDAS)
        parts = []
        for expected, at in zip(
            [ours.loc["adversary"].groupby("lambda").mean(), searches.loc[1], searches.loc[2]], curves, strict=True
        ):
            assert_allclose(at, expected)
            # the curve begins at the base model
            parts += pairwise([[0, 0], *expected.to_numpy()])
        assert_allclose(lines, np.array(parts))
        assert axes.get_xlim()[1] > LN2
        assert axes.get_ylim()[0] == 0


@pytest.mark.parametrize(
    ("searched", "point", "said"),
    [
        # of those within the TVD of another training, .1, the furthest
        ({0.1: (0.01, 0.1), 0.2: (0.04, 0.2), 0.3: (0.2, 0.5)}, [0.2, 0.04], "the answer's: λ 0.2"),
        # one that was given has no lambda
        ({math.nan: (0.04, 0.2)}, [0.2, 0.04], "the answer's"),
    ],
)
def test_figure5_rings_the_adversary_that_the_answer_speaks_of(searched, point, said):
    audits = adversaries(searched)
    compared = audits["comparison"].assign(base_prediction=0)
    asked = {name: audits[name] for name in ("consistency", "stability")}
    figure = draw_fig5(compared, subjects=[subject(), subject("flan_rnn", None)], **asked)
    (axes,) = figure.axes
    (ring,) = [line.get_xydata() for line in axes.lines if line.get_markersize() == 8]
    assert_allclose(ring, [point])
    assert [text.get_text() for text in axes.texts] == [said]
    assert_readable(figure)


def test_figure5_has_one_scale_for_all_panels():
    figure = draw_fig5(comparison(["needle", "chorus", "static"]))
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert not any(line.get_markersize() == 8 for axes in figure.axes for line in axes.lines)
    assert_readable(figure)


def test_a_model_without_a_look_is_drawn_under_its_own_name():
    figure = draw_fig5(comparison(["sst"]).replace({"model": {"uniform": "gpt"}}))
    assert "gpt" in list_words(figure.legends[0].get_texts())


def test_figure5_names_the_models_that_are_compared():
    compared = comparison(["sst"])
    more = compared[compared["model"].isin(["base", "adversary"])].replace({"model": {"adversary": "frozen"}})
    models = Names({**WP, "frozen": Style("frozen weights", "purple", "v")})

    def draw(rows):
        figure = wp_fig5_tvd_jsd(rows, instance_adversary(compared), models, 0.05)
        return figure.axes[0], list_words(figure.legends[0].get_texts())

    axes, named = draw(more)
    limits = ["per-instance adversary", "tolerance", "mean of further seeds"]
    assert named == ["further seeds", "frozen weights", *limits]
    assert len(next(line.get_xydata() for line in axes.lines if line.get_marker() == "v")) == 8
    searches = ["adversary from scratch, λ 2e-5 to 0.002", "adversary by continuation"]
    assert draw(compared)[1] == ["further seeds", "uniform weights", *searches, *limits]


def test_figure5_draws_the_limits_of_tvd_and_dots_over_a_gap_of_the_search():
    compared = comparison(["sst"])
    compared = compared[~((compared["model"] == "continuation") & (compared["seed"] == 2))]
    compared.loc[compared["model"] == "base", "tvd"] = 0.12
    steps = compared["model"] == "continuation"
    compared.loc[steps, "jsd"] = compared.loc[steps, "lambda"].map({1e-3: 0.05, 3e-3: 0.1, 9e-3: 0.6})
    (axes,) = draw_fig5(compared, 0.04).axes
    levels = {line.get_label(): line.get_ydata()[0] for line in axes.lines}
    assert (levels["tolerance"], levels["mean of further seeds"]) == (0.04, pytest.approx(0.12))
    colour = style.PALETTE[WP["continuation"].colour]
    joined = [line for line in axes.lines if line.get_color() == colour and line.get_linestyle() != "None"]
    ends = {tuple(np.round(line.get_xdata(), 3).tolist()): line.get_linestyle() for line in joined}
    assert ends == {(0.0, 0.05): "-", (0.05, 0.1): "-", (0.1, 0.6): "--"}


@pytest.mark.parametrize(("learnt", "dataset"), [(True, "sst"), (False, "sst"), (False, "imdb")])
def test_figure2_says_where_the_base_model_has_not_learnt_its_task(learnt, dataset):
    labels = np.arange(200) % 2
    rows = {"dataset": dataset, "model": "base", "id": np.arange(200), "label": labels}
    rows["prediction"] = labels if learnt else 1 - labels
    predictions = pd.concat([pd.DataFrame(rows).assign(seed=seed) for seed in (1, 2)])
    said = " ".join(words_of_fig2(attention_maps([["a"]]), predictions))
    line = "The base model is not clearly better than always the largest class: .00 and .50."
    # the maps are of sst
    assert (line in said) == (not learnt and dataset == "sst")


@pytest.mark.parametrize("length", [5, 200])
def test_figure2_shows_every_word_and_none_overlap(length):
    words = (REVIEW * 10)[:length]
    figure = wp_fig2_attention_maps(attention_maps([words, words[::-1]]), CENSUS, ANSWER)
    texts = figure.axes[0].texts
    shown = " ".join(list_words(texts))
    assert shown.count(" ".join(words)) == 3
    assert shown.count(" ".join(words[::-1])) == 3
    assert_readable(figure, texts, room=0)


def test_figure2_shades_all_maps_on_one_scale_of_weights():
    maps = attention_maps([["a", "b", "c"]]).assign(attention=[0.49, 0.25, 0.26, 0, 0, 1, 0.04, 0.96, 0])
    axes = wp_fig2_attention_maps(maps, CENSUS, ANSWER).axes[0]
    shades = [to_hex(box.get_facecolor()) for box in axes.patches][-9:]
    roots = (0.7, 0.5, 0.26**0.5, 0.0, 0.0, 1.0, 0.2, 0.96**0.5, 0.0)
    assert shades == [to_hex(style.MAP_SHADING(share)) for share in roots]
    assert to_hex(style.MAP_SHADING(0.0)) == "#ffffff"
    framed = [box.get_linewidth() > 0 for box in axes.patches][-9:]
    assert framed == [True, False, False, False, False, True, False, True, False]


def test_figure2_shows_the_adversary_that_the_answer_speaks_of():
    near, far = (("consistent_adversary", "adversary", lambda_, jsd) for lambda_, jsd in ((0.001, 0.111), (0.1, 0.444)))
    maps = attention_maps([["a", "b"]], [near, far])
    for lambda_, shown in ((0.001, ["0.111"]), (0.1, ["0.444"]), (np.nan, [])):
        axes = wp_fig2_attention_maps(maps, CENSUS, ANSWER.assign(unique_lambda=lambda_)).axes[0]
        written = " ".join(list_words(axes.texts))
        assert [number for number in ("0.111", "0.444") if f"JSD = {number}" in written] == shown
        assert "per-instance adversary" in written


def test_figure2_says_weights_and_names_classes():
    maps = attention_maps([["a", "b"]]).assign(attention=[0.25, 0.75] * 3)
    written = " ".join(words_of_fig2(maps))
    assert "Label: good; predicted: good, with probability p" in written
    assert written.count("largest weight 0.750 (all alike: 0.500)") == 3


def test_figure2_draws_line_breaks_and_what_no_line_holds():
    figure = wp_fig2_attention_maps(attention_maps([["a\nb", "x" * 300, "$x^2$"]]), CENSUS, ANSWER)
    shown = list_words(figure.axes[0].texts)
    assert shown.count("a□b") == shown.count("$x^2$") == 3
    assert sum(len(text) for text in shown if set(text) == {"x"}) == 900
    assert_readable(figure, figure.axes[0].texts)


def test_figure2_without_instances_says_so():
    assert "chosen." in words_of_fig2(attention_maps([["a"]]).iloc[:0])


def test_figure2_refuses_more_text_than_an_image_holds():
    with pytest.raises(AuditError, match="attention_maps: too many or too long texts"):
        wp_fig2_attention_maps(attention_maps([["wonderful" * 9] * 1200]), CENSUS, ANSWER)


@pytest.mark.parametrize(("shades", "ink"), [(style.MAP_SHADING, style.BLACK), (style.DIVERGING, "black")])
def test_black_stands_out_from_every_shade(shades, ink):
    light = [relative_luminance(shades(share)) for share in np.linspace(0, 1, 41)]
    # 4.5 is what WCAG 2 asks of small type at least
    assert (min(light) + 0.05) / (relative_luminance(ink) + 0.05) >= 4.5


def test_a_figure_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "f.pdf").mkdir()
    with pytest.raises(AuditError, match=r"f\.pdf: cannot be written"):
        save(
            wp_fig2_attention_maps(attention_maps([["a"]]), CENSUS, ANSWER),
            tmp_path / "f.pdf",
            tmp_path / "f.png",
            "{}",
        )


def test_same_bytes_with_provenance_inside(tmp_path):
    provenance = json.dumps({"stage": "figures", "name": "é"})
    compared = comparison(["sst"], texts=20)
    builders = {
        "fig3": lambda: draw_fig3(compared),
        "fig5": lambda: draw_fig5(compared),
        "fig2": lambda: wp_fig2_attention_maps(attention_maps([REVIEW]), CENSUS, ANSWER),
    }
    for name, draw in builders.items():
        paths = [(tmp_path / f"{number}.pdf", tmp_path / f"{number}.png") for number in (1, 2)]
        for pdf, png in paths:
            save(draw(), pdf, png, provenance)
        assert [path.read_bytes() for path in paths[0]] == [path.read_bytes() for path in paths[1]], name
        with Image.open(png) as image:
            assert image.text["Description"] == provenance
            assert image.width == style.PAGE_WIDTH * style.DPI
        assert b"/CreationDate" not in pdf.read_bytes()
        assert b"/Keywords" in pdf.read_bytes()
