"""Plausibility: do attributions point to the words that people marked as reasons for the label?

Claims: a map whose highest words are the marked ones pleases whoever marks words so. It says nothing of what the model
decides by: a map can please and mislead. Assumes that the marks are reasons of the label, and of the whole text.

An attribution scores the words of a text, of which a person marked k. Its answer is held against each person's marks,
and against those of their majority (DeYoung et al. 2020, ERASER, section 4; Sen et al. 2020, section 3):

f1, iou     of the k words with the highest scores, and the k marked words: what they share / k, which is precision and
            recall as well; what they share / what either has
auprc       average precision: the mean, over the marked words, of the share of marked ones among all words up to there
mass        the share of all scores that is on marked words, of scores that are magnitudes

Words with equal scores have no order. Each of these is therefore the mean over all orders of such words, which has a
closed form, so that scores that are all alike get what a random order gets on average, and no place in the text helps.

A map in which nothing or everything is marked says nothing of an order: it is counted, and has no score.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_audit.audits.erasure import ErasableTexts
from attention_audit.audits.rankings import TOPS, by_states
from attention_audit.batching import Indices
from attention_audit.corpus.rationales import Rationale
from attention_audit.readout import Readout

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Scores = list[Floats]
"""For each text, the scores of its items."""
Rationales = Mapping[str, Rationale]
"""What is marked in a text, by its id."""
Counts = Mapping[str, Indices]
"""How often the training split has each word of a text, by the text's id; empty where there is no training split."""
MAJORITY = ""
"""Stands in the place of an annotator for the words that more than half of several annotators marked."""
RANDOM, FREQUENCY, OTHERS = "random", "frequency", "others"
"""The floors: a random order, which is also what uniform weights get, and rare words first. The ceiling: the other
annotators."""
CONTRIBUTION = "contribution"
MEASURES = ("auprc", "f1", "iou", "mass")
NO_SHARES = ("gradient", "product", "loo", "integrated_gradients", FREQUENCY)
"""Scores that may be below 0, so that they have no mass."""


@dataclass(frozen=True)
class Cases:
    """C maps, of texts of a readout: one for each annotator of a text, and one of the majority of several annotators.

    text (C,): the position of the text. words (C,): how many words it has. marked: whether each of them is marked, map
    after map. sources: whose map it is.
    """

    text: Indices
    words: Indices
    marked: Flags
    sources: list[str]

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def starts(self) -> Indices:
        """Where the words of each map begin, (C,)."""
        return self.words.cumsum() - self.words

    @cached_property
    def of(self) -> Indices:
        """The map that each word belongs to."""
        return np.repeat(np.arange(len(self)), self.words)

    @cached_property
    def count(self) -> Indices:
        """How many words are marked, (C,)."""
        return np.bincount(self.of[self.marked], minlength=len(self))

    @property
    def scored(self) -> Flags:
        """Whether some words are marked, and others are not, (C,)."""
        return (self.count > 0) & (self.count < self.words)

    def at(self, chosen: Flags) -> "Cases":
        """Some of the maps."""
        sources = [source for source, kept in zip(self.sources, chosen, strict=True) if kept]
        return Cases(self.text[chosen], self.words[chosen], self.marked[chosen[self.of]], sources)

    def flat(self, scores: Sequence[npt.NDArray[Any]]) -> Floats:
        """The scores of the words of each map, from those of the items of each text of the readout."""
        parts = [scores[text][:words] for text, words in zip(self.text, self.words, strict=True)]
        return np.concatenate([np.empty(0), *parts]).astype(np.float64)


def cases_of(ids: Sequence[str], read: Iterable[Indices], rationales: Rationales) -> Cases:
    """The maps of the texts with these ids, of which the words at the places `read` (L_i,) are read. Marks on words
    that a Transformer has not read are left out.
    """
    rows: list[tuple[int, int, str, Flags]] = []
    for text, (name, places) in enumerate(zip(ids, read, strict=True)):
        if name in rationales:
            found = rationales[name]
            several = {MAJORITY: found.majority} if len(found.marks) > 1 else {}
            marked = {**found.marks, **several}.items()
            rows += [(text, len(places), source, np.isin(places, at)) for source, at in marked]
    texts, reads = (np.array([row[place] for row in rows], np.int64) for place in (0, 1))
    flags = np.concatenate([np.empty(0, bool), *(row[3] for row in rows)])
    return Cases(texts, reads, flags, [row[2] for row in rows])


class Ties(NamedTuple):
    """Words of one map with equal scores, G such groups from the highest score of each map to its lowest: (G,) each.

    of: the map. before, marked_before: how many words, and how many marked ones, are higher. size, marked: of the
    group.
    """

    of: Indices
    before: Indices
    marked_before: Indices
    size: Indices
    marked: Indices


