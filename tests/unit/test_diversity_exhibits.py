"""Tables and figure of models with diverse states, with values worked by hand."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from tabled import assert_fits, cells, name_rows

from attention_audit.figures.models import md_fig_conicity
from attention_audit.names import Names
from attention_audit.plan.suites import SUITES
from attention_audit.tables.variants import find_twin, md_table_diversity, take_median_share

MD = Names(SUITES["md"].looks)
MODELS = ("vanilla_lstm", "diversity_lstm", "orthogonal_bilstm")
SEEDS, TEXTS = (10, 50), 40
CONICITY = {"vanilla_lstm": 0.7, "diversity_lstm": 0.2, "orthogonal_bilstm": 0.3}


def rows(dataset="sst", **columns):
    """One row a model, seed and text; a column is a value, one a model, or a function of the models and the texts."""
    frame = pd.DataFrame(product(MODELS, SEEDS, range(TEXTS)), columns=["model", "seed", "id"])
    for name, value in columns.items():
        by_model = frame["model"].map(value) if isinstance(value, dict) else value
        frame[name] = value(frame["model"], frame["id"]) if callable(value) else by_model
    return frame.assign(dataset=dataset, id=[f"text {number}" for number in frame["id"]])


def diverse(value, others):
    """A value of diversity_lstm, and that of the other models."""
    return dict.fromkeys(MODELS, others) | {"diversity_lstm": value}


def frames(dataset="sst"):
    """The vanilla model is right in 32 of 40 texts, the others in 30; permuting moves diversity_lstm alone."""
    removed = {"random": 0.8, "attention": diverse(0.4, 0.8), "smallest": 0.2}
    return {
        "predictions": rows(
            dataset, label=1, prediction=lambda model, text: (text >= model.eq(MODELS[0]).map({True: 8, False: 10})) * 1
        ),
        "conicity": rows(
            dataset, conicity={model: value - 0.05 for model, value in CONICITY.items()}, magnitude=CONICITY
        ),
        "permutation": rows(dataset, median_tvd=diverse(0.2, 0.0), mean_tvd=diverse(0.25, 0.01)),
        "correlation": pd.concat(
            rows(dataset, pair=f"attention~{name}", tau=lambda _, text, tau=tau: np.where(text, tau, math.nan))
            for name, tau in (("gradient", 0.1), ("loo", 0.3))
        ),
        "ranked_sets": pd.concat(
            rows(dataset, ranking=ranking, fraction_removed=share) for ranking, share in removed.items()
        ),
    }


def performance(dataset="sst"):
    return rows(dataset)[["dataset", "model", "seed"]].drop_duplicates().assign(selection="dev")


def test_the_twin_of_a_model_reads_in_as_many_directions():
    names = ("vanilla_lstm", "orthogonal_lstm", "diversity_bilstm")
    assert [find_twin(name) for name in names] == [None, "vanilla_lstm", "vanilla_bilstm"]


def test_the_table_has_means_over_texts_and_the_effects_of_the_summary(tmp_path):
    table = md_table_diversity(performance(), **frames(), resamples=50, models=MD)
    assert cells(table, "diversity_lstm") == pytest.approx(
        {
            "accuracy": 0.75,
            "conicity": 0.15,
            "magnitude": 0.2,
            "permutation_tvd": 0.2,
            # the text without a tau is left out
            "tau_loo": 0.3,
            "used": 0.25,
            # (.8 - .4) / (.8 - .2)
            "ranks": 2 / 3,
            "fraction_removed": 0.4,
            "texts": 40,
        }
    )
    assert cells(table, "vanilla_lstm")["ranks"] == pytest.approx(0)
    assert list(dict.fromkeys(name_rows(table))) == list(MODELS)
    assert set(table["seeds"]) == {2}
    assert set(table["selection"]) == {"dev"}
    low, high = (cells(table, "vanilla_lstm", name)["accuracy"] for name in ("low", "high"))
    assert low < 0.8 < high
    assert len(assert_fits(table, tmp_path)) == 3 * 9


def test_the_papers_numbers_stand_beside_ours_and_those_of_its_reruns_in_a_note():
    table = md_table_diversity(performance(), **frames(), resamples=50, models=MD)
    published = cells(table, "vanilla_lstm", "published")
    assert (published["accuracy"], published["magnitude"]) == (0.818, 0.68)
    assert math.isnan(published["conicity"])
    note = cells(table, "diversity_lstm", "note")["accuracy"]
    assert note == "rerun 1: accuracy and conicity 0.8 and 0.19; rerun 2: accuracy and conicity 0.7814 and 0.19"


def test_a_data_set_of_pairs_has_no_ranks():
    single, pairs = frames(), frames("snli")
    both = {name: pd.concat([single[name], pairs[name]]) for name in single} | {"ranked_sets": single["ranked_sets"]}
    table = md_table_diversity(pd.concat([performance(), performance("snli")]), **both, resamples=50, models=MD)
    assert "ranks" in cells(table[table["dataset"] == "sst"], "diversity_lstm")
    assert "ranks" not in cells(table[table["dataset"] == "snli"], "diversity_lstm")
    assert cells(table[table["dataset"] == "snli"], "diversity_lstm")["used"] == pytest.approx(0.25)


def test_the_median_counts_what_never_flips_as_all_items_and_has_an_interval_over_texts():
    removed = np.array([[0.1, 0.2, math.nan, 0.9], [0.3, 0.2, 0.5, math.nan]])
    # means over trainings: .2, .2, .75, .95
    found = take_median_share(removed, 2000)
    assert found[:3] == pytest.approx(((0.2 + 0.75) / 2, 0.2, 0.95))
    assert take_median_share(np.full((1, 5), 0.5), 10)[1:3] == (0.5, 0.5)


def test_the_figure_has_a_point_a_model_and_a_line_to_each_remedy():
    shown = {name: frame for name, frame in frames().items() if name in ("conicity", "permutation", "ranked_sets")}
    figure = md_fig_conicity(**shown, models=MD)
    above, below = figure.axes
    assert above.get_title(loc="left") == "SST"
    assert len(above.containers) == len(below.containers) == 3
    ends = [line.get_xydata() for line in above.lines if line.get_marker() == "None" and len(line.get_xdata()) == 2]
    np.testing.assert_allclose(ends, [[[0.7, 0.0], [0.2, 0.2]]])
    points = [container.lines[0] for container in below.containers]
    assert [point.get_ydata()[0] for point in points] == pytest.approx([0, 2 / 3, 0])
    assert [point.get_markerfacecolor() == "none" for point in points] == [True, False, False]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["vanilla LSTM", "diversity LSTM", "orthogonal BiLSTM"]


def test_the_figure_says_where_nothing_is_erased():
    shown = {name: frame for name, frame in frames("snli").items() if name in ("conicity", "permutation")}
    figure = md_fig_conicity(**shown, ranked_sets=frames()["ranked_sets"].iloc[:0], models=MD)
    assert [text.get_text() for text in figure.axes[1].texts] == ["not asked of pairs"]
