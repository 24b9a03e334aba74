"""What a classifier is built of, as plain settings.

The names of encoders and of attention are declared here, with the properties that the checks of a configuration need,
since a run is planned without PyTorch. The modules `encoders` and `attention` build them.
"""

from collections.abc import Collection
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import Field, model_validator

from attention_audit.section import Count, Section
from attention_audit.transformer.settings import Backbone

Share = Annotated[float, Field(ge=0, lt=1)]

Encoder = Literal[
    "bilstm",
    "affine",
    "bigru",
    "conv",
    "none",
    "transformer",
    "lstm",
    "orthogonal_bilstm",
    "orthogonal_lstm",
]
"""Every encoder."""
MARKED: Final = frozenset[Encoder]({"bilstm", "transformer", "lstm", "orthogonal_bilstm", "orthogonal_lstm"})
"""Encoders that read a whole text with marks around it; all others read vectors of words or of sentences."""
SUMMARISING: Final = MARKED | frozenset[Encoder]({"affine", "conv"})
"""Encoders that can sum up a query, which models of pairs need."""

Scoring = Literal["additive", "linear", "dot"]
"""Every scoring function; attention with one has weights that the model learns."""
Attention = Literal[Scoring, "uniform", "imposed", "drawn"]
"""Every kind of attention: the scoring functions, and three kinds that learn nothing."""
Heads = Literal["heads", "even_heads"]
"""The map of the last layer of a Transformer that classifies texts itself: its own, or uniform weights instead."""
QUERIED: Final = frozenset[Attention]({"additive", "dot"})
"""Attention that can also read a query, which models of pairs need."""


class Dropout(Section):
    """The share of values that training sets to zero, at each place where it can; evaluation sets none to zero.

    words: before the encoder of words. sentences: before the encoder of sentences. convolution: again before every
    convolution. decoder: before the decoder. logits: after it.
    """

    words: Share = 0.0
    sentences: Share = 0.0
    convolution: Share = 0.0
    decoder: Share = 0.0
    logits: Share = 0.0


def _one_of(names: Collection[str]) -> str:
    return f"use one of: {', '.join(sorted(names))}"


class Architecture(Section):
    """Encoder, attention and sizes; enough, with the vocabulary, to build the network that fits stored weights.

    hidden: units of a recurrent encoder in each direction, filters of each width of a convolution, or outputs of an
    affine layer; not read where there is no encoder. kernels: the widths of a convolution, in words. hierarchical: an
    encoder and additive attention read the words of each sentence, then the same kind of encoder and `attention` read
    the sentences. pair: a second encoder reads each text's query. initialisation: see `classifier.initialise`. missing:
    where vectors are pretrained, the first ones of words that have none. transformer: which one, where that is the
    encoder; `hidden` is then the width of its states, and `embedding` is not read.
    """

    encoder: Encoder
    attention: Attention | Heads
    embedding: Count
    pretrained: bool
    hidden: Count
    attention_hidden: Count
    kernels: list[Count] = Field(default_factory=lambda: [3, 5])
    hierarchical: bool = False
    pair: bool = False
    dropout: Dropout = Dropout()
    initialisation: Literal["torch", "xavier"] = "torch"
    missing: Literal["zero", "normal"] = "zero"
    transformer: Backbone | None = None

    @property
    def classifying(self) -> bool:
        """Whether the encoder is a Transformer that classifies texts itself, with no attention above it."""
        return self.attention in get_args(Heads)

    @property
    def frozen(self) -> bool:
        """Whether the encoder is a Transformer whose weights stay as they are, so that its states are given."""
        return self.transformer is not None and self.transformer.frozen

    @property
    def tuned(self) -> bool:
        """Whether the encoder is a Transformer that the training fine-tunes."""
        return self.transformer is not None and not self.transformer.frozen

    @model_validator(mode="after")
    def _named(self) -> Self:
        if (self.encoder == "transformer") != (self.transformer is not None):
            raise ValueError(f"encoder {self.encoder!r}: a Transformer is to be named where it is the encoder, only")
        if self.classifying and not self.tuned:
            raise ValueError(f"attention {self.attention!r}: is that of a Transformer that is fine-tuned")
        return self

    @model_validator(mode="after")
    def _marks(self) -> Self:
        if self.encoder in MARKED and (self.hierarchical or self.dropout.words):
            raise ValueError(
                f"{self.encoder} reads a whole text between its marks: no sentences, and no dropout of words"
            )
        return self

    @model_validator(mode="after")
    def _centred(self) -> Self:
        if any(width % 2 == 0 for width in self.kernels):
            raise ValueError(f"kernels {self.kernels}: each must be odd, to have a word in its middle")
        return self

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        if not self.pair:
            return self
        if self.encoder not in SUMMARISING:
            raise ValueError(f"encoder {self.encoder!r} cannot sum up the query of a pair; {_one_of(SUMMARISING)}")
        if self.attention not in QUERIED:
            raise ValueError(f"attention {self.attention!r} has no form for pairs; {_one_of(QUERIED)}")
        if self.hierarchical:
            raise ValueError("pairs are read flat, not as sentences")
        if self.dropout != Dropout() or self.initialisation != "torch":
            raise ValueError("pairs are read without dropout, from PyTorch's own first weights")
        return self
