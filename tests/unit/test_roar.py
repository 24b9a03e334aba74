"""Recursive ROAR: which words are masked, what is trained on the rest, and the areas between curves, worked by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from in_process import make
from planned import CLASSIFIERS_ALONE, plan_of, read_audit
from refusal import refusal
from rules import list_jobs

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.files import READOUT
from attention_audit.corpus.vocabulary import UNKNOWN_ROW
from attention_audit.figures.erasure import roar_fig_masked
from attention_audit.model.batch import RaggedLists
from attention_audit.stages.loading import EncodedTexts
from attention_audit.stages.retrain_masked import mask_further
from attention_audit.tables.variants import make_curves, measure_area, roar_table_racu

ORDERS = ("random", "attention", "gradient")


def small(**changes):
    """A small run of two steps, of one seed."""
    section = {"datasets": ["chorus"], "seeds": [10], "percent": [50, 100], **changes}
    return plan_of(
        **CLASSIFIERS_ALONE,
        corpora={"chorus": {"texts": {"train": 60, "dev": 30, "test": 20}}},
        model={"embedding": 8, "hidden": 8, "attention_hidden": 8},
        training={"epochs": 2},
        masking=section,
    )


def test_the_highest_of_what_is_left_are_masked_and_none_comes_back():
    scores = [np.array([0.1, 0.4, 0.3, 0.2]), np.array([0.5, 0.5, 0.0])]
    nothing = np.zeros(7, np.bool_)
    half = mask_further(scores, nothing, 50)
    # half of four words is two, and of three, rounded half up, two
    assert half.tolist() == [False, True, True, False, True, True, False]
    assert not nothing.any()
    turned = [-values for values in scores]
    assert mask_further(turned, half, 75).tolist() == [True, True, True, False, True, True, False]
    assert mask_further(turned, half, 100).all()


def test_masked_words_are_unknown_and_marks_stay():
    texts = EncodedTexts(["a", "b"], np.array([0, 1]), RaggedLists(np.array([2, 7, 8, 3, 2, 9, 3]), np.array([4, 3])))
    masked = texts.mask(np.array([False, True, True]))
    assert masked.texts.flat.tolist() == [2, 7, UNKNOWN_ROW, 3, 2, UNKNOWN_ROW, 3]
    assert texts.texts.flat.tolist() == [2, 7, 8, 3, 2, 9, 3]


def test_each_order_is_one_job_that_begins_with_the_base_model_of_its_seed():
    jobs = list_jobs(small(seeds=[10, 50]))
    job = jobs["retrain_masked/chorus/roar_attention/50"]
    models = "results/models/chorus/roar_"
    assert job.inputs["start"] == [f"{models}base/seed50.safetensors"]
    assert job.outputs["weights"] == [f"{models}attention_{percent}/seed50.safetensors" for percent in (50, 100)]
    assert job.outputs["readouts"] == [
        f"results/readouts/chorus/roar_attention_{percent}/seed50/test.parquet" for percent in (50, 100)
    ]
    assert {job.settings.order, *job.settings.percent} == {"attention", 50, 100}
    assert not any(name.startswith("train/chorus/roar_attention") for name in jobs)


def test_a_base_model_that_the_run_has_already_is_not_trained_again():
    made = plan_of(masking={"datasets": ["chorus"], "seeds": [10]})
    assert "train/chorus/roar_base/10" not in list_jobs(made)


def test_models_are_trained_on_ever_fewer_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = small()
    files = [f"results/readouts/chorus/roar_{order}_100/seed10/test.parquet" for order in ("random", "attention")]
    said = make(made, *files)
    assert any(line.startswith("50 % masked: epoch 1/2") for line in said)
    random, attention = (read_frame(Path(file), READOUT) for file in files)
    # of texts without any word, all that is left is the same whatever went first
    assert random["prediction"].tolist() == attention["prediction"].tolist()
    performance = read_audit(made, "performance", "chorus", "roar_base")
    assert {*performance["model"]} == {"base", *(f"{order}_{percent}" for order in ORDERS for percent in (50, 100))}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"masking": {"percent": [50, 10]}},
            "config: masking.percent: not ascending up to 100; sort them, and let 100 be the last",
        ),
        (
            {"masking": {"orders": ["attention"]}},
            "config: masking.orders: random is not among them, which the others are held against; add it",
        ),
        (
            {
                "masking": {"datasets": ["chorus"]},
                "model": {"encoder": "transformer"},
                "transformer": {"path": "encoders/all-MiniLM-L6-v2"},
            },
            "config: masking.datasets: words are masked in the vocabulary of a model that learns it, and the base "
            "model reads by a Transformer; name another `model.encoder`, or no data set",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line(changes, line):
    assert refusal(plan_of, **changes) == line


def predictions(texts=40):
    """Two trainings: of 40 texts, base has all right; random 30 at the half, attention 22; both 20 at the end."""
    counts = {
        "base": texts, "random_50": 30, "attention_50": 22, "gradient_50": 30,
        "random_100": 20, "attention_100": 20, "gradient_100": 20,
    }  # fmt: skip
    return pd.DataFrame(
        [
            {
                "dataset": "chorus",
                "model": model,
                "seed": seed,
                "id": f"text {number}",
                "label": 1,
                "prediction": int(number < count),
            }
            for model, count in counts.items()
            for seed in (10, 50)
            for number in range(texts)
        ]
    )


def test_the_area_below_a_curve():
    found = make_curves(predictions())
    assert [*found] == ["random", "attention", "gradient"]
    assert [*found["attention"]] == [0, 50, 100]
    # text 25 is right at first, and by random masking until the end; by attention it is lost at the first step
    assert measure_area(found["random"])[:, 25].tolist() == [0.75, 0.75]
    assert measure_area(found["attention"])[:, 25].tolist() == [0.25, 0.25]


def test_racu_of_each_ranking_with_its_interval():
    table = roar_table_racu(predictions()).set_index(["ranking", "metric"])
    # random: 1/4 (1 + .75) + 1/4 (.75 + .5) = .75, of which .5 is left at the end; attention: .75 - (.75 - .55) / 2
    assert table.loc[("attention", "racu"), "mean"] == pytest.approx(0.1 / 0.25)
    assert table.loc[("gradient", "racu"), "mean"] == pytest.approx(0)
    assert table.loc[("attention", "texts"), "mean"] == 40
    low, high = table.loc[("attention", "racu"), ["low", "high"]]
    assert 0 < low < 0.4 < high < 1
    assert "random" not in table.index.get_level_values("ranking")


def test_the_figure_has_a_curve_for_each_order():
    figure = roar_fig_masked(predictions())
    (axes,) = figure.axes
    drawn = {line.get_label(): [*line.get_ydata()] for line in axes.lines}
    assert drawn == {
        "random": pytest.approx([100, 75, 50]),
        "attention": pytest.approx([100, 55, 50]),
        "gradient": pytest.approx([100, 75, 50]),
    }
    assert [*axes.lines[0].get_xdata()] == [0, 50, 100]
