"""The table of plausibility: means, floors and ceiling by hand; faithfulness as the summary has it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import tabled
from audited import NOTHING, RANKED_SETS, fallen, ranked, subject
from labels import LABELS

from attention_audit.answer import estimates
from attention_audit.columns.audits import MEASURES
from attention_audit.columns.tables import TABLE
from attention_audit.names import PLAUSIBLE
from attention_audit.tables.attributions import instead, table_plausibility
from attention_audit.tables.shown import show_table
from attention_audit.tables.wording import collect_labels

NAN = float("nan")
COLUMNS = ["dataset", "suite", "model", "seed", "id", "annotator", "attribution", "words", "marked", *MEASURES]


def marks(attribution: str, values: dict[tuple[int, str, str], float], marked: int = 2, **about: Any) -> pd.DataFrame:
    """Rows of an audit, with the same value of all measures, by seed, text and annotator."""
    rows = [
        {"seed": seed, "id": text, "annotator": who, **dict.fromkeys(MEASURES, value)}
        for (seed, text, who), value in values.items()
    ]
    found = {"dataset": "needle", "suite": "wp", "model": "base", "attribution": attribution, "words": 5}
    return pd.DataFrame(rows).assign(**found | {"marked": marked} | about)[COLUMNS]


EMPTY = pd.DataFrame(columns=COLUMNS)


def table(
    *parts: pd.DataFrame,
    ranked_sets: pd.DataFrame = RANKED_SETS,
    located: pd.DataFrame = NOTHING["located"],
    **about: Any,
) -> pd.DataFrame:
    rows = pd.concat(parts) if parts else EMPTY
    found = table_plausibility(rows, EMPTY, ranked_sets, located, [subject(**about)])
    assert found.columns.tolist() == TABLE.schema.names
    return found


def cells(table: pd.DataFrame, attribution: str, column: str = "mean") -> dict[str, float]:
    """A column of one attribution's row by metric."""
    return tabled.cells(table, f"WP2019/base - {attribution}", column)


def test_means_over_annotators_texts_and_trainings_by_hand() -> None:
    found = table(
        marks(
            "attention",
            {
                (1, "a", "x"): 0.2, (1, "a", "y"): 0.6, (1, "a", ""): 0.9, (1, "b", "x"): 0.8,
                (2, "a", "x"): 0.4, (2, "a", "y"): 0.4, (2, "a", ""): 0.5, (2, "b", "x"): NAN,
            },
        )
    )  # fmt: skip
    own = cells(found, "attention")
    # of text a .4 and .4, of text b .8: the annotators of a text count together as much as the one of another
    assert own["auprc"] == pytest.approx((0.4 + 0.8 + 0.4) / 3)
    assert own["majority_token_f1"] == pytest.approx(0.7)
    assert own["texts"] == 2
    effect = estimates.estimate_mean(np.array([[0.4, 0.8], [0.4, NAN]]))
    assert cells(found, "attention", "low")["iou"] == pytest.approx(effect.low)
    assert cells(found, "attention", "high")["iou"] == pytest.approx(effect.high)
    assert cells(found, "attention", "sd")["auprc"] == pytest.approx(np.std([0.6, 0.4], ddof=1))
    assert cells(found, "attention", "seeds")["auprc"] == 2


def test_what_has_no_value_has_no_cell_and_maps_without_an_order_are_counted() -> None:
    values = {(1, "a", "x"): 0.5, (1, "b", "x"): NAN, (1, "c", "x"): NAN}
    every = marks("random", values).assign(marked=[2, 0, 5])
    product = marks("product", values).assign(mass=NAN)
    found = table(product, every)
    assert cells(found, "random") == pytest.approx(
        {"auprc": 0.5, "token_f1": 0.5, "iou": 0.5, "marked_mass": 0.5, "texts": 1, "unmarked": 1, "all_marked": 1}
    )
    assert cells(found, "product") == pytest.approx({"auprc": 0.5, "token_f1": 0.5, "iou": 0.5, "texts": 1})


def test_of_planted_words_one_share_says_whether_they_come_first() -> None:
    found = table(marks("attention", {(1, "a", "planted"): 1.0, (1, "b", "planted"): 0.0}, marked=1))
    assert cells(found, "attention") == pytest.approx({"found": 0.5, "auprc": 0.5, "marked_mass": 0.5, "texts": 2})
    (block,) = show_table(found, LABELS)
    assert "planted words among the first" in block.rows


def test_faithfulness_is_that_of_the_table_instead() -> None:
    ids = {(1, "t000", "x"): 0.5, (2, "t000", "x"): 0.5}
    parts = [marks(name, ids) for name in ("attention", "product", "loo", "integrated_gradients", "random")]
    erased = ranked(random=0.6, attention=0.3, product=0.2, smallest=0.1)
    deleted = fallen(random=0.1, attention=0.2, loo=0.5, integrated_gradients=0.4)
    # integrated gradients are of a sample
    deleted = deleted[(deleted["ranking"] != "integrated_gradients") | (deleted["id"] < "t050")]
    found = table(*parts, ranked_sets=erased, located=deleted)
    compared = instead(erased, deleted, [subject()], {}).set_index("attribution")
    for name in ("attention", "product", "loo", "integrated_gradients"):
        for question in ("ranks", "located"):
            for end, column in (("value", "mean"), ("low", "low"), ("high", "high")):
                shown = cells(found, name, column).get(question, NAN)
                assert shown == pytest.approx(compared.loc[name, f"{question}_{end}"], nan_ok=True)
    assert {"ranks", "located"}.isdisjoint(cells(found, "random"))


def test_a_model_of_sentences_says_why_it_was_not_asked() -> None:
    reason = "plausibility needs attention over tokens, and han_rnn attends to sentences"
    rows = marks("attention", {(1, "a", "x"): 0.5})
    han = subject("han_rnn", suite="ss", paper="SS2019", unasked={"plausibility": reason})
    found = table_plausibility(rows, EMPTY, RANKED_SETS, NOTHING["located"], [subject(), han])
    assert found["note"].tolist()[-1] == f"not asked: {reason}"
    assert found["row"].tolist()[-1] == "SS2019/han_rnn"
    # of data without marks there is nothing to say
    assert table_plausibility(EMPTY, EMPTY, RANKED_SETS, NOTHING["located"], [han]).empty


def test_readers_see_labels_of_all_rows_and_metrics() -> None:
    values = {(1, "a", "x"): 0.5, (1, "a", ""): 0.5}
    found = table(
        *(marks(name, values) for name in PLAUSIBLE),
        ranked_sets=ranked(random=0.6, attention=0.3, smallest=0.1),
        located=fallen(random=0.1, attention=0.2, loo=0.5),
    )
    labels = collect_labels([], {"WP2019": "Wiegreffe & Pinter", "base": "base"})
    (block,) = show_table(found, labels)
    assert "Wiegreffe & Pinter, base - the other annotators" in block.rows["row"].tolist()
    assert block.rows.columns.tolist() == [
        "data set", "row", "AUPRC", "token F1", "IOU", "mass on marked words", "AUPRC, majority", "token F1, majority",
        "IOU, majority", "mass, majority", "ranks: effect", "located: effect", "texts", "maps without a mark",
        "maps with all words marked", "seeds",
    ]  # fmt: skip
