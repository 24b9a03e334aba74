"""The text with which the report opens: its words with their weights."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from attention_audit.answer.opening import Seen, opening
from attention_audit.tables.wording import isolated

NUMBERED = 3
"""So many of the greatest weights stand beside their items as numbers."""


class Item(NamedTuple):
    """A word, or a sentence. shade: its weight in shares of the greatest; weight: "" where it is not said."""

    text: str
    shade: float
    weight: str


class FirstText(NamedTuple):
    """The text. prediction: the class that the model says. seen: what else is known of the text. why: why it is shown.
    whole: whether the items are sentences. maps: those of the first training and of others.
    """

    id: str
    prediction: str
    seen: Seen
    why: str
    whole: bool
    maps: list[list[Item]]


def items_of(words: Sequence[str], starts: Sequence[int] | None, weights: Sequence[float]) -> list[Item]:
    """List the items of a text with their weights, as many as the model read.

    starts: where sentences begin, of a text whose items are sentences; else None.
    """
    if starts is not None:
        words = [" ".join(words[begin:end]) for begin, end in pairwise([*(starts or [0]), len(words)])]
    pairs = [*zip(words, map(float, weights), strict=False)]
    greatest = sorted((weight for _, weight in pairs), reverse=True)
    most, least = max(greatest[0], 1e-9), greatest[min(NUMBERED, len(greatest)) - 1]
    return [
        Item(isolated(text), round(weight / most, 3), f"{weight:.2f}" if weight >= least else "")
        for text, weight in pairs
    ]


def first_text(
    texts: pd.DataFrame, maps: Sequence[pd.DataFrame], corpus: Mapping[str, Mapping[str, Any]], items: str
) -> FirstText | None:
    """Take the text that `answer.opening` chooses of the first model's; None where there is none.

    texts: a columns.TEXTS frame. maps: id, probabilities and attention of the first model's texts, by training. corpus:
    tokens and sentences, by id. items: what the weights lie on, "words" or "sentences".
    """
    own = texts.merge(texts[["dataset", "suite", "model"]].head(1)).merge(maps[0], on="id")
    rows: list[dict[str, Any]] = own[own["id"].isin(corpus)].to_dict("records")  # type: ignore[assignment]
    if not rows:
        return None
    words = [len(corpus[row["id"]]["tokens"]) for row in rows]
    seen = [
        Seen.read(row["prediction"] == row["label"], float(max(row["probabilities"])), count, row)
        for row, count in zip(rows, words, strict=True)
    ]
    place, why = opening(seen, items.removesuffix("s"))
    id_, whole = rows[place]["id"], items == "sentences"
    text = corpus[id_]
    starts = (text["sentences"] or []) if whole else None
    weights = [each.loc[each["id"] == id_, "attention"] for each in maps]
    shown = [items_of(text["tokens"], starts, found.iloc[0]) for found in weights if len(found)]
    return FirstText(id_, isolated(rows[place]["prediction_name"]), seen[place], why, whole, shown)
