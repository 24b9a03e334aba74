"""The csv archives of Zhang, Zhao & LeCun (2015): AG News, Yahoo Answers, Amazon and Yelp reviews."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Literal, Self

from pydantic import Field, model_validator

from attention_audit.corpus.raw import by_split, csv_rows, lines, opened
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text
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
