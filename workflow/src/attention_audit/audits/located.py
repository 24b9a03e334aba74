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

Replaced: does it matter that words are deleted, and not replaced by others? Claims: where a ranking locates the words
that matter, the prediction falls likewise whatever stands in for them. A text that lacks words is shorter and less
fluent than those that the model was trained on, and a fall may come from that. Assumes that a text in which other words
stand is more like them; a likely word is so by itself, and not in its place. Kim et al. 2020 draw the words in the
place of a deleted one from a masked language model; here they are drawn by how often the training texts have them,
which needs none.

A word is replaced by the unknown word; by another word, drawn in proportion to its occurrences in the training texts,
the same at one position of a text for all rankings; or by the mask. A Transformer has the unknown and the mask of its
tokenizer in the place of each piece of the word, and no likely words, which may have other numbers of pieces.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Flags, Floats, Integers
from attention_audit.batching import cut_runs, sort_into_runs, stream
from attention_audit.columns.audits import DELETED, LIKELY, MASK, UNKNOWN
from attention_audit.corpus.vocabulary import UNKNOWN_ROW
from attention_audit.model.batch import Batch
from attention_audit.model.network import use_inference
from attention_audit.model.sequence_classifier import TransformerClassifier
from attention_audit.model.tail import probabilities
from attention_audit.transformer.opening import open_tokenizer

from .attributed import AttributedTexts, RankedRows
from .batches import Columns, select_class
from .gradients import find_tokens
from .leave_one_out import COPIED_TOKENS, compute_logits, predict_without

StandIn = Callable[[Integers, Tensor], Tensor]
"""Ids in the place of those of the words of some texts: the texts (R,), the ids of their words (R, L) -> (R, L)."""
MAX_TOKENS_AT_ONCE = 1 << 16
"""Padded tokens at most of the texts whose deletions are compared at once."""


