"""Texts as pieces, and the word that each piece is of.

An encoder below models that are trained here reads words: every word is cut into pieces by itself
(`is_split_into_words`), so that a text without a word has the pieces of the others. Pairs are one sequence, text then
query, as the tokenizer joins them. A classifier of whole texts reads the raw text, as its tokenizer cuts it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.arrays import Flags, Integers, Integers32
from attention_audit.batching import find_starts
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText

from .settings import TEXT_SLOT, Truncation

CUT_TEXTS_AT_ONCE = 1000
"""Texts that are cut into pieces together."""
SPECIAL = -1
"""In the place of a word: the piece is a mark of the tokenizer's, such as [CLS] and [SEP]."""
UNLIMITED_LENGTH = 1 << 20
"""A length beyond which a tokenizer means that it has none."""


@dataclass(frozen=True)
class Pieces:
    """N texts, or pairs, as pieces one after another.

    ids, types, words (T,): of each piece its id, its segment (0, or 1 in the query of a pair), and the word that it is
    of: from 0 in the text, from `read` on in the query, `SPECIAL` for marks. For each text, (N,): counts, its pieces,
    marks included; read, words of the text that are read, of which the first or last one may be cut; queried, words of
    the query that are read; ahead, those of the first text where a raw text is a pair, else 0; truncated, whether
    anything was cut; unknown, words that have no piece and are read as the tokenizer's unknown word. places (R,): where
    in its text each word stands that is read, text after text.
    """

    ids: Integers32
    types: npt.NDArray[np.int8]
    words: Integers32
    places: Integers
    counts: Integers
    read: Integers
    queried: Integers
    ahead: Integers
    truncated: Flags
    unknown: Integers

    def __len__(self) -> int:
        return len(self.counts)

    def describe(self, split: str) -> str:
        """Say how many texts of a split there are and how many were cut, as a line of a log."""
        cut = f", {int(self.truncated.sum())} of them cut" if self.truncated.any() else ""
        unknown = f", {int(self.unknown.sum())} words without a piece" if self.unknown.any() else ""
        return f"{split}: {len(self)} texts{cut}, {int(self.counts.sum())} pieces{unknown}"

    @property
    def starts(self) -> Integers:
        """Return where the pieces of each text begin, (N,)."""
        return find_starts(self.counts)

    @property
    def places_by_text(self) -> list[Integers]:
        """Return where in its text each word stands that is read, (N,) arrays."""
        return np.split(self.places, self.read.cumsum()[:-1])


def join_pieces(parts: Iterable[Pieces]) -> Pieces:
    """Return several runs of texts as one."""
    return Pieces(*map(np.concatenate, zip(*(vars(part).values() for part in parts), strict=True)))


def find_added(tokenizer: Any, text: str) -> list[tuple[int, int]]:
    """Find where in a text special or added tokens of its tokenizer are written, each of which is one piece: where they
    begin and end.
    """
    encoding = tokenizer(text, add_special_tokens=False).encodings[0]
    added, spans = {*tokenizer.get_added_vocab().values()}, []
    for number, (start, stop) in zip(encoding.ids, encoding.offsets, strict=True):
        # a piece may have spaces beside it, and what is unknown has the piece of the unknown word too
        written = text[start:stop].strip()
        if number in added and written and (number != tokenizer.unk_token_id or written == tokenizer.unk_token):
            begin = text.index(written, start)
            spans.append((begin, begin + len(written)))
    return spans


def list_marks(tokenizer: Any) -> list[int]:
    """List the pieces that a tokenizer sets around texts, which are marks within them, too."""
    names = ("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id", "pad_token_id")
    return [*{getattr(tokenizer, name) for name in names} - {None, tokenizer.unk_token_id}]


