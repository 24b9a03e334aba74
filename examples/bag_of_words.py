"""A model of scikit-learn that attends to words, its trainings, twin and adversary: from arrays to the answers.

    python examples/bag_of_words.py FOLDER

A logistic regression gives each word w a score v_w. The model attends to the words of a text by the size of their
scores, a_t = softmax_t |v_t|, and predicts from what it attends to: logit = sum_t a_t z_t with z_t = 3 v_t. So a, z and
b are known, and that is all that the audits need. Other trainings are of other samples of the texts. The twin has
uniform weights. The adversary attends to the words of small scores and makes up for it: a'_t z'_t = a_t z_t.

The files that are written to FOLDER are those that the section `own` of a configuration names.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from attention_audit import api

CLASSES = ["bad", "good"]
SAYS = {"good": ["good", "great", "fine", "moving"], "bad": ["bad", "dull", "poor", "flat"]}
FILLERS = ["the", "a", "film", "plot", "was", "and", "with", "some", "scenes", "of", "it", "actors"]


def texts(count: int, seed: int) -> tuple[list[list[str]], list[int], list[list[int]]]:
    """Texts of words, their labels, and the positions of the words that decide them."""
    random = np.random.default_rng(seed)
    words, labels, evidence = [], [], []
    for number in range(count):
        label = number % 2
        text = [str(word) for word in random.choice(FILLERS, random.integers(5, 15))]
        places = sorted(int(place) for place in random.choice(len(text), 2, replace=False))
        for place in places:
            text[place] = str(random.choice(SAYS[CLASSES[label]]))
        words.append(text)
        labels.append(label)
        evidence.append(places)
    return words, labels, evidence


def scores(words: list[list[str]], labels: list[int], seed: int) -> dict[str, float]:
    """The score of each word, by a logistic regression on a sample of the texts."""
    sample = np.random.default_rng(seed).integers(0, len(words), len(words))
    vectorizer = CountVectorizer(analyzer=lambda text: text)
    counts = vectorizer.fit_transform([words[i] for i in sample])
    model = LogisticRegression().fit(counts, [labels[i] for i in sample])
    return dict(zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True))


def read_out(score: dict[str, float], attends: str) -> api.GivenReadout:
    """The readout of a model on the test texts. attends: by size, alike, or elsewhere."""
    words, labels, evidence = texts(250, seed=1)
    attention, contributions, probabilities = [], [], []
    for text in words:
        values = np.array([score.get(word, 0.0) for word in text])
        by_size = np.exp(np.abs(values)) / np.exp(np.abs(values)).sum()
        weights, z = by_size, 3 * values
        if attends == "alike":
            weights = np.full(len(text), 1 / len(text))
        if attends == "elsewhere":
            weights = np.exp(-2 * np.abs(values)) / np.exp(-2 * np.abs(values)).sum()
            z = by_size * z / weights
        positive = 1 / (1 + np.exp(-(weights @ z)))
        attention.append(weights)
        contributions.append(z)
        probabilities.append([1 - positive, positive])
    return api.readout(words, attention, contributions, [0.0], labels, probabilities, evidence=evidence)


def main(folder: Path) -> dict[str, pd.DataFrame]:
    """Write the readouts, and return the tables of their audits."""
    words, labels, _ = texts(400, seed=0)
    trainings = [read_out(scores(words, labels, seed), "by size") for seed in (1, 2, 3)]
    twin = read_out(scores(words, labels, 1), "alike")
    adversary = read_out(scores(words, labels, 1), "elsewhere")
    for number, training in enumerate(trainings, start=1):
        api.write(training, folder / f"training{number}.npz")
    api.write(twin, folder / "uniform.npz")
    api.write(adversary, folder / "adversary.parquet")
    return api.audit(trainings, uniform=twin, adversaries=adversary, classes=CLASSES)


if __name__ == "__main__":
    tables = main(Path(sys.argv[1]))
    answers = api.by_question(tables["summary"])
    print(answers[["question", "verdict", "value", "low", "high"]].round(2).to_string(index=False))
    print(tables["texts"][["words", "weights", "contributions"]].head().to_string())
