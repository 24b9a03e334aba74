"""Which text a reader sees first, in the report and in the explorer, by a rule that is declared and not by hand.

Of the texts that the model gets right and is sure of, those come first whose map is most in doubt: other trainings have
another top word, and an adversary goes far.
"""

from collections.abc import Mapping, Sequence
from math import isnan, log, nan
from typing import Any, NamedTuple

SURE = 0.8
"""From which probability of the predicted class on a model is called sure."""
FAR = log(2) / 2
"""From which JSD (nats) on an adversary is said to go far: half of the largest."""
READABLE = range(8, 31)
"""How many words a text has that is read at a glance."""
NO_REASON = (
    "This is the first text of the data: there is none that the model gets right and is sure of and on which trainings "
    "disagree about the top {item} or an adversary goes far."
)


class Seen(NamedTuple):
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
    def read(cls, right: bool, sure: float, words: int, row: Mapping[str, Any]) -> "Seen":
        """Read what is known of the others in a row of the table of texts; nothing, where it is empty."""
        moved = row.get("moved")
        return cls(right, sure, words, row.get("others", 0), row.get("agree", 0), nan if moved is None else moved)

    @property
    def doubt(self) -> tuple[bool, bool, float, float]:
        """Whether trainings disagree on its map, whether the adversary goes far, and both amounts."""
        # to three digits, which every page has, so that all choose the same text
        differ, moved = self.others - self.agree, -1.0 if isnan(self.moved) else round(self.moved, 3)
        return differ > 0, self.moved > FAR, differ / max(self.others, 1), moved


def say_doubt(seen: Seen, item: str) -> str:
    """Say how many trainings have another top item, and how far the adversary goes, where it goes far."""
    said, differ = [], seen.others - seen.agree
    if differ and seen.others == 1:
        said.append(f"the other training has another top {item}")
    elif differ:
        every = "both" if seen.others == 2 else f"all {seen.others}"
        which = every if differ == seen.others else f"{differ} of the {seen.others}"
        said.append(f"{which} other trainings {'has' if differ == 1 else 'have'} another top {item}")
    if seen.moved > FAR:
        said.append(f"an adversary moves the map by {seen.moved:.2f} of at most {log(2):.2f} (JSD)")
    return " and ".join(said)


def opening(texts: Sequence[Seen], item: str = "word") -> tuple[int, str]:
    """The place of the text that is shown first, and why, in a sentence; of an empty sequence there is none.

    The model gets the text right and is sure of it; it has 8 to 30 words if there is such a text in doubt. Those come
    first on which trainings disagree and the adversary goes far, then those with one of both, trainings before the
    adversary. Of these, it is the one that most trainings disagree on, then the one whose map the adversary moves
    furthest, then the first. Where no text is in doubt, it is the first of all, and the sentence says so.
    """
    sure = [place for place, seen in enumerate(texts) if seen.right and seen.sure >= SURE and any(seen.doubt[:2])]
    if not sure:
        return 0, NO_REASON.format(item=item)
    readable = [place for place in sure if texts[place].words in READABLE]
    place = max(readable or sure, key=lambda place: texts[place].doubt)
    why = say_doubt(texts[place], item)
    return place, f"Shown first because the model is right and sure ({texts[place].sure:.2f}), while {why}."