def tied(cases: Cases, scores: Floats) -> Ties:
    """The groups of words with equal scores; scores as from `Cases.flat`."""
    order = np.lexsort((-scores, cases.of))
    ranked, of = scores[order], cases.of[order]
    first = np.flatnonzero(np.r_[True, (of[1:] != of[:-1]) | (ranked[1:] != ranked[:-1])])
    marks = np.r_[0, cases.marked[order].cumsum()]
    begin, end = first, np.r_[first[1:], len(order)]
    start = cases.starts[of[first]]
    return Ties(of[first], begin - start, marks[begin] - marks[start], end - begin, marks[end] - marks[begin])


def average_precision(cases: Cases, ties: Ties) -> Floats:
    """The mean over all orders of equals, (C,).

    A word at place j of a group of n words, m of them marked, behind N words with M marked ones, is marked with
    probability m / n; then M + 1 + (j - 1)(m - 1)/(n - 1) of the N + j words up to there are, on average.
    """
    harmonic = np.r_[0.0, (1 / np.arange(1, cases.words.max() + 1)).cumsum()]
    n, m = ties.size, ties.marked
    sums = harmonic[ties.before + n] - harmonic[ties.before]
    pairs = np.where(n > 1, (m - 1) / np.maximum(n - 1, 1), 0.0)
    # the sum over j of (j - 1) / (N + j) is n - (N + 1) sums
    found = m / n * ((ties.marked_before + 1) * sums + pairs * (n - (ties.before + 1) * sums))
    precision: Floats = np.bincount(ties.of, found, minlength=len(cases)).astype(np.float64) / cases.count
    return precision


def _log_choose(n: Indices, k: Indices, factorials: Floats) -> Floats:
    logarithm: Floats = factorials[n] - factorials[k] - factorials[n - k]
    return logarithm


def jaccard(cases: Cases, ties: Ties) -> tuple[Floats, Floats]:
    """What the k highest words and the k marked ones share, and that / what either has: means over all orders of
    equals, (C,) each.

    In at most one group of each map only some words are among the k highest: of its n words with m marked ones t are
    taken, so that the number of marked ones among them is hypergeometric.
    """
    k = cases.count
    taken = np.clip(k[ties.of] - ties.before, 0, ties.size)
    whole = taken == ties.size
    sure = np.bincount(ties.of[whole], ties.marked[whole], minlength=len(cases)).astype(np.int64)
    n, m, t = np.zeros((3, len(cases)), np.int64)
    cut = (taken > 0) & ~whole
    n[ties.of[cut]], m[ties.of[cut]], t[ties.of[cut]] = ties.size[cut], ties.marked[cut], taken[cut]
    factorials = np.r_[0.0, np.log(np.arange(1, cases.words.max() + 1)).cumsum()]
    # most maps of a data set have the same numbers as another
    alike, same = np.unique(np.stack([n, m, t, sure, k]), axis=1, return_inverse=True)
    n, m, t, sure, k = alike
    shared, iou = np.zeros((2, alike.shape[1]))
    for x in range(int(t.max()) + 1):
        able = (x <= m) & (x <= t) & (t - x <= n - m)
        some = _log_choose(m[able], np.full(able.sum(), x), factorials)
        some += _log_choose((n - m)[able], (t - x)[able], factorials) - _log_choose(n[able], t[able], factorials)
        chance = np.exp(some)
        shared[able] += chance * (sure[able] + x)
        iou[able] += chance * (sure[able] + x) / (2 * k[able] - sure[able] - x)
    return shared[same.reshape(-1)], iou[same.reshape(-1)]


def overlap(cases: Cases, scores: Floats) -> dict[str, Floats]:
    """auprc, f1 and iou of each map, (C,), from the scores of the words as from `Cases.flat`; NaN where nothing or all
    is marked.
    """
    found = {name: np.full(len(cases), np.nan) for name in ("auprc", "f1", "iou")}
    scored = cases.scored
    if scored.any():
        some = cases.at(scored)
        ties = tied(some, scores[scored[cases.of]])
        shared, found["iou"][scored] = jaccard(some, ties)
        found["f1"][scored] = shared / some.count
        found["auprc"][scored] = average_precision(some, ties)
    return found


def mass(cases: Cases, scores: Floats, totals: Floats) -> Floats:
    """The share of all scores that is on marked words, (C,); NaN where nothing or all is marked, or a score is below
    0.

    totals (C,): the sums of the scores over all items, of which some may be marks of a tokenizer. Where it is 0,
    nothing is preferred, and the share is that of the words.
    """
    on = np.bincount(cases.of[cases.marked], scores[cases.marked], minlength=len(cases))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(totals > 0, on / totals, cases.count / cases.words)
    negative = np.bincount(cases.of[scores < 0], minlength=len(cases)) > 0
    return np.where(cases.scored & ~negative, shares, np.nan)


