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

Plausibility where the truth is known: do maps and rankings point to the words that decide the label?

Claims: attention that explains the prediction falls on the evidence far more than uniform attention does, and a ranking
by importance starts with evidence far more often than chance would (`planted`). Assumes that the evidence positions are
complete. Higher is better; uniform attention, or chance, is the value to beat. An item is a token, or in a hierarchical
model a sentence; a sentence is evidence where any of its tokens is.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from attention_audit.arrays import Array, Flags, Floats, Integers
from attention_audit.columns.audits import EVIDENCE, PLANTED, PLAUSIBILITY
from attention_audit.corpus.rationales import Rationale
from attention_audit.readout import Readout

from .answers import (
    Answers,
    Training,
    explain_pairs,
    explain_sentences,
    explain_undecided,
    explain_unmarked,
)
from .batches import Columns, make_columns
from .erasure import batch_erasable
from .facts import TextFacts
from .rankings import RANKERS, TOPS, list_scores, sort_falling

Row = tuple[Any, ...]
"""Values of `NAMES`."""
Rationales = Mapping[str, Rationale]
"""What is marked in a text, by its id."""
Counts = Mapping[str, Integers]
"""How often the training split has each word of a text, by the text's id; empty where there is no training split."""
MAJORITY = ""
"""Stands in the place of an annotator for the words that more than half of several annotators marked."""
RANDOM, FREQUENCY, OTHERS = "random", "frequency", "others"
"""The floors: a random order, which is also what uniform weights get, and rare words first. The ceiling: the other
annotators."""
OVERLAP_MEASURES = ("auprc", "f1", "iou")
NAMES = ("id", "annotator", "attribution", "words", "marked", *OVERLAP_MEASURES, "mass")
NO_SHARES = ("gradient", "product", "loo", "integrated_gradients", FREQUENCY)
"""Scores that may be below 0, so that they have no mass."""


class Case(NamedTuple):
    """A map of a text of a readout, at this position: which of its words one person marked, or the majority, (L,)."""

    text: int
    source: str
    marked: Flags


def list_cases(ids: Sequence[str], read_positions: Iterable[Integers], rationales: Rationales) -> list[Case]:
    """List the maps of the texts with these ids, of which the words at `read_positions` (L_i,) are read.

    Marks on words that a Transformer has not read are left out.
    """
    return [
        Case(text, source, np.isin(positions, at))
        for text, (name, positions) in enumerate(zip(ids, read_positions, strict=True))
        if (rationale := rationales.get(name))
        for source, at in [
            *rationale.marks.items(),
            *([(MAJORITY, rationale.majority)] if len(rationale.marks) > 1 else []),
        ]
    ]


def measure_overlap(cases: Sequence[Case], scores: Sequence[Array]) -> dict[str, Floats]:
    """Compute auprc, f1 and iou of n maps, (n,), from scores of their words; NaN where nothing or all is marked.

    auprc: a word at place j of a group of n equals, m of them marked, behind N words with M marked ones, is marked with
    probability m / n; then M + 1 + (j - 1)(m - 1)/(n - 1) of the N + j words up to there are, on average.

    f1, iou: of at most one group only some words are among the k highest, t of its n words with m marked ones. So the
    number of marked ones among them, x, is hypergeometric.
    """
    if not len(cases):
        return dict.fromkeys(OVERLAP_MEASURES, np.empty(0))
    maps, lengths = np.arange(len(cases)), np.array([len(case.marked) for case in cases])
    marked = np.concatenate([case.marked for case in cases])
    words = pd.DataFrame({"map": maps.repeat(lengths), "score": -np.concatenate(scores), "marked": marked})
    groups = words.groupby(["map", "score"], dropna=False)["marked"].agg(["size", "sum"])
    n, m = groups.to_numpy().T
    before, marked_before = (groups.groupby("map").cumsum() - groups).to_numpy().T
    of, ranks = groups.index.get_level_values("map").to_numpy(), np.arange(1, lengths.max() + 1)
    harmonic, factorials = (np.r_[0.0, terms.cumsum()] for terms in (1 / ranks, np.log(ranks)))
    sums = harmonic[before + n] - harmonic[before]
    pairs = np.where(n > 1, (m - 1) / np.maximum(n - 1, 1), 0.0)
    # the sum over j of (j - 1) / (N + j) is n - (N + 1) sums
    precisions = m / n * ((marked_before + 1) * sums + pairs * (n - (before + 1) * sums))

    def add(owner: Integers, values: Array) -> Any:
        return np.bincount(owner, values, len(maps))

    def choose(n: Integers, k: Integers) -> Any:
        return factorials[n] - factorials[k] - factorials[n - k]

    k = add(of, m)
    taken = np.clip(k[of] - before, 0, n)
    cut = (taken > 0) & (taken < n)
    n, m, t, marked_above = (add(of, each).astype(int) for each in (n * cut, m * cut, taken * cut, m * (taken == n)))
    fewest_hits, greatest_hits = np.maximum(0, t - (n - m)), np.minimum(m, t)
    map_of_count, x = (
        maps.repeat(greatest_hits + 1 - fewest_hits),
        np.concatenate([*map(np.arange, fewest_hits, greatest_hits + 1)]),
    )
    n, m, t, shared = n[map_of_count], m[map_of_count], t[map_of_count], marked_above[map_of_count] + x
    hits = np.exp(choose(m, x) + (choose(n - m, t - x) - choose(n, t))) * shared
    with np.errstate(invalid="ignore"):
        measures = (
            add(of, precisions) / k,
            add(map_of_count, hits) / k,
            add(map_of_count, hits / (2 * k[map_of_count] - shared)),
        )
    scored = (k > 0) & (k < lengths)
    return {name: np.where(scored, values, np.nan) for name, values in zip(OVERLAP_MEASURES, measures, strict=True)}


