"""Texts as pieces, and the word that each piece is of.

An encoder below models that are trained here reads words: every word is cut into pieces by itself
(`is_split_into_words`), so that a text without a word has the pieces of the others. Pairs are one sequence, text then
query, as the tokenizer joins them. A classifier of whole texts reads the raw text, as its tokenizer cuts it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText

Integers = npt.NDArray[np.int64]
AT_ONCE = 1000
"""Texts that are cut into pieces together."""
SPECIAL = -1
"""In the place of a word: the piece is a mark of the tokenizer's, such as [CLS] and [SEP]."""
UNLIMITED = 1 << 20
"""A length beyond which a tokenizer means that it has none."""


@dataclass(frozen=True)
class Pieces:
    """N texts, or pairs, as pieces one after another.

    ids, types, words (T,): of each piece its id, its segment (0, or 1 in the query of a pair), and the word that it is
    of: from 0 in the text, from `read` on in the query, `SPECIAL` for marks. For each text, (N,): counts, its pieces,
    marks included; read, words of the text that are read, of which the last one may be cut; queried, words of the query
    that are read; truncated, whether anything was cut; unknown, words that have no piece and are read as the
    tokenizer's unknown word.
    """

    ids: npt.NDArray[np.int32]
    types: npt.NDArray[np.int8]
    words: npt.NDArray[np.int32]
    counts: Integers
    read: Integers
    queried: Integers
    truncated: npt.NDArray[np.bool_]
    unknown: Integers

    def __len__(self) -> int:
        return len(self.counts)

    def told(self, split: str) -> str:
        """How many texts of a split there are and how many were cut, as a line of a log."""
        cut = f", {int(self.truncated.sum())} of them cut" if self.truncated.any() else ""
        unknown = f", {int(self.unknown.sum())} words without a piece" if self.unknown.any() else ""
        return f"{split}: {len(self)} texts{cut}, {int(self.counts.sum())} pieces{unknown}"

    @property
    def starts(self) -> Integers:
        """Where the pieces of each text begin, (N,)."""
        return self.counts.cumsum() - self.counts


def longest(tokenizer: Any, positions: int | None, most: int) -> int:
    """How many pieces a text may have: `most`, or fewer where the tokenizer or the model's positions allow fewer."""
    limits = [most, tokenizer.model_max_length, positions or UNLIMITED]
    return int(min(limit for limit in limits if limit and limit <= UNLIMITED))


