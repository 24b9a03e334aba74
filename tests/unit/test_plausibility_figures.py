"""The figures of plausibility: what is drawn, where, and whether it can be read."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable, points_of, written

from attention_audit.columns.tables import TABLE
from attention_audit.figures.attributions import NOT_MARKED, fig_plausibility
from attention_audit.names import PLAUSIBLE
from attention_audit.tables.wording import collect_labels

TITLES = {
    "WP2019": "Wiegreffe & Pinter 2019", "SS2019": "Serrano & Smith 2019", "JW2019": "Jain & Wallace 2019",
    "PD2020": "Pruthi et al. 2020",
}  # fmt: skip
MODELS = {
    "base": "base", "flan_rnn": "FLANrnn", "lstm_tanh": "BiLSTM (additive)", "cnn_tanh": "CNN (additive)",
    "honest": "honest", "liar": "liar (lambda 0.4)",
}  # fmt: skip
SIX = ["WP2019/base", "SS2019/flan_rnn", "JW2019/lstm_tanh", "JW2019/cnn_tanh", "PD2020/honest", "PD2020/liar"]
LABELS = collect_labels([], TITLES | MODELS)


def table(datasets: list[str], models: list[str], names: tuple[str, ...] = tuple(PLAUSIBLE)) -> pd.DataFrame:
    """A made-up table; the last model has a row that says why it was not asked."""
    random, rows = np.random.default_rng(0), []
    for dataset in datasets:
        for row in (f"{model} - {name}" for model in models for name in names):
            for metric, value in {"auprc": random.uniform(0.2, 0.5), "iou": 0.9}.items():
                about = {"dataset": dataset, "row": row, "metric": metric}
                rows.append({**about, "mean": value, "low": value - 0.05, "high": value + 0.05})
        rows.append({"dataset": dataset, "row": "SS2019/han_rnn", "metric": "", "note": "not asked: sentences"})
    frame = pd.DataFrame(rows)
    empty: dict[str, Any] = {name: np.nan for name in TABLE.schema.names if name not in frame}
    return frame.assign(**empty)[TABLE.schema.names]


def auprc(frame: pd.DataFrame, row: str) -> float:
    return float(frame.loc[(frame["row"] == row) & (frame["metric"] == "auprc"), "mean"].item())


@pytest.mark.parametrize(
    ("datasets", "models", "names"),
    [
        (["needle"], SIX[:1], ("attention", "gradient", "random")),
        (["yelp-hat"], SIX[:4], tuple(PLAUSIBLE)),
        pytest.param(["yelp-hat", "sst"], SIX, tuple(PLAUSIBLE), marks=pytest.mark.whole),
    ],
)
def test_what_is_written_can_be_read(datasets: list[str], models: list[str], names: tuple[str, ...]) -> None:
    figure = fig_plausibility(table(datasets, models, names), LABELS)
    assert_readable(figure)
    texts = written(figure)
    assert "random or uniform weights" in texts
    assert ("the other annotators" in texts) == ("others" in names)
    assert not any("han_rnn" in text for text in texts)


def test_a_dot_is_at_the_auprc_of_its_attribution() -> None:
    frame = table(["needle"], SIX[:2], ("attention", "product", "random", "others"))
    figure = fig_plausibility(frame, LABELS)
    assert len(figure.axes) == 2
    for axes, model in zip(figure.axes, SIX, strict=False):
        # attention is on top
        for place, (name, marker) in enumerate((("attention", "o"), ("product", "s"))):
            assert points_of(axes, marker) == [(round(auprc(frame, f"{model} - {name}"), 9), place)]
        lines = {float(line.get_xdata()[0]) for line in axes.lines if line.get_linestyle() != "None"}  # type: ignore[index,arg-type]
        assert lines == {auprc(frame, f"{model} - {name}") for name in ("random", "others")}


def test_without_marks_the_figure_is_a_sentence() -> None:
    figure = fig_plausibility(table(["needle"], SIX[:1]).iloc[:0], LABELS)
    assert NOT_MARKED in written(figure)
