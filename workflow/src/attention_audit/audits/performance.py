"""Test 1, and what all other tests are read against: how well a model predicts the gold labels, and of how many words.

Claims: a model that needs attention predicts worse without it. Higher is better. Wiegreffe & Pinter 2019, section 3.2.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from attention_audit.columns.audits import CUT_TEXTS, PERFORMANCE, PREDICTIONS
from attention_audit.readout import Readout
from attention_audit.scores import accuracy, compute_f1, roc_auc

from .answers import Answers, Training, explain_sentences, explain_unlabelled
from .batches import Columns
from .facts import TextFacts


def performance(readout: Readout, selection: str) -> Columns:
    """Return the columns metric, value, selection, classes; one row each for F1, accuracy and, of several gold labels,
    ROC-AUC.

    `selection` is the split by which the model's epoch was selected.
    """
    classes = readout.probabilities.shape[1]
    values = {
        "f1": compute_f1(readout.labels, readout.predictions, classes),
        "accuracy": accuracy(readout.labels, readout.predictions),
    }
    if len({*readout.labels.tolist()}) > 1:
        values["roc_auc"] = roc_auc(readout.labels, readout.probabilities)
    return {
        "metric": list(values),
        "value": list(values.values()),
        "selection": [selection] * len(values),
        "classes": [classes] * len(values),
    }


def predictions(readout: Readout) -> Columns:
    """List id, label, prediction and items of each text: what scores and verdicts are reckoned from."""
    return {
        "id": readout.ids,
        "label": readout.labels.astype(np.int32),
        "prediction": readout.predictions.astype(np.int32),
        "items": readout.words.astype(np.int32),
    }


def cut_texts(readout: Readout, tokens: Mapping[str, Sequence[str]]) -> Columns:
    """Return the columns id, words, read: the words of a text, and how many of them are read; one row for each text
    that a Transformer reads in part, since it has no more positions.

    Claims nothing of attention: what is cut off has none, and every number of such a text is one of what is read.
    """
    flags = None if readout.several is None else readout.several.cut
    cut = np.flatnonzero(np.zeros(len(readout)) if flags is None else flags)
    ids = [readout.ids[row] for row in cut]
    return {
        "id": ids,
        "words": np.array([len(tokens[name]) for name in ids], np.int32),
        "read": readout.words[cut].astype(np.int32),
    }


def ask_performance(trainings: Iterable[Training], answers: Answers, facts: TextFacts) -> None:
    """Ask `performance` and `predictions` of all trainings, and `cut_texts` of those in question."""
    for training in trainings:
        readout, about = training.read(), training.about
        if answers.asks(PERFORMANCE, explain_unlabelled(readout, answers.dataset)):
            answers.add(PERFORMANCE, performance(readout, about.selection), training)
        if answers.asks(PREDICTIONS):
            answers.add(PREDICTIONS, predictions(readout), training)
        if about.judged and answers.asks(CUT_TEXTS, explain_sentences(training)):
            answers.add(CUT_TEXTS, cut_texts(readout, facts.tokens), training)
        answers.report(f"{training.describe()}: {len(readout)} texts")
