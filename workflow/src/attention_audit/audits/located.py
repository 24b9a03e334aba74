"""Located: are the words with weight the words of the input that matter?

Claims: a map that shows what the prediction rests on has its weight on words without which the model, reading the text
again, predicts something else. Erasing a state asks less: an encoder carries what a word says to the states of other
words, and a model may be trained to attend to harmless ones (Pruthi et al. 2020). Assumes that the model can read the
text without these words. DeYoung et al. 2020 (ERASER), section 4, delete the first words of a ranking likewise, and
call what the predicted class loses comprehensiveness.

The first k words of a ranking are deleted, k = 1 word and 5, 10, 20, 50 % of the words, rounded up; at least one word
goes, and at least one stays. Deletions of the same words are computed once, and a word alone by leave-one-out.

Rankings, the highest score first and the earlier of equals: those of `rankings` by the states under the attention; loo,
what the predicted class loses when a word is deleted alone; and integrated gradients, what a word adds to the
probability of the predicted class. Further maps that a readout carries are rankings too.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.batches import collect, select_class, to_columns
from attention_audit.audits.erasure import ErasableTexts, find_share
from attention_audit.audits.leave_one_out import Deletions, deleting
from attention_audit.audits.rankings import batch_states, list_scores
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.batching import Indices, runs
from attention_audit.columns.audits import DELETED
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, inference
from attention_audit.padded import Padded
from attention_audit.readout import Readout, Scores

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
FURTHER = ("loo", "integrated_gradients")
"""The rankings by what the model predicts of other words; `names.RANKINGS` declares how all of them look."""
TOGETHER = 1 << 16
"""Padded tokens at most of the texts whose deletions are compared at once."""


def sizes(lengths: Indices) -> Indices:
    """How many words are deleted from texts of at least two words, (n,) -> (n, 5)."""
    shares = -(-lengths[:, None] * np.array(DELETED) // 100)
    return np.concatenate([np.ones_like(shares[:, :1]), shares], 1)


def rank(readout: Readout, scores: Mapping[str, Scores]) -> tuple[dict[str, list[Indices]], dict[str, Floats]]:
    """Order the words of each text by each ranking; and find the share of the states that go in this order until the
    decision flips, (N,) each, NaN where it never does, and for pairs, whose predictions are not linear, and for maps
    from which they do not follow.
    """
    orders = {name: [np.argsort(-own, kind="stable") for own in every] for name, every in scores.items()}

    def measure(texts: ErasableTexts | Padded) -> dict[str, Tensor]:
        if isinstance(texts, Padded):
            return dict.fromkeys(orders, torch.full((len(texts.members),), torch.nan))
        shares = {}
        for name, every in orders.items():
            # marks of a tokenizer come after the words, and then padding
            items = [np.r_[every[i], len(every[i]) : texts.attention.shape[1]] for i in texts.members]
            shares[name] = find_share(texts, torch.from_numpy(np.stack(items)))
        return shares

    return orders, collect(measure, batch_states(readout))


def erased_sets(lengths: Indices, members: Indices, orders: list[Indices]) -> tuple[Indices, Flags, Indices]:
    """Find the different sets of words that are the first of n orders of the texts at `members`, by `sizes`.

    lengths (N,): those of all texts. Returns the text of each set, (D,), its words, (D, L), and which set each order
    has at each size, (n, 5).
    """
    count, longest = sizes(lengths[members]), max(map(len, orders))
    # the place of each word in its text's order; past the last word one behind all others
    places = np.full((len(orders), longest), longest)
    for row, positions in zip(places, orders, strict=True):
        row[positions] = np.arange(len(positions))
    gone = (places[:, None] < count[..., None]).reshape(count.size, -1)
    text = np.repeat(members, count.shape[1])
    # texts and their deletions as bytes, of which the different ones are found fastest
    keys = np.concatenate([text[:, None].view(np.uint8), np.packbits(gone, axis=1)], 1)
    _, different, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return text[different], gone[different], same.reshape(count.shape)


def falls(model: Network, split: Split, deletions: Deletions, members: Indices, orders: list[Indices]) -> Floats:
    """Compute what the predicted class loses without the first words of an order: n texts -> (n, 5), by `sizes`.

    A text may stand in `members` several times, each time with an order of its own.
    """
    text, gone, same = erased_sets(split.lengths, members, orders)
    lost = np.array([deletions.falls[member][words.argmax()] for member, words in zip(text, gone, strict=True)])
    several = np.flatnonzero(gone.sum(1) > 1)
    with inference(model):
        for rows, before, after in deleting(model, split, text[several], gone[several]):
            lost[several[rows]] = select_class(before - after, deletions.predicted[text[several[rows]]])
    return lost[same]


class Ranked(NamedTuple):
    """R rows, one for each ranking and text that it is asked of, and leave-one-out of their texts.

    member (R,): the text. ranking (R,): its name. words: the words of the text in the order of the ranking. scores: of
    its words. fraction_removed (R,): see `rank`.
    """

    deletions: Deletions
    member: Indices
    ranking: list[str]
    words: list[Indices]
    scores: Scores
    fraction_removed: list[float]


def rank_texts(texts: Attributed, agreement: Agreement, seed: int, deletion: Deletion) -> Ranked:
    """List the rows of `located`."""
    chosen, gains = texts.integrated(agreement)
    several = texts.deletable(agreement, deletion)
    deletions = texts.deletions_of(several)
    scores = list_scores(texts.readout, seed) | dict(zip(FURTHER, (deletions.falls, gains), strict=True))
    scores |= {name: [own.astype(np.float64) for own in every] for name, every in texts.readout.maps.items()}
    orders, erased = rank(texts.readout, scores)
    asked = dict.fromkeys(orders, several) | {"integrated_gradients": np.intersect1d(several, chosen)}
    rows = [
        (member, name, orders[name][member], scores[name][member], erased[name][member])
        for name, members in asked.items()
        for member in members
    ]
    member, *columns = to_columns(Ranked._fields[1:], rows).values()
    return Ranked(deletions, np.array(member, int), *columns)


def in_runs(lengths: Indices, rows: Ranked) -> Iterator[Indices]:
    """Cut the rows into parts that are computed together, the shortest texts first; all rankings of a text lie
    together.
    """
    by_text = np.lexsort((rows.member, lengths[rows.member]))
    for run in runs(lengths[rows.member[by_text]], tokens=TOGETHER):
        yield by_text[run]


def located(texts: Attributed, agreement: Agreement, erasure: Erasure, deletion: Deletion) -> dict[str, Any]:
    """Columns id, ranking, words, falls, top_flips, fraction_removed; one row for each ranking and text of two words.

    falls: the probability of the predicted class, before minus after the first k words of the ranking are deleted, for
    each k of `sizes`. top_flips: whether the class changes without the first word. fraction_removed: see `rank`.
    Integrated gradients have rows for a sample of the texts, the one of the audit `agreement`; the other rankings for
    the larger one of `deletion` and for these texts, or for all.
    """
    split = texts.split
    rows = rank_texts(texts, agreement, erasure.seed, deletion)
    lost = np.empty((len(rows.member), 1 + len(DELETED)))
    for part in in_runs(split.lengths, rows):
        orders = [rows.words[row] for row in part]
        lost[part] = falls(texts.model, split, rows.deletions, rows.member[part], orders)
    firsts = zip(rows.member, rows.words, strict=True)
    return {
        "id": [texts.readout.ids[i] for i in rows.member],
        "ranking": rows.ranking,
        "words": split.lengths[rows.member].astype(np.int32),
        "falls": list(lost),
        "top_flips": [bool(rows.deletions.flips[i][first]) for i, (first, *_) in firsts],
        "fraction_removed": rows.fraction_removed,
    }