def measure_mass(marked: Flags, scores: Array, total: float) -> float:
    """Compute the share of all scores that is on marked words, (L,), (L,); NaN where nothing or all is marked, or a
    score is below 0.

    total: the sum of the scores over all items, of which some may be marks of a tokenizer. Where it is 0, nothing is
    preferred, and the share is that of the words.
    """
    if not 0 < marked.sum() < len(marked) or (scores < 0).any():
        return np.nan
    return float(scores[marked].cumsum()[-1] / total if total > 0 else marked.sum() / len(marked))


def list_rows(ids: Sequence[str], name: str, cases: Sequence[Case], *measures: Iterable[float]) -> list[Row]:
    """List what an attribution of this name reaches on each map: auprc, f1, iou and mass, (n,) each."""
    return [
        (ids[case.text], case.source, name, len(case.marked), int(case.marked.sum()), *reached)
        for case, *reached in zip(cases, *measures, strict=True)
    ]


def measure_cases(
    ids: Sequence[str], name: str, cases: Sequence[Case], scores: Sequence[Array] | Mapping[int, Array]
) -> list[Row]:
    """List what an attribution of this name reaches on each map, from its scores of the items of each text, by the
    position of the text.
    """
    of_words = [scores[case.text][: len(case.marked)].astype(np.float64) for case in cases]
    signed = name in NO_SHARES or any((word_scores < 0).any() for word_scores in of_words)
    shares = [
        np.nan if signed else measure_mass(case.marked, word_scores, scores[case.text].sum(dtype=np.float64))
        for case, word_scores in zip(cases, of_words, strict=True)
    ]
    return list_rows(ids, name, cases, *measure_overlap(cases, of_words).values(), shares)


def score_annotators(ids: Sequence[str], cases: Sequence[Case]) -> list[Row]:
    """List what the other annotators of each text reach in the place of an attribution.

    f1, iou: of the words that more than half of the others marked. auprc, mass: of the number of others that marked a
    word. Maps in which nothing or everything is marked take no part; f1 and iou are NaN where the others agree on no
    word.
    """
    single = [case for case in cases if 0 < case.marked.sum() < len(case.marked) and case.source != MAJORITY]
    results = []
    for _, group in groupby(single, key=lambda case: case.text):
        fellows = [*group]
        for case in fellows if len(fellows) > 1 else ():
            votes = np.sum([fellow.marked for fellow in fellows if fellow is not case], axis=0)
            agreed = 2 * votes > len(fellows) - 1
            size, shared = agreed.sum(), (agreed & case.marked).sum()
            either = size + case.marked.sum()
            f1, iou = (2 * shared / either, shared / (either - shared)) if size else (np.nan, np.nan)
            results.append((case, votes, f1, iou, measure_mass(case.marked, votes, votes.sum())))
    scored_cases, scores, *measures = make_columns(("case", "votes", "f1", "iou", "mass"), results).values()
    return list_rows(ids, OTHERS, scored_cases, measure_overlap(scored_cases, scores)["auprc"], *measures)


