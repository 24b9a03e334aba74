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

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.attributions import evaluating
from attention_audit.audits.erasure import ErasableTexts, find_share
from attention_audit.audits.leave_one_out import Deletions, deleting
from attention_audit.audits.rankings import BY_MAP, BY_STATES, by_states, falling
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.batching import Indices, runs
from attention_audit.columns.audits import DELETED
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Readout, Scores

Flags = npt.NDArray[np.bool_]
FURTHER = ("loo", "integrated_gradients")
"""The rankings by what the model predicts of other words; `names.RANKINGS` declares how all of them look."""
TOGETHER = 1 << 16
"""Padded tokens at most of the texts whose deletions are compared at once."""


def sizes(lengths: Indices) -> Indices:
    """How many words are deleted from texts of at least two words, (n,) -> (n, 5)."""
    shares = -(-lengths[:, None] * np.array(DELETED) // 100)
    return np.concatenate([np.ones_like(shares[:, :1]), shares], 1)


def rank(
    readout: Readout, seed: int, further: Mapping[str, Scores]
) -> tuple[dict[str, list[Indices]], npt.NDArray[np.float64]]:
    """The words of each text in the order of each ranking; and the share of the states that go in this order until the
    decision flips (rankings, N), NaN where it never does, and for pairs, whose predictions are not linear, and for maps
    from which they do not follow.

    The rankings are `BY_STATES` or `BY_MAP`, and those whose scores are `further`.
    """
    names = [*(BY_STATES if readout.decided else BY_MAP), *further]
    orders = {name: [np.empty(0, np.int64)] * len(readout) for name in names}
    erased = np.full((len(names), len(readout)), np.nan)
    for texts, scored in by_states(readout, seed):
        for place, name in enumerate(names):
            scores = scored.get(name, torch.zeros(texts.attention.shape, dtype=torch.float64))
            if name in further:
                for row, member in zip(scores, texts.members, strict=True):
                    row[: len(further[name][member])] = torch.from_numpy(further[name][member])
            positions = falling(scores, texts.lengths, texts.words)
            for member, row, words in zip(texts.members, positions.numpy(), texts.words.tolist(), strict=True):
                orders[name][member] = row[:words]
            if isinstance(texts, ErasableTexts):
                erased[place, texts.members] = find_share(texts, positions).numpy()
    return orders, erased


@torch.inference_mode()
def losses(model: Network, split: Split, classes: Indices, members: Indices, gone: Flags) -> npt.NDArray[np.float64]:
    """What a class of each text loses when some words are deleted: members (R,), gone (R, L) -> (R,).

    `classes` are those of all texts of the split. A text may stand in `members` several times.
    """
    found = np.empty(len(members))
    for rows, before, after in deleting(model, split, members, gone):
        chosen = torch.from_numpy(classes[members[rows], None]).to(before.device)
        found[rows] = (before - after).gather(1, chosen)[:, 0].cpu().numpy()
    return found


def ranks(orders: list[Indices]) -> Indices:
    """The place of each word in its text's order, (n, L); past the last word a place behind all others."""
    places = np.full((len(orders), max(map(len, orders))), max(map(len, orders)))
    for row, positions in zip(places, orders, strict=True):
        row[positions] = np.arange(len(positions))
    return places


class Erased(NamedTuple):
    """The different sets of words that are the first of some orders, by `sizes`.

    text (D,): the text of each set. gone (D, L): its words. same (n, 5): which set each order has at each size.
    """

    text: Indices
    gone: Flags
    same: Indices


def erased_sets(lengths: Indices, members: Indices, orders: list[Indices]) -> Erased:
    """The sets of n orders of the texts at `members`; lengths (N,): those of all texts."""
    count = sizes(lengths[members])
    gone = (ranks(orders)[:, None] < count[..., None]).reshape(count.size, -1)
    text = np.repeat(members, count.shape[1])
    # texts and their deletions as bytes, of which the different ones are found fastest
    keys = np.concatenate([text[:, None].view(np.uint8), np.packbits(gone, axis=1)], 1)
    _, different, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Erased(text[different], gone[different], same.reshape(count.shape))


def falls(
    model: Network, split: Split, deletions: Deletions, members: Indices, orders: list[Indices]
) -> npt.NDArray[np.float64]:
    """What the predicted class loses without the first words of an order: n texts -> (n, 5), by `sizes`.

    A text may stand in `members` several times, each time with an order of its own.
    """
    text, gone, same = erased_sets(split.lengths, members, orders)
    lost = np.empty(len(text))
    alone = gone.sum(1) == 1
    words = gone[alone].argmax(1)
    lost[alone] = [deletions.falls[member][word] for member, word in zip(text[alone], words, strict=True)]
    lost[~alone] = losses(model, split, deletions.predicted, text[~alone], gone[~alone])
    return lost[same]


class Ranked(NamedTuple):
    """R rows, one for each ranking and text that it is asked of.

    member (R,): the text. ranking (R,): its name. words: the words of the text in the order of the ranking.
    fraction_removed (R,): see `rank`.
    """

    member: Indices
    ranking: list[str]
    words: list[Indices]
    fraction_removed: npt.NDArray[np.float64]


def ranked(texts: Attributed, agreement: Agreement, seed: int, deletion: Deletion) -> tuple[Ranked, Deletions]:
    """The rows of `located`, and leave-one-out of their texts."""
    chosen, gains = texts.integrated(agreement)
    several = texts.deletable(agreement, deletion)
    deletions = texts.deletions_of(several)
    further = {**dict(zip(FURTHER, (deletions.falls, gains), strict=True)), **texts.word_maps}
    orders, erased = rank(texts.readout, seed, further)
    asked = dict.fromkeys(orders, several) | {"integrated_gradients": np.intersect1d(several, chosen)}
    member = np.concatenate([*asked.values()])
    number = np.repeat(np.arange(len(asked)), [len(members) for members in asked.values()])
    words = [orders[name][i] for name, members in asked.items() for i in members]
    return Ranked(member, [[*asked][each] for each in number], words, erased[number, member]), deletions


def in_runs(lengths: Indices, rows: Ranked) -> Iterator[Indices]:
    """The rows in parts that are computed together, the shortest texts first; all rankings of a text lie together."""
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
    model, split, readout = texts.model, texts.split, texts.readout
    rows, deletions = ranked(texts, agreement, erasure.seed, deletion)
    lost = np.empty((len(rows.member), 1 + len(DELETED)))
    with evaluating(model):
        for part in in_runs(split.lengths, rows):
            lost[part] = falls(model, split, deletions, rows.member[part], [rows.words[row] for row in part])
    firsts = zip(rows.member, rows.words, strict=True)
    return {
        "id": [readout.ids[i] for i in rows.member],
        "ranking": rows.ranking,
        "words": split.lengths[rows.member].astype(np.int32),
        "falls": list(lost),
        "top_flips": [bool(deletions.flips[i][first]) for i, (first, *_) in firsts],
        "fraction_removed": rows.fraction_removed,
    }
