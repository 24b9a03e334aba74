"""Rows of audits made by hand, as tables that read every suite get them: lists of k numbers are k columns."""

import math

import numpy as np
import pandas as pd

from attention_audit.contrasts import Contrasts, EvaluatedModel, GuideNames

COLUMNS = {
    "predictions": ["model", "lambda", "seed", "id", "label", "prediction", "items"],
    "stability": ["model", "seed", "other", "id", "jsd", "tvd", "chance_jsd", "same_top"],
    "permutation": ["model", "seed", "id", "mean_tvd", "flips", "chance_jsd"],
    "shuffles": [
        "model", "seed", "id", "shuffle", "prediction", "random", "by_weight", "smallest", "lead", "fall",
    ],
    "located": [
        "model", "seed", "id", "ranking", "words", "top_flips", "fraction_removed",
        *(f"falls_{step}" for step in range(5)),
    ],
    "comparison": ["model", "lambda", "seed", "id", "jsd", "tvd", "chance_jsd", "same_top"],
    "consistency": ["model", "lambda", "seed", "texts", "tvd", "tvd_sd", "jsd"],
    "plausibility": ["model", "seed", "id", "annotator", "attribution", "words", "marked", "auprc"],
    "replaced": ["model", "seed", "id", "ranking", "by", *(f"falls_{step}" for step in range(5))],
}  # fmt: skip
RANKED_SETS = pd.DataFrame(columns=["dataset", "suite", "model", "seed", "id", "ranking", "fraction_removed"])
"""An audit that the summary does not read."""
NOTHING = {name: pd.DataFrame(columns=["dataset", "suite", *columns]) for name, columns in COLUMNS.items()}
CONTRASTS = Contrasts(
    seed=1,
    uniform="uniform",
    adversaries=["adversary", "continuation"],
    guides=GuideNames(
        judged="guide_base_lstm", uniform="guide_uniform", adversary="guide_adversary", own="guide_trained_mlp"
    ),
)
TEXTS = 400


def subject(model="base", contrasts=CONTRASTS, **further):
    """A judged model of three seeds on the data set needle."""
    about = {
        "dataset": "needle", "suite": "wp", "paper": "WP2019", "seeds": 3, "items": "words", "unasked": {},
    }  # fmt: skip
    return EvaluatedModel(model=model, contrasts=contrasts, **about | further)


def by_text(model="base", **columns):
    """Columns (seeds, texts) as rows with dataset, suite, model, seed (from 1) and id."""
    seeds, texts = np.shape(next(iter(columns.values())))
    seed, text = np.indices((seeds, texts)).reshape(2, -1)
    about = {"dataset": "needle", "suite": "wp", "model": model, "seed": seed + 1, "id": [f"t{x:03}" for x in text]}
    return pd.DataFrame(about).assign(**{name: np.ravel(values) for name, values in columns.items()})


def constant(value, seeds=3, texts=TEXTS):
    """The same value for each training and text."""
    return np.full((seeds, texts), value)


def predicted(model, right, texts=TEXTS):
    """Predictions of two classes in turn, of which each training gets the given share right, the first texts."""
    labels = np.tile([0, 1], texts // 2)
    rows = [np.where(np.arange(texts) < share * texts, labels, 1 - labels) for share in right]
    frame = by_text(model, prediction=rows, label=np.tile(labels, (len(right), 1)))
    return frame.assign(**{"lambda": math.nan}, items=8)


def shuffled(seeds=3, texts=TEXTS, **columns):
    """Rows of `shuffles`, alike in every text: each column has a value under the model's weights, and one under each of
    two shuffles of them. The class of a text is the same under all of them, in turn 0 and 1.
    """
    blank = dict.fromkeys(("random", "by_weight", "smallest", "lead", "fall"), (math.nan, math.nan))
    parts = [
        by_text(
            **{name: constant(values[min(number, 1)], seeds, texts) for name, values in (blank | columns).items()}
        ).assign(shuffle=number, prediction=np.tile(np.arange(texts) % 2, seeds))
        for number in range(3)
    ]
    return pd.concat(parts, ignore_index=True)


def ranked(**fractions):
    """Rows of `ranked_sets`: each ranking erases the same share of the items in every text."""
    parts = [by_text(fraction_removed=constant(value)).assign(ranking=name) for name, value in fractions.items()]
    return pd.concat(parts, ignore_index=True)


def fallen(seeds=3, texts=TEXTS, **falls):
    """Rows of `located`: each ranking lowers the predicted class as much in every text, at each of five sizes.

    The texts have 1 to 20 words, in turn.
    """
    steps = {f"falls_{step}": step - 2.0 for step in range(5)}
    parts = [
        by_text(top_flips=constant(value, seeds, texts) > 0.5)
        .assign(ranking=name, words=np.tile(np.arange(texts) % 20 + 1, seeds))
        .assign(fraction_removed=1 - value, **{step: value + add for step, add in steps.items()})
        for name, value in falls.items()
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def adversaries(points, dev=None):
    """TVD and JSD (.6 of a shuffled map) of adversaries by lambda, in every test text; dev: their TVD there, the same
    unless it is given. Every two trainings of base have a JSD of .3 and a TVD of .1 in every test text.
    """
    about = {"dataset": "needle", "suite": "wp", "model": "adversary", "seed": 1, "texts": 400, "tvd_sd": 0.01}
    comparison = [
        by_text("adversary", tvd=constant(tvd, 1), jsd=constant(jsd, 1), chance_jsd=constant(0.6, 1)).assign(
            **{"lambda": lambda_}, same_top=False
        )
        for lambda_, (tvd, jsd) in points.items()
    ]
    on_dev = dev or {lambda_: tvd for lambda_, (tvd, _) in points.items()}
    rows = [{**about, "lambda": lambda_, "tvd": tvd, "jsd": 0.1} for lambda_, tvd in on_dev.items()]
    other = by_text(jsd=constant(0.3, 1), chance_jsd=constant(0.6, 1), tvd=constant(0.1, 1), same_top=constant(1, 1))
    return NOTHING | {
        "predictions": predicted("base", [0.95, 0.96, 0.96]),
        "stability": pd.concat([other.assign(seed=seed, other=one) for seed, one in ((2, 1), (3, 1), (3, 2))]),
        "comparison": pd.concat(comparison, ignore_index=True),
        "consistency": pd.DataFrame(rows),
        "permutation": by_text(mean_tvd=constant(0.3), flips=constant(0.2), chance_jsd=constant(0.6)),
    }