def joined(parts: Sequence[Pieces]) -> Pieces:
    """Several runs of texts as one."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in Pieces.__dataclass_fields__}
    return Pieces(**columns)


def _known(tokenizer: Any, words: list[str], name: str) -> tuple[list[str], int]:
    """The words of a text, with the tokenizer's unknown word for those that have no piece; and how many these are.

    Raises AuditError where no word has a piece, and where the tokenizer has no unknown word.
    """
    having = set(tokenizer(words, is_split_into_words=True, add_special_tokens=False).word_ids())
    missing = [place for place in range(len(words)) if place not in having]
    if not missing:
        return words, 0
    if len(missing) == len(words):
        raise AuditError(f"text {name!r}: none of its words has a piece in the Transformer's tokenizer; leave it out")
    if tokenizer.unk_token is None:
        raise AuditError(
            f"text {name!r}: the word {words[missing[0]]!r} has no piece in the Transformer's tokenizer, which has no "
            "unknown word either; leave the word out"
        )
    return [tokenizer.unk_token if place not in having else word for place, word in enumerate(words)], len(missing)


def _run(
    tokenizer: Any, names: Sequence[str], texts: list[list[str]], queries: list[list[str]] | None, most: int
) -> Pieces:
    def encoded(texts: list[list[str]], queries: list[list[str]] | None) -> Any:
        return tokenizer(
            texts,
            queries,
            is_split_into_words=True,
            truncation=True,
            max_length=most,
            return_attention_mask=False,
        ).encodings

    encodings = encoded(texts, queries)
    unknown = np.zeros(len(texts), np.int64)
    for place, encoding in enumerate(encodings):
        pairs = set(zip(encoding.sequence_ids, encoding.word_ids, strict=True))
        # words before the last that is read; nobody knows of those behind
        last = [max((word for part, word in pairs if part == side), default=-1) for side in (0, 1)]
        seen = [sum(part == side for part, _ in pairs) for side in (0, 1)]
        whole = not encoding.overflowing
        wanted = [len(texts[place]) if whole else last[0] + 1, 0]
        if queries is not None:
            wanted[1] = len(queries[place]) if whole else last[1] + 1
        if seen == wanted and seen[0]:
            continue
        text, count = _known(tokenizer, texts[place], names[place])
        query, further = (None, 0) if queries is None else _known(tokenizer, queries[place], names[place])
        unknown[place] = count + further
        encodings[place] = encoded([text], None if query is None else [query])[0]
    read, queried = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.int64)
    words: list[int] = []
    for place, encoding in enumerate(encodings):
        of_text = [(part, word) for part, word in zip(encoding.sequence_ids, encoding.word_ids, strict=True)]
        read[place] = 1 + max((word for part, word in of_text if part == 0), default=-1)
        queried[place] = 1 + max((word for part, word in of_text if part == 1), default=-1)
        words += [SPECIAL if part is None else word + part * int(read[place]) for part, word in of_text]
        if not read[place]:
            raise AuditError(
                f"text {names[place]!r}: none of its words is within the {most} pieces that are read; raise "
                "transformer.max_length, or leave it out"
            )
    return _pieces(tokenizer, encodings, words, read, queried, unknown)


def _pieces(
    tokenizer: Any,
    encodings: Sequence[Any],
    words: Sequence[int],
    read: npt.ArrayLike,
    queried: npt.ArrayLike,
    unknown: npt.ArrayLike,
) -> Pieces:
    kinds = [kind for encoding in encodings for kind in encoding.type_ids]
    # a tokenizer that hands on no segments means that its model is to read none
    segmented = "token_type_ids" in tokenizer.model_input_names
    return Pieces(
        ids=np.array([piece for encoding in encodings for piece in encoding.ids], np.int32),
        types=np.array(kinds, np.int8) * segmented,
        words=np.array(words, np.int32),
        counts=np.array([len(encoding.ids) for encoding in encodings], np.int64),
        read=np.asarray(read, np.int64),
        queried=np.asarray(queried, np.int64),
        truncated=np.array([bool(encoding.overflowing) for encoding in encodings], np.bool_),
        unknown=np.asarray(unknown, np.int64),
    )


def _words_of(encoding: Any, text: RawText) -> list[int]:
    """Of each piece of a raw text the word that it is of: that in which its first letter is. What stands before a word
    is of the one before it; before the first word, of that.
    """
    letters = np.array([place for place, letter in enumerate(text.text) if not letter.isspace()] or [0])
    begins = np.array([start for start, _ in encoding.offsets])
    # a piece may begin with the space before its letters
    first = letters[np.minimum(letters.searchsorted(begins), len(letters) - 1)]
    words = np.maximum(np.asarray(text.places).searchsorted(first, side="right") - 1, 0)
    found: list[int] = np.where(encoding.special_tokens_mask, SPECIAL, words).tolist()
    return found


def cut_raw(tokenizer: Any, names: Sequence[str], texts: Sequence[RawText], most: int) -> Pieces:
    """The pieces of raw texts, of which `names` are the ids, as the tokenizer cuts them: at most `most` of each, marks
    included.

    A word may have no piece of its own, where one piece holds several words, or where the tokenizer leaves it out.
    Raises AuditError, naming the text, where nothing of it can be read.
    """

    def runs() -> Iterator[Pieces]:
        for start in range(0, len(texts), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            raw = [text.text for text in texts[part]]
            encodings = tokenizer(raw, truncation=True, max_length=most, return_attention_mask=False).encodings
            words = [_words_of(encoding, text) for encoding, text in zip(encodings, texts[part], strict=True)]
            cut_off = [bool(encoding.overflowing) for encoding in encodings]
            for name, own in zip(names[part], words, strict=True):
                if max(own, default=SPECIAL) == SPECIAL:
                    raise AuditError(
                        f"text {name!r}: the classifier's tokenizer has no piece for anything in it; leave it out"
                    )
            read = [
                1 + max(own) if off else len(text.places)
                for own, off, text in zip(words, cut_off, texts[part], strict=True)
            ]
            yield _pieces(tokenizer, encodings, [*chain(*words)], read, [0] * len(read), [0] * len(read))

    return joined(list(runs()))


def cut(
    tokenizer: Any,
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    queries: Sequence[Sequence[str]] | None,
    most: int,
) -> Pieces:
    """The pieces of texts, or of pairs, of which `names` are the ids; at most `most` pieces each, marks included.

    A word without a piece, such as one of control characters alone, is read as the tokenizer's unknown word. Raises
    AuditError, naming the text, where no word of it can be read.
    """

    def runs() -> Iterator[Pieces]:
        for start in range(0, len(texts), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            asked = None if queries is None else [list(query) for query in queries[part]]
            yield _run(tokenizer, names[part], [list(text) for text in texts[part]], asked, most)

    return joined(list(runs()))
