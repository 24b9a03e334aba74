"""Audits chunk by chunk: what they find becomes rows as declared, be it nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attention_audit.audits.flipping_sets import flipping_sets
from attention_audit.audits.single_weight import single_weight
from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.columns.single_weight import SINGLE_WEIGHT
from attention_audit.readout import Readout
from attention_audit.stages.chunks import labelled_rows
from attention_audit.stages.ranked_sets import of_several_items

IDENTITY = {"dataset": "toy", "model": "han_rnn", "lambda": None, "seed": 1}


@pytest.mark.parametrize(("lengths", "rows"), [([1, 1], 0), ([1, 3], 5), ([2, 3], 10)])
def test_texts_of_one_item_have_no_rows_of_sets(
    random_readout: Callable[..., Readout], lengths: list[int], rows: int
) -> None:
    columns = of_several_items(flipping_sets(random_readout(lengths, 3), 0))
    table = labelled_rows(RANKED_SETS, IDENTITY, columns)
    assert len(table) == rows
    assert set(table["model"].to_pylist()) <= {"han_rnn"}
    # that of the smallest set means nothing
    assert table["comprehensiveness_curve"].null_count == rows // 5


def test_what_never_flips_is_null(random_readout: Callable[..., Readout]) -> None:
    columns = flipping_sets(random_readout([2, 2], 3), 0)
    columns["fraction_removed"][0] = float("nan")
    assert labelled_rows(RANKED_SETS, IDENTITY, columns)["fraction_removed"][0].as_py() is None


@pytest.mark.parametrize("lengths", [[1], [4, 1, 2]])
def test_single_weights_become_rows(random_readout: Callable[..., Readout], lengths: list[int]) -> None:
    table = labelled_rows(SINGLE_WEIGHT, IDENTITY, single_weight(random_readout(lengths), 0))
    assert len(table) == 6 * sum(length > 1 for length in lengths)
