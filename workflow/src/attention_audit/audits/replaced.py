"""Replaced: does it matter for `located` that words are deleted, and not replaced by others?

Claims: where a ranking locates the words that matter, the prediction falls likewise whatever stands in for them.
A text that lacks words is shorter and less fluent than those that the model was trained on, and a fall may come from
that. Assumes that a text in which other words stand is more like them; a likely word is so by itself, and not in its
place. Kim et al. 2020 draw the words in the place of a deleted one from a masked language model; here they are drawn by
how often the training texts have them, which needs none.

A word is replaced by the unknown word; by another word, drawn in proportion to its occurrences in the training texts,
the same at one position of a text for all rankings; or by the mask. A Transformer has the unknown and the mask of its
tokenizer in the place of each piece of the word, and no likely words, which may have other numbers of pieces.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.batches import select_class
from attention_audit.audits.gradients import flat, of_tokens
from attention_audit.audits.leave_one_out import TOKENS, logits
from attention_audit.audits.located import Flags, Floats, erased_sets, in_runs, rank_texts
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.batching import Indices, sort_into_runs, stream
from attention_audit.columns.audits import DELETED, LIKELY, MASK, UNKNOWN
from attention_audit.corpus.vocabulary import UNKNOWN as UNKNOWN_ROW
from attention_audit.model.batch import Batch
from attention_audit.model.network import inference
from attention_audit.model.sequence_classifier import TransformerClassifier
from attention_audit.model.tail import probabilities
from attention_audit.transformer.opening import open_tokenizer

StandIn = Callable[[Indices, Tensor], Tensor]
"""Ids in the place of those of the words of some texts: the texts (R,), the ids of their words (R, L) -> (R, L)."""


def drawn(own: Indices, occurrences: Indices, uniform: Floats) -> Indices:
    """Draw rows of other words than `own`, in proportion to their occurrences (V,), by numbers in [0, 1).

    The unknown word where the training texts have no other.
    """
    ends, mine = occurrences.cumsum(), occurrences[own]
    others = ends[-1] - mine
    place = (uniform * others).astype(np.int64)
    # the occurrences of the word itself are passed over
    place += mine * (place >= ends[own] - mine)
    return np.where(others > 0, np.searchsorted(ends, place, side="right"), UNKNOWN_ROW)


def likely(texts: Attributed, occurrences: Indices, seed: int) -> StandIn:
    """Stands in for a word with a likely one."""

    def stand_in(members: Indices, words: Tensor) -> Tensor:
        streams = (stream("replaced", texts.readout.ids[member], seed) for member in members)
        uniform = np.stack([random.random(words.shape[1]) for random in streams])
        return torch.from_numpy(drawn(words.cpu().numpy(), occurrences, uniform)).to(words.device)

    return stand_in


def always(id_: int) -> StandIn:
    """Stands in for every word with one id."""
    return lambda _, words: torch.full_like(words, id_)


def stand_ins(texts: Attributed, occurrences: Indices, seed: int) -> Mapping[str, StandIn]:
    """What may stand in for the words that a model reads, by the column `by`; nothing where its pieces are unknown."""
    model = texts.model
    if isinstance(model, TransformerClassifier):
        tokenizer = open_tokenizer(model.folder, split=False)
        ids = {UNKNOWN: tokenizer.unk_token_id, MASK: tokenizer.mask_token_id}
        return {name: always(id_) for name, id_ in ids.items() if id_ is not None}
    if not len(occurrences) or model.embedding.num_embeddings != len(occurrences):
        return {}
    return {UNKNOWN: always(UNKNOWN_ROW), LIKELY: likely(texts, occurrences, seed)}


def with_others(batch: Batch, members: Indices, gone: Tensor, stand_in: StandIn) -> Batch:
    """The texts of a batch in which others stand in for some words: gone (R, L)."""
    if batch.pieces is None:
        words = batch.words.where(~gone, stand_in(members, batch.words))
        return replace(batch, ids=torch.cat([batch.ids[:, :1], words, batch.ids[:, -1:]], 1))
    ids = batch.pieces.ids
    taken = of_tokens(batch) & gone.gather(1, batch.pieces.words.clamp(0, gone.shape[1] - 1))
    return replace(batch, pieces=replace(batch.pieces, ids=ids.where(~taken, stand_in(members, ids))))


def chances(texts: Attributed, classes: Indices, members: Indices, gone: Flags, stand_in: StandIn) -> Floats:
    """Predict a class of each text where others stand in for some words: members (R,), gone (R, L) -> (R,).

    `classes` are those of all texts of the split. A text may stand in `members` several times.
    """
    split, model = texts.split, texts.model
    found = np.empty(len(members))
    with inference(model):
        for rows in sort_into_runs(split.lengths[members] + 2, TOKENS):
            batch = flat(split.batch(members[rows]))
            flags = torch.from_numpy(gone[rows, : batch.words.shape[1]]).to(batch.ids.device)
            (predicted,) = logits([model], with_others(batch, members[rows], flags, stand_in))
            found[rows] = select_class(probabilities(predicted.double()), classes[members[rows]])
    return found


def replaced(
    texts: Attributed, occurrences: Indices, agreement: Agreement, erasure: Erasure, deletion: Deletion
) -> dict[str, Any]:
    """Columns id, ranking, by, words, falls; one row for each stand-in, ranking and text of `located`.

    falls: the probability of the class that is predicted for the whole text, before minus after the first k words of
    the ranking are replaced, for each k of `located.sizes`. occurrences (V,): how often the training texts have the
    word of each row of the embedding. A Transformer below another classifier has no rows.
    """
    lengths, named = texts.split.lengths, stand_ins(texts, occurrences, erasure.seed)
    rows = rank_texts(texts, agreement, erasure.seed, deletion)
    lost = np.empty((len(named), len(rows.member), 1 + len(DELETED)))
    for part in in_runs(lengths, rows):
        members = np.unique(rows.member[part])
        text, gone, same = erased_sets(lengths, rows.member[part], [rows.words[row] for row in part])
        every = np.concatenate([members, text])
        kept = np.concatenate([np.zeros((len(members), gone.shape[1]), bool), gone])
        for place, stand_in in enumerate(named.values()):
            chance = chances(texts, rows.deletions.predicted, every, kept, stand_in)
            before = chance[np.searchsorted(members, text)]
            lost[place, part] = (before - chance[len(members) :])[same]
    return {
        "id": [texts.readout.ids[i] for i in rows.member] * len(named),
        "ranking": rows.ranking * len(named),
        "by": [name for name in named for _ in rows.ranking],
        "words": np.tile(lengths[rows.member].astype(np.int32), len(named)),
        "falls": list(lost.reshape(-1, lost.shape[-1])),
    }