def _spell(tokenizer: Any, words: Sequence[str]) -> dict[str, str]:
    """Spell words so that their pieces are those behind a space: with one, unless the tokenizer sets it, or they are
    marks; "" in the place of one that has no piece.
    """
    alone, twice = tokenizer(["a", "a a"], add_special_tokens=False)["input_ids"]
    space, added = "" if twice == 2 * alone else " ", tokenizer.get_added_vocab()
    having = {*tokenizer(words, is_split_into_words=True, add_special_tokens=False).word_ids()}
    return {word: word if word in added else (space + word) * (index in having) for index, word in enumerate(words)}


def _replace_pieceless(tokenizer: Any, name: str, words: Sequence[str], spelt: Mapping[str, str]) -> list[str]:
    """Spell the words of a text, and replace those that have no piece by the tokenizer's unknown word.

    Raises AuditError where no word has a piece, and where the tokenizer has no unknown word.
    """
    missing = [word for word in words if not spelt[word]]
    if missing and len(missing) == len(words):
        raise AuditError(
            f"text {name!r}", "none of its words has a piece in the Transformer's tokenizer", "leave it out"
        )
    if missing and tokenizer.unk_token is None:
        raise AuditError(
            f"text {name!r}",
            f"the word {missing[0]!r} has no piece in the Transformer's tokenizer, which has no unknown word either",
            "leave the word out",
        )
    return [spelt[word] or tokenizer.unk_token for word in words]


def _take_text(
    tokenizer: Any,
    encoding: Any,
    words: list[int],
    positions: Integers,
    queried: int = 0,
    ahead: int = 0,
    unknown: int = 0,
    gone: int = 0,
) -> Pieces:
    """Take one text from its encoding. gone: how many of its characters were cut off beforehand."""
    numbers = len(encoding.ids), len(positions), queried, ahead, bool(encoding.overflowing or gone), unknown
    return Pieces(
        np.array(encoding.ids, np.int32),
        # a tokenizer that hands on no segments means that its model is to read none
        np.array(encoding.type_ids, np.int8) * ("token_type_ids" in tokenizer.model_input_names),
        np.array(words, np.int32),
        positions,
        *(np.array([number]) for number in numbers),
    )


def _split_runs(*columns: Sequence[Any]) -> Iterator[list[Sequence[Any]]]:
    """Cut columns of texts into runs of `CUT_TEXTS_AT_ONCE`, so that few encodings are in memory together."""
    for start in range(0, len(columns[0]), CUT_TEXTS_AT_ONCE):
        yield [column[start : start + CUT_TEXTS_AT_ONCE] for column in columns]


def assign_pieces(
    encoding: Any, before: str, text: str, after: str, written: RawText, skipped: int, marks: Sequence[int]
) -> tuple[list[int], Integers]:
    """Return of each piece of a raw text the word that it is of, among those that are read; and where these stand,
    (R,).

    A word is read that a piece has a letter of. A piece is of the word in which its first letter is. What stands before
    a word is of the one before it; before the first word of a text, of that. Pieces of what a prompt has before or
    after are marks, and so are `marks` that are written in the text, and what is of no word. text: what is within a
    prompt of the text, without the first characters, `skipped` of them.
    """
    filled, begin, end = before + text + after, len(before), len(before) + len(text)
    letters = np.array([index for index, letter in enumerate(filled) if not letter.isspace()] or [0])
    side = np.array([part or 0 for part in encoding.sequence_ids], np.int64)
    begins, ends = np.array(encoding.offsets, np.int64).reshape(-1, 2).T + side * (written.second or 0)
    # a piece may begin with the space before its letters
    lower, upper = (letters.searchsorted(bounds) for bounds in (begins, ends))
    bounds = np.minimum(lower, len(letters) - 1), np.maximum(upper - 1, 0)
    ahead = np.array([0, written.first, len(written.places)])
    first_words, last_words = (
        (np.asarray(written.places).searchsorted(letters[each] - begin + skipped, side="right") - 1).clip(
            ahead[side], ahead[side + 1] - 1
        )
        for each in bounds
    )
    outside = (letters[bounds[0]] < begin) | (begins >= end) & (after != "") | (ends <= begin) & (before != "")
    if written.outside:
        first_letters = letters[bounds[0]] - begin + skipped
        starts, stops = np.array(written.outside).T
        outside |= first_letters < stops[starts.searchsorted(first_letters, side="right") - 1]
    in_text = ~outside & ~np.array(encoding.special_tokens_mask, bool) & ~np.isin(encoding.ids, marks)
    covering = in_text & (upper > lower)
    covered = zip(first_words[covering], last_words[covering], strict=True)
    read_words = np.unique([word for start, stop in covered for word in range(start, stop + 1)])
    ahead = read_words.searchsorted(ahead)
    words = read_words.searchsorted(first_words).clip(ahead[side], ahead[side + 1] - 1)
    words_by_piece: list[int] = np.where(in_text, words, SPECIAL).tolist()
    return words_by_piece, read_words


