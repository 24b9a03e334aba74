"""The attributions of one model: computed once, for all audits that run the model again."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from attention_audit.arrays import Floats, Integers
from attention_audit.batching import sample_indices
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Readout, Scores
from attention_audit.targets import load

from .batches import make_columns
from .gradients import compute_gradients, compute_integrated_gradients
from .leave_one_out import Deletions, leave_one_out
from .rankings import BY_MAP, CONTRIBUTION, list_scores, rank
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


def score_by_states(readout: Readout, erasure: Erasure) -> dict[str, Scores]:
    """Score the words of each text by the rankings by states."""
    scores = list_scores(readout, erasure.seed)
    scores.pop(CONTRIBUTION, None)
    return scores


def list_maps(readout: Readout) -> dict[str, Scores]:
    """List the further maps of a readout."""
    return {name: [weights.astype(np.float64) for weights in maps] for name, maps in readout.maps.items()}


def sample_several(readout: Readout, deletion: Deletion, chosen: Integers) -> Integers:
    """Sample the texts of several words of which `located` is asked: those of `deletion`, and those at `chosen`."""
    members = np.flatnonzero(readout.words > 1)
    return np.intersect1d(members, np.union1d(sample_indices(len(readout), deletion.texts), chosen))


@dataclass(eq=False)
class Attributions:
    """The attributions of one training, without the model that they were computed with.

    readout: of the same texts in the same order. scores: those of every text by name, as they are correlated with
    attention. falls: what the predicted class loses without each word, by the position of the text. integrated:
    integrated gradients, likewise, of a sample of the texts.
    """

    readout: Readout
    scores: dict[str, Scores] = field(default_factory=dict)
    falls: dict[int, Floats] = field(default_factory=dict)
    integrated: dict[int, Floats] = field(default_factory=dict)

    @property
    def chosen(self) -> Integers:
        """Return the positions of the texts that have integrated gradients."""
        return np.array(sorted(self.integrated), np.int64)

    def list_word_scores(self, deletion: Deletion, erasure: Erasure) -> dict[str, dict[int, Floats]]:
        """List the scores of words, by the position of the text, by the rankings that no readout has a map of: by
        states, leave-one-out and integrated gradients; of the texts of which `located` is asked.
        """
        members = sample_several(self.readout, deletion, self.chosen)
        rankings = score_by_states(self.readout, erasure).items()
        scores = {
            name: {member: by_text[member] for member in members} for name, by_text in rankings if name not in BY_MAP
        }
        loo, integrated = FURTHER
        scores[loo] = {member: self.falls[member] for member in members}
        return scores | {
            integrated: {member: self.integrated[member] for member in members if member in self.integrated}
        }


@dataclass(eq=False)
class AttributedTexts:
    """A model with the texts of a split, its readout of them in the same order, and their attributions.

    Each attribution is computed when an audit first asks for it, and kept. `report` says which. agreement, deletion: of
    how many texts the slow ones are computed; and the attributions of the user's own. erasure: the seed of what is
    random.
    """

    model: Network
    split: Split
    readout: Readout
    report: Callable[[str], None]
    agreement: Agreement = field(default_factory=Agreement)
    deletion: Deletion = field(default_factory=Deletion)
    erasure: Erasure = field(default_factory=Erasure)
    _kept: dict[bytes, Deletions] = field(default_factory=dict, init=False)

    @cached_property
    def deletions(self) -> Deletions:
        """Return leave-one-out of all texts."""
        deletions = leave_one_out(self.model, self.split)
        self.report(f"leave-one-out: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return deletions

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
        scores = {name: attribute(self) for name, attribute in attributions.items()}
        self.report(f"{', '.join(scores)}: {self.split.lengths.sum()} tokens of {len(self.split)} texts")
        return scores

    @cached_property
    def integrated_gradients(self) -> tuple[Integers, Scores]:
        """Return the positions of a sample of the texts, and integrated gradients with their signs."""
        chosen = sample_indices(len(self.split), self.agreement.texts)
        gains = compute_integrated_gradients(self.model, self.split, self.agreement.steps, chosen)
        self.report(f"integrated gradients of {len(chosen)} texts")
        return chosen, gains

    @cached_property
    def word_scores(self) -> tuple[dict[str, Scores], dict[str, Integers]]:
        """Return scores of words by the rankings by states, leave-one-out, integrated gradients and further maps; and
        the texts that each is asked of.

        These have several words: all such, or the samples of `deletion` and of `agreement`; of integrated gradients
        the last alone.
        """
        chosen, gains = self.integrated_gradients
        members = sample_several(self.readout, self.deletion, chosen)
        by_network = dict(zip(FURTHER, (self.find_deletions(members).falls, gains), strict=True))
        scores = score_by_states(self.readout, self.erasure) | by_network | list_maps(self.readout)
        return scores, dict.fromkeys(scores, members) | {"integrated_gradients": np.intersect1d(members, chosen)}

    @cached_property
    def ranked(self) -> RankedRows:
        """Return a row for each ranking and text that it is asked of."""
        scores, members_by_ranking = self.word_scores
        orders, erased = rank(self.readout, scores)
        rows = [
            (self.readout.ids[member], name, orders[name][member], scores[name][member], erased[name][member])
            for name, members in members_by_ranking.items()
            for member in members
        ]
        member = np.concatenate([*members_by_ranking.values()])
        columns = make_columns(RankedRows._fields[3:], rows).values()
        return RankedRows(self.find_deletions(members_by_ranking["loo"]), member, self.split.lengths[member], *columns)

    def keep(self, audits: Collection[str], marked: bool) -> "Attributions":
        """Compute the attributions that these audits read, and keep them without the model. marked: whether words of
        the texts are marked.
        """
        attributions = Attributions(self.readout)
        judging = marked and "plausible_words" in audits
        if judging or {"correlation", "agreement"} & {*audits}:
            attributions.scores = dict(self.scores)
        if judging:
            _ = self.deletions, self.integrated_gradients
        if "agreement" in audits:
            _ = self.integrated_gradients
        if {"located", "attribution_stability", "replaced", "soft"} & {*audits}:
            _ = self.word_scores
        if "word_attributions" in audits:
            attributions.scores.setdefault("gradient", self.gradient)
            chosen, _ = self.integrated_gradients
            _ = self.find_deletions(np.arange(len(self.split)) if self.deletion.texts is None else chosen)
        if "integrated_gradients" in vars(self):
            chosen, gains = self.integrated_gradients
            attributions.integrated = {int(member): gains[member] for member in chosen}
        for members, deletions in self._kept.items():
            attributions.falls |= {int(member): deletions.falls[member] for member in np.frombuffer(members, np.int64)}
        if "deletions" in vars(self):
            attributions.falls = dict(enumerate(self.deletions.falls))
        return attributions


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
