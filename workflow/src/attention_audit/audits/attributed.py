"""The attributions of one model: computed once, for all audits that run the model again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from attention_audit.arrays import Integers
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Readout, Scores
from attention_audit.targets import load

from .gradients import gradients, integrated_gradients
from .leave_one_out import Deletions, leave_one_out
from .settings import Agreement, Deletion


def sample(count: int, most: int) -> Integers:
    """At most `most` of `count` texts, evenly spread, in order."""
    return np.arange(count) if count <= most else np.arange(most) * count // most


@dataclass(eq=False)
class Attributed:
    """A model with the texts of a split, its readout of them in the same order, and their attributions.

    Each attribution is computed when an audit first asks for it, and kept. `report` says which. together: gives
    leave-one-out of several models, of which this is the one at `place`; None: it is computed here. seed: of this
    training. earlier: what an audit has kept of the trainings of this model that it was asked of before, by seed. own:
    attributions of the user's own, each "module:function".
    """

    model: Network
    split: Split
    readout: Readout
    report: Callable[[str], None]
    together: Callable[[], Sequence[Deletions]] | None = None
    place: int = 0
    seed: int = 0
    own: Sequence[str] = ()
    earlier: dict[int, dict[str, Scores]] = field(default_factory=dict)
    _kept: dict[Any, Any] = field(default_factory=dict, init=False)

    @cached_property
    def deletions(self) -> Deletions:
        """Leave-one-out."""
        found = self.together()[self.place] if self.together else leave_one_out(self.model, self.split)
        self.report(f"leave-one-out: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return found

    def deletions_of(self, members: Integers) -> Deletions:
        """Leave-one-out of the texts at `members`, or of all where it is known; of texts that are not asked nothing
        falls. Texts of one word count as computed.
        """
        several = np.flatnonzero(self.split.lengths > 1)
        if "deletions" in vars(self) or np.isin(several, members).all():
            return self.deletions
        key = members.tobytes()
        if key not in self._kept:
            self._kept[key] = leave_one_out(self.model, self.split, members)
            self.report(f"leave-one-out: {self.split.lengths[members].sum()} tokens of {len(members)} texts")
        found: Deletions = self._kept[key]
        return found

    def deletable(self, agreement: Agreement, deletion: Deletion) -> Integers:
        """The positions of texts of several words of which words are deleted: all, or the sample of `deletion` and the
        one of `agreement`.
        """
        several = np.flatnonzero(self.split.lengths > 1)
        if deletion.texts is None:
            return several
        samples = (sample(len(self.split), most) for most in (deletion.texts, agreement.texts))
        return np.intersect1d(several, np.union1d(*samples))

    @cached_property
    def gradient(self) -> Scores:
        """Shares of the magnitudes of the gradients of the words."""
        return gradients(self.model, self.split)

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """The attributions of every text by name: those of `EVERY_TEXT`, and then the user's own."""
        attributions = EVERY_TEXT | {target: load(target) for target in self.own}
        found = {name: attribute(self) for name, attribute in attributions.items()}
        self.report(f"{', '.join(found)}: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return found

    def integrated(self, settings: Agreement) -> tuple[Integers, Scores]:
        """The positions of a sample of the texts, and the integrated gradients of all texts, with their signs."""
        chosen, key = sample(len(self.split), settings.texts), (settings.texts, settings.steps)
        if key not in self._kept:
            self._kept[key] = integrated_gradients(self.model, self.split, settings.steps, chosen)
            self.report(f"integrated gradients of {len(chosen)} texts")
        return chosen, self._kept[key]


Attribution = Callable[[Attributed], Scores]

EVERY_TEXT: dict[str, Attribution] = {
    "gradient": lambda texts: texts.gradient,
    "gradient_attached": lambda texts: gradients(texts.model, texts.split, attached=True),
    "loo": lambda texts: texts.deletions.distances,
}
"""The attributions that are computed for every test text and correlated with attention, named as in
`names.ATTRIBUTIONS`."""