def count_deleted(lengths: Integers) -> Integers:
    """Count the words that are deleted from texts of at least two words, (n,) -> (n, 5)."""
    return np.maximum(-(-lengths[:, None] * np.array([0, *DELETED]) // 100), 1)


def find_sets(members: Integers, orders: list[Integers]) -> tuple[Integers, Flags, Integers]:
    """Find the different sets of words that are the first of n orders of the texts at `members`, by `count_deleted`.

    Returns the text of each set, (D,), its words, (D, L), and which set each order has at each size, (n, 5).
    """
    lengths = np.array([*map(len, orders)])
    count, longest = count_deleted(lengths), lengths.max()
    # the place of each word in its text's order; past the last word one behind all others
    ranks = np.full((len(orders), longest), longest)
    for row, positions in zip(ranks, orders, strict=True):
        row[positions] = np.arange(len(positions))
    gone = (ranks[:, None] < count[..., None]).reshape(count.size, -1)
    text = np.repeat(members, count.shape[1])
    # texts and their deletions as bytes, of which the different ones are found fastest
    keys = np.concatenate([text[:, None].view(np.uint8), np.packbits(gone, axis=1)], 1)
    _, different, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return text[different], gone[different], same.reshape(count.shape)


def split_rows(rows: RankedRows) -> Iterator[Integers]:
    """Cut the rows into parts that are computed together, the shortest texts first; all rankings of a text lie
    together.
    """
    by_text = np.lexsort((rows.member, rows.lengths))
    for run in cut_runs(rows.lengths[by_text], tokens=MAX_TOKENS_AT_ONCE):
        yield by_text[run]


def measure_falls(rows: RankedRows, lose: Callable[[Integers, Flags], Floats]) -> Floats:
    """Compute what the predicted class loses without the first words of each row, (R, 5), by `count_deleted`.

    lose: the same of different sets of words, from the text of each, (D,), and its words, (D, L).
    """
    lost = np.empty((len(rows.member), 1 + len(DELETED)))
    for part in split_rows(rows):
        text, gone, same = find_sets(rows.member[part], [rows.words[row] for row in part])
        lost[part] = lose(text, gone)[same]
    return lost


def delete_sets(texts: AttributedTexts, text: Integers, gone: Flags) -> Floats:
    """Compute what the predicted class loses where words are deleted: texts (D,), words (D, L) -> (D,)."""
    deletions = texts.ranked.deletions
    lost = np.array([deletions.falls[member][words.argmax()] for member, words in zip(text, gone, strict=True)])
    larger = np.flatnonzero(gone.sum(1) > 1)
    before = torch.from_numpy(deletions.whole[text[larger]])
    after = predict_without(texts.model, texts.split, text[larger], gone[larger])
    lost[larger] = select_class(before - after, deletions.predicted[text[larger]])
    return lost


def located(texts: AttributedTexts) -> Columns:
    """Return the columns id, ranking, words, falls, top_flips, fraction_removed; one row for each ranking and text of
    two words.

    falls: the probability of the predicted class, before minus after the first k words of the ranking are deleted, for
    each k of `count_deleted`. top_flips: whether the class changes without the first word. fraction_removed: see
    `rankings.rank`. Integrated gradients have rows for a sample of the texts, the one of the audit `agreement`; the
    other rankings for the larger one of `deletion` and for these texts, or for all.
    """
    rows = texts.ranked
    firsts = zip(rows.member, rows.words, strict=True)
    return {
        "id": rows.ids,
        "ranking": rows.ranking,
        "words": rows.lengths.astype(np.int32),
        "falls": list(measure_falls(rows, partial(delete_sets, texts))),
        "top_flips": [bool(rows.deletions.flips[i][top_word]) for i, (top_word, *_) in firsts],
        "fraction_removed": rows.fraction_removed,
    }


def draw_others(word_rows: Integers, occurrences: Integers, uniform: Floats) -> Integers:
    """Draw rows of words other than `word_rows`, in proportion to their occurrences (V,), by numbers in [0, 1).

    The unknown word where the training texts have no other.
    """
    ends, mine = occurrences.cumsum(), occurrences[word_rows]
    remaining_counts = ends[-1] - mine
    drawn_counts = (uniform * remaining_counts).astype(np.int64)
    # the occurrences of the word itself are passed over
    drawn_counts += mine * (drawn_counts >= ends[word_rows] - mine)
    return np.where(remaining_counts > 0, np.searchsorted(ends, drawn_counts, side="right"), UNKNOWN_ROW)


def draw_likely(texts: AttributedTexts, occurrences: Integers, members: Integers, words: Tensor) -> Tensor:
    """Draw likely words in the place of others, as a `StandIn` of these texts."""
    streams = (stream("replaced", texts.readout.ids[member], texts.erasure.seed) for member in members)
    uniform = np.stack([random.random(words.shape[1]) for random in streams])
    return torch.from_numpy(draw_others(words.cpu().numpy(), occurrences, uniform)).to(words.device)


def repeat_id(id_: int) -> StandIn:
    """Replace every word by one id."""
    return lambda _, words: torch.full_like(words, id_)


def list_stand_ins(texts: AttributedTexts, occurrences: Integers) -> Mapping[str, StandIn]:
    """List what may stand in for words that a model reads, by the column `by`; nothing where its pieces are unknown."""
    model = texts.model
    if isinstance(model, TransformerClassifier):
        tokenizer = open_tokenizer(model.folder)
        ids = {UNKNOWN: tokenizer.unk_token_id, MASK: tokenizer.mask_token_id}
        return {name: repeat_id(id_) for name, id_ in ids.items() if id_ is not None}
    if not len(occurrences) or model.embedding.num_embeddings != len(occurrences):
        return {}
    return {UNKNOWN: repeat_id(UNKNOWN_ROW), LIKELY: partial(draw_likely, texts, occurrences)}


def replace_words(batch: Batch, members: Integers, gone: Tensor, stand_in: StandIn) -> Batch:
    """Replace some words of the texts of a batch: gone (R, L)."""
    if batch.pieces is None:
        words = batch.words.where(~gone, stand_in(members, batch.words))
        return replace(batch, ids=torch.cat([batch.ids[:, :1], words, batch.ids[:, -1:]], 1))
    ids = batch.pieces.ids
    token = find_tokens(batch)
    taken = (token >= 0) & gone.gather(1, token.clamp(min=0))
    return replace(batch, pieces=replace(batch.pieces, ids=ids.where(~taken, stand_in(members, ids))))


def predict_altered(
    texts: AttributedTexts, members: Integers, runs: Iterable[Integers], compute_run_logits: Callable[..., Tensor]
) -> Floats:
    """Predict, of each altered text, the class that is predicted for the whole text: members (R,) -> (R,); a text may
    stand in `members` several times.

    `compute_run_logits` gives the logits of the rows of a run from their batch.
    """
    probabilities_of_class, classes = np.empty(len(members)), texts.ranked.deletions.predicted[members]
    with use_inference(texts.model):
        for rows in runs:
            read_logits = compute_run_logits(rows, texts.split.batch(members[rows]))
            probabilities_of_class[rows] = select_class(probabilities(read_logits.double()), classes[rows])
    return probabilities_of_class


def replace_sets(texts: AttributedTexts, stand_in: StandIn, text: Integers, gone: Flags) -> Floats:
    """Compute what the predicted class loses where others stand in for words: texts (D,), words (D, L) -> (D,)."""
    # nothing is replaced in the first rows
    text_members = np.unique(text)
    members, taken = np.concatenate([text_members, text]), np.pad(gone, ((len(text_members), 0), (0, 0)))

    def read(rows: Integers, batch: Batch) -> Tensor:
        flags = torch.from_numpy(taken[rows, : batch.words.shape[1]]).to(batch.ids.device)
        return compute_logits([texts.model], replace_words(batch, members[rows], flags, stand_in))[0]

    together = sort_into_runs(texts.split.lengths[members] + 2, COPIED_TOKENS)
    chance = predict_altered(texts, members, together, read)
    return chance[np.searchsorted(text_members, text)] - chance[len(text_members) :]


def replaced(texts: AttributedTexts, occurrences: Integers) -> Columns:
    """Return the columns id, ranking, by, words, falls; one row for each stand-in, ranking and text of `located`.

    falls: the probability of the class that is predicted for the whole text, before minus after the first k words of
    the ranking are replaced, for each k of `count_deleted`. occurrences (V,): how often the training texts have the
    word of each row of the embedding. A Transformer below another classifier has no rows.
    """
    stand_ins, rows = list_stand_ins(texts, occurrences), texts.ranked
    lose = [partial(replace_sets, texts, stand_in) for stand_in in stand_ins.values()]
    return {
        "id": rows.ids * len(stand_ins),
        "ranking": rows.ranking * len(stand_ins),
        "by": [name for name in stand_ins for _ in rows.ranking],
        "words": np.tile(rows.lengths.astype(np.int32), len(stand_ins)),
        "falls": [fall for each in lose for fall in measure_falls(rows, each)],
    }