def others(cases: Cases) -> tuple[Cases, dict[str, Floats]]:
    """The maps of annotators whose text somebody else marked too; and what these others reach in the place of an
    attribution, (C,) each.

    f1, iou: of the words that more than half of the others marked. auprc, mass: of the number of others that marked a
    word. Maps in which nothing or everything is marked take no part; f1 and iou are NaN where the others agree on no
    word.
    """
    single = cases.at(cases.scored & (np.array(cases.sources, object) != MAJORITY))
    _, first, text, maps = np.unique(single.text, return_index=True, return_inverse=True, return_counts=True)
    fellows, words = maps[text] - 1, single.words[first]
    # the place of each word among those of all texts
    place = (words.cumsum() - words)[text][single.of] + np.arange(len(single.of)) - single.starts[single.of]
    votes = np.bincount(place, single.marked)[place] - single.marked
    kept = (fellows > 0)[single.of]
    agreed, votes = (2 * votes > fellows[single.of])[kept], votes[kept]
    asked = single.at(fellows > 0)
    if not len(asked):
        return asked, {name: np.empty(0) for name in MEASURES}
    size = np.bincount(asked.of[agreed], minlength=len(asked))
    shared = np.bincount(asked.of[agreed & asked.marked], minlength=len(asked))
    with np.errstate(invalid="ignore"):
        known = np.where(size > 0, 1.0, np.nan)
        f1, iou = 2 * shared / (size + asked.count), shared / (size + asked.count - shared)
    totals = np.bincount(asked.of, votes, minlength=len(asked)).astype(np.float64)
    found = {"auprc": overlap(asked, votes)["auprc"], "f1": f1 * known, "iou": iou * known}
    return asked, found | {"mass": mass(asked, votes, totals)}


def rows_of(ids: Sequence[str], parts: Mapping[str, tuple[Cases, Mapping[str, Floats]]]) -> dict[str, Any]:
    """The columns of columns.audits.PLAUSIBILITY from the maps and measures of each attribution."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("id", "annotator", "attribution", "words", "marked", *MEASURES)
    }
    for name, (cases, found) in parts.items():
        about = {"id": [ids[text] for text in cases.text], "annotator": cases.sources}
        about |= {"attribution": [name] * len(cases), "words": cases.words.tolist(), "marked": cases.count.tolist()}
        for column, values in (about | {measure: found[measure].tolist() for measure in MEASURES}).items():
            columns[column] += values
    return columns


def measured(cases: Cases, name: str, scores: Sequence[npt.NDArray[Any]]) -> tuple[Cases, dict[str, Floats]]:
    """What an attribution of this name reaches on each map, from its scores of the items of each text."""
    flat = cases.flat(scores)
    totals = np.array([scores[text].sum(dtype=np.float64) for text in cases.text])
    signed = name in NO_SHARES or (flat < 0).any()
    shares = np.full(len(cases), np.nan) if signed else mass(cases, flat, totals)
    return cases, overlap(cases, flat) | {"mass": shares}


def from_states(readout: Readout) -> dict[str, Scores]:
    """The attributions that a readout has, text by text: scores of its items.

    Those are attention and the rankings by the states under it (`rankings`), with their signs; where predictions are
    linear in the attention, or are expanded so, the magnitudes of the exact contributions; and the further maps.
    """
    found: dict[str, Scores] = {}
    for texts, scored in by_states(readout, 0):
        named = {name: scores for name, scores in scored.items() if name in TOPS}
        if isinstance(texts, ErasableTexts):
            named[CONTRIBUTION] = texts.exact_contributions.abs()
        for name, scores in named.items():
            rows = found.setdefault(name, [np.empty(0)] * len(readout))
            for member, length, row in zip(texts.members, texts.lengths.tolist(), scores.numpy(), strict=True):
                rows[member] = row[:length]
    return found | {name: [row.astype(np.float64) for row in scores] for name, scores in readout.maps.items()}


def plausibility(readout: Readout, rationales: Rationales, frequency: Counts) -> dict[str, Any]:
    """Columns id, annotator, attribution, words, marked, auprc, f1, iou, mass: a row for each text that is marked,
    annotator or MAJORITY, and attribution.

    The attributions are those of `from_states`, and three to hold them against. RANDOM: what a random order gets on
    average; its mass is that of uniform weights over all items, marks of a tokenizer among them. FREQUENCY: rarer words
    in the training split first; without a training split it has no rows. OTHERS: the other annotators, see `others`.
    """
    marked = np.array([name in rationales for name in readout.ids], bool)
    some = readout.aligned([name for name, has in zip(readout.ids, marked, strict=True) if has])
    if not len(some):
        return rows_of([], {})
    cases = cases_of(some.ids, some.places, rationales)
    uniform = [np.ones(length) for length in some.lengths.tolist()]
    parts = {name: measured(cases, name, scores) for name, scores in from_states(some).items()}
    parts[RANDOM] = measured(cases, RANDOM, uniform)
    if all(name in frequency for name in some.ids):
        rare = [-frequency[name][at].astype(np.float64) for name, at in zip(some.ids, some.places, strict=True)]
        parts[FREQUENCY] = measured(cases, FREQUENCY, rare)
    parts[OTHERS] = others(cases)
    return rows_of(some.ids, parts)
