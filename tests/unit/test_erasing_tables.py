"""Tables of erasing in other ways: shares by hand."""

import math
from typing import Any

import pandas as pd
import pytest
from labels import LABELS

from attention_audit.tables.erasing import table_replaced, table_soft, table_violation
from attention_audit.tables.shown import wide

KEYS = {"dataset": "sst", "suite": "wp", "model": "base", "seed": 1}


def subject(model: str = "base", **unasked: str) -> dict[str, Any]:
    about = {"dataset": "sst", "suite": "wp", "paper": "WP2019", "model": model, "seeds": 1, "items": "words"}
    return about | {"unasked": unasked}


def means_of(table: pd.DataFrame, row: str) -> dict[str, float]:
    """The means of one row by metric."""
    return table[table["row"] == row].set_index("metric")["mean"].to_dict()


def violated() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Four texts without their first item, each in both draws; of one of them no word was deleted."""
    ids = ["a", "b", "c", "d"]
    own = pd.DataFrame(KEYS | {"ranking": "attention", "id": ids, "top_fall": [0.2, -0.005, -0.02, 0.0]})
    words = pd.DataFrame(
        KEYS | {"ranking": ["attention"] * 3 + ["loo"], "id": [*ids[:3], "a"], "falls_0": [0.1, -0.5, -1e-9, 0.3]}
    )
    return pd.concat([own, own]), words


def test_shares_of_texts_whose_first_item_opposes_the_prediction() -> None:
    table = table_violation(*violated(), [subject()])
    # two of four rise, one of them by more than .01; of the deletions one of three, since 1e-9 is rounding
    expected = {"erased": 1 / 2, "erased_clearly": 1 / 4, "deleted": 1 / 3, "deleted_clearly": 1 / 3, "texts": 3}
    assert means_of(table, "WP2019/base/attention") == pytest.approx(expected)
    assert means_of(table, "WP2019/base/loo") == {"deleted": 0, "deleted_clearly": 0, "texts": 1}
    assert table["row"].unique().tolist() == ["WP2019/base/attention", "WP2019/base/loo"]
    (block,) = wide(table, LABELS)
    names = ["Wiegreffe & Pinter 2019, base, attention", "Wiegreffe & Pinter 2019, base, leave-one-out"]
    assert block.rows["row"].tolist() == names
    assert [cell[:5] for cell in block.rows["clearly, erased"]] == ["0.250", ""]


def test_a_model_that_was_not_asked_has_the_reason() -> None:
    erased, deleted = violated()
    table = table_violation(erased, deleted, [subject(), subject("uniform", single_weight="it has no weights")])
    last = table.iloc[-1]
    assert (last["row"], last["note"]) == ("WP2019/uniform", "not asked: it has no weights")
    assert math.isnan(last["mean"])
    assert table_violation(erased.iloc[:0], deleted.iloc[:0], []).empty


def test_of_pairs_words_are_deleted_alone() -> None:
    erased, deleted = violated()
    table = table_violation(erased.iloc[:0], deleted, [subject()])
    assert set(table["metric"]) == {"deleted", "deleted_clearly", "texts"}


def fallen(attention: float, loo: float, texts: int = 400, **about: str) -> pd.DataFrame:
    """Falls of three trainings, the same at all sizes: 0 by random words, and nearly these by attention and loo."""
    rows = [
        KEYS | {"seed": seed, "id": f"{text}", "ranking": ranking, **about}
        | {f"falls_{step}": (fall + (text % 2) / 100 if fall else 0.0) for step in range(5)}
        for seed in (1, 2, 3)
        for text in range(texts)
        for ranking, fall in {"random": 0.0, "attention": attention, "loo": loo}.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_answer_of_located_beside_that_of_words_that_are_replaced() -> None:
    replaced = pd.concat([fallen(0.195, 0.395, by="unknown"), fallen(0.295, 0.395, by="likely")])
    table = table_replaced(replaced, fallen(0.095, 0.395), [subject()], {}, {})
    # the means of attention and leave-one-out are .1 and .4 deleted, .2 and .4, and .3 and .4
    expected = {"located_deleted": 1 / 4, "located_unknown": 2 / 4, "located_likely": 3 / 4, "texts": 400}
    assert means_of(table, "WP2019/base") == pytest.approx(expected)
    (note,) = table["note"].unique()
    assert note == "the word changes with how words are taken away: deleted no, unknown undecided, likely yes"
    alike = table_replaced(fallen(0.095, 0.395, by="mask"), fallen(0.095, 0.395), [subject()], {}, {})
    assert set(alike["note"]) == {"no however words are taken away: deleted, mask"}
    (block,) = wide(alike, LABELS)
    assert {"located: effect, words deleted", "the mask"} <= set(block.rows)


def test_a_model_of_which_no_words_were_replaced_has_the_reason() -> None:
    located = fallen(0.1, 0.4, texts=2)
    table = table_replaced(located.iloc[:0].assign(by=""), located, [subject(replaced="nobody asked")], {}, {})
    assert table["note"].tolist() == ["not asked: nobody asked"]


def test_soft_erasure_is_held_against_shuffled_scores() -> None:
    about = {"ranking": "attention", "id": ["a", "b", "c"], "comprehensiveness": [0.8, 0.4, math.nan]}
    shuffled = {"shuffled_comprehensiveness": [0.2, 0.6, math.nan], "shuffled_sufficiency": [0.1, 0.1, math.nan]}
    rows = pd.DataFrame(KEYS | about | {"sufficiency": [0.5, 0.3, math.nan]} | shuffled)
    table = table_soft(rows, [subject(), subject("uniform", soft="nobody asked")])
    expected = {"comprehensiveness": 0.6, "comprehensiveness_gain": 0.2, "sufficiency": 0.4, "sufficiency_gain": 0.3}
    assert means_of(table, "WP2019/base/attention") == pytest.approx(expected | {"texts": 3})
    assert table["note"].iloc[-1] == "not asked: nobody asked"
