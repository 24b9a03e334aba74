"""The text with which the report opens: its words with their weights.

Which text a reader sees first, there and in the explorer, is chosen by a rule that is declared and not by hand. Of the
texts that the model gets right and is sure of, those come first whose map is most in doubt: other trainings have
another top word, and an adversary goes far.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Any, NamedTuple

import pandas as pd

from attention_audit.tables.wording import mark_direction

SURE_PROBABILITY = 0.8
"""From which probability of the predicted class on a model is called sure."""
FAR_JSD = log(2) / 2
"""From which JSD (nats) on an adversary is said to go far: half of the largest."""
MAX_NUMBERED = 3
"""So many of the greatest weights stand beside their items as numbers."""
GLANCE_LENGTHS = range(8, 31)
"""How many words a text has that is read at a glance."""
DOUBT_DEFAULTS = {"others": 0, "agree": 0, "moved": -1}
"""What stands for what is not known of a text."""
NO_REASON = (
    "This is the first text of the data: there is none that the model gets right and is sure of and on which trainings "
    "disagree about the top {item} or an adversary goes far."
)


def say_doubt(trainings: int, differ: int, distance: float, item: str) -> str:
    """Say how many trainings have another top item, and how far the adversary goes, where it goes far."""
    clauses = []
    if differ:
        total = {1: "the", 2: "both"}.get(trainings, f"all {trainings}")
        which = total if differ == trainings else f"{differ} of the {trainings}"
        verb = "has" if differ == 1 else "have"
        clauses.append(f"{which} other training{'s' * (trainings != 1)} {verb} another top {item}")
    if distance > FAR_JSD:
        clauses.append(f"an adversary moves the map by {distance:.2f} of at most {log(2):.2f} (JSD)")
    return " and ".join(clauses)


def choose_first_text(texts: pd.DataFrame, item: str = "word") -> tuple[int, str]:
    """Find the place of the text that is shown first, and say why, in a sentence; of an empty frame there is none.

    The model gets the text right and is sure of it; it has 8 to 30 words if there is such a text in doubt. Those come
    first on which trainings disagree and the adversary goes far, then those with one of both, trainings before the
    adversary. Of these, it is the one that most trainings disagree on, then the one whose map the adversary moves
    furthest, then the first. Where no text is in doubt, it is the first of all, and the sentence says so.

    texts: right, whether the prediction is the label; sure, the probability of the predicted class; words, how many it
    has; others, other trainings of the model; agree, how many of them have the same top item; moved, the JSD (nats) to
    which the adversary moves its map. The last three are missing where they are not known.
    """
    rows = texts.reset_index(drop=True).astype(dict.fromkeys(DOUBT_DEFAULTS, float)).fillna(DOUBT_DEFAULTS)
    differ, distances = rows["others"] - rows["agree"], rows["moved"]
    doubt = pd.DataFrame({"differ": differ > 0, "far": distances > FAR_JSD, "share": differ / rows["others"].clip(1)})
    sure = rows["right"] & (rows["sure"] >= SURE_PROBABILITY) & (doubt["differ"] | doubt["far"])
    if not sure.any():
        return 0, NO_REASON.format(item=item)
    readable = sure & rows["words"].isin(GLANCE_LENGTHS)
    # to three digits, which every page has, so that all choose the same text
    doubt["moved"] = [round(distance, 3) for distance in distances]
    candidates = doubt[readable if readable.any() else sure].sort_values([*doubt], ascending=False, kind="stable")
    position = int(candidates.index[0])
    why = say_doubt(int(rows["others"][position]), int(differ[position]), distances[position], item)
    return position, f"Shown first because the model is right and sure ({rows['sure'][position]:.2f}), while {why}."


class ShadedItem(NamedTuple):
    """A word, or a sentence. shade: its weight in shares of the greatest of all maps shown; weight: "" where it is not
    said.
    """

    text: str
    shade: float
    weight: str


class FirstText(NamedTuple):
    """The text. prediction: the class that the model says; sure: with which probability; right: whether it is the
    label. why: why the text is shown. whole: whether the items are sentences. maps: those of the first training and of
    others.
    """

    id: str
    prediction: str
    sure: float
    right: bool
    why: str
    whole: bool
    maps: list[list[ShadedItem]]


def list_items(
    words: Sequence[str], starts: Sequence[int] | None, weights: Sequence[float], highest: float
) -> list[ShadedItem]:
    """List the items of a text with their weights, as many as the model read.

    starts: where sentences begin, of a text whose items are sentences; else None. highest: the greatest weight of all
    maps that are shown, so that a flat map does not look decided.
    """
    if starts is not None:
        words = [" ".join(words[begin:end]) for begin, end in pairwise([*(starts or [0]), len(words)])]
    pairs = [*zip(words, map(float, weights), strict=False)]
    greatest = sorted((weight for _, weight in pairs), reverse=True)
    threshold = greatest[:MAX_NUMBERED][-1]
    return [
        ShadedItem(mark_direction(text), round(weight / highest, 3), f"{weight:.2f}" if weight >= threshold else "")
        for text, weight in pairs
    ]


def find_first_text(
    texts: pd.DataFrame, maps: Sequence[pd.DataFrame], corpus: Mapping[str, Mapping[str, Any]], items: str
) -> FirstText | None:
    """Take the text that `choose_first_text` chooses of the first model's; None where there is none.

    texts: a columns.TEXTS frame. maps: id, probabilities and attention of the first model's texts, by training. corpus:
    tokens and sentences, by id. items: what the weights lie on, "words" or "sentences".
    """
    rows = texts.merge(texts[["dataset", "suite", "model"]].head(1)).merge(maps[0], on="id")
    rows = rows[rows["id"].isin(corpus)]
    if rows.empty:
        return None
    rows = rows.assign(
        right=rows["prediction"] == rows["label"],
        sure=rows["probabilities"].map(max),
        words=[len(corpus[id_]["tokens"]) for id_ in rows["id"]],
    )
    position, why = choose_first_text(rows, items.removesuffix("s"))
    row, by_sentence = rows.iloc[position], items == "sentences"
    text = corpus[row["id"]]
    starts = (text["sentences"] or []) if by_sentence else None
    weights = [each.loc[each["id"] == row["id"], "attention"] for each in maps]
    attention = [match.iloc[0] for match in weights if len(match)]
    highest = max([1e-9, *(float(max(each)) for each in attention)])
    shaded = [list_items(text["tokens"], starts, each, highest) for each in attention]
    prediction = mark_direction(row["prediction_name"])
    return FirstText(row["id"], prediction, row["sure"], row["right"], why, by_sentence, shaded)
