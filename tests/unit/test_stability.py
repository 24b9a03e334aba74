"""Seeds against one another, and against shuffled maps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.audits.comparison import compare_maps
from attention_audit.errors import AuditError
from attention_audit.readout import Readout


def test_texts_are_matched_by_id(random_readout):
    first, other = random_readout([3, 5, 4, 2]), random_readout([3, 5, 4, 2], seed=1)
    turned = other.aligned(other.ids[::-1])
    for name, values in compare_maps(first, other, 20, 5).items():
        assert list(values) == list(compare_maps(first, turned, 20, 5)[name])


def test_a_missing_text_is_named(random_readout):
    with pytest.raises(AuditError, match="text 'text-2' is missing"):
        compare_maps(random_readout([3, 4, 5]), random_readout([3, 4]), 2, 5)


@given(st.integers(0, 50))
def test_a_map_is_no_further_from_itself_than_from_its_shuffles(seed):
    random = np.random.default_rng(seed)
    attention = [random.dirichlet(np.ones(6)).astype(np.float32)]
    readout = Readout(
        ["a"], np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([[0.6, 0.4]], np.float32), attention,
        [np.zeros((6, 1), np.float32)], np.zeros((1, 1), np.float32),
    )  # fmt: skip
    found = compare_maps(readout, readout, 10, seed)
    assert found["jsd"][0] == 0 <= found["chance_jsd"][0] <= math.log(2)