def list_attributions(readout: Readout) -> dict[str, Sequence[Array]]:
    """Return the attributions that a readout has, text by text: scores of its items.

    Those are attention and the rankings by the states under it (`rankings`), with their signs; where predictions are
    linear in the attention, or are expanded so, the magnitudes of the exact contributions; and the further maps.
    """
    scores = list_scores(readout, 0, marks=True)
    del scores["random"]
    return {**scores, **readout.maps}


def plausibility(readout: Readout, rationales: Rationales, frequency: Counts) -> Columns:
    """Return the columns id, annotator, attribution, words, marked, auprc, f1, iou, mass: a row for each text that is
    marked, annotator or MAJORITY, and attribution.

    The attributions are those of `list_attributions`, and three to hold them against. RANDOM: what a random order gets
    on average; its mass is that of uniform weights over all items, marks of a tokenizer among them. FREQUENCY: rarer
    words in the training split first; without a training split it has no rows. OTHERS: the other annotators, see
    `score_annotators`.
    """
    some = readout.align([name for name in readout.ids if name in rationales])
    if not len(some):
        return make_columns(NAMES, [])
    cases = list_cases(some.ids, some.places, rationales)
    attributions = list_attributions(some) | {RANDOM: [np.ones(length) for length in some.lengths]}
    if all(name in frequency for name in some.ids):
        attributions[FREQUENCY] = [-1.0 * frequency[name][at] for name, at in zip(some.ids, some.places, strict=True)]
    rows = [row for name, scores in attributions.items() for row in measure_cases(some.ids, name, cases, scores)]
    return make_columns(NAMES, rows + score_annotators(some.ids, cases))


def find_evidence(readout: Readout, evidence: Mapping[str, Sequence[int]]) -> dict[int, Integers]:
    """Find the items that are evidence by the position of their text; what a Transformer has not read is left out."""
    texts = enumerate(zip(readout.ids, readout.places, strict=True))
    return {i: np.flatnonzero(np.isin(positions, evidence[name])) for i, (name, positions) in texts if name in evidence}


def evidence_mass(readout: Readout, evidence: Mapping[str, Sequence[int]]) -> Columns:
    """Return the columns id, label, evidence_mass, uniform_mass; one row for each text whose id `evidence` has.

    `evidence` has the positions of a text's evidence, by the text's id.
    """
    items = find_evidence(readout, evidence)
    return {
        "id": [readout.ids[i] for i in items],
        "label": readout.labels[[*items]].astype(np.int32),
        "evidence_mass": [float(readout.attention[i][at].sum()) for i, at in items.items()],
        "uniform_mass": [len(at) / len(readout.attention[i]) for i, at in items.items()],
    }


def planted(readout: Readout, evidence: Mapping[str, Sequence[int]]) -> Columns:
    """Return the columns id, ranking, on_evidence, chance; one row for each ranking (`TOPS`) and text that `evidence`
    has.

    on_evidence: whether the item that the ranking puts first is evidence. chance: the share of items that are evidence.
    Evidence that a Transformer has not read is left out.
    """
    items, rows = find_evidence(readout, evidence), []
    for texts in batch_erasable(readout):
        for ranking in TOPS:
            # none of these rankings draws random numbers, so the seed has no effect
            tops = sort_falling(RANKERS[ranking](texts, readout.ids, 0), texts)[:, 0].tolist()
            rows += [
                (readout.ids[member], ranking, top in items[member], len(items[member]) / length)
                for member, length, top in zip(texts.members.tolist(), texts.lengths.tolist(), tops, strict=True)
                if member in items
            ]
    return make_columns(("id", "ranking", "on_evidence", "chance"), rows)


def ask_plausibility(trainings: Iterable[Training], answers: Answers, facts: TextFacts) -> None:
    """Ask `evidence` of all trainings, and `plausibility` and `planted` of those in question."""
    unmarked = explain_unmarked(facts, answers.dataset)
    for training in trainings:
        sentences = explain_sentences(training)
        evidence = {} if unmarked else facts.evident_sentences if training.about.hierarchical else facts.evidence
        for readout in training.read_parts():
            if answers.asks(EVIDENCE, unmarked):
                answers.add(EVIDENCE, evidence_mass(readout, evidence), training)
            if not training.about.judged:
                continue
            if answers.asks(PLAUSIBILITY, sentences, unmarked):
                answers.add(PLAUSIBILITY, plausibility(readout, facts.rationales, facts.frequencies), training)
            pairs, undecided = explain_pairs(readout, answers.dataset), explain_undecided(training, readout)
            if answers.asks(PLANTED, unmarked, pairs, undecided):
                answers.add(PLANTED, planted(readout, evidence), training)
        answers.report(training.describe())
