"""From the tokens that follow texts to the views of the page: each token is a text of its own, whose words are what is
read before it.
"""

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd

from attention_audit.names import LOO, MEAN_ROW, RANKINGS, TOKEN_MAPS

from .document import AboutMap, AboutView, MapKind, Told, View, ViewRun, round_digits
from .views import PROBABILITY

MEANINGS = {
    MEAN_ROW: "What the position that says the token gives each word, of what it gives to words: the mean over all "
    "layers and heads.",
    LOO: "The probability that the token loses where the word is deleted.",
}
FURTHER_MAP = "A further map of this token."


def make_token_view(about: Mapping[str, Any], rows: pd.DataFrame) -> tuple[AboutView, View]:
    """Make the view of a model from rows of columns.GENERATED_TOKENS: what there is to know of it, and its tokens.
    about: what does not follow from these.

    Its classes are the tokens that are asked of; the prediction of a training is the token, with its probability. What
    no map has below 0 is shown as shares.
    """
    attended = rows[rows["map"] == MEAN_ROW]
    by_training = {seed: attended[attended["seed"] == seed] for seed in attended["seed"].unique().tolist()}
    first, told = next(iter(by_training.values())), rows[rows["map"] == LOO]
    classes = first["token"].unique().tolist()
    numbers = [classes.index(token) for token in first["token"]]
    abouts, maps = list[AboutMap](), dict[str, Any]()
    for (named, number), of_map in rows.groupby(["map", "seed"], sort=False):
        name, seed = str(named), int(str(number))
        key = f"{'attention' if name == MEAN_ROW else name}:{seed}"
        label = f"{TOKEN_MAPS.get(name) or RANKINGS[name].label}, training {seed}"
        signed = any((scores < 0).any() for scores in of_map["scores"])
        kind: MapKind = "attention" if name == MEAN_ROW else "signed" if signed or name == LOO else "share"
        abouts.append(
            AboutMap(
                key=key,
                label=label,
                meaning=MEANINGS.get(name, FURTHER_MAP),
                kind=kind,
                computed="stored",
                seed=seed,
                own=False,
            )
        )
        shown = (scores if kind == "signed" else scores / (scores.sum() or 1) for scores in of_map["scores"])
        maps[key] = [round_digits(scores).tolist() for scores in shown]
    texts = len(first)

    def write_run(own: pd.DataFrame) -> ViewRun:
        """Write the probability of each token of a training."""
        chances = own["probability"].round(PROBABILITY)
        p = [
            [chance if at == number else 0.0 for at in range(len(classes))]
            for number, chance in zip(numbers, chances, strict=True)
        ]
        return ViewRun(p=p, prediction=numbers)

    view = View(
        id=first["id"].tolist(),
        words=[words.tolist() for words in first["words"]],
        marks=[0] * texts,
        unread=[0] * texts,
        query=[None] * texts,
        candidates=[None] * texts,
        gold=[-1] * texts,
        runs={str(seed): write_run(own) for seed, own in by_training.items()},
        maps=maps,
        imposed={},
        own={},
        columns={},
        told=Told(likeliest=told["likeliest"].tolist(), without=[each.tolist() for each in told["without"]]),
    )
    described = {
        **about,
        "key": "{dataset}/{suite}/{model}".format_map(about),
        "items": "words",
        "classes": [repr(token) for token in classes],
        "seeds": [*by_training],
        "heads": 0,
        "outputs": 0,
        "here": False,
        "why_not": "",
        "tail": False,
        "tokens": True,
        "maps": abouts,
        "missing": {},
        "columns": [],
        "columns_seed": None,
        "finding": "",
        "lines": [],
    }
    return cast(AboutView, described), view