def has_first_mark(tokenizer: Any, text: str) -> bool:
    """Tell whether a text or a prompt, such as a chat template, begins with the mark that the tokenizer sets first."""
    marks = tokenizer.convert_ids_to_tokens(tokenizer("")["input_ids"])
    return bool(marks) and text.startswith(marks[0])


def _fit(tokenizer: Any, name: str, text: str, before: str, after: str, max_pieces: int) -> tuple[Any, str]:
    """Return the pieces of a prompt around a text, or around so much of it as fits, of its beginning or, where the
    tokenizer cuts on the left, of its end; and so much of the text.

    Raises AuditError where nothing of it fits.
    """
    cuts_left = tokenizer.truncation_side == "left"
    tokenize = partial(tokenizer, add_special_tokens=not has_first_mark(tokenizer, before))
    encoding = tokenize(before + text + after).encodings[0]
    while (beyond := len(encoding.ids) - max_pieces) > 0:
        begins = [start - len(before) for start, _ in encoding.offsets if 0 <= start - len(before) < len(text)]
        if len(begins) <= beyond:
            raise AuditError(
                f"text {name!r}", f"none of it fits beside the prompt into {max_pieces} pieces", "shorten the prompt"
            )
        if cuts_left:
            # not within a word, which would have other pieces
            word_starts = (at for at in begins[beyond:] if at and (text[at - 1].isspace() or text[at].isspace()))
            # several pieces may begin at one letter
            text = text[next(word_starts, max(begins[beyond], 1)) :]
        else:
            text = text[: begins[-beyond]]
        encoding = tokenize(before + text + after).encodings[0]
    return encoding, text


def _cut_pairs(
    tokenizer: Any, names: Sequence[str], pairs: Sequence[RawText], max_pieces: int, truncation: Truncation
) -> list[Any]:
    """Cut pairs into pieces, and what is beyond `max_pieces` off one of their texts or both. Raises AuditError where
    nothing of one is left.
    """
    encodings: list[Any] = tokenizer(*map(list, zip(*(pair.sides for pair in pairs), strict=True))).encodings
    for index, encoding in enumerate(encodings):
        beyond = len(encoding.ids) - max_pieces
        if beyond <= 0:
            continue
        sides = encoding.sequence_ids
        room = sides.count(0) + sides.count(1) - beyond
        for side, (which, only) in enumerate((("first", "only_first"), ("second", "only_second"))):
            if room < 2 or (truncation == only and sides.count(side) <= beyond):
                raise AuditError(
                    f"text {names[index]!r}",
                    f"none of the {which} text of this pair fits into {max_pieces} pieces beside the other",
                    "set `truncation: longest_first`, or leave it out" if room > 1 else "leave it out",
                )
        encodings[index] = tokenizer(*pairs[index].sides, truncation=truncation, max_length=max_pieces).encodings[0]
    return encodings


