"""Classifiers that end in attention and a linear decoder.

embedding -> encoder -> attention -> decoder; a Transformer stands in the place of the first two. Shapes: B texts, I
items (tokens; sentences in a hierarchical model), H hidden states, O outputs (for two classes one output, the logit of
class 1; else one for each class).

With a BiLSTM or an affine layer this is the classifier of Wiegreffe & Pinter 2019, section 3, which follows Jain &
Wallace 2019, section 2; they also have convolutions and dot products. With the other encoders, flat or hierarchical,
it is one of the classifiers of Serrano & Smith 2019, section 3. The module `pairs` has classifiers of pairs of texts.
"""

from dataclasses import replace
from typing import Any, NamedTuple

from torch import Tensor, nn

from attention_audit.model.architecture import Architecture
from attention_audit.model.attention import attention_of, weigh
from attention_audit.model.batch import Batch
from attention_audit.model.hierarchy import Hierarchy, flat_encoder
from attention_audit.transformer.states import WordStates


def outputs_for(classes: int) -> int:
    """Width of the decoder: for two classes one output, as in the authors' code; else one for each class."""
    return 1 if classes == 2 else classes


def embedding_of(architecture: Architecture, words: int) -> nn.Embedding:
    """The vectors of `words` words; of none where a Transformer reads the texts, since it has its own."""
    if architecture.transformer is not None:
        return nn.Embedding(0, architecture.embedding)
    return nn.Embedding(words, architecture.embedding, padding_idx=0)


def read(transformer: WordStates | None, batch: Batch) -> Batch:
    """The batch with the states of its texts where a Transformer is to read them; else as it is."""
    if transformer is None or batch.pieces is None:
        return batch
    states, summary = transformer(batch.pieces, batch.vectors)
    return replace(batch, states=states, summary=summary)


def initialise(model: nn.Module) -> None:
    """Serrano & Smith's initial weights.

    Weights of the decoder, and of recurrent units for their input: uniform, by Glorot & Bengio's rule. Weights of
    recurrent units for their state: orthogonal. Biases of both: zero. Convolutions and attention keep the weights that
    PyTorch gives them.
    """
    for name, weight in model.named_parameters():
        if "bias_" in name or name == "decoder.bias":
            nn.init.zeros_(weight)
        elif "weight_hh" in name:
            nn.init.orthogonal_(weight)
        elif "weight_ih" in name or name == "decoder.weight":
            nn.init.xavier_uniform_(weight)


class Output(NamedTuple):
    """The result of a forward pass: logits (B, C or 1), attention (B, I), states (B, I, H) and bias (O,) or (B, O).

    The bias is added to the weighted sum of the items' contributions.
    """

    logits: Tensor
    attention: Tensor
    states: Tensor
    bias: Tensor


class Network(nn.Module):
    """What trainings, readouts and audits ask of a classifier, whatever its kind: from a batch to its `Output`.

    transformer: what reads its texts as pieces, if anything does. A Transformer that classifies texts itself has
    neither embedding nor encoder.
    """

    transformer: WordStates | None
    embedding: nn.Embedding
    attention: nn.Module
    decoder: nn.Linear
    encoder: Any

    def contributions(self, states: Tensor) -> Tensor:
        """What each item adds to the scores, (..., H) -> (..., O). Raises TypeError where its states are not known."""
        raise TypeError(f"{type(self).__name__} adds nothing up item by item")

    def undecayed(self) -> list[nn.Parameter]:
        """The parameters without an L2 penalty."""
        return []


class Classifier(Network):
    """Embedding, encoder, attention, decoder; the context vector is the attention-weighted sum of the states.

    transformer: the encoder of texts as pieces, once it is set; None where the states of a frozen one are given.
    """

    def __init__(self, architecture: Architecture, words: int, classes: int) -> None:
        super().__init__()
        self.transformer: WordStates | None = None
        self.embedding = embedding_of(architecture, words)
        self.encoder = Hierarchy(architecture) if architecture.hierarchical else flat_encoder(architecture)
        width: int = self.encoder.width
        self.attention = attention_of(architecture, width)
        self.context_dropout = nn.Dropout(architecture.dropout.decoder)
        self.decoder = nn.Linear(width, outputs_for(classes))
        self.logit_dropout = nn.Dropout(architecture.dropout.logits)
        if architecture.initialisation == "xavier":
            initialise(self)

    def forward(self, batch: Batch) -> Output:
        """Logits, attention over the items, the states that it weighs, and the decoder's bias."""
        batch = read(self.transformer, batch)
        states = self.encoder(self.embedding, batch)
        attention = self.attention(states, batch)
        context = self.context_dropout(weigh(attention, states))
        return Output(self.logit_dropout(self.decoder(context)), attention, states, self.decoder.bias)

    def contributions(self, states: Tensor) -> Tensor:
        """z_t = W h_t: (B, I, H) -> (B, I, O). Without dropout, logits = sum_t attention_t z_t + bias."""
        return states @ self.decoder.weight.T

    def undecayed(self) -> list[nn.Parameter]:
        """The parameters without an L2 penalty: those of attention over items and, in a hierarchy, over words."""
        words = self.encoder.attention.parameters() if isinstance(self.encoder, Hierarchy) else ()
        return [*words, *self.attention.parameters()]
