"""Single texts: what a map shows, and what each question measures of it."""

import math

import numpy as np
import pandas as pd
import pytest
from audited import CONTRASTS, NOTHING, TEXTS, adversaries, by_text, constant, fallen, predicted, shuffled, subject
from labels import LABELS

from attention_audit.answer.settings import AnswerSettings
from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.columns import tables
from attention_audit.tables.render import render
from attention_audit.tables.render import show_texts as shown
from attention_audit.tables.summary import SHOWN_TEXTS, divide_gain, select_top, texts

N = 10
"""Texts that are looked at."""


CONTRIBUTIONS = pd.DataFrame(
    columns=[
        *("dataset", "suite", "model", "seed", "id", "against", "top_fall", "top_flips"),
        *(f"top_{what}_{place}" for what in ("items", "weights", "contributions") for place in range(2)),
    ]
)


@pytest.fixture
def frames():
    """Texts of three trainings; of text k, 1 to 6, the k-th measure is low."""
    audits = adversaries({0.1: (0.03, 0.1)}) | {
        "predictions": pd.concat([predicted(name, [1, 1, 1]) for name in ("base", "uniform")], ignore_index=True),
        "shuffles": shuffled(seeds=1, random=(0.6, 0.5), by_weight=(0.2, 0.4), smallest=(0.1, 0.1), lead=(2.0, 2.0)),
        "located": fallen(seeds=1, random=0.1, attention=0.4, loo=0.5),
    }
    falls = [f"falls_{step}" for step in range(5)]
    low = [
        ("stability", "jsd", 0.5),
        ("permutation", "mean_tvd", 0.01),
        ("shuffles", "by_weight", math.nan),
        # of random words, of attention, and of leave-one-out
        ("located", falls, np.repeat([[0.1], [0.2], [0.5]], 5, axis=1)),
        ("shuffles", "lead", -0.2),
        ("comparison", "jsd", 0.5),
    ]
    for number, (audit, columns, value) in enumerate(low, start=1):
        audits[audit].loc[audits[audit]["id"] == f"t{number:03}", columns] = value
    audits["stability"]["same_top"] = np.arange(len(audits["stability"])) % 2 == 0
    audits["located"]["top_flips"] = audits["located"]["id"] > "t004"
    numbers = {"top_items": (2.0, 5.0), "top_weights": (0.5, 0.25), "top_contributions": (1.5, -0.5)}
    contributions = by_text(top_fall=constant(0, 1), against=constant(0, 1)).assign(
        **{f"{name}_{place}": values[place] for name, values in numbers.items() for place in range(2)}
    )
    contributions["top_flips"] = contributions["id"] > "t002"
    # the first text has one item
    contributions.loc[0, [f"{name}_1" for name in numbers]] = math.nan
    return audits | {"contributions": contributions}


def of_texts(frames, items="words", contrasts=CONTRASTS, **said):
    judged = subject(contrasts=contrasts, items=items)
    summary = {"unique_model": "adversary", "unique_lambda": 0.1, "unique_seed": 1}
    summary |= {"dataset": "needle", "suite": "wp", "model": "base"} | said
    others = ("consistency", "plausibility", "replaced")
    own = {name: frame for name, frame in frames.items() if name not in others}
    words = [[f"w{text}-{place}" for place in range(6)] for text in range(TEXTS)]
    corpus = {
        "needle": pd.DataFrame({"id": [f"t{text:03}" for text in range(TEXTS)], "split": "test", "tokens": words})
    }
    census = {"needle": pd.DataFrame({"label": [0, 1], "label_name": ["without", "with"]})}
    answer = AnswerSettings().model_dump()
    table = texts([judged], **own, corpus=corpus, census=census, summary=pd.DataFrame([summary]), answer=answer)
    return table.head(N)


