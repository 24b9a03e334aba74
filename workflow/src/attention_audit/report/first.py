"""The text with which the report opens: its words with their weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pandas as pd

from attention_audit.answer.opening import Seen, opening
from attention_audit.tables.wording import isolated

NUMBERED = 3
"""So many of the greatest weights stand beside their items as numbers."""


@dataclass(frozen=True)
class Item:
    """A word, or a sentence. shade: its weight in shares of the greatest; weight: "" where it is not said."""

    text: str
    shade: float
    weight: str


@dataclass(frozen=True)
class FirstText:
    """The text. prediction: what the model says, with the probability; right: whether the data say so too.

    others: the maps of other trainings. why: why this text is shown. whole: whether the items are sentences.
    """

    id: str
    seed: int
    items: list[Item]
    prediction: str
    sure: float
    right: bool
    why: str
    whole: bool
    others: list[list[Item]] = field(default_factory=list)


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
    texts: pd.DataFrame,
    readout: pd.DataFrame,
    corpus: Mapping[str, Mapping[str, Any]],
    items: str,
    others: Sequence[pd.DataFrame] = (),
) -> FirstText | None:
    """Take the text that `answer.opening` chooses of the first model's; None where there is none.

    texts: a columns.TEXTS frame. readout: id, probabilities and attention of the first model's texts. corpus: tokens
    and sentences, by id. items: what the weights lie on, "words" or "sentences". others:
    the same as `readout` of other trainings.
    """
    first = texts[["dataset", "suite", "model"]].head(1)
    own = texts.merge(first).merge(readout[["id", "probabilities", "attention"]], on="id")
    rows: list[dict[str, Any]] = own[own["id"].isin(corpus)].to_dict("records")  # type: ignore[assignment]
    seen = [
        Seen.read(
            row["prediction"] == row["label"], float(max(row["probabilities"])), len(corpus[row["id"]]["tokens"]), row
        )
        for row in rows
    ]
    if not seen:
        return None
    place, why = opening(seen, items.removesuffix("s"))
    row, text = rows[place], corpus[rows[place]["id"]]
    whole = items == "sentences"
    starts = (text["sentences"] or []) if whole else None
    further = [other.loc[other["id"] == row["id"], "attention"] for other in others]
    return FirstText(
        id=row["id"],
        seed=int(row["seed"]),
        items=items_of(text["tokens"], starts, row["attention"]),
        prediction=isolated(row["prediction_name"]),
        sure=seen[place].sure,
        right=seen[place].right,
        why=why,
        whole=whole,
        others=[items_of(text["tokens"], starts, weights.iloc[0]) for weights in further if len(weights)],
    )
