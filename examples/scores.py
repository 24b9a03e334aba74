"""Scores without weights: the coefficients of a model of scikit-learn, judged beside its predictions.

    python examples/scores.py

A logistic regression of tf-idf gives each word a coefficient. The score of a word is its coefficient, with the sign of
the predicted class. That is a map of the words, but no attention: no weights could be moved. So the model is asked
again without some of the words. Scores of SHAP, LIME or any other tool take the place of `scores` likewise: a number a
word, the higher the more it speaks for the class that is predicted.

Three trainings are of other samples of the texts. The words that decide a text are its marks.
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from attention_audit import api
from attention_audit.arrays import Floats

SAYS = [["bad", "dull", "poor", "flat"], ["good", "great", "fine", "moving"]]
FILLERS = ["the", "a", "film", "plot", "was", "and", "with", "some", "scenes", "of", "it", "actors"]


def texts(count: int, seed: int) -> tuple[list[list[str]], list[int], list[list[int]]]:
    """Texts of words, their labels, and the positions of the two words that decide them."""
    random = np.random.default_rng(seed)
    words, labels, marks = [], [], []
    for number in range(count):
        label = number % 2
        text = [str(word) for word in random.choice(FILLERS, random.integers(5, 15))]
        places = sorted(int(place) for place in random.choice(len(text), 2, replace=False))
        for place in places:
            text[place] = str(random.choice(SAYS[label]))
        words.append(text)
        labels.append(label)
        marks.append(places)
    return words, labels, marks


def trained(words: list[list[str]], labels: list[int], seed: int) -> Pipeline:
    """A model of a sample of the texts, whose words are given to it as lists."""
    sample = np.random.default_rng(seed).integers(0, len(words), len(words))
    model = make_pipeline(TfidfVectorizer(analyzer=list), LogisticRegression())
    return model.fit([words[i] for i in sample], [labels[i] for i in sample])


def scores(model: Pipeline, words: list[list[str]]) -> list[Floats]:
    """The coefficient of each word, for the class that is predicted."""
    coefficients = dict(zip(model[0].get_feature_names_out(), model[1].coef_[0], strict=True))
    side = 2 * model.predict(words) - 1
    return [
        sign * np.array([coefficients.get(word, 0.0) for word in text]) for sign, text in zip(side, words, strict=True)
    ]


def main() -> api.Judgement:
    """Judge the coefficients of three trainings on texts that none of them has seen."""
    models = [trained(*texts(400, seed=0)[:2], seed) for seed in (1, 2, 3)]
    words, labels, marks = texts(250, seed=1)
    return api.judge(
        words,
        [scores(model, words) for model in models],
        [model.predict_proba for model in models],
        labels=labels,
        marks=marks,
    )


if __name__ == "__main__":
    judgement = main()
    print(judgement)
    print(judgement.paragraph)
