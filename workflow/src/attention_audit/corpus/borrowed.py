"""The texts of a corpus that is made already, for a data set that takes them from there. Light, as sources are."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.corpus.raw import DAMAGED
from attention_audit.corpus.text import Text, Texts
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText


def _rows(corpus: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Some columns of each text. Raises AuditError where the file is damaged."""
    try:
        with pq.ParquetFile(corpus) as file:
            for batch in file.iter_batches(columns=[*columns]):
                yield from batch.to_pylist()
    except DAMAGED as error:
        raise AuditError(f"{corpus}: truncated or corrupt ({error}); {rebuild_hint(corpus)}") from error


def classes_of(corpus: Path) -> list[str]:
    """List the classes of a corpus in the order of their numbers. Raises AuditError where the file is damaged."""
    named = {row["label"]: row["label_name"] for row in _rows(corpus, ["label", "label_name"])}
    return [named[number] for number in sorted(named)]


def texts_in(corpus: Path) -> Texts:
    """Read the texts of a corpus, in order, as words. What is marked in them is left out.

    Raises AuditError where the file is damaged, or where texts bring their own choice of classes.
    """
    columns = ["id", "split", "label_name", "group", "tokens", "raw", "starts", "sentences", "query", "candidates"]
    for row in _rows(corpus, columns):
        place = f"{corpus}: text {row['id']!r}"
        if row["candidates"] is not None:
            raise AuditError(f"{place} brings its own classes; name another data set")
        written = row["raw"] and RawText(row["raw"], row["starts"])
        kept = {name: row[name] for name in ("query", "sentences", "group")}
        yield Text(row["id"], row["split"], row["label_name"], row["tokens"], place, written=written, **kept)
