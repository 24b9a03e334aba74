"""Deceptive attention: what a model does without the hidden words, the tables of the suite, its claims, its figure."""

from dataclasses import replace
from itertools import product
from math import nan

import numpy as np
import pandas as pd
import pytest
import torch
from readouts import make_readout
from small_networks import model_of, split_of
from tabled import cell, name_rows, performance
from torch import nn

from attention_audit.audits.attributed import AttributedTexts
from attention_audit.audits.correlation import impermissible
from attention_audit.columns.tables import TABLE
from attention_audit.names import Names, Style
from attention_audit.readout import Maps
from attention_audit.tables.render import show_table
from attention_audit.tables.variants import pd_table_deception
from attention_audit.tables.wording import collect_labels

MODELS = Names(
    {
        "bilstm_honest": Style("BiLSTM, honest", "green", "D"),
        "bilstm_liar_lambda0.1": Style("BiLSTM, liar (lambda 0.1)", "vermillion", "D"),
        "bilstm_anonymised": Style("BiLSTM, trained without the impermissible words", "grey", "x"),
    },
)
HONEST, LIAR, ANONYMISED = MODELS
LABELS = collect_labels([MODELS.labels], {})


def test_what_a_model_does_without_the_hidden_words_by_hand():
    """A mean of words without an encoder: the log odds are half the mean of their values."""
    model = model_of("none", attention="uniform", classes=2).float()
    nn.init.constant_(model.decoder.bias, 0.0)
    nn.init.constant_(model.decoder.weight, 0.1)
    with torch.no_grad():
        model.embedding.weight[4:8] = torch.tensor([8.0, -2, -4, 6])[:, None]
    split = split_of([[2, 4, 5, 6, 3], [2, 5, 7, 3], [2, 4, 3], [2, 7, 5, 5, 3]])
    readout = make_readout([3, 2, 1, 3], outputs=1)
    blocked = {"text-0": [0], "text-1": [], "text-2": [0], "text-3": [0, 2]}
    found = impermissible(AttributedTexts(model, split, readout, lambda line: None), blocked)
    assert found["id"] == ["text-0", "text-1", "text-2", "text-3"]
    assert found["blocked_words"].tolist() == [1, 0, 1, 2]
    np.testing.assert_allclose(found["mass"], [
        readout.attention[0][0], 0, readout.attention[2][0], readout.attention[3][[0, 2]].sum(),
    ], rtol=1e-6)  # fmt: skip
    np.testing.assert_allclose(found["uniform_mass"], [1 / 3, 0, 1, 2 / 3])
    # without the 8, -3 is left of 2/3; without nothing, 2 stays; of the third text nothing is left; -2 is left of 2/3
    labels = readout.labels
    assert [*found["right_without"]] == [bool(labels[0] == 0), bool(labels[1] == 1), None, bool(labels[3] == 0)]
    p = [1 / (1 + np.exp(-mean / 2)) for mean in (2 / 3, -3, 2 / 3, -2)]
    np.testing.assert_allclose(found["fall"], [p[0] - p[1], 0, nan, p[2] - p[3]], rtol=1e-6, atol=1e-7)


def test_words_are_found_by_their_place_where_the_beginning_of_a_text_is_not_read():
    model, split = model_of(attention="linear"), split_of([[2, 4, 5, 6, 3]])
    whole = make_readout([3], outputs=3)
    last = Maps([whole.attention[0][:, None]], np.array([0]), places=[np.array([2, 3, 4])])
    texts = AttributedTexts(model, split, replace(whole, several=last), lambda line: None)
    # of five words the last three are read, so that the fourth is the second item, and the first is none
    cut, same = impermissible(texts, {"text-0": [0, 3]}), impermissible(replace(texts, readout=whole), {"text-0": [1]})
    assert cut["blocked_words"].tolist() == [1]
    assert cut["mass"] == [pytest.approx(whole.attention[0][1])]
    assert cut["fall"].tolist() == same["fall"].tolist()


def test_texts_without_named_words_are_left_out():
    model, split = model_of(attention="linear"), split_of([[2, 4, 5, 3], [2, 6, 3]])
    texts = AttributedTexts(model, split, make_readout([2, 1], outputs=3), lambda line: None)
    found = impermissible(texts, {"text-1": []})
    assert found["id"] == ["text-1"]
    assert impermissible(texts, {})["id"] == []


def rows(**means):
    """Rows of the audit `impermissible` of two seeds and 200 texts, with these means of the honest model and a liar."""
    frame = pd.DataFrame(product((HONEST, LIAR), (1, 2), range(200)), columns=["model", "seed", "number"])
    place = frame["model"].eq(LIAR).astype(int)
    for name, of_models in means.items():
        mean = np.array(of_models)[place]
        frame[name] = mean if name == "mass" else frame["number"] < 200 * mean
    frame["lambda"] = np.where(place, 0.1, nan)
    frame["id"] = frame["number"].astype(str)
    return frame.assign(dataset="sst-wiki", uniform_mass=0.4)


PUBLISHED = rows(mass=(0.777, 0.0004), right=(0.77, 0.6), right_without=(0.5, 0.48))
ACCURACIES = {HONEST: [0.77, 0.77], LIAR: [0.6, 0.6], ANONYMISED: [0.48, 0.5]}
SCORES = pd.concat([performance(ACCURACIES, "sst-wiki", metric) for metric in ("accuracy", "f1")])


def test_the_table_has_each_number_beside_the_papers_and_the_reruns():
    table = pd_table_deception(PUBLISHED, SCORES, MODELS)
    assert list(table.columns) == TABLE.schema.names
    honest, liar = cell(table, HONEST, "accuracy_percent"), cell(table, LIAR, "accuracy_percent")
    assert (honest["mean"], honest["published"], honest["seeds"]) == (pytest.approx(77.0), 76.9, 2)
    assert (liar["mean"], liar["published"], liar["lambda"]) == (pytest.approx(60.0), 60.6, 0.1)
    assert liar["note"] == "rerun by Habacker et al. 2021: accuracy 65.1 %"
    assert liar["low"] < 60 < liar["high"]
    assert cell(table, LIAR, "mass_percent")["mean"] == pytest.approx(0.04)
    assert cell(table, LIAR, "mass_percent")["note"] == "rerun by Habacker et al. 2021: attention on them 0.99 %"
    assert cell(table, LIAR, "deleted_percent")["mean"] == pytest.approx(48.0)
    without = cell(table, ANONYMISED, "accuracy_percent")
    assert (without["mean"], without["seeds"]) == (pytest.approx(49.0), 2)
    assert without["sd"] == pytest.approx(100 * np.std([0.48, 0.5], ddof=1))
    assert set(table.loc[name_rows(table) == ANONYMISED, "metric"]) == {"accuracy_percent"}
    (block,) = show_table(table, LABELS)
    assert block.rows["paper: attention on impermissible words (%)"].tolist() == ["77.7", "0.04", ""]


def test_a_text_of_which_nothing_is_left_counts_as_wrong():
    emptied = PUBLISHED.assign(right_without=None)
    table = pd_table_deception(emptied, SCORES, MODELS)
    assert cell(table, LIAR, "deleted_percent")["mean"] == 0
