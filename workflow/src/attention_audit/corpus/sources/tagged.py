"""Texts a line, each after its label and a tab, as Pruthi et al. 2020 publish theirs, with their masks beside them."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from attention_audit.corpus.raw import lines, opened, remedy, with_masks
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.errors import AuditError


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
