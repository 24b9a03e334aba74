"""What a data set is made from: sections of the configuration."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from attention_audit.section import Count, Section, Seed, Sha256


class Texts(Section):
    """Number of texts to generate for each split of a control corpus."""

    train: Count = Field(1500, description="Texts in the training split.")
    dev: Count = Field(250, description="Texts in the development split.")
    test: Count = Field(500, description="Texts in the test split.")


class ControlCorpus(Section):
    """A generated corpus whose truth is known."""

    kind: Literal["needle", "chorus", "static"] = Field(
        description="needle: one cue word somewhere in a long text decides. chorus: the majority of many weak cues "
        "decides. static: the label does not depend on the text."
    )
    seed: Seed = Field(1, description="Seed of the generator.")
    texts: Texts = Field(default_factory=Texts, description="Size of each split.")


class RemoteFile(Section):
    """A published file: where it comes from and how to know that it is the right one."""

    file: str = Field(pattern=r"^[^/\\.][^/\\]*$", description="File name, in the mirror and in results/raw.")
    url: str | None = Field(None, pattern=r"^https?://", description="Download address; null: mirror only.")
    sha256: Sha256 | None = Field(
        None, description="Expected checksum; null where none is published: the mirror's SHA256SUMS then decides."
    )


class Length(Section):
    """Length filter in tokens, both bounds strict."""

    above: int | None = Field(
        None, ge=0, description="Keep longer texts only; null: each split's shortest length is dropped."
    )
    below: int | None = Field(
        None, ge=1, description="Keep shorter texts only; null: each split's greatest length is dropped."
    )


class SstCorpus(Section):
    """The Stanford Sentiment Treebank, two classes, whole sentences."""

    kind: Literal["sst"] = Field(description="sst: reader of the Penn Treebank format archive.")
    archive: RemoteFile = Field(description="The archive with train.txt, dev.txt and test.txt.")
    length: Length = Field(
        default_factory=lambda: Length(above=5, below=None),
        description="Length filter; the defaults are the authors'.",
    )


Corpus = Annotated[ControlCorpus | SstCorpus, Field(discriminator="kind")]


class VectorFile(RemoteFile):
    """Pretrained word vectors: text format, one word a line, .vec or .txt, optionally .gz."""

    dimension: Count = Field(description="Width of the vectors.")
