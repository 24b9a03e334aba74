"""Kendall's tau, overlap of the highest tokens, and agreement, by hand."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import numpy.typing as npt
import pytest

from attention_audit.audits.attributed import Attributed, sample
from attention_audit.audits.correlation import agreement, correlation, overlap, tau
from attention_audit.audits.settings import Agreement, Correlation
from attention_audit.readout import Readout


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        ([1, 2, 3, 4], [1, 2, 4, 3], 4 / 6),
        # five pairs in order and none out of it; the first has a tie among its six
        ([1, 1, 2, 3], [1, 2, 3, 4], 5 / (5 * 6) ** 0.5),
    ],
)
def test_tau_by_hand(first: list[float], second: list[float], expected: float) -> None:
    assert tau(first, second)[0] == pytest.approx(expected)


def test_the_p_value_is_that_of_all_orders() -> None:
    # of the 24 orders of four tokens one agrees fully, and one not at all
    assert tau([1, 2, 3, 4], [1, 2, 3, 4])[1] == pytest.approx(2 / 24)


@pytest.mark.parametrize(("first", "second"), [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0, 0, 0]), ([1], [2])])
def test_what_has_no_order_has_no_tau(first: list[float], second: list[float]) -> None:
    assert np.isnan(tau(first, second)).all()


@pytest.mark.parametrize(
    ("top", "expected"), [(1, 0.0), (2, 0.5), (3, 1.0), (4, np.nan)], ids=["one", "two", "three", "all"]
)
def test_overlap_by_hand(top: int, expected: float) -> None:
    first, second = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.3, 0.1, 0.5, 0.1])
    assert overlap(first, second, top) == pytest.approx(expected, nan_ok=True)


def test_of_equals_the_first_tokens_are_higher() -> None:
    assert overlap(np.array([0.5, 0.5, 0.0]), np.zeros(3), 2) == 1


def attributed(readout: Readout, **scores: list[npt.NDArray[np.float64]]) -> Attributed:
    """A readout with attributions of its texts."""
    texts = SimpleNamespace(readout=readout, scores=scores)
    texts.integrated = lambda settings: (np.arange(len(readout)), [np.zeros(3)] * len(readout))
    return cast(Attributed, texts)


def test_correlation_has_a_row_a_pair_and_text(random_readout: Callable[..., Readout]) -> None:
    attention = [np.array(weights, np.float32) for weights in ([0.2, 0.3, 0.5], [1.0])]
    readout = replace(random_readout([3, 1]), attention=attention, predictions=np.array([1, 0]))
    scores = {"gradient": np.array([1.0, 2, 3]), "gradient_attached": np.array([3.0, 2, 1]), "loo": np.ones(3)}
    texts = attributed(readout, **{name: [values, values[:1]] for name, values in scores.items()})
    columns = correlation(texts, Correlation(top_k=2))
    assert columns["pair"][::2] == columns["pair"][1::2]
    assert columns["pair"][::2] == [
        "attention~gradient",
        "attention~gradient_attached",
        "attention~loo",
        "gradient~loo",
    ]
    assert columns["id"] == ["text-0", "text-1"] * 4
    assert columns["prediction"] == [1, 0] * 4
    assert columns["tokens"] == [3, 1] * 4
    np.testing.assert_allclose(columns["tau"][::2], [1, -1, np.nan, np.nan])
    assert np.isnan(columns["tau"][1::2]).all()
    assert np.isnan(columns["p"]).tolist() == np.isnan(columns["tau"]).tolist()
    np.testing.assert_allclose(columns["top_k_overlap"][::2], [1, 0.5, 0.5, 0.5])
    assert np.isnan(columns["top_k_overlap"][1::2]).all()


def test_agreement_is_the_mean_over_texts_with_an_order(random_readout: Callable[..., Readout]) -> None:
    rising, swapped, flat = np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), np.zeros(3)
    readout = replace(random_readout([3] * 3), attention=[rising.astype(np.float32)] * 3)
    columns = agreement(attributed(readout, b=[rising, swapped, flat]), Agreement())
    assert columns["first"] == ["attention", "attention", "b"]
    assert columns["second"] == ["b", "integrated_gradients", "integrated_gradients"]
    np.testing.assert_allclose(columns["tau"], [(1 + 1 / 3) / 2, np.nan, np.nan])
    assert columns["texts"] == [2, 0, 0]


@pytest.mark.parametrize(
    ("count", "most", "expected"), [(3, 5, [0, 1, 2]), (5, 5, [0, 1, 2, 3, 4]), (10, 4, [0, 2, 5, 7]), (0, 4, [])]
)
def test_a_sample_is_evenly_spread(count: int, most: int, expected: list[int]) -> None:
    assert sample(count, most).tolist() == expected
