"""What a classifier is built of, as plain settings.

The encoders and the kinds of attention are declared here, with the properties that the checks of a configuration need,
since a run is planned without PyTorch; the functions that build them are named.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import Field, model_validator

from attention_audit.plugins import Entries, Entry
from attention_audit.section import Count, OneOf, Section
from attention_audit.transformer.settings import Backbone, Share


@dataclass(frozen=True)
class EncoderEntry(Entry):
    """An encoder. target: the function, or the class, that builds it from an architecture and the width of the
    embedding, or of the vectors that it reads.

    marked: it reads a whole text with marks around it; all others read vectors of words or of sentences. summarising:
    it can sum up a query, which models of pairs need.
    """

    name: str
    target: str
    marked: bool = False
    summarising: bool = False


ENCODERS = Entries(
    "ENCODERS",
    EncoderEntry,
    (
        EncoderEntry("bilstm", "model.encoders:BiLSTM", marked=True, summarising=True),
        EncoderEntry("affine", "model.encoders:Affine", summarising=True),
        EncoderEntry("bigru", "model.encoders:BiGRU"),
        EncoderEntry("conv", "model.encoders:Convolution", summarising=True),
        EncoderEntry("none", "model.encoders:Bare"),
        EncoderEntry("transformer", "model.encoders:Given", marked=True, summarising=True),
        EncoderEntry("lstm", "model.encoders:LSTM", marked=True, summarising=True),
        EncoderEntry("orthogonal_bilstm", "model.encoders:OrthogonalBiLSTM", marked=True, summarising=True),
        EncoderEntry("orthogonal_lstm", "model.encoders:OneOrthogonalLSTM", marked=True, summarising=True),
    ),
)
"""Every encoder."""


@dataclass(frozen=True)
class AttentionEntry(Entry):
    """A kind of attention. target: the function, or the class, that builds it from an architecture and the width of the
    states that it weighs. queried: that which builds a form that also reads a query, which models of pairs need; ""
    where there is none. learns: it is a scoring function, whose weights the model learns.
    """

    name: str
    target: str
    queried: str = ""
    learns: bool = True

    TARGETS = ("target", "queried")


ATTENTION = Entries(
    "ATTENTION",
    AttentionEntry,
    (
        AttentionEntry("additive", "model.attention:Additive", "model.attention:QueryAdditive"),
        AttentionEntry("linear", "model.attention:Linear"),
        AttentionEntry("dot", "model.attention:Dot", "model.attention:QueryDot"),
        AttentionEntry("uniform", "model.attention:Uniform", learns=False),
        AttentionEntry("imposed", "model.attention:Imposed", learns=False),
        AttentionEntry("drawn", "model.attention:Drawn", learns=False),
    ),
)
"""Every kind of attention over the items of a text: the scoring functions, and three kinds that learn nothing."""
Heads = Literal["heads", "even_heads"]
"""The map of the last layer of a Transformer that classifies texts itself: its own, or uniform weights instead."""
HEADS: Final = get_args(Heads)

Encoder = Annotated[str, OneOf(lambda: ENCODERS.by_name)]
"""The name of an encoder."""
Scoring = Annotated[str, OneOf(lambda: [entry.name for entry in ATTENTION if entry.learns])]
"""The name of a scoring function."""
Attention = Annotated[str, OneOf(lambda: [*ATTENTION.by_name, *HEADS])]
"""The name of a kind of attention, or of `Heads`."""


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
    the sentences. pair: a second encoder reads each text's query. initialisation: see `network.initialise`. missing:
    where vectors are pretrained, the first ones of words that have none. transformer: which one, where that is the
    encoder; `hidden` is then the width of its states, and `embedding` is not read.
    """

    encoder: Encoder
    attention: Attention
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
        return self.attention in HEADS

    @property
    def entries(self) -> Iterator[EncoderEntry | AttentionEntry]:
        """The entries of encoder and attention; none of `Heads`."""
        yield ENCODERS.by_name[self.encoder]
        if not self.classifying:
            yield ATTENTION.by_name[self.attention]

    @property
    def frozen(self) -> bool:
        """Whether the encoder is a Transformer whose weights stay as they are, so that its states are given."""
        return self.transformer is not None and self.transformer.frozen

    @property
    def tuned(self) -> bool:
        """Whether the encoder is a Transformer that the training fine-tunes."""
        return self.transformer is not None and not self.transformer.frozen

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if (self.encoder == "transformer") != (self.transformer is not None):
            raise ValueError(f"encoder {self.encoder!r}: a Transformer is to be named where it is the encoder, only")
        if self.classifying and not self.tuned:
            raise ValueError(f"attention {self.attention!r}: is that of a Transformer that is fine-tuned")
        if ENCODERS.by_name[self.encoder].marked and (self.hierarchical or self.dropout.words):
            raise ValueError(
                f"{self.encoder} reads a whole text between its marks: no sentences, and no dropout of words"
            )
        if any(width % 2 == 0 for width in self.kernels):
            raise ValueError(f"kernels {self.kernels}: each must be odd, to have a word in its middle")
        if self.pair:
            self._refuse_unless_for_pairs()
        return self

    def _refuse_unless_for_pairs(self) -> None:
        summarising = {entry.name for entry in ENCODERS if entry.summarising}
        if self.encoder not in summarising:
            raise ValueError(f"encoder {self.encoder!r} cannot sum up the query of a pair; {_one_of(summarising)}")
        queried = {entry.name for entry in ATTENTION if entry.queried}
        if self.attention not in queried:
            raise ValueError(f"attention {self.attention!r} has no form for pairs; {_one_of(queried)}")
        if self.hierarchical:
            raise ValueError("pairs are read flat, not as sentences")
        if self.dropout != Dropout() or self.initialisation != "torch":
            raise ValueError("pairs are read without dropout, from PyTorch's own first weights")
