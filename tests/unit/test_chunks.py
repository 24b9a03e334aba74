"""Audits part by part: what an audit says of some texts becomes rows as declared, be it nothing."""

from collections.abc import Callable

import pytest

from attention_audit.audits.flipping_sets import ranked_sets, single_weight
from attention_audit.columns.audits import RANKED_SETS, SINGLE_WEIGHT
from attention_audit.readout import Readout
from attention_audit.stages.audits import find_sentences, label_columns

IDENTITY = {"dataset": "toy", "model": "han_rnn", "lambda": None, "seed": 1}


@pytest.mark.parametrize(("lengths", "rows"), [([1, 1], 0), ([1, 3], 5), ([2, 3], 10)])
def test_texts_of_one_item_have_no_rows_of_sets(
    random_readout: Callable[..., Readout], lengths: list[int], rows: int
) -> None:
    table = label_columns(RANKED_SETS, IDENTITY, ranked_sets(random_readout(lengths, 3), 0))
    assert len(table) == rows
    assert set(table["model"].to_pylist()) <= {"han_rnn"}
    # that of the smallest set means nothing
    assert table["comprehensiveness_curve"].null_count == rows // 5


def test_what_never_flips_is_null(random_readout: Callable[..., Readout]) -> None:
    columns = ranked_sets(random_readout([2, 2], 3), 0)
    columns["fraction_removed"][0] = float("nan")
    assert label_columns(RANKED_SETS, IDENTITY, columns)["fraction_removed"][0].as_py() is None


@pytest.mark.parametrize("lengths", [[1], [4, 1, 2]])
def test_single_weights_become_rows(random_readout: Callable[..., Readout], lengths: list[int]) -> None:
    table = label_columns(SINGLE_WEIGHT, IDENTITY, single_weight(random_readout(lengths), 0))
    assert len(table) == 6 * sum(length > 1 for length in lengths)


def test_the_sentences_of_evidence_are_named_once() -> None:
    assert find_sentences([0, 3, 4, 9], [0, 3, 7]) == [0, 1, 2]
    assert find_sentences([5], [0]) == [0]
    assert find_sentences([], [0, 3]) == []
