"""Single texts: what a map shows, and whether it may be shown."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from audited import CONTRASTS, NOTHING, adversaries, by_text, constant, fallen, frames_of, predicted, ranked, subject
from labels import LABELS

from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.words import NO, NOT_ASKED, NOTHING_NEW, UNDECIDED, YES
from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.columns.summary import QUESTIONS
from attention_audit.columns.texts import MAY, OPEN, TEXTS, UNKNOWN, WHY_NOT
from attention_audit.tables.arrays import Audits
from attention_audit.tables.render import render
from attention_audit.tables.shown import single as shown
from attention_audit.tables.texts import TOP, share_of, texts, top

N = 10
IDS = [f"t{x:03}" for x in range(N)]
WORDS = [[f"w{text}-{place}" for place in range(6)] for text in range(N)]


def row(values: list[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One training, text by text."""
    return np.array([values], dtype=np.float64)


@pytest.fixture
def audits() -> Audits:
    """Ten texts of two trainings; in text k + 1 the k-th question that can be asked of a text fails, from `flat` on."""
    flat, stable, used, attention, fall, opposed, moved = (np.full(N, 0.0) for _ in range(7))
    for place, values in enumerate((flat, stable, used, attention, fall, opposed, moved), 1):
        values[place] = 1
    found = adversaries({0.1: (0.03, 0.1)}, {0.1: (0.03, 0.1)})
    return NOTHING._replace(
        predictions=pd.concat([predicted(name, [1, 1], N) for name in ("base", "uniform")], ignore_index=True),
        stability=by_text(
            jsd=row(np.where(stable, 0.5, 0.1)), chance_jsd=constant(0.6, 1, N), tvd=constant(0.1, 1, N),
            same_top=row(np.arange(N) % 2 == 0) > 0,
        ).assign(seed=2, other=1),
        permutation=by_text(
            mean_tvd=np.tile(np.where(used, 0.01, 0.3), (2, 1)),
            flips=constant(0, 2, N),
            chance_jsd=np.tile(np.where(flat, 0.001, 0.6), (2, 1)),
        ),
        ranked_sets=pd.concat(
            [
                ranked(seeds=1, texts=N, random=0.6, smallest=0.1),
                by_text(fraction_removed=row(np.where(attention, math.nan, 0.2))).assign(ranking="attention"),
            ],
            ignore_index=True,
        ),
        located=pd.concat(
            [
                fallen(seeds=1, texts=N, random=0.1, loo=0.5),
                by_text(top_flips=row(np.arange(N)) > 4).assign(
                    ranking="attention", **{f"falls_{step}": np.where(fall, 0.2, 0.4) for step in range(5)}
                ),
            ],
            ignore_index=True,
        ),
        contributions=by_text(
            top_lead=row(np.where(opposed, -0.2, 2)), top_fall=row(np.full(N, 0.0)),
            top_flips=row(np.arange(N)) > 2, against=constant(0, 1, N),
        ).assign(
            top_items_0=2.0, top_weights_0=0.5, top_contributions_0=1.5, top_items_1=[math.nan, *[5.0] * (N - 1)],
            top_weights_1=[math.nan, *[0.25] * (N - 1)], top_contributions_1=[math.nan, *[-0.5] * (N - 1)],
        ),
        comparison=found.comparison[found.comparison["id"].isin(IDS)].assign(jsd=np.where(moved, 0.5, 0.1)),
    )  # fmt: skip


def of_texts(audits: Audits, items: str = "words", contrasts: Any = CONTRASTS, **said: Any) -> pd.DataFrame:
    judged = subject(contrasts=contrasts, items=items)
    summary = dict.fromkeys(QUESTIONS, YES) | {"learnt": YES, "unique_model": "adversary"}
    summary |= {"unique_lambda": 0.1, "unique_seed": 1, "dataset": "needle", "suite": "wp", "model": "base"} | said
    others = ("consistency", "plausibility", "replaced")
    frames = {name: frame for name, frame in frames_of(audits).items() if name not in others}
    corpus = {"needle": pd.DataFrame({"id": IDS, "split": "test", "tokens": WORDS})}
    census = {"needle": pd.DataFrame({"label": [0, 1], "label_name": ["without", "with"]})}
    return texts(
        [judged.model_dump()], **frames, corpus=corpus, census=census, summary=pd.DataFrame([summary]),
        answer=AnswerSettings().model_dump(),
    )  # fmt: skip


def test_every_margin_of_a_text_has_a_word():
    assert list(WHY_NOT)[:2] == ["learnt", "flat"]
    assert list(WHY_NOT)[2:] == [name for name in QUESTIONS if name not in ("needed", "transferable")]
    assert set(WHY_NOT) - {"learnt"} <= set(Margins.model_fields)