def test_each_question_is_measured_of_each_text(frames):
    table = of_texts(frames)
    first = table.iloc[0]
    assert first["stable"] == pytest.approx(1 - 0.3 / 0.6)
    assert (first["used"], first["signed"]) == (pytest.approx(0.3), 1)
    assert (first["ranks"], first["located"]) == (pytest.approx(0.8), pytest.approx(0.75))
    assert first["unique"] == pytest.approx(1 - 0.1 / 0.6)
    assert table["stable"].iloc[1] == pytest.approx(1 - 0.5 / 0.6)
    assert table["used"].iloc[2] == pytest.approx(0.01)
    # attention never flips this one, so all its items went
    assert table["ranks"].iloc[3] == pytest.approx((0.6 - 1) / 0.5)
    assert table["located"].iloc[4] == pytest.approx(0.25)
    assert table["signed"].iloc[5] == -1
    assert table["unique"].iloc[6] == pytest.approx(1 - 0.5 / 0.6)
    for name, at in {"stable": 1, "used": 2, "ranks": 3, "located": 4, "signed": 5, "unique": 6}.items():
        assert table[name].drop(at).nunique() == 1


def test_words_weights_and_what_they_add(frames):
    table = of_texts(frames)
    assert table["words"].tolist()[:2] == [["w0-2"], ["w1-2", "w1-5"]]
    assert table["weights"].tolist()[:2] == [[0.5], [0.5, 0.25]]
    assert table["contributions"].tolist()[:2] == [[1.5], [1.5, -0.5]]
    assert of_texts(frames, items="sentences")["words"].tolist()[1] == ["3", "6"]
    assert (set(table["seed"]), set(table["others"])) == ({1}, {2})
    assert table["agree"].tolist() == [2, 0] * (N // 2)
    assert table["moved"].tolist() == pytest.approx([*[0.1] * 6, 0.5, *[0.1] * 3])
    assert table["survives_item"].tolist() == [True] * 3 + [False] * 7
    assert table["survives_word"].tolist() == [True] * 5 + [False] * 5
    for column in ("label", "prediction"):
        assert table[f"{column}_name"].tolist() == [["without", "with"][class_] for class_ in table[column]]


def test_what_is_not_known_is_left_out(frames, tmp_path, provenance):
    nothing = {**NOTHING, "predictions": frames["predictions"]}
    # where no data set has any, there are no columns of their lists
    lists = [name for name in CONTRIBUTIONS if name.startswith("top_") and name[-1].isdigit()]
    table = of_texts({**nothing, "contributions": CONTRIBUTIONS.drop(columns=lists)}, contrasts=None, unique_model="")
    assert table[["stable", "used", "ranks", "located", "signed", "unique"]].isna().all(axis=None)
    assert table["words"].tolist() == [[]] * N
    assert table["survives_item"].isna().all()
    alone = {**frames, "stability": NOTHING["stability"], "comparison": NOTHING["comparison"]}
    table = of_texts(alone, unique_model="")
    assert table["used"].notna().all()
    assert set(table["others"]) == {0}
    path = tmp_path / "texts.parquet"
    write_table(path, tables.TEXTS, table, provenance)
    assert read_frame(path, tables.TEXTS)["stable"].isna().all()


def test_a_model_that_is_not_asked_for_its_predictions_has_no_texts(tmp_path, provenance):
    table = of_texts({**NOTHING, "contributions": CONTRIBUTIONS}, contrasts=None, unique_model="")
    write_table(tmp_path / "texts.parquet", tables.TEXTS, table, provenance)
    assert len(read_frame(tmp_path / "texts.parquet", tables.TEXTS)) == len(select_top(table)) == 0


def test_where_nothing_can_be_gained_there_is_no_share():
    assert divide_gain(np.array([0.1, 0.1, 0.1]), np.array([0.2, 0.0, -0.1])).tolist() == pytest.approx(
        [0.5, math.nan, math.nan], nan_ok=True
    )


def test_the_same_texts_of_each_model_are_shown(frames, tmp_path, provenance):
    table = of_texts(frames)
    both = pd.concat([table, table.assign(model="lstm_tanh", suite="jw").iloc[::-1]], ignore_index=True)
    picked = select_top(both)
    assert picked.groupby("model").size().tolist() == [SHOWN_TEXTS, SHOWN_TEXTS]
    assert len(set(picked["id"])) == SHOWN_TEXTS
    path = tmp_path / "texts.parquet"
    write_table(path, tables.TEXTS, both, provenance)
    render(read_frame(path, tables.TEXTS), path, "{}", shown, LABELS, select_top)
    text = path.with_suffix(".md").read_text()
    assert "-2 0.50, +1.500; w" in text
    assert "2 of 2" in text
    assert path.with_suffix(".csv").read_text().count("\n") == 1 + 2 * SHOWN_TEXTS
