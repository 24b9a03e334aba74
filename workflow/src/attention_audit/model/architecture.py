"""What a classifier is built of, as plain settings."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attention_audit.section import Count, Section

Share = Annotated[float, Field(ge=0, lt=1)]


class Dropout(Section):
    """Shares of values that training sets to zero, at each place where it may; nothing is dropped in evaluation.

    words: before the encoder of words. sentences: before the encoder of sentences. convolution: again before every
    convolution. decoder: before the decoder. logits: after it.
    """

    words: Share = 0.0
    sentences: Share = 0.0
    convolution: Share = 0.0
    decoder: Share = 0.0
    logits: Share = 0.0


class Architecture(Section):
    """Encoder, attention and sizes; enough, with the vocabulary, to build the network that fits stored weights.

    hidden: units of a recurrent encoder in each direction, filters of each width of a convolution, outputs of an affine
    layer; without an encoder it is not read. kernels: the widths of a convolution, in words. hierarchical: encoder and
    additive attention over the words of each sentence, then the same kind of encoder and `attention` over the
    sentences. pair: a second encoder reads each text's query. initialisation: see `initialise`.
    """

    encoder: Literal["bilstm", "affine", "bigru", "conv", "none"]
    attention: Literal["additive", "dot", "uniform", "imposed"]
    embedding: Count
    pretrained: bool
    hidden: Count
    attention_hidden: Count
    kernels: list[Count] = Field(default_factory=lambda: [3, 5])
    hierarchical: bool = False
    pair: bool = False
    dropout: Dropout = Dropout()
    initialisation: Literal["torch", "xavier"] = "torch"

    @model_validator(mode="after")
    def _marks(self) -> Self:
        if self.encoder == "bilstm" and (self.hierarchical or self.dropout.words):
            raise ValueError("bilstm reads a whole text between marks: not sentences, and without dropout of words")
        return self

    @model_validator(mode="after")
    def _centred(self) -> Self:
        if any(width % 2 == 0 for width in self.kernels):
            raise ValueError(f"kernels {self.kernels}: each must be odd, to have a word in its middle")
        return self

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        if self.pair:
            known = self.encoder in ("bilstm", "affine", "conv") and self.attention in ("additive", "dot")
            if not known or self.hierarchical:
                raise ValueError("pairs are read flat, by bilstm, affine or conv, with additive or dot attention")
            if self.dropout != Dropout() or self.initialisation != "torch":
                raise ValueError("pairs are read without dropout, from PyTorch's own first weights")
        return self
