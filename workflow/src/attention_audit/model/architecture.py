"""What a classifier is built of, as plain settings.

The encoders and the kinds of attention are declared in parts.yaml, with the properties that the checks of a
configuration need, since a run is planned without PyTorch; the functions that build them are named. A class of the
user's own is named as "module:Class".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import model_validator

from attention_audit.section import Count, RegisteredName, Section
from attention_audit.targets import name_module
from attention_audit.transformer.settings import Backbone, ShareBelowOne
from attention_audit.yaml_input import read_package_yaml


@dataclass(frozen=True)
class ModelPart:
    """An encoder or a kind of attention. target: the function, or the class, that builds it from an architecture and a
    width: that of the embedding or of the vectors that an encoder reads, or of the states that attention weighs.

    paired: models of pairs may have it: the encoder can sum up a query, the attention reads one too where the
    architecture is of pairs. marked: the encoder reads a whole text with marks around it; all others read vectors of
    words or of sentences. learns: the attention is a scoring function, whose weights the model learns.
    """

    target: str
    paired: bool = False
    marked: bool = False
    learns: bool = True


ENCODER_PARTS, ATTENTION_PARTS = (
    {name: ModelPart(**entry) for name, entry in entries.items()}
    for entries in read_package_yaml(Path(__file__).with_name("parts.yaml")).values()
)
"""Every encoder, and every kind of attention over the items of a text."""
HeadMap = Literal["heads", "even_heads"]
"""The map of the last layer of a Transformer that classifies texts itself: its own, or uniform weights instead."""
HEAD_MAPS: Final = get_args(HeadMap)

EncoderKind = Annotated[str, RegisteredName(lambda: ENCODER_PARTS)]
"""An encoder: its name, or "module:Class"."""
Scoring = Annotated[str, RegisteredName(lambda: [name for name, entry in ATTENTION_PARTS.items() if entry.learns])]
"""A scoring function: its name, or "module:Class"."""
Attention = Annotated[str, RegisteredName(lambda: [*ATTENTION_PARTS, *HEAD_MAPS])]
"""A kind of attention, likewise, or one of `HeadMap`."""


def find_part(entries: Mapping[str, ModelPart], name: str) -> ModelPart:
    """Find an encoder or attention by its name; "module:Class" reads vectors or scores states, and no pairs."""
    return entries.get(name) or ModelPart(name)


class Dropout(Section):
    """The share of values that training sets to zero, at each place where it can; evaluation sets none to zero.

    words: before the encoder of words. sentences: before the encoder of sentences. convolution: again before every
    convolution. decoder: before the decoder. logits: after it.
    """

    words: ShareBelowOne = 0.0
    sentences: ShareBelowOne = 0.0
    convolution: ShareBelowOne = 0.0
    decoder: ShareBelowOne = 0.0
    logits: ShareBelowOne = 0.0


class Architecture(Section):
    """Encoder, attention and sizes; enough, with the vocabulary, to build the network that fits stored weights.

    hidden: units of a recurrent encoder in each direction, filters of each width of a convolution, or outputs of an
    affine layer; not read where there is no encoder. kernels: the widths of a convolution, in words. hierarchical: an
    encoder and additive attention read the words of each sentence, then the same kind of encoder and `attention` read
    the sentences. pair: a second encoder reads each text's query. initialisation: see `network.initialise_weights`.
    missing: where vectors are pretrained, the first ones of words that have none. transformer: which one, where that is
    the encoder; `hidden` is then the width of its states, and `embedding` is not read.
    """

    encoder: EncoderKind
    attention: Attention
    embedding: Count
    pretrained: bool
    hidden: Count
    attention_hidden: Count
    kernels: list[Count] = [3, 5]
    hierarchical: bool = False
    pair: bool = False
    dropout: Dropout = Dropout()
    initialisation: Literal["torch", "xavier"] = "torch"
    missing: Literal["zero", "normal"] = "zero"
    transformer: Backbone | None = None

    @property
    def classifying(self) -> bool:
        """Tell whether the encoder is a Transformer that classifies texts itself, with no attention above it."""
        return self.attention in HEAD_MAPS

    @property
    def modules(self) -> list[str]:
        """Return the modules that build encoder and attention."""
        targets = [find_part(ENCODER_PARTS, self.encoder).target]
        if not self.classifying:
            targets.append(find_part(ATTENTION_PARTS, self.attention).target)
        return [name_module(target) for target in targets]

    @property
    def frozen(self) -> bool:
        """Tell whether the encoder is a Transformer whose weights stay as they are, so that its states are given."""
        return self.transformer is not None and self.transformer.frozen

    @property
    def tuned(self) -> bool:
        """Tell whether the encoder is a Transformer that the training fine-tunes."""
        return self.transformer is not None and not self.transformer.frozen

    @model_validator(mode="after")
    def _check_parts(self) -> Self:
        if (self.encoder == "transformer") != (self.transformer is not None):
            raise ValueError(f"encoder {self.encoder!r}: a Transformer is to be named where it is the encoder, only")
        if self.classifying and not self.tuned:
            raise ValueError(f"attention {self.attention!r}: is that of a Transformer that is fine-tuned")
        if find_part(ENCODER_PARTS, self.encoder).marked and (self.hierarchical or self.dropout.words):
            raise ValueError(
                f"{self.encoder} reads a whole text between its marks: no sentences, and no dropout of words"
            )
        if any(width % 2 == 0 for width in self.kernels):
            raise ValueError(f"kernels {self.kernels}: each must be odd, to have a word in its middle")
        if self.pair:
            self._refuse_unless_for_pairs()
        return self

    def _refuse_unless_for_pairs(self) -> None:
        for part, name, entries, fault in (
            ("encoder", self.encoder, ENCODER_PARTS, "cannot sum up the query of a pair"),
            ("attention", self.attention, ATTENTION_PARTS, "has no form for pairs"),
        ):
            paired = sorted(name for name, entry in entries.items() if entry.paired)
            if name not in paired:
                raise ValueError(f"{part} {name!r} {fault}; use one of: {', '.join(paired)}")
        if self.hierarchical:
            raise ValueError("pairs are read flat, not as sentences")
        if self.dropout != Dropout() or self.initialisation != "torch":
            raise ValueError("pairs are read without dropout, from PyTorch's own first weights")
