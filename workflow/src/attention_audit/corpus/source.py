"""What every data set declares: where it comes from, how it is split into words, filtered and divided."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from attention_audit.corpus.splits import Splits
from attention_audit.corpus.text import Text
from attention_audit.corpus.tokens import Tokens
from attention_audit.section import Count, Name, Section, Sha256


class RemoteFile(Section):
    """A published file: where it comes from and how to know that it is the right one."""

    file: str = Field(pattern=r"^[^/\\.][^/\\]*$", description="File name, in the mirror and in results/raw.")
    url: str | None = Field(None, pattern=r"^https?://", description="Download address; null: mirror only.")
    bytes: Count | None = Field(None, description="Its size; null where none is published.")
    sha256: Sha256 | None = Field(
        None, description="Its checksum; null where none is published: what was fetched is then recorded only."
    )


class Origin(Section):
    """Whose data it is."""

    homepage: str = Field("", description="Where it is described, and asked for where it can not be downloaded.")
    licence: str = Field("", description="Its licence, as stated there.")
    citation: str = Field("", description="What to cite.")


class Length(Section):
    """Length filter in tokens, both bounds strict."""

    above: int | Literal["shortest"] | None = Field(
        None, description="Keep longer texts only; `shortest`: the split's own least length (the authors' quirk)."
    )
    below: int | Literal["longest"] | None = Field(
        None, description="Keep shorter texts only; `longest`: the split's own greatest length (the authors' quirk)."
    )
    most_sentences: Count | None = Field(None, description="Train and dev texts have at most so many sentences.")
    longest_sentence: Count | None = Field(None, description="Their sentences have at most so many tokens.")


class Preparation(NamedTuple):
    """What happens to the texts of a source; `classes` in the order of their numbers, None: found in the data."""

    tokens: Tokens
    length: Length
    splits: Splits
    classes: list[str] | None


class Source(Section):
    """A data set. Each subclass reads one raw format."""

    min_df: Count = Field(1, description="A word is in the vocabulary if so many training texts hold it.")
    vectors: Name | None = Field(None, description="Word vectors for this data set; null: the run's `vectors`.")

    @property
    def pair(self) -> bool:
        """Whether it gives pairs of texts."""
        return False

    @property
    def preparation(self) -> Preparation:
        """What happens to its texts."""
        return Preparation(Tokens(), Length(), Splits(), None)

    @abstractmethod
    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """Its texts, one by one. `name`: of the data set, for ids; `raw`: path of each of its files by field.

        Raises AuditError, naming file and row, where a file is not as published.
        """


class RawSource(Source):
    """A data set that is read from raw files."""

    folder: Name | None = Field(
        None, description="Folder of its raw files, in a mirror and in results/raw; null: the name of the data set."
    )
    origin: Origin = Field(default_factory=Origin, description="Homepage, licence, citation.")
    tokens: Tokens = Field(default_factory=Tokens, description="How texts become words.")
    length: Length = Field(default_factory=Length, description="Length filter.")
    splits: Splits = Field(default_factory=Splits, description="Splits to make where the source has none.")

    @property
    def preparation(self) -> Preparation:
        """What happens to its texts."""
        return Preparation(self.tokens, self.length, self.splits, self.class_order)

    @property
    def class_order(self) -> list[str] | None:
        """The classes in the order of their numbers; None: sorted by name."""
        return None

    def remote_files(self) -> dict[str, RemoteFile]:
        """The files to fetch, by field."""
        files = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in files.items() if isinstance(value, RemoteFile)}

    def local_files(self) -> dict[str, str]:
        """The user's own files, by field."""
        return {}
