"""The attributions of one model: computed once, for all audits that run the model again."""

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from attention_audit.audits.attributions import Scores
from attention_audit.audits.gradients import attached_gradients, gradients
from attention_audit.audits.integrated_gradients import integrated_gradients
from attention_audit.audits.leave_one_out import Deletions, leave_one_out, unasked
from attention_audit.audits.settings import Agreement
from attention_audit.batching import Indices
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.plugins import LiveByName, functions
from attention_audit.readout import Readout


def sample(count: int, most: int) -> Indices:
    """At most `most` of `count` texts, evenly spread, in order."""
    return np.arange(count) if count <= most else np.arange(most) * count // most


class Attributed:
    """A model with the texts of a split, its readout of them in the same order, and their attributions.

    Each attribution is computed when an audit first asks for it, and kept. `report` says which. deletions: gives the
    model's leave-one-out, where it is computed together with others'; None: it is computed here.
    """

    def __init__(
        self,
        model: Network,
        split: Split,
        readout: Readout,
        report: Callable[[str], None],
        deletions: Callable[[], Deletions] | None = None,
    ) -> None:
        self.model = model
        self.split = split
        self.readout = readout
        self._report = report
        self._deletions = deletions or partial(leave_one_out, model, split)
        self._integrated: dict[tuple[int, int], tuple[Indices, Scores]] = {}

    @cached_property
    def deletions(self) -> Deletions:
        """Leave-one-out."""
        found = self._deletions()
        self._report(f"leave-one-out: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return found

    def deletions_of(self, members: Indices) -> Deletions:
        """Leave-one-out of the texts at `members`, or of all where it is known; of texts that are not asked nothing
        falls. Texts of one word count as computed.
        """
        several = np.flatnonzero(self.split.lengths > 1)
        if "deletions" in vars(self) or np.isin(several, members).all():
            return self.deletions
        found = leave_one_out(self.model, self.split, members)
        self._report(f"leave-one-out: {self.split.lengths[members].sum()} tokens of {len(members)} texts")
        whole = unasked(self.split.lengths)
        for place, member in enumerate(members.tolist()):
            whole.distances[member], whole.falls[member] = found.distances[place], found.falls[place]
            whole.flips[member] = found.flips[place]
        whole.predicted[members] = found.predicted
        return whole

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """The attributions of every text by name, those of `EVERY_TEXT`."""
        found = {name: attribute(self) for name, attribute in EVERY_TEXT.items()}
        self._report(f"{', '.join(found)}: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return found

    def integrated(self, settings: Agreement) -> tuple[Indices, Scores]:
        """The positions of a sample of the texts, and the integrated gradients of these texts, with their signs."""
        key = settings.texts, settings.steps
        if key not in self._integrated:
            chosen = sample(len(self.split), settings.texts)
            scores = integrated_gradients(self.model, self.split, settings.steps, chosen)
            self._integrated[key] = chosen, scores
            self._report(f"integrated gradients of {len(chosen)} texts")
        return self._integrated[key]


Attribution = Callable[[Attributed], Scores]

OWN: dict[str, Attribution] = {
    "gradient": lambda texts: gradients(texts.model, texts.split),
    "gradient_attached": lambda texts: attached_gradients(texts.model, texts.split),
    "loo": lambda texts: texts.deletions.distances,
}
EVERY_TEXT: LiveByName[Attribution] = LiveByName(lambda: OWN | functions("ATTRIBUTIONS"))
"""The attributions that are computed for every test text and correlated with attention, named as in
`names.ATTRIBUTIONS`."""
