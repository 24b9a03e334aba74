"""Texts row by row, each after its label: the csv archives of Zhang, Zhao & LeCun (2015), AG News, Yahoo, Amazon and
Yelp; and files of a line a text, as Pruthi et al. 2020 publish theirs, with their masks beside them.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Literal, Self

from pydantic import Field, model_validator

from attention_audit.corpus.raw import by_split, csv_rows, lines, opened, remedy, with_masks
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.errors import AuditError
from attention_audit.section import Count


def unescaped(field: str) -> str:
    r"""A field with its line breaks, which the archives write as \n, and its quotes, which some write as \"."""
    return field.replace("\\n", "\n").replace('\\"', '"')


class ZhangCorpus(RawSource):
    """Texts in train.csv and test.csv: the class as a number from 1, then one or more columns of text."""

    kind: Literal["zhang"] = Field(description="zhang: csv files in the format of Zhang et al.")
    archive: RemoteFile | None = Field(None, description="An archive with train.csv and test.csv.")
    train: RemoteFile | None = Field(None, description="The file train.csv, where there is no archive.")
    test: RemoteFile | None = Field(None, description="The file test.csv, where there is no archive.")
    classes: list[str] = Field(min_length=2, description="Names of the classes, in the order of their numbers.")
    keep: list[str] | None = Field(None, min_length=2, description="Classes to keep, by class; null: all.")
    columns: list[Count] | None = Field(
        None, min_length=1, description="Columns that make the text, the class being column 0; null: all others."
    )
    escaped: bool = Field(True, description=r"Whether `\n` stands for a line break; in AG News it is a bare backslash.")

    @model_validator(mode="after")
    def _files(self) -> Self:
        if (self.archive is None) == (self.train is None or self.test is None):
            raise ValueError("give either `archive`, or `train` and `test`")
        if unknown := set(self.keep or []) - set(self.classes):
            raise ValueError(f"keep: unknown class {min(unknown)!r}; known: {', '.join(self.classes)}")
        return self

    @property
    def class_order(self) -> list[str]:
        """The classes that are kept, in order."""
        return self.keep or self.classes

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """The texts of both files; ids are <name>-<split>-<row>, where rows count those of other classes too.

        Raises AuditError, naming file and line, at an unknown class and at a row without the columns.
        """
        if "archive" not in raw:
            for split in ("train", "test"):
                with opened(raw[split]) as stream:
                    yield from self._rows(name, split, stream, str(raw[split]))
            return
        wanted, lacking = r"(.*/)?(train|test)\.csv", "{}.csv in it; is it the csv archive?"
        for split, where, stream in by_split(raw["archive"], wanted, ("train", "test"), lacking):
            yield from self._rows(name, split, stream, where)

    def _rows(self, name: str, split: str, stream: IO[bytes], where: str) -> Iterator[Text]:
        labels = {str(code): label for code, label in enumerate(self.classes, start=1)}
        for number, (place, row) in enumerate(csv_rows(lines(stream, where), where), start=1):
            label = labels.get(row[0].strip())
            if label is None:
                raise AuditError(f"{place}: unknown class {row[0]!r}; known: 1 to {len(labels)}")
            if label not in self.class_order:
                continue
            columns = self.columns or range(1, len(row))
            last = max(columns, default=1)
            if last >= len(row):
                raise AuditError(f"{place}: {len(row)} columns, no text in column {last}; mend the row")
            fields = [row[column] for column in columns]
            joined = " ".join(map(unescaped, fields) if self.escaped else fields)
            yield Text(f"{name}-{split}-{number:07d}", split, label, joined, place)


class TaggedCorpus(RawSource):
    """Texts in a file for each split: a line a text, its label before a tab. A mask file may stand beside each of them,
    whose lines have a 0 or 1 for each word.
    """

    kind: Literal["tagged"] = Field(description="tagged: a line a text, its label before a tab; a file for each split.")
    train: RemoteFile = Field(description="The texts of the training split.")
    dev: RemoteFile = Field(description="Those of the development split.")
    test: RemoteFile = Field(description="Those of the test split.")
    train_mask: RemoteFile | None = Field(None, description="The mask of impermissible words of the training split.")
    dev_mask: RemoteFile | None = Field(None, description="That of the development split.")
    test_mask: RemoteFile | None = Field(None, description="That of the test split.")
    labels: dict[str, str] = Field(
        min_length=2, description="Names of the classes, by the labels of the files, in the order of their numbers."
    )

    @model_validator(mode="after")
    def _all_masked(self) -> Self:
        if len({getattr(self, f"{split}_mask") is None for split in SPLITS}) > 1:
            raise ValueError("give a mask file for each of the splits, or for none")
        return self

    @property
    def class_order(self) -> list[str]:
        """The classes, as they are named."""
        return list(self.labels.values())

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """The texts of all splits; ids are <name>-<split>-<line>, from 00001.

        Raises AuditError, naming file and line, at a line without a label, at an unknown one, and where a mask file has
        not a line for each text.
        """
        for split in SPLITS:
            with opened(raw[split]) as stream:
                texts = self._texts(name, split, lines(stream, str(raw[split])), raw[split])
                yield from with_masks(texts, raw.get(f"{split}_mask"))

    def _texts(self, name: str, split: str, rows: Iterable[str], path: Path) -> Iterator[Text]:
        for number, line in enumerate(rows, start=1):
            place = f"{path}, line {number}"
            label, tab, text = line.strip().partition("\t")
            if not tab:
                raise AuditError(f"{place}: no tab after a label; {remedy(path)}")
            if label not in self.labels:
                raise AuditError(f"{place}: unknown label {label!r:.30}; known: {', '.join(self.labels)}")
            yield Text(f"{name}-{split}-{number:05d}", split, self.labels[label], text, place)
