"""What classes are called, and their order, changes no statement of the answer."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from audited import adversaries, by_text, fallen, shuffled, subject
from elsewhere import made
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_audit import api
from attention_audit.answer.settings import AnswerSettings
from attention_audit.questions import QUESTIONS
from attention_audit.tables.summary import summary

TEXTS = 120
MODELS = ("base", "uniform", "guide_base_lstm", "guide_uniform", "guide_adversary")
SAID = ["learnt", *(f"{question}_{column}" for question in QUESTIONS for column in ("zones", "clause", "reason"))]
RUNS = st.tuples(st.integers(0, 2**16), st.integers(2, 4), st.floats(0, 1), st.floats(0, 1))


def generated(seed, classes, skill, lopsided):
    """The audits of a run, drawn at random: all eight questions can be asked of it.

    skill: of the models, 0 to 1. lopsided: how much more frequent the first class is.
    """
    random = np.random.default_rng(seed)
    shares = np.append(1 + 9 * lopsided, np.ones(classes - 1))
    labels = random.choice(classes, TEXTS, p=shares / shares.sum())
    predictions = []
    for model in MODELS:
        knows = random.random((3, TEXTS)) < skill * random.uniform(0.5, 1)
        guessed = random.integers(0, classes, (3, TEXTS))
        rows = by_text(model, prediction=np.where(knows, labels, guessed), label=np.tile(labels, (3, 1)))
        predictions.append(rows.assign(**{"lambda": math.nan}, items=8))
    shuffles = shuffled(seeds=3, texts=TEXTS, random=(0.6, 0.6), by_weight=(0.2, 0.5), smallest=(0.1, 0.1))
    count = len(shuffles)
    return adversaries({0.1: (0.03, float(random.uniform(0, 0.6)))}) | {
        "predictions": pd.concat(predictions, ignore_index=True),
        "shuffles": shuffles.assign(prediction=random.integers(0, classes, count), lead=random.normal(2, 2, count)),
        "located": fallen(texts=TEXTS, seeds=3, random=0.1, attention=float(random.random()), loo=0.6),
    }


def said(audits, names=None):
    """What the summary says, of classes that are called otherwise where `names` does so."""
    known = np.arange(9) if names is None else names
    parts = {
        name: frame.assign(**{column: known[frame[column].to_numpy()] for column in columns})
        for name, columns in {"predictions": ["label", "prediction"], "shuffles": ["prediction"]}.items()
        for frame in [audits[name]]
    }
    judged = [subject(seeds=3)]
    census = {
        "needle": pd.DataFrame({"label": [*known], "label_name": [f"class {place}" for place in range(len(known))]})
    }
    made = summary(
        judged, **audits | parts, corpus={}, reasons={}, census=census,
        answer=AnswerSettings().model_dump(),
    )  # fmt: skip
    return {name: made[name].iloc[0] for name in [*SAID, *(f"{question}_said" for question in QUESTIONS)]}


@settings(max_examples=12)
@given(RUNS, st.randoms(use_true_random=False))
@pytest.mark.whole
def test_the_names_of_classes_change_no_statement(run, random):
    audits = generated(*run)
    names = list(range(run[1]))
    random.shuffle(names)
    first = said(audits)
    assert not any("no test text" in str(first[f"{question}_reason"]) for question in QUESTIONS)
    assert said(audits, np.array(names)) == first


def rename(given, back):
    """Give the classes of a readout another order; `back` has the old number of each new one."""
    return replace(
        given,
        labels=np.argsort(back)[given.labels],
        contribution=[values[:, back] for values in given.contribution],
        bias=given.bias[:, back],
        probabilities=given.probabilities[:, back],
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.whole
def test_nor_does_their_order_in_readouts(seed):
    answers = []
    for back in ([0, 1], [1, 0]):
        models, twins = (
            [rename(made(3 * seed + training, TEXTS, attends, outputs=2), back) for training in range(3)]
            for attends in ("to scores", "alike")
        )
        settings = {"permutation": {"permutations": 5}, "instance_adversary": {"restarts": 1, "steps": 2}}
        names = [f"class {place}" for place in back]
        tables = api.audit(models, uniform=twins, classes=names, settings=settings)
        answers.append(tables["summary"].iloc[0][SAID].tolist())
    assert answers[0] == answers[1]
