"""The first pass over a source: it writes the texts as words to a file, with a few numbers of each.

These numbers decide which texts are kept, and in which split.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attention_audit.columns.files import CORPUS
from attention_audit.errors import AuditError, suggest
from attention_audit.raw_text import RawText, join_words

from .rationales import Annotations, Rationale, align
from .raw import MAX_CHARACTERS
from .source import Preparation
from .text import SPLITS, Text, clean_characters, reduce_text, strip_html
from .tokens import DIGIT_MASK, SplitText
from .units import split_units

Reporter = Callable[[str], None]
"""What receives messages on progress."""
CHUNK_CHARACTERS = 2**20
"""About how many characters a worker splits at a time."""
PROGRESS_SECONDS = 5.0
"""Seconds between two messages on progress."""

DRAFT_NUMBERS = (
    "words",
    "query_words",
    "sentence_count",
    "longest",
    "annotator_count",
    "outside",
    "lost",
    "miscounted",
    "digest",
    "alike",
)
"""Of a text: words (0 too where the second text of a pair has none), words of a second text that is not read as one
with it, sentences, words of the longest one, annotators, marks outside of it, marks on no word, and lists of marks of a
wrong length. The digest is the same for texts with the same words, and hardly ever for others; `alike`, for those alike
but for marks, where these are to be in one split.
"""
DRAFT = pa.schema(
    {field.name: field.type for field in CORPUS.schema}
    | {"place": pa.string(), "label": pa.string(), "candidates": pa.list_(pa.string())}
    | dict.fromkeys(DRAFT_NUMBERS, pa.int64())
)
"""A text as words, as in the corpus, and its numbers; classes have no numbers yet."""


def find_masked(text: Text, words: int) -> list[int] | None:
    """Find the positions that the mask of a text marks; None where it has none.

    Raises AuditError where it has not a mark for each of the text's words.
    """
    if text.mask is None:
        return None
    if len(text.mask) != words:
        raise AuditError(
            text.place,
            f"{len(text.mask)} marks in the mask, and {words} words in the text",
            "mend it, or set `tokens: {tokenizer: spaces}` where the marks are of words that are parted by spaces",
        )
    return [at for at, marked in enumerate(text.mask) if marked]


def refuse_absent(words: Collection[str], dataset: str) -> None:
    """Raise AuditError where there are words that occur in no text."""
    if words:
        raise AuditError(
            f"{dataset}: block",
            f"{', '.join(map(repr, sorted(words)))} in no text",
            "write each word as it is in the corpus, after `tokens` has split and lower-cased the texts",
        )


def cut_chunks(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """Cut texts into runs of about CHUNK_CHARACTERS characters. Raises AuditError at a text beyond MAX_CHARACTERS."""
    chunk: list[Text] = []
    size = 0
    for text in texts:
        length = sum(len("".join(part or "")) for part in (text.text, text.query))
        if length > MAX_CHARACTERS:
            raise AuditError(
                text.place, f"text of {length} characters, more than {MAX_CHARACTERS}", "is a quote left open?"
            )
        chunk.append(text)
        size += length
        if size >= CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def lay_marks(text: Text, split: SplitText) -> Rationale:
    """Lay the annotations of a text on its words; there are no marks where it has none.

    Raises AuditError where a word does not stand where its tokenizer says: that of a language which is written without
    spaces may put some between its words.
    """
    if text.annotations is None:
        return Rationale({})
    for word, (start, end) in zip(split.words, split.places, strict=True):
        stood = text.text[start:end]
        letters = stood + clean_characters(strip_html(stood))[0] if isinstance(stood, str) else word
        if word != DIGIT_MASK and not {*word} & {*letters, *letters.lower()}:
            raise AuditError(
                text.place,
                f"the tokenizer finds {word!r:.50} where the text has {stood!r:.50}, so its marks cannot be laid on "
                "words",
                "use `tokens: {tokenizer: spaces}`, with spaces between the words of the text",
            )
    return align(text.annotations, split.places)


def place_words(text: str | list[str] | None, split: SplitText, written: RawText | None = None) -> RawText | None:
    """Say where each word begins in what is `written`, or else in the text; None where that is a list of words."""
    if isinstance(text, str):
        written = written or RawText(text, range(len(text) + 1))
    return written and written._replace(places=[written.places[start] for start, _ in split.places])


def hash_words(*parts: Iterable[str]) -> int:
    """Compute 64 bits of a hash of the words of a text, and of its query, as a signed number."""
    joined = "\0\0".join(map("\0".join, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(joined, digest_size=8).digest(), signed=True)


def make_row(text: Text, preparation: Preparation) -> dict[str, Any]:
    """Make a text a row of DRAFT, without `raw` and `starts` where it is its words with spaces.

    Both texts of a pair are its words, those of the first before those of the second, where it is `joined`: none of the
    second are marked. Raises AuditError where its mask does not fit it, or its words where they stand.
    """
    tokens, joined = preparation.tokens, preparation.joined
    units = tokens, preparation.granularity, preparation.tokenizer
    try:
        split = split_units(text.text, *units)
        added = split_units(text.query, *units) if text.query else SplitText([], [], [])
    except ValueError as error:
        raise AuditError(text.place, str(error), "set granularity: word in hf") from error
    text_words, query = split.words, added.words
    begins = text.sentences or (split.begins if tokens.sentences else None)
    written, words = place_words(text.text, split, text.written), text_words
    annotations, rationale = text.annotations or Annotations({}), lay_marks(text, split)
    scores = rationale.scores
    # an empty list, not null, where all lists were of a wrong length: somebody did mark this text
    evidence = rationale.majority or ([] if text.annotations and not rationale.marks else None)
    if joined:
        second = place_words(text.query, added) or join_words(query)
        written, words = (written or join_words(text_words)).join_pair(second), [*text_words, *query]
        begins = begins and [*begins, *(len(text_words) + at for at in added.begins or [0])]
        scores = scores and [*scores, *[0.0] * len(query)]
    block, mask = preparation.block, find_masked(text, len(text_words))
    blocked = evidence if (mask is None if block is None else block.evidence) else mask
    if block is not None and block.words is not None:
        blocked = [at for at, word in enumerate(words) if word in block.words]
    widths = np.diff([*(begins or [0]), len(words)])
    paired = joined or text.query is not None
    sides = [side if isinstance(side, str) else " ".join(side or ()) for side in (text.text, text.query)]
    return {
        **{name: getattr(text, name) for name in ("id", "place", "split", "label", "labels", "group", "candidates")},
        **({"raw": written.text, "starts": written.places, "second": written.second} if written else {}),
        "tokens": words,
        "sentences": begins,
        "query": query if paired and not joined else None,
        "annotators": text.annotations and [*rationale.marks],
        "marks": text.annotations and [*rationale.marks.values()],
        "scores": scores,
        "annotator_labels": annotations.labels,
        "evidence": evidence,
        "blocked": blocked,
        "words": 0 if paired and not (text_words and query) else len(words),
        "query_words": 0 if joined else len(query),
        "sentence_count": len(widths),
        "longest": widths.max(),
        "annotator_count": len(annotations.marks),
        "outside": annotations.outside,
        "miscounted": annotations.miscounted,
        "lost": rationale.lost,
        "digest": hash_words(text_words, *([query] if paired else [])),
        "alike": hash_words(reduce_text(strip_html(side) if tokens.strip_html else side) for side in sides)
        if preparation.splits.alike_together
        else 0,
    }


def split_chunk(texts: list[Text], preparation: Preparation) -> pa.RecordBatch:
    """Make a chunk rows of DRAFT. Raises AuditError as `make_row` does."""
    return pa.RecordBatch.from_pylist([make_row(text, preparation) for text in texts], schema=DRAFT)


def split_all(texts: Iterable[Text], preparation: Preparation, workers: int) -> Iterator[pa.RecordBatch]:
    """Split every chunk, in order, by `workers` processes; at most two chunks per process are in memory."""
    split = partial(split_chunk, preparation=preparation)
    if workers == 1:
        yield from map(split, cut_chunks(texts))
        return
    waiting: deque[Future[pa.RecordBatch]] = deque()
    with ProcessPoolExecutor(workers) as pool:
        for chunk in cut_chunks(texts):
            waiting.append(pool.submit(split, chunk))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        for future in waiting:
            yield future.result()


def check_entries(texts: Iterable[Text]) -> Iterator[Text]:
    """Yield the texts. Raises AuditError at an id that occurred before, or an unknown split."""
    ids: set[str] = set()
    for text in texts:
        if text.id in ids:
            raise AuditError(text.place, f"the id {text.id!r} occurs twice", "make ids unique")
        if text.split is not None and text.split not in SPLITS:
            fault = f"unknown split {text.split!r}{suggest(text.split, SPLITS)}"
            raise AuditError(text.place, fault, f"write one of {', '.join(SPLITS)}")
        ids.add(text.id)
        yield text


def write_draft(
    texts: Iterable[Text], preparation: Preparation, path: Path, workers: int, report: Reporter
) -> set[str]:
    """Split all texts into words and write them to `path`, in order; return the impermissible words that none has.

    Raises AuditError at a text that is not usable.
    """
    block, done, reported = preparation.block, 0, time.monotonic()
    unseen = {*((block and block.words) or ())}
    with pq.ParquetWriter(path, DRAFT, compression="zstd") as writer:
        for batch in split_all(check_entries(texts), preparation, workers):
            writer.write_batch(batch)
            unseen -= {*batch["tokens"].flatten().unique().to_pylist()} if unseen else set()
            done += len(batch)
            if time.monotonic() - reported >= PROGRESS_SECONDS:
                reported = time.monotonic()
                report(f"{done} texts split into words")
    return unseen
