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
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_audit.audits.batches import collect, cut_rows, to_columns
from attention_audit.audits.erasure import ErasableTexts
from attention_audit.audits.rankings import batch_states, score_states
from attention_audit.batching import Indices
from attention_audit.corpus.rationales import Rationale
from attention_audit.padded import Padded
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
NAMES = ("id", "annotator", "attribution", "words", "marked", "auprc", "f1", "iou", "mass")
NO_SHARES = ("gradient", "product", "loo", "integrated_gradients", FREQUENCY)
"""Scores that may be below 0, so that they have no mass."""


class Case(NamedTuple):
    """A map of a text of a readout, at this position: which of its words one person marked, or the majority, (L,)."""

    text: int
    source: str
    marked: Flags


def list_cases(ids: Sequence[str], read: Iterable[Indices], rationales: Rationales) -> list[Case]:
    """List the maps of the texts with these ids, of which the words at the places `read` (L_i,) are read.

    Marks on words that a Transformer has not read are left out.
    """
    return [
        Case(text, source, np.isin(places, at))
        for text, (name, places) in enumerate(zip(ids, read, strict=True))
        if (found := rationales.get(name))
        for source, at in [*found.marks.items(), *([(MAJORITY, found.majority)] if len(found.marks) > 1 else [])]
    ]


def is_scored(marked: Flags) -> bool:
    """Tell whether some words are marked, and others are not."""
    return bool(marked.any() and not marked.all())


def choose(n: Any, k: Any, factorials: Floats) -> Any:
    """Compute the logarithm of n over k, from the logarithms of the factorials."""
    return factorials[n] - factorials[k] - factorials[n - k]


def overlap(marked: Flags, scores: npt.NDArray[Any]) -> dict[str, float]:
    """Compute auprc, f1 and iou of one map: (L,), (L,); NaN where nothing or all is marked.

    auprc: a word at place j of a group of n equals, m of them marked, behind N words with M marked ones, is marked with
    probability m / n; then M + 1 + (j - 1)(m - 1)/(n - 1) of the N + j words up to there are, on average.

    f1, iou: of at most one group only some words are among the k highest, t of its n words with m marked ones. So the
    number of marked ones among them, x, is hypergeometric.
    """
    if not is_scored(marked):
        return dict.fromkeys(("auprc", "f1", "iou"), np.nan)
    k, places = int(marked.sum()), np.arange(1, len(marked) + 1)
    _, group, n = np.unique(-scores, return_inverse=True, return_counts=True)
    m = np.bincount(group[marked], minlength=len(n))
    before, marked_before = n.cumsum() - n, m.cumsum() - m
    harmonic, factorials = (np.r_[0.0, terms.cumsum()] for terms in (1 / places, np.log(places)))
    sums = harmonic[before + n] - harmonic[before]
    pairs = np.where(n > 1, (m - 1) / np.maximum(n - 1, 1), 0.0)
    # the sum over j of (j - 1) / (N + j) is n - (N + 1) sums
    precisions = m / n * ((marked_before + 1) * sums + pairs * (n - (before + 1) * sums))
    taken = np.clip(k - before, 0, n)
    (cut,) = ((taken > 0) & (taken < n)).nonzero()
    n_cut, m_cut, t = (int(of_groups[cut].sum()) for of_groups in (n, m, taken))
    x = np.arange(max(0, t - (n_cut - m_cut)), min(m_cut, t) + 1)
    others = choose(n_cut - m_cut, t - x, factorials) - choose(n_cut, t, factorials)
    chance, shared = np.exp(choose(m_cut, x, factorials) + others), m[taken == n].sum() + x
    terms = (precisions, chance * shared, chance * shared / (2 * k - shared))
    auprc, hits, iou = (float(values.cumsum()[-1]) for values in terms)
    return {"auprc": auprc / k, "f1": hits / k, "iou": iou}


def mass(marked: Flags, scores: npt.NDArray[Any], total: float) -> float:
    """Compute the share of all scores that is on marked words, (L,), (L,); NaN where nothing or all is marked, or a
    score is below 0.

    total: the sum of the scores over all items, of which some may be marks of a tokenizer. Where it is 0, nothing is
    preferred, and the share is that of the words.
    """
    if not is_scored(marked) or (scores < 0).any():
        return np.nan
    return float(scores[marked].cumsum()[-1] / total if total > 0 else marked.sum() / len(marked))


