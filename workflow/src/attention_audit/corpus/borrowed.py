"""The texts of a corpus that is made already, for a data set that takes them from there."""

from collections.abc import Iterator
from pathlib import Path

from attention_audit.artefacts.parquet import read_batches
from attention_audit.columns.corpus import CORPUS
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText


def classes_of(corpus: Path) -> list[str]:
    """The classes of a corpus in the order of their numbers."""
    named: dict[int, str] = {}
    for table in read_batches(corpus, CORPUS, ["label", "label_name"]):
        named.update(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return [named[number] for number in sorted(named)]


def texts_in(corpus: Path) -> Iterator[Text]:
    """The texts of a corpus, in order, as words. What is marked in them is left out.

    Raises AuditError where the file is damaged, or where texts bring their own choice of classes.
    """
    columns = ["id", "split", "label_name", "tokens", "raw", "starts", "sentences", "query", "candidates"]
    for table in read_batches(corpus, CORPUS, columns):
        for row in table.to_pylist():
            if row["candidates"] is not None:
                raise AuditError(f"{corpus}: text {row['id']!r} brings its own classes; name another data set")
            yield Text(
                row["id"],
                row["split"],
                row["label_name"],
                row["tokens"],
                f"{corpus}: text {row['id']!r}",
                query=row["query"],
                sentences=row["sentences"],
                written=row["raw"] and RawText(row["raw"], row["starts"]),
            )