def test_a_map_may_be_shown_where_all_margins_hold_for_its_text(audits):
    table = of_texts(audits)
    assert table["show"].tolist() == [MAY, *list(WHY_NOT.values())[1:], MAY, MAY]
    assert table["asked"].tolist() == [6] * N
    # a flat map has nothing that another one could move away from
    assert table["passed"].tolist() == [6, *[5] * 7, 6, 6]
    first = table.iloc[0]
    assert first["stable"] == pytest.approx(1 - 0.1 / 0.6)
    assert (first["used"], first["signed"]) == (pytest.approx(0.3), 1)
    assert (first["ranks"], first["located"]) == (pytest.approx(0.8), pytest.approx(0.75))
    assert first["unique"] == pytest.approx(1 - 0.1 / 0.6)
    # attention never flips this one, so all its items went
    assert table["ranks"].iloc[4] == pytest.approx((0.6 - 1) / 0.5)


def test_what_is_asked_of_the_model_fails_all_its_texts(audits):
    assert set(of_texts(audits, learnt=NO, needed=NO)["show"]) == {"unlearnt"}
    # that the task is no test bed says nothing of this model's map
    assert of_texts(audits, needed=NO)["show"].tolist() == of_texts(audits)["show"].tolist()


def test_to_be_asked_less_is_no_merit(audits):
    for less in ({"unique": UNDECIDED}, {"unique": NOTHING_NEW}, {"unique": NOT_ASKED, "unique_model": ""}):
        table = of_texts(audits, **less)
        assert (table["show"].tolist()[0], table["passed"].tolist()[0], table["asked"].tolist()[0]) == (OPEN, 5, 5)
        assert "replaceable" not in set(table["show"])


def test_words_weights_and_what_they_add(audits):
    table = of_texts(audits)
    assert table["words"].tolist()[:2] == [["w0-2"], ["w1-2", "w1-5"]]
    assert table["weights"].tolist()[:2] == [[0.5], [0.5, 0.25]]
    assert table["contributions"].tolist()[:2] == [[1.5], [1.5, -0.5]]
    assert of_texts(audits, items="sentences")["words"].tolist()[1] == ["3", "6"]
    assert (set(table["seed"]), set(table["others"])) == ({1}, {1})
    assert table["agree"].tolist() == [1, 0] * (N // 2)
    assert table["moved"].tolist() == pytest.approx([*[0.1] * 7, 0.5, 0.1, 0.1])
    assert table["survives_item"].tolist() == [True] * 3 + [False] * 7
    assert table["survives_word"].tolist() == [True] * 5 + [False] * 5
    for column in ("label", "prediction"):
        assert table[f"{column}_name"].tolist() == [["without", "with"][class_] for class_ in table[column]]


def test_what_is_not_known_is_left_out(audits, tmp_path, provenance):
    nothing = NOTHING._replace(predictions=audits.predictions)
    # where no data set has any, there are no columns of their lists
    lists = [name for name in nothing.contributions if name.startswith("top_") and name[-1].isdigit()]
    nothing = nothing._replace(contributions=nothing.contributions.drop(columns=lists))
    table = of_texts(nothing, contrasts=None, unique=NOT_ASKED, unique_model="")
    assert set(table["show"]) == {UNKNOWN}
    assert table["words"].tolist() == [[]] * N
    assert table["survives_item"].isna().all()
    alone = audits._replace(predictions=audits.predictions, stability=NOTHING.stability, comparison=NOTHING.comparison)
    table = of_texts(alone, unique=NOT_ASKED, unique_model="")
    assert table["show"].tolist()[2] == OPEN
    assert set(table["others"]) == {0}
    path = tmp_path / "texts.parquet"
    write_table(path, TEXTS, table, provenance)
    assert read_frame(path, TEXTS)["stable"].isna().all()


def test_a_model_that_is_not_asked_for_its_predictions_has_no_texts(tmp_path, provenance):
    table = of_texts(NOTHING, contrasts=None, unique=NOT_ASKED, unique_model="")
    write_table(tmp_path / "texts.parquet", TEXTS, table, provenance)
    assert len(read_frame(tmp_path / "texts.parquet", TEXTS)) == len(top(table)) == 0


def test_where_nothing_can_be_gained_there_is_no_share():
    assert share_of(np.array([0.1, 0.1, 0.1]), np.array([0.2, 0.0, -0.1])).tolist() == pytest.approx(
        [0.5, math.nan, math.nan], nan_ok=True
    )


def test_the_same_texts_of_each_model_are_shown(audits, tmp_path, provenance):
    table = of_texts(audits)
    both = pd.concat([table, table.assign(model="lstm_tanh", suite="jw").iloc[::-1]], ignore_index=True)
    picked = top(both)
    assert picked.groupby("model").size().tolist() == [TOP, TOP]
    assert len(set(picked["id"])) == TOP
    path = tmp_path / "texts.parquet"
    write_table(path, TEXTS, both, provenance)
    render(read_frame(path, TEXTS), path, "{}", shown, LABELS, top)
    text = path.with_suffix(".md").read_text()
    assert "| needle     | base              |      10 |  30.0 |" in text
    assert "-2 0.50, +1.500; w" in text
    assert "1 of 1" in text
    assert path.with_suffix(".csv").read_text().count("\n") == 1 + 2 * TOP
