"""Which text a reader sees first, in the report and in the explorer, by a rule that is declared and not by hand.

Of the texts that the model gets right and is sure of, those come first whose map is most in doubt: other trainings have
another top word, and an adversary goes far.
"""

from collections.abc import Callable, Sequence
from math import isnan, nan
from typing import Any, NamedTuple

from attention_audit.units import LN2

SURE = 0.8
"""From which probability of the predicted class on a model is called sure."""
FAR = LN2 / 2
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
    def of(cls, right: bool, sure: float, words: int, others: Any, agree: Any, moved: Any) -> "Seen":
        """A text of which the last three are None where they are not known."""
        return cls(right, sure, words, others or 0, agree or 0, nan if moved is None else moved)

    @property
    def doubt(self) -> tuple[float, float]:
        """How much its map is in doubt: the share of trainings that disagree, then how far the adversary goes."""
        # to three digits, which every page has, so that all choose the same text
        return (self.others - self.agree) / max(self.others, 1), -1.0 if isnan(self.moved) else round(self.moved, 3)

    def disagreement(self, item: str) -> str:
        """How many trainings have another top item, in words; "" where none has."""
        differ = self.others - self.agree
        if not differ:
            return ""
        if self.others == 1:
            return f"the other training has another top {item}"
        every = "both" if self.others == 2 else f"all {self.others}"
        which = every if differ == self.others else f"{differ} of the {self.others}"
        return f"{which} other trainings {'has' if differ == 1 else 'have'} another top {item}"

    def distance(self) -> str:
        """How far the adversary goes, in words; "" where that is not far."""
        if isnan(self.moved) or self.moved <= FAR:
            return ""
        return f"an adversary moves the map by {self.moved:.2f} of at most {LN2:.2f} (JSD)"


REASONS: Sequence[Callable[[Seen], bool]] = (
    lambda seen: bool(seen.disagreement("") and seen.distance()),
    lambda seen: bool(seen.disagreement("")),
    lambda seen: bool(seen.distance()),
)
"""Why a text may be shown first, the best reason first."""


def opening(texts: Sequence[Seen], item: str = "word") -> tuple[int, str]:
    """The place of the text that is shown first, and why, in a sentence; of an empty sequence there is none.

    The text is one that the model gets right and is sure of, of 8 to 30 words if there is one with a reason. Of those
    with the best of `REASONS`, it is the one that most trainings disagree on, then the one whose map the adversary
    moves furthest, then the first. Where no text has a reason, it is the first of all, and the sentence says so.
    """
    sure = [place for place, seen in enumerate(texts) if seen.right and seen.sure >= SURE]
    for pool in ([place for place in sure if texts[place].words in READABLE], sure):
        for holds in REASONS:
            if found := [place for place in pool if holds(texts[place])]:
                place = max(found, key=lambda place: texts[place].doubt)
                seen = texts[place]
                why = " and ".join(filter(None, [seen.disagreement(item), seen.distance()]))
                return place, f"Shown first because the model is right and sure ({seen.sure:.2f}), while {why}."
    return 0, NO_REASON.format(item=item)
