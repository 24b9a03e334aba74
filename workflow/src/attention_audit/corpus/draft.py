"""The first pass over a source: it writes the texts as words to a file, and keeps a few numbers of each in memory.

These numbers decide which texts are kept, and in which split.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attention_audit.corpus.blocking import masked
from attention_audit.corpus.rationales import Aligned, Span, aligned
from attention_audit.corpus.splits import UNKNOWN, Codes
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.corpus.tokens import MASKED, Placed, Tokens, placed_sentences, split_sentences
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText

CHUNK = 2**20
"""About how many characters a worker splits at a time."""
LONGEST = 10**7
"""Characters of a text at most; the papers' longest has 10^5. In a longer text, a quote was surely left open."""
EVERY = 5.0
"""Seconds between two messages on progress."""

STRINGS = pa.list_(pa.string())
INTEGERS = pa.list_(pa.int32())
DRAFT = pa.schema(
    [
        ("id", pa.string()),
        ("place", pa.string()),
        ("split", pa.string()),
        ("label", pa.string()),
        ("tokens", STRINGS),
        ("raw", pa.string()),
        ("starts", INTEGERS),
        ("sentences", INTEGERS),
        ("query", STRINGS),
        ("candidates", STRINGS),
        ("mask", INTEGERS),
        ("annotators", STRINGS),
        ("marks", pa.list_(INTEGERS)),
        ("scores", pa.list_(pa.float64())),
        ("annotator_labels", STRINGS),
        ("outside", pa.int64()),
        ("lost", pa.int64()),
        ("miscounted", pa.int64()),
        ("digest", pa.int64()),
    ]
)
"""A text as words; its digest is the same for texts with the same words, and hardly ever for others."""


def characters(text: str | list[str] | None) -> int:
    """The length of a text, or of its words together, in characters."""
    return len(text or "") if isinstance(text, str | None) else sum(map(len, text))