def cut_raw(
    tokenizer: Any,
    names: Sequence[str],
    texts: Sequence[RawText],
    max_pieces: int,
    template: str = TEXT_SLOT,
    truncation: Truncation = "longest_first",
) -> Pieces:
    """Return the pieces of raw texts, of which `names` are the ids, as the tokenizer cuts them: at most `max_pieces` of
    each, marks included. template: the prompt that each text is set into; of one that is too long, the text alone is
    cut. A pair is read as a pair; truncation: which text is cut of one that is too long.

    A word may have no piece of its own, where one piece holds several words. One of which no piece holds anything, as
    it is cut off or the tokenizer leaves it out, is not read. Raises AuditError, naming the text, where nothing of it
    can be read.
    """
    (before, _, after), marks = template.partition(TEXT_SLOT), list_marks(tokenizer)

    def read() -> Iterator[Pieces]:
        for run_names, run in _split_runs(names, texts):
            raw = [text.text for text in run]
            seen_texts: Sequence[str] = raw
            encodings: Sequence[Any]
            if template != TEXT_SLOT:
                fitting = (
                    _fit(tokenizer, name, text, before=before, after=after, max_pieces=max_pieces)
                    for name, text in zip(run_names, raw, strict=True)
                )
                encodings, seen_texts = zip(*fitting, strict=True)
            elif run[0].second is not None:
                encodings = _cut_pairs(tokenizer, run_names, run, max_pieces, truncation)
            else:
                encodings = tokenizer(raw, truncation=True, max_length=max_pieces).encodings
            for name, text, encoding, seen in zip(run_names, run, encodings, seen_texts, strict=True):
                gone = len(text.text) - len(seen)
                words, positions = assign_pieces(
                    encoding=encoding,
                    before=before,
                    text=seen,
                    after=after,
                    written=text,
                    skipped=gone * (tokenizer.truncation_side == "left"),
                    marks=marks,
                )
                if not len(positions):
                    raise AuditError(
                        f"text {name!r}", "the classifier's tokenizer has no piece for anything in it", "leave it out"
                    )
                ahead = 0 if text.second is None else int(positions.searchsorted(text.first))
                yield _take_text(tokenizer, encoding, words, positions, gone=gone, ahead=ahead)

    return join_pieces(read())


def cut(
    tokenizer: Any,
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    queries: Sequence[Sequence[str]] | None,
    max_pieces: int,
) -> Pieces:
    """Return the pieces of texts, or of pairs, of which `names` are the ids; at most `max_pieces` pieces each, marks
    included.

    A word without a piece, such as one of control characters alone, is read as the tokenizer's unknown word. Raises
    AuditError, naming the text, where no word of it can be read.
    """
    columns = [names, texts, *([queries] if queries else [])]
    spelt = _spell(tokenizer, sorted({word for side in columns[1:] for text in side for word in text}))

    def read() -> Iterator[Pieces]:
        for run_names, *sides in _split_runs(*columns):
            run = [
                [_replace_pieceless(tokenizer, name, words, spelt) for name, words in zip(run_names, side, strict=True)]
                for side in sides
            ]
            encodings = tokenizer(*run, is_split_into_words=True, truncation=True, max_length=max_pieces).encodings
            for name, encoding, *of_text in zip(run_names, encodings, *sides, strict=True):
                pieces = [*zip(encoding.sequence_ids, encoding.word_ids, strict=True)]
                count, queried = ({0: 0, 1: 0} | {side: word + 1 for side, word in pieces if side is not None}).values()
                if not count:
                    raise AuditError(
                        f"text {name!r}",
                        f"none of its words is within the {max_pieces} pieces that are read",
                        "raise transformer.max_length, or leave it out",
                    )
                words = [SPECIAL if side is None else word + side * count for side, word in pieces]
                unknown = sum(
                    not spelt[word] for text, end in zip(of_text, (count, queried), strict=False) for word in text[:end]
                )
                yield _take_text(tokenizer, encoding, words, np.arange(count), queried=queried, unknown=unknown)

    return join_pieces(read())
