"""Training and development texts of another data set, for texts that are only read: IMDb's for Yelp's, say."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from attention_audit.artefacts.parquet import read_batches
from attention_audit.columns.corpus import CORPUS
from attention_audit.corpus.source import TRAINED_ON, RawSource, Source, TrainedOn
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText

TEST = "test"


def classes_of(corpus: Path) -> list[str]:
    """The classes of a corpus in the order of their numbers."""
    named: dict[int, str] = {}
    for table in read_batches(corpus, CORPUS, ["label", "label_name"]):
        named.update(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return [named[number] for number in sorted(named)]


def fitted_texts(corpus: Path) -> Iterator[Text]:
    """The training and development texts of a corpus, in order, as words. What is marked in them is left out.

    Raises AuditError where the file is damaged, or where texts bring their own choice of classes.
    """
    columns = ["id", "split", "label_name", "tokens", "raw", "starts", "sentences", "query", "candidates"]
    for table in read_batches(corpus, CORPUS, columns):
        for row in table.to_pylist():
            if row["candidates"] is not None:
                raise AuditError(f"{corpus}: text {row['id']!r} brings its own classes; train on another data set")
            if row["split"] != TEST:
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


def labelled_as_trained(texts: Iterator[Text], trained_on: TrainedOn, classes: list[str]) -> Iterator[Text]:
    """Texts as a test split, with the labels of the training data, None where a text is to be left out.

    Texts that are for training or development where they come from are not among them. Raises AuditError, naming the
    text, at a label that the training data do not have.
    """
    for text in texts:
        if text.split not in (None, TEST):
            continue
        label = text.label if text.label is None else trained_on.labels.get(text.label, text.label)
        if label is not None and label not in classes:
            known = ", ".join(map(repr, classes))
            raise AuditError(
                f"{text.place}: label {label!r:.50} is no class of {trained_on.dataset}, whose classes are {known}; "
                "say in `trained_on.labels` which of them it is, or null to leave such texts out"
            )
        yield replace(text, split=TEST, label=label)


def texts_of(name: str, source: Source, raw: Mapping[str, Path]) -> tuple[Iterator[Text], list[str] | None]:
    """The texts of a data set, and its classes in order, None where the texts tell them.

    Where it is trained on another one, that one's corpus stands in `raw` under TRAINED_ON. Raises AuditError as the
    source does, and as the functions above do.
    """
    if not isinstance(source, RawSource) or source.trained_on is None:
        return source.read(name, raw), source.preparation.classes
    trained_on, corpus = source.trained_on, raw[TRAINED_ON]
    classes = classes_of(corpus)

    def texts() -> Iterator[Text]:
        yield from fitted_texts(corpus)
        yield from labelled_as_trained(source.read(name, raw), trained_on, classes)

    return texts(), classes