def make_row(
    ids: Sequence[str], name: str, case: Case, auprc: float, f1: float, iou: float, mass: float
) -> tuple[Any, ...]:
    """Make a row of what an attribution of this name reaches on a map."""
    return ids[case.text], case.source, name, len(case.marked), int(case.marked.sum()), auprc, f1, iou, mass


def list_rows(
    ids: Sequence[str], name: str, cases: Sequence[Case], scores: Sequence[npt.NDArray[Any]]
) -> list[tuple[Any, ...]]:
    """List what an attribution of this name reaches on each map, from its scores of the items of each text."""
    of_words = [scores[case.text][: len(case.marked)].astype(np.float64) for case in cases]
    signed = name in NO_SHARES or any((own < 0).any() for own in of_words)
    rows = []
    for case, own in zip(cases, of_words, strict=True):
        share = np.nan if signed else mass(case.marked, own, scores[case.text].sum(dtype=np.float64))
        rows.append(make_row(ids, name, case, **overlap(case.marked, own), mass=share))
    return rows


def list_others(ids: Sequence[str], cases: Sequence[Case]) -> list[tuple[Any, ...]]:
    """List what the other annotators of each text reach in the place of an attribution.

    f1, iou: of the words that more than half of the others marked. auprc, mass: of the number of others that marked a
    word. Maps in which nothing or everything is marked take no part; f1 and iou are NaN where the others agree on no
    word.
    """
    rows = []
    single = [case for case in cases if is_scored(case.marked) and case.source != MAJORITY]
    for _, group in groupby(single, key=lambda case: case.text):
        fellows = [*group]
        for case in fellows if len(fellows) > 1 else ():
            votes = np.sum([other.marked for other in fellows if other is not case], axis=0)
            agreed = 2 * votes > len(fellows) - 1
            size, shared = agreed.sum(), (agreed & case.marked).sum()
            either = size + case.marked.sum()
            f1, iou = (2 * shared / either, shared / (either - shared)) if size else (np.nan, np.nan)
            auprc = overlap(case.marked, votes)["auprc"]
            rows.append(make_row(ids, OTHERS, case, auprc, f1, iou, mass(case.marked, votes, votes.sum())))
    return rows


def from_states(readout: Readout) -> dict[str, Sequence[npt.NDArray[Any]]]:
    """The attributions that a readout has, text by text: scores of its items.

    Those are attention and the rankings by the states under it (`rankings`), with their signs; where predictions are
    linear in the attention, or are expanded so, the magnitudes of the exact contributions; and the further maps.
    """

    def measure(texts: ErasableTexts | Padded) -> dict[str, Scores]:
        scores = score_states(texts, readout.ids, 0)
        del scores["random"]
        if isinstance(texts, ErasableTexts):
            scores[CONTRIBUTION] = texts.exact_contributions.abs()
        return {name: cut_rows(of_texts, texts.lengths) for name, of_texts in scores.items()}

    return {**collect(measure, batch_states(readout)), **readout.maps}


def plausibility(readout: Readout, rationales: Rationales, frequency: Counts) -> dict[str, Any]:
    """Columns id, annotator, attribution, words, marked, auprc, f1, iou, mass: a row for each text that is marked,
    annotator or MAJORITY, and attribution.

    The attributions are those of `from_states`, and three to hold them against. RANDOM: what a random order gets on
    average; its mass is that of uniform weights over all items, marks of a tokenizer among them. FREQUENCY: rarer words
    in the training split first; without a training split it has no rows. OTHERS: the other annotators, see `others`.
    """
    some = readout.aligned([name for name in readout.ids if name in rationales])
    if not len(some):
        return to_columns(NAMES, [])
    cases = list_cases(some.ids, some.places, rationales)
    every = from_states(some) | {RANDOM: [np.ones(length) for length in some.lengths]}
    if all(name in frequency for name in some.ids):
        every[FREQUENCY] = [
            -frequency[name][at].astype(np.float64) for name, at in zip(some.ids, some.places, strict=True)
        ]
    rows = [row for name, scores in every.items() for row in list_rows(some.ids, name, cases, scores)]
    return to_columns(NAMES, rows + list_others(some.ids, cases))
