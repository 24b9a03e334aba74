"""Plausible rows of audits, for the figures that have a panel a data set and model."""

from itertools import combinations

import numpy as np
import pandas as pd

from attention_audit.audits.correlation import list_pairs
from attention_audit.audits.rankings import RANKERS
from attention_audit.divergence import LN2
from attention_audit.names import ATTRIBUTIONS

CURVES = [f"{measure}_curve_{place}" for measure in ("comprehensiveness", "sufficiency") for place in range(5)]


def frame_of(models, texts, words=(), **draws):
    """Rows of every data set, model, text and combination of `words`; `draws`: from a generator and a count to numbers
    of a column.
    """
    index = [(d, m, 1, f"text {i}", i % 3) for d, names in models.items() for m in names for i in range(texts)]
    frame = pd.DataFrame(index, columns=["dataset", "model", "seed", "id", "prediction"])
    for name, values in dict(words).items():
        frame = frame.merge(pd.DataFrame({name: values}), how="cross")
    random = np.random.default_rng(0)
    return frame.assign(**{name: draw(random, len(frame)) for name, draw in draws.items()})


def draw_shares(random, count):
    return random.random(count)


def correlation(models, texts=40):
    """Rows of columns.CORRELATION; tau of every tenth text is not defined."""
    pairs = list(map("~".join, list_pairs(["gradient", "loo"])))
    frame = frame_of(models, texts, {"pair": pairs}, tau=lambda r, n: r.uniform(-0.3, 1, n))
    return frame.assign(tau=frame["tau"].mask(frame["id"].str.endswith("9")))


def permutation(models, texts=40):
    """Rows of columns.PERMUTATION."""
    return frame_of(models, texts, max_attention=lambda r, n: r.uniform(0.05, 1, n), median_tvd=draw_shares)


def adversary(models, texts=40):
    """Rows of columns.INSTANCE_ADVERSARY."""
    return frame_of(models, texts, base_max_attention=draw_shares, jsd=lambda r, n: r.uniform(0.1, LN2, n))


def agreement(models):
    """Rows of columns.AGREEMENT."""
    frame = frame_of(models, 1, {"pair": combinations(ATTRIBUTIONS, 2)}, tau=lambda r, n: r.uniform(-1, 1, n))
    first, second = zip(*frame["pair"], strict=True)
    return frame.drop(columns="pair").assign(first=first, second=second, texts=60)


def single_weight(models, texts=60):
    """Rows of columns.SINGLE_WEIGHT."""
    words = {"ranking": ["attention", "gradient"], "draw": ["corrected", "as_published"]}
    return frame_of(models, texts, words, delta_attention=draw_shares, delta_js=lambda r, n: r.normal(0.1, 0.1, n))


def ranked_sets(models, texts=60):
    """Rows of columns.RANKED_SETS, curves as numbers."""
    draws = dict.fromkeys(("fraction_removed", *CURVES), draw_shares)
    frame = frame_of(models, texts, {"ranking": list(RANKERS)}, **draws)
    frame.loc[frame["ranking"] == "smallest", CURVES] = np.nan
    return frame


def contributions(models, texts=40, items=9):
    """Rows of columns.CONTRIBUTIONS, each list in columns of its own."""
    frame = frame_of(models, texts, against=draw_shares, overlap=lambda r, n: r.integers(0, 6, n) / 5)
    random = np.random.default_rng(0)
    weights = random.dirichlet(np.ones(items), len(frame))
    for place in range(min(items, 5)):
        frame[f"top_weights_{place}"] = weights[:, place]
        frame[f"top_contributions_{place}"] = 2 * weights[:, place] * random.choice([-1, 1], len(frame))
    return frame.assign(items=items, magnitude=2.0)


CONSISTENT = (("consistent_adversary", "adversary", 0.001, 0.5),)
"""Weights, model, lambda and JSD of consistent adversaries."""


ANSWER = pd.DataFrame({"dataset": ["sst"], "unique_model": ["adversary"], "unique_lambda": [0.001], "unique_seed": [1]})
"""The columns of columns.SUMMARY that name the adversary of the answer."""


def attention_maps(texts, consistent=CONSISTENT):
    """Rows of columns.ATTENTION_MAPS of some texts, which are words."""
    random = np.random.default_rng(0)
    about = {"dataset": "sst", "seed": 1, "label": 1, "probability": 0.9, "base_prediction": 1}
    models = (("base", "base", np.nan, 0.0), *consistent, ("instance_adversary", "base", np.nan, 0.5))
    rows = [
        {**about, "id": f"sst-test-{number}", "weights": weights, "model": model, "lambda": lambda_, "jsd": jsd}
        | {"position": place, "token": word, "attention": attention}
        for number, words in enumerate(texts)
        for weights, model, lambda_, jsd in models
        for place, (word, attention) in enumerate(zip(words, random.dirichlet([0.2] * len(words)), strict=True))
    ]
    return pd.DataFrame(rows)
