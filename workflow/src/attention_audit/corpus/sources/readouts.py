"""The texts of a readout from elsewhere, on which nothing is trained."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from attention_audit.corpus.rationales import of_words
from attention_audit.corpus.source import Preparation, RawSource
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.given.files import read_given
from attention_audit.given.readouts import GivenReadout
from attention_audit.section import Name

GIVEN = "evidence"
"""Who marked the words: the file of the readout, in its column of that name."""


class ReadoutCorpus(RawSource):
    """The words, labels and evidence of a readout, as a test split. The section `own` makes such an entry."""

    trained: ClassVar[bool] = False

    kind: Literal["readout"] = Field(
        description="readout: the texts of a readout of your own. `own` makes this entry; you need not write it."
    )
    path: str = Field(description="The .parquet or .npz file of the readout.")
    classes: list[str] | None = Field(None, min_length=2, description="Names of the classes; null: their numbers.")
    vectors: Name | None = Field("random", description="Nothing is trained on these texts, so they need no vectors.")

    @property
    def preparation(self) -> Preparation:
        """Words stay as they are, and no text is dropped."""
        return super().preparation._replace(classes=self.classes)

    def local_files(self) -> dict[str, str]:
        """The file of the user."""
        return {"path": self.path}

    def named(self, name: str, given: GivenReadout) -> list[str]:
        """The names of the classes. Raises AuditError where there are others than are named."""
        if self.classes is not None and len(self.classes) != given.classes:
            raise AuditError(
                f"{given.place}: column probabilities has {given.classes} classes, and own.{name}.classes names "
                f"{len(self.classes)}; name each"
            )
        return self.classes or [str(number) for number in range(given.classes)]

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """The texts in order. Raises AuditError where the readout is wrong, or has other classes than are named."""
        given = read_given(raw["path"])
        named = self.named(name, given)
        rows = zip(given.ids, given.labels.tolist(), given.tokens, given.evidence, strict=True)
        for id_, label, words, evidence in rows:
            said = None if evidence is None else of_words({GIVEN: evidence})
            yield Text(id_, "test", named[label], words, f"{given.place}: text {id_!r}", annotations=said)