def chunks(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """Runs of texts of about CHUNK characters. Raises AuditError at a text beyond LONGEST."""
    chunk: list[Text] = []
    size = 0
    for text in texts:
        length = characters(text.text) + characters(text.query)
        if length > LONGEST:
            raise AuditError(f"{text.place}: text of {length} characters, more than {LONGEST}; is a quote left open?")
        chunk.append(text)
        size += length
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def placed_words(text: str | list[str], tokens: Tokens) -> list[list[Placed]]:
    """The sentences of a text as words with their places; a text that the source has already split into words is one
    sentence, and the place of each word is its position.
    """
    if isinstance(text, list):
        return [[(word, at, at + 1) for at, word in enumerate(text)]]
    return placed_sentences(text, tokens)


def words_of(text: str | list[str], tokens: Tokens) -> list[list[str]]:
    """The sentences of a text as words; a text that the source has already split into words is one sentence."""
    return [text] if isinstance(text, list) else split_sentences(text, tokens)


def on_words(text: Text, words: Iterable[Placed]) -> Aligned | None:
    """The annotations of a text on its words; None where it has none.

    Raises AuditError where a word does not stand where its tokenizer says: that of a language which is written without
    spaces may put some between its words.
    """
    if text.annotations is None:
        return None
    places: list[Span] = []
    for word, start, end in words:
        stood = text.text[start:end]
        if isinstance(stood, str) and word != MASKED and not {*word} & {*stood, *stood.lower()}:
            raise AuditError(
                f"{text.place}: the tokenizer finds {word!r:.50} where the text has {stood!r:.50}, so its marks cannot "
                "be laid on words; use `tokens: {tokenizer: spaces}`, with spaces between the words of the text"
            )
        places.append((start, end))
    return aligned(text.annotations, places)


def standing(text: Text, words: list[Placed]) -> RawText | None:
    """The text as people write it, and where each word begins in it; None where it is the words, with spaces."""
    if text.written is not None:
        return RawText(text.written.text, [text.written.places[start] for _, start, _ in words])
    return None if isinstance(text.text, list) else RawText(text.text, [start for _, start, _ in words])


def digest(words: Iterable[str], query: Iterable[str] | None) -> int:
    """64 bits of a hash of the words of a text, and of its query, as a signed number."""
    parts = ["\0".join(words), *([] if query is None else ["\0".join(query)])]
    hashed = blake2b("\0\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(hashed.digest(), signed=True)


def is_whole(text: Text) -> bool:
    """Whether a text is free of half characters (lone surrogates), which JSON can express but no file can store."""
    parts = [
        text.id,
        text.label or "",
        *(text.text if isinstance(text.text, list) else [text.text]),
        text.written.text if text.written else "",
        *(text.query or []),
    ]
    return not any("\ud800" <= character <= "\udfff" for part in parts for character in part)


def split_chunk(texts: list[Text], tokens: Tokens) -> pa.RecordBatch:
    """A chunk as rows of DRAFT.

    Raises AuditError at a text with half a character in it, and at a mask that does not fit its text.
    """
    split = [placed_words(text.text, tokens) for text in texts]
    placed = [[*chain(*sentences)] for sentences in split]
    words = [[word for word, _, _ in own] for own in placed]
    written = [standing(text, own) for text, own in zip(texts, placed, strict=True)]
    annotations = [text.annotations for text in texts]
    found = [on_words(text, own) for text, own in zip(texts, placed, strict=True)]
    starts = [[*accumulate(map(len, sentences[:-1]), initial=0)] if sentences else [] for sentences in split]
    queries = [None if text.query is None else [*chain(*words_of(text.query, tokens))] for text in texts]
    columns = [
        [text.id for text in texts],
        [text.place for text in texts],
        [text.split for text in texts],
        [text.label for text in texts],
        words,
        [one and one.text for one in written],
        [one and one.places for one in written],
        [text.sentences or (own if tokens.sentences else None) for text, own in zip(texts, starts, strict=True)],
        queries,
        [text.candidates for text in texts],
        [masked(text, len(own)) for text, own in zip(texts, words, strict=True)],
        [one and [*one.rationale.marks] for one in found],
        [one and [*one.rationale.marks.values()] for one in found],
        [one and one.rationale.scores for one in found],
        [said and said.labels and [said.labels[name] for name in said.marks] for said in annotations],
        [said.outside if said else 0 for said in annotations],
        [one.lost if one else 0 for one in found],
        [said.miscounted if said else 0 for said in annotations],
        [digest(*text) for text in zip(words, queries, strict=True)],
    ]
    try:
        arrays = [pa.array(column, type_) for column, type_ in zip(columns, DRAFT.types, strict=True)]
    except UnicodeEncodeError as error:
        place = next(text.place for text in texts if not is_whole(text))
        raise AuditError(f"{place}: half a character in the text ({error.reason}); mend it") from error
    return pa.RecordBatch.from_arrays(arrays, schema=DRAFT)


def split_all(texts: Iterable[Text], tokens: Tokens, workers: int) -> Iterator[pa.RecordBatch]:
    """Every chunk in order, split into words by `workers` processes; at most two chunks per process are in memory."""
    if workers == 1:
        yield from (split_chunk(chunk, tokens) for chunk in chunks(texts))
        return
    waiting: deque[Future[pa.RecordBatch]] = deque()
    with ProcessPoolExecutor(workers) as pool:
        for chunk in chunks(texts):
            waiting.append(pool.submit(split_chunk, chunk, tokens))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@dataclass
class Ledger:
    """What is kept in memory about the texts of a draft.

    labels: every label in order of appearance, with the place of its first text. candidates: all candidates of training
    texts. ids: of all texts. entries: the numbers of each text, batch by batch; marked: those of its annotations.
    """

    labels: dict[str, str] = field(default_factory=dict)
    candidates: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    entries: list[Codes] = field(default_factory=list)
    marked: list[Codes] = field(default_factory=list)

    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch. Raises AuditError at an id that occurred before, and at an unknown split."""
        names = ("id", "place", "split", "label", "tokens", "sentences", "query", "candidates", "digest")
        numbers = {label: number for number, label in enumerate(self.labels)}
        rows = []
        for id_, place, split, label, length, starts, query, candidates, hashed in zip(
            *(self._column(batch, name) for name in names), strict=True
        ):
            if id_ in self.ids:
                raise AuditError(f"{place}: the id {id_!r} occurs twice; make ids unique")
            if split is not None and split not in SPLITS:
                raise AuditError(f"{place}: unknown split {split!r}; known: {', '.join(SPLITS)}")
            self.ids.add(id_)
            if label is not None:
                self.labels.setdefault(label, place)
            number = UNKNOWN if label is None else numbers.setdefault(label, len(numbers))
            if candidates and split in ("train", None):
                self.candidates.update(candidates)
            widths = np.diff([*(starts or [0]), length])
            # a pair whose second text has no words counts as empty too
            words = 0 if query == 0 else length
            own = UNKNOWN if split is None else SPLITS.index(split)
            rows.append((own, number, words, len(widths), widths.max(), hashed))
        self.entries.append(np.array(rows, np.int64))
        annotators = batch.column("annotators").value_lengths().fill_null(0).to_numpy()
        faults = [batch.column(name).to_numpy() for name in ("outside", "lost", "miscounted")]
        self.marked.append(np.stack([annotators, *faults], axis=1).astype(np.int64))

    @staticmethod
    def _column(batch: pa.RecordBatch, name: str) -> list[Any]:
        column = batch.column(name)
        values: list[Any] = (column.value_lengths() if name in ("tokens", "query") else column).to_pylist()
        return values

    def columns(self) -> tuple[Codes, Codes, Codes, Codes, Codes, Codes]:
        """Split, label, tokens, sentences, tokens of the longest sentence, and digest of every text; (N,) each.

        Splits are the codes of the module `splits`, and labels are positions in `self.labels`, or UNKNOWN.
        """
        entries = np.concatenate([np.empty((0, 6), np.int64), *self.entries])
        split, label, tokens, sentences, longest, digests = entries.T
        return split, label, tokens, sentences, longest, digests

    def annotations(self) -> Codes:
        """Of every text, (N, 4): its annotators, marks outside of it, marks on no word, and lists of a wrong length."""
        return np.concatenate([np.empty((0, 4), np.int64), *self.marked])


def write_draft(
    texts: Iterable[Text], tokens: Tokens, path: Path, workers: int, report: Callable[[str], None]
) -> Ledger:
    """Split all texts into words and write them to `path`, in order. Raises AuditError at a text that is not usable."""
    ledger = Ledger()
    reported = time.monotonic()
    with pq.ParquetWriter(path, DRAFT, compression="zstd") as writer:
        for batch in split_all(texts, tokens, workers):
            ledger.add(batch)
            writer.write_batch(batch)
            if time.monotonic() - reported >= EVERY:
                reported = time.monotonic()
                report(f"{len(ledger.ids)} texts split into words")
    return ledger
