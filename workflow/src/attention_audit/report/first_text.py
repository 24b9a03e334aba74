"""The text with which the report opens: its words with their weights.

Which text a reader sees first, there and in the explorer, is chosen by a rule that is declared and not by hand. Of the
texts that the model gets right and is sure of, those come first whose map is most in doubt: other trainings have
another top word, and an adversary goes far.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isnan, log, nan
from typing import Any, NamedTuple

import pandas as pd

from attention_audit.tables.wording import mark_direction

SURE_PROBABILITY = 0.8
"""From which probability of the predicted class on a model is called sure."""
FAR_JSD = log(2) / 2
"""From which JSD (nats) on an adversary is said to go far: half of the largest."""
MAX_NUMBERED = 3
"""So many of the greatest weights stand beside their items as numbers."""
READABLE_LENGTHS = range(8, 31)
"""How many words a text has that is read at a glance."""
NO_REASON = (
    "This is the first text of the data: there is none that the model gets right and is sure of and on which trainings "
    "disagree about the top {item} or an adversary goes far."
)


class TextReadout(NamedTuple):
    """What the rule knows of a text.

    right: whether the prediction is the label. sure: the probability of the predicted class. words: how many it has.
    others: other trainings of the model; agree: how many of them have the same top item. moved: the JSD (nats) to which
    the adversary moves its map; NaN where there is none.
    """

    right: bool
    sure: float
    words: int
    others: int
    agree: int
    moved: float

    @classmethod
    def read(cls, right: bool, sure: float, words: int, row: Mapping[str, Any]) -> "TextReadout":
        """Read what is known of the others in a row of the table of texts; nothing, where it is empty."""
        moved = row.get("moved")
        return cls(right, sure, words, row.get("others", 0), row.get("agree", 0), nan if moved is None else moved)

    @property
    def doubt(self) -> tuple[bool, bool, float, float]:
        """Tell whether trainings disagree on its map, whether the adversary goes far, and both amounts."""
        # to three digits, which every page has, so that all choose the same text
        differ, moved = self.others - self.agree, -1.0 if isnan(self.moved) else round(self.moved, 3)
        return differ > 0, self.moved > FAR_JSD, differ / max(self.others, 1), moved


def say_doubt(seen: TextReadout, item: str) -> str:
    """Say how many trainings have another top item, and how far the adversary goes, where it goes far."""
    said, differ = [], seen.others - seen.agree
    if differ:
        every = {1: "the", 2: "both"}.get(seen.others, f"all {seen.others}")
        which = every if differ == seen.others else f"{differ} of the {seen.others}"
        verb = "has" if differ == 1 else "have"
        said.append(f"{which} other training{'s' * (seen.others != 1)} {verb} another top {item}")
    if seen.moved > FAR_JSD:
        said.append(f"an adversary moves the map by {seen.moved:.2f} of at most {log(2):.2f} (JSD)")
    return " and ".join(said)


def choose_opening(texts: Sequence[TextReadout], item: str = "word") -> tuple[int, str]:
    """Find the place of the text that is shown first, and say why, in a sentence; of an empty sequence there is none.

    The model gets the text right and is sure of it; it has 8 to 30 words if there is such a text in doubt. Those come
    first on which trainings disagree and the adversary goes far, then those with one of both, trainings before the
    adversary. Of these, it is the one that most trainings disagree on, then the one whose map the adversary moves
    furthest, then the first. Where no text is in doubt, it is the first of all, and the sentence says so.
    """
    sure = [
        place
        for place, seen in enumerate(texts)
        if seen.right and seen.sure >= SURE_PROBABILITY and any(seen.doubt[:2])
    ]
    if not sure:
        return 0, NO_REASON.format(item=item)
    readable = [place for place in sure if texts[place].words in READABLE_LENGTHS]
    place = max(readable or sure, key=lambda place: texts[place].doubt)
    why = say_doubt(texts[place], item)
    return place, f"Shown first because the model is right and sure ({texts[place].sure:.2f}), while {why}."


class ShadedItem(NamedTuple):
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
    seen: TextReadout
    why: str
    whole: bool
    maps: list[list[ShadedItem]]


def list_items(words: Sequence[str], starts: Sequence[int] | None, weights: Sequence[float]) -> list[ShadedItem]:
    """List the items of a text with their weights, as many as the model read.

    starts: where sentences begin, of a text whose items are sentences; else None.
    """
    if starts is not None:
        words = [" ".join(words[begin:end]) for begin, end in pairwise([*(starts or [0]), len(words)])]
    pairs = [*zip(words, map(float, weights), strict=False)]
    greatest = sorted((weight for _, weight in pairs), reverse=True)
    most, least = max(greatest[0], 1e-9), greatest[:MAX_NUMBERED][-1]
    return [
        ShadedItem(mark_direction(text), round(weight / most, 3), f"{weight:.2f}" if weight >= least else "")
        for text, weight in pairs
    ]


def find_first_text(
    texts: pd.DataFrame, maps: Sequence[pd.DataFrame], corpus: Mapping[str, Mapping[str, Any]], items: str
) -> FirstText | None:
    """Take the text that `choose_opening` chooses of the first model's; None where there is none.

    texts: a columns.TEXTS frame. maps: id, probabilities and attention of the first model's texts, by training. corpus:
    tokens and sentences, by id. items: what the weights lie on, "words" or "sentences".
    """
    own = texts.merge(texts[["dataset", "suite", "model"]].head(1)).merge(maps[0], on="id")
    rows: list[dict[str, Any]] = own[own["id"].isin(corpus)].to_dict("records")  # type: ignore[assignment]
    if not rows:
        return None
    seen = [
        TextReadout.read(
            row["prediction"] == row["label"], float(max(row["probabilities"])), len(corpus[row["id"]]["tokens"]), row
        )
        for row in rows
    ]
    place, why = choose_opening(seen, items.removesuffix("s"))
    id_, whole = rows[place]["id"], items == "sentences"
    text = corpus[id_]
    starts = (text["sentences"] or []) if whole else None
    weights = [each.loc[each["id"] == id_, "attention"] for each in maps]
    shown = [list_items(text["tokens"], starts, found.iloc[0]) for found in weights if len(found)]
    return FirstText(id_, mark_direction(rows[place]["prediction_name"]), seen[place], why, whole, shown)
