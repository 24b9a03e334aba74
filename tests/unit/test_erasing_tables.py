"""Tables of erasing in other ways: shares by hand."""

import math

import pandas as pd
import pytest
from audited import subject
from tabled import cells

from attention_audit.tables.attributions import table_soft

KEYS = {"dataset": "needle", "suite": "wp", "model": "base", "seed": 1}


def test_soft_erasure_is_held_against_shuffled_scores() -> None:
    about = {"ranking": "attention", "id": ["a", "b", "c"], "comprehensiveness": [0.8, 0.4, math.nan]}
    shuffled = {"shuffled_comprehensiveness": [0.2, 0.6, math.nan], "shuffled_sufficiency": [0.1, 0.1, math.nan]}
    rows = pd.DataFrame(KEYS | about | {"sufficiency": [0.5, 0.3, math.nan]} | shuffled)
    table = table_soft(rows, [subject(), subject("uniform", unasked={"soft": "nobody asked"})])
    expected = {"comprehensiveness": 0.6, "comprehensiveness_gain": 0.2, "sufficiency": 0.4, "sufficiency_gain": 0.3}
    assert cells(table, "WP2019/base/attention") == pytest.approx(expected | {"texts": 3})
    assert table["note"].iloc[-1] == "not asked: nobody asked"
