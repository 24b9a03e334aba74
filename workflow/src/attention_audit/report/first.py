"""The text with which the report opens: its words with their weights, and what may be said of this map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

from attention_audit.answer.opening import Seen, opening
from attention_audit.columns.texts import MAY, OPEN, UNKNOWN, WHY_NOT
from attention_audit.tables.wording import isolated

DO_NOT = "Do not show this map as an explanation"
VERDICTS = {
    MAY: "This map may be shown as an explanation: it passes every question that can be asked of one text.",
    OPEN: "Whether this map may be shown as an explanation is open: some questions were not asked of single texts.",
    UNKNOWN: "Whether this map may be shown as an explanation is not known: no question was asked of single texts.",
    WHY_NOT["learnt"]: f"{DO_NOT}: the model is no better than always the same answer.",
    WHY_NOT["flat"]: f"{DO_NOT}: it gives everything nearly the same weight.",
    WHY_NOT["stable"]: f"{DO_NOT}: other trainings of the model have another one.",
    WHY_NOT["used"]: f"{DO_NOT}: the prediction stays nearly the same when it is shuffled.",
    WHY_NOT["ranks"]: f"{DO_NOT}: its order is far from the one in which the decision falls soonest.",
    WHY_NOT["located"]: f"{DO_NOT}: its top words are not those that matter most.",
    WHY_NOT["signed"]: f"{DO_NOT}: the top {{item}} does not speak for the prediction.",
    WHY_NOT["unique"]: f"{DO_NOT}: a model that predicts nearly alike has another one.",
}
"""What may be said of the map of one text, by the column `show` of columns.TEXTS."""
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

    verdict: what may be said of the map. why: why this text is shown. whole: whether the items are sentences.
    """

    id: str
    seed: int
    items: list[Item]
    prediction: str
    sure: float
    right: bool
    verdict: str
    why: str
    whole: bool


def items_of(words: Sequence[str], starts: Sequence[int] | None, weights: Sequence[float]) -> list[Item]:
    """The items of a text with their weights, as many as the model read.

    starts: where sentences begin, of a text whose items are sentences; else None.
    """
    texts = list(words)
    if starts is not None:
        texts = [" ".join(words[begin:end]) for begin, end in pairwise([*(starts or [0]), len(words)])]
    pairs = [*zip(texts, map(float, weights), strict=False)]
    greatest = sorted((weight for _, weight in pairs), reverse=True)
    most, least = max(greatest[0], 1e-9), greatest[min(NUMBERED, len(greatest)) - 1]
    return [
        Item(isolated(text), round(weight / most, 3), f"{weight:.2f}" if weight >= least else "")
        for text, weight in pairs
    ]


def first_text(
    texts: pd.DataFrame, readout: pd.DataFrame, corpus: Mapping[str, Mapping[str, Any]], items: str
) -> FirstText | None:
    """The text that `answer.opening` chooses of the first model's; None where there is none.

    texts: a columns.TEXTS frame. readout: id, probabilities and attention of the first model's texts. corpus: tokens
    and sentences, by id. items: what the weights lie on, "words" or "sentences".
    """
    if texts.empty:
        return None
    own = texts[(texts[["dataset", "suite", "model"]] == texts.iloc[0][["dataset", "suite", "model"]]).all(axis=1)]
    columns = (readout[name] for name in ("id", "probabilities", "attention"))
    read = {id_: (float(max(p)), weights) for id_, p, weights in zip(*columns, strict=True)}
    rows = own[own["id"].isin(read) & own["id"].isin(corpus)].to_dict("records")
    seen = [
        Seen.of(
            row["prediction"] == row["label"],
            read[row["id"]][0],
            len(corpus[row["id"]]["tokens"]),
            *(row[name] for name in Seen._fields[3:]),
        )
        for row in rows
    ]
    if not seen:
        return None
    item = items.removesuffix("s")
    place, why = opening(seen, item)
    row, text = rows[place], corpus[rows[place]["id"]]
    whole = items == "sentences"
    return FirstText(
        id=row["id"],
        seed=int(row["seed"]),
        items=items_of(text["tokens"], (text["sentences"] or []) if whole else None, read[row["id"]][1]),
        prediction=isolated(row["prediction_name"]),
        sure=seen[place].sure,
        right=seen[place].right,
        verdict=VERDICTS[row["show"]].format(item=item),
        why=why,
        whole=whole,
    )
