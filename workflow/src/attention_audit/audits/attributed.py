"""The attributions of one model: computed once, for all audits that run the model again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from attention_audit.arrays import Integers
from attention_audit.batching import sample_indices
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Readout, Scores
from attention_audit.targets import load

from .batches import make_columns
from .gradients import compute_gradients, compute_integrated_gradients
from .leave_one_out import Deletions, leave_one_out
from .rankings import CONTRIBUTION, list_scores, rank
from .settings import Agreement, Deletion, Erasure


class RankedRows(NamedTuple):
    """R rows, one for each ranking and text that it is asked of, and leave-one-out of their texts.

    member (R,): the text, of so many words and with this id. ranking (R,): its name. words: the words of the text in
    the order of the ranking. scores: of its words. fraction_removed (R,): see `rank`.
    """

    deletions: Deletions
    member: Integers
    lengths: Integers
    ids: list[str]
    ranking: list[str]
    words: list[Integers]
    scores: Scores
    fraction_removed: list[float]


@dataclass(eq=False)
class AttributedTexts:
    """A model with the texts of a split, its readout of them in the same order, and their attributions.

    Each attribution is computed when an audit first asks for it, and kept. `report` says which. agreement, deletion: of
    how many texts the slow ones are computed; and the attributions of the user's own. erasure: the seed of what is
    random. together: gives leave-one-out of several models, of which this is the one at `place`; None: it is computed
    here. seed: of this training. earlier: what an audit has kept of the trainings of this model that it was asked of
    before, by seed.
    """

    model: Network
    split: Split
    readout: Readout
    report: Callable[[str], None]
    agreement: Agreement = field(default_factory=Agreement)
    deletion: Deletion = field(default_factory=Deletion)
    erasure: Erasure = field(default_factory=Erasure)
    together: Callable[[], Sequence[Deletions]] | None = None
    place: int = 0
    seed: int = 0
    earlier: dict[int, dict[str, Scores]] = field(default_factory=dict)
    _kept: dict[bytes, Deletions] = field(default_factory=dict, init=False)

    @cached_property
    def deletions(self) -> Deletions:
        """Return leave-one-out of all texts."""
        found = self.together()[self.place] if self.together else leave_one_out(self.model, self.split)
        self.report(f"leave-one-out: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return found

    def find_deletions(self, members: Integers) -> Deletions:
        """Leave out each word of the texts at `members`, or of all where this is known; of other texts nothing
        falls. Texts of one word count as computed.
        """
        if "deletions" in vars(self) or np.isin(self.several, members).all():
            return self.deletions
        key = members.tobytes()
        if key not in self._kept:
            self._kept[key] = leave_one_out(self.model, self.split, members)
            self.report(f"leave-one-out: {self.split.lengths[members].sum()} tokens of {len(members)} texts")
        return self._kept[key]

    @property
    def several(self) -> Integers:
        """Return the positions of texts of several words."""
        return np.flatnonzero(self.split.lengths > 1)

    @cached_property
    def gradient(self) -> Scores:
        """Return shares of the magnitudes of the gradients of the words."""
        return compute_gradients(self.model, self.split)

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """Return the attributions of every text by name: those of `EVERY_TEXT`, and then the user's own."""
        attributions = EVERY_TEXT | {target: load(target) for target in self.agreement.attributions}
        found = {name: attribute(self) for name, attribute in attributions.items()}
        self.report(f"{', '.join(found)}: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return found

    @cached_property
    def integrated_gradients(self) -> tuple[Integers, Scores]:
        """Return the positions of a sample of the texts, and integrated gradients with their signs."""
        chosen = sample_indices(len(self.split), self.agreement.texts)
        found = compute_integrated_gradients(self.model, self.split, self.agreement.steps, chosen)
        self.report(f"integrated gradients of {len(chosen)} texts")
        return chosen, found

    @cached_property
    def word_scores(self) -> tuple[dict[str, Scores], dict[str, Integers]]:
        """Return scores of words by the rankings by states, leave-one-out, integrated gradients and further maps; and
        the texts that each is asked of.

        These have several words: all such, or the samples of `deletion` and of `agreement`; of integrated gradients
        the last alone.
        """
        chosen, gains = self.integrated_gradients
        several = np.intersect1d(self.several, np.union1d(sample_indices(len(self.split), self.deletion.texts), chosen))
        further = zip(FURTHER, (self.find_deletions(several).falls, gains), strict=True)
        maps = {name: [own.astype(np.float64) for own in every] for name, every in self.readout.maps.items()}
        scores = list_scores(self.readout, self.erasure.seed)
        scores.pop(CONTRIBUTION, None)
        scores |= {**dict(further), **maps}
        return scores, dict.fromkeys(scores, several) | {"integrated_gradients": np.intersect1d(several, chosen)}

    @cached_property
    def ranked(self) -> RankedRows:
        """Return a row for each ranking and text that it is asked of."""
        scores, asked = self.word_scores
        orders, erased = rank(self.readout, scores)
        rows = [
            (self.readout.ids[member], name, orders[name][member], scores[name][member], erased[name][member])
            for name, members in asked.items()
            for member in members
        ]
        member = np.concatenate([*asked.values()])
        columns = make_columns(RankedRows._fields[3:], rows).values()
        return RankedRows(self.find_deletions(asked["loo"]), member, self.split.lengths[member], *columns)


Attribution = Callable[[AttributedTexts], Scores]

EVERY_TEXT: dict[str, Attribution] = {
    "gradient": lambda texts: texts.gradient,
    "gradient_attached": lambda texts: compute_gradients(texts.model, texts.split, attached=True),
    "loo": lambda texts: texts.deletions.distances,
}
"""The attributions that are computed for every test text and correlated with attention, named as in
`names.ATTRIBUTIONS`."""
FURTHER = ("loo", "integrated_gradients")
"""The rankings by what the model predicts of other words; `names.RANKINGS` declares how all of them look."""
