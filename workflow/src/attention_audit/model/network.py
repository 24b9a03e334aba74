"""Classifiers that end in attention and a linear decoder, of texts and of pairs of texts; and how they are run.

embedding -> encoder -> attention -> decoder; a Transformer stands in the place of the first two. Shapes: B texts, I
items (tokens; sentences in a hierarchical model), H hidden states, O outputs (for two classes one output, the logit of
class 1; else one for each class).

With a BiLSTM or an affine layer this is the classifier of Wiegreffe & Pinter 2019, section 3, which follows Jain &
Wallace 2019, section 2; they also have convolutions and dot products. With the other encoders, flat or hierarchical,
it is one of the classifiers of Serrano & Smith 2019, section 3, after Yang et al. 2016; these read no marks around a
text. Classifiers of pairs have a text that is attended to, and a query (hypothesis, question) that says where to look,
as in Jain & Wallace 2019, section 2, for natural language inference and question answering.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding as lookup

from attention_audit.arrays import Floats32
from attention_audit.transformer.states import WordStates

from .architecture import ENCODER_PARTS, Architecture, find_part
from .attention import Additive, build_attention, weigh
from .batch import Batch, MarkedBatch, Sentences, Split, require_part
from .encoders import build_encoder
from .tail import probabilities


def build_embedding(architecture: Architecture, words: int) -> nn.Embedding:
    """Build the vectors of `words` words; of none where a Transformer reads the texts, since it has its own."""
    if architecture.transformer is not None:
        return nn.Embedding(0, architecture.embedding)
    return nn.Embedding(words, architecture.embedding, padding_idx=0)


def add_states(transformer: WordStates | None, batch: Batch) -> Batch:
    """Return the batch with the states of its texts where a Transformer is to read them; else as it is."""
    if transformer is None or batch.pieces is None:
        return batch
    states, summary = transformer(batch.pieces, batch.vectors)
    return replace(batch, states=states, summary=summary)


def initialise_weights(model: nn.Module) -> None:
    """Give a model Serrano & Smith's initial weights.

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


class WordEncoder(nn.Module):
    """Embedding, dropout and encoder over the words of texts or of sentences, without marks."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.dropout = nn.Dropout(architecture.dropout.words)
        self.encoder = build_encoder(architecture, architecture.embedding)
        self.width = self.encoder.width

    def forward(self, embedding: nn.Embedding, texts: MarkedBatch | Sentences) -> Tensor:
        """Return the states of the words, (N, L, H)."""
        return self.encoder(self.dropout(embedding(texts.words)), texts.lengths)

    def summary(self, embedding: nn.Embedding, texts: MarkedBatch) -> Tensor:
        """Sum up each text by the encoder, (N, H)."""
        return self.encoder.summary(self(embedding, texts), texts.lengths)


def build_reader(architecture: Architecture) -> Any:
    """Build what reads the words of texts: an encoder that reads their marks too, or `WordEncoder`."""
    marked = find_part(ENCODER_PARTS, architecture.encoder).marked
    return build_encoder(architecture, architecture.embedding) if marked else WordEncoder(architecture)


class Hierarchy(nn.Module):
    """`WordEncoder` and attention turn each sentence into a vector; dropout and an encoder of the same kind read these.

    The sentences of all texts of a batch are encoded together, in groups of similar length, so that padding never
    takes more room than the texts themselves, however long one sentence is.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.words = WordEncoder(architecture)
        self.attention = Additive(architecture, self.words.width)
        self.dropout = nn.Dropout(architecture.dropout.sentences)
        self.encoder = build_encoder(architecture, self.words.width)
        self.width = self.encoder.width

    def forward(self, embedding: nn.Embedding, batch: Batch) -> Tensor:
        """Return the states of the sentences, (B, S, H)."""
        groups, positions, _ = require_part(batch.documents, "sentence boundaries")
        summaries = []
        for sentences in groups:
            states = self.words(embedding, sentences)
            summaries.append(weigh(self.attention(states, sentences), states))
        documents = lookup(positions, self.dropout(torch.cat(summaries)))
        return self.encoder(documents, batch.items)


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

    @property
    def outputs(self) -> int:
        """Count the logits that it returns, O."""
        return self.decoder.out_features

    def compute_contributions(self, states: Tensor) -> Tensor:
        """Return what each item adds to the scores, (..., H) -> (..., O). Raises TypeError where its states are not
        known.
        """
        raise TypeError(f"{type(self).__name__} adds nothing up item by item")

    def list_undecayed(self) -> list[nn.Parameter]:
        """List the parameters without an L2 penalty."""
        return []


class Classifier(Network):
    """Embedding, encoder, attention, decoder; the context vector is the attention-weighted sum of the states.

    transformer: the encoder of texts as pieces, once it is set; None where the states of a frozen one are given.
    """

    def __init__(self, architecture: Architecture, words: int, classes: int) -> None:
        super().__init__()
        self.transformer = None
        self.embedding = build_embedding(architecture, words)
        self.encoder = Hierarchy(architecture) if architecture.hierarchical else build_reader(architecture)
        width = self.encoder.width
        self.attention = build_attention(architecture, width)
        self.context_dropout = nn.Dropout(architecture.dropout.decoder)
        # for two classes one output, as in the authors' code
        self.decoder = nn.Linear(width, 1 if classes == 2 else classes)
        self.logit_dropout = nn.Dropout(architecture.dropout.logits)
        if architecture.initialisation == "xavier":
            initialise_weights(self)

    def forward(self, batch: Batch) -> Output:
        """Return the logits, attention over the items, the states that it weighs, and the decoder's bias."""
        batch = add_states(self.transformer, batch)
        states = self.encoder(self.embedding, batch)
        attention = self.attention(states, batch)
        context = self.context_dropout(weigh(attention, states))
        return Output(self.logit_dropout(self.decoder(context)), attention, states, self.decoder.bias)

    def compute_contributions(self, states: Tensor) -> Tensor:
        """Compute z_t = W h_t: (B, I, H) -> (B, I, O). Without dropout, logits = sum_t attention_t z_t + bias."""
        return states @ self.decoder.weight.T

    def list_undecayed(self) -> list[nn.Parameter]:
        """List the parameters without an L2 penalty: those of attention over items and, in a hierarchy, over words."""
        words = self.encoder.attention.parameters() if isinstance(self.encoder, Hierarchy) else ()
        return [*words, *self.attention.parameters()]


def mark_allowed(candidates: Tensor, classes: int) -> Tensor:
    """Mark which classes may answer each text: candidates (B, K) as in `Batch` -> (B, C)."""
    matches = candidates[..., None] == torch.arange(classes, device=candidates.device)
    return matches.any(1) | (candidates < 0).all(1, keepdim=True)


class PairClassifier(Network):
    """Text and query have an embedding and an encoder each; c is the text's context vector, q the query's summary. O is
    half of H here, and C classes have a logit each.

    logits = W tanh(W_p c + W_q q) with biases; a class that is not a candidate has the logit minus infinity.

    transformer: as in `Classifier`. It reads text and query as one sequence, and q is the mean of the states of the
    query's words. No parameter is spared the L2 penalty: Jain & Wallace train models of pairs with one on everything.
    """

    def __init__(self, architecture: Architecture, words: int, classes: int) -> None:
        super().__init__()
        self.transformer = None
        self.embedding, self.query_embedding = (build_embedding(architecture, words) for _ in range(2))
        self.encoder, self.query_encoder = (build_reader(architecture) for _ in range(2))
        width = self.encoder.width
        hidden = (width + 1) // 2
        self.attention = build_attention(architecture, width)
        self.projection = nn.Linear(width, hidden)
        self.query_projection = nn.Linear(width, hidden)
        self.decoder = nn.Linear(hidden, classes)

    def forward(self, batch: Batch) -> Output:
        """Return the logits, attention over the text's tokens, the states that it weighs, and the query's part of the
        scores.
        """
        batch = add_states(self.transformer, batch)
        query = self.query(batch)
        states = self.encoder(self.embedding, batch)
        attention = self.attention(states, batch, query)
        bias = self.projection.bias + self.query_projection(query)
        logits = self.decoder((self.compute_contributions(weigh(attention, states)) + bias).tanh())
        if batch.candidates is not None:
            logits = logits.masked_fill(~mark_allowed(batch.candidates, logits.shape[1]), float("-inf"))
        return Output(logits, attention, states, bias)

    def query(self, batch: Batch) -> Tensor:
        """Return the summaries q of the queries, (B, H)."""
        if batch.summary is not None:
            return batch.summary
        return self.query_encoder.summary(self.query_embedding, require_part(batch.query, "queries"))

    def compute_contributions(self, states: Tensor) -> Tensor:
        """Compute z_t = W_p h_t: (..., H) -> (..., O). logits = W tanh(sum_t attention_t z_t + bias) + b; W, b: the
        decoder.
        """
        return states @ self.projection.weight.T


def build_network(architecture: Architecture, words: int, classes: int) -> Network:
    """Build a classifier of texts or of pairs, with weights from PyTorch's random state and `words` rows in the
    embedding.
    """
    return (PairClassifier if architecture.pair else Classifier)(architecture, words, classes)


@contextmanager
def use_inference(model: Network) -> Iterator[None]:
    """Switch gradients and dropout off in the block; afterwards the model is in the mode it had before."""
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(training)


def predict_split(model: Network, split: Split) -> Floats32:
    """Predict the distributions over a split, (N, C), without gradients and dropout."""
    logits = torch.empty(len(split), model.decoder.out_features)
    with use_inference(model):
        for members, batch in split.iterate_by_length():
            logits[torch.from_numpy(members)] = model(batch).logits.cpu()
        return probabilities(logits).numpy()


@contextmanager
def use_torch(threads: int | None = None) -> Iterator[None]:
    """Let PyTorch compute in the block as a job does, whatever its caller has set: with gradients, in float32 without
    autocast, and with so many threads, by default those that it has.
    """
    count, dtype = torch.get_num_threads(), torch.get_default_dtype()
    devices = [name for name in ("cpu", "cuda") if torch.is_autocast_enabled(name)]
    torch.set_num_threads(threads or count)
    torch.set_default_dtype(torch.float32)
    try:
        with ExitStack() as modes:
            for device in devices:
                modes.enter_context(torch.autocast(device, enabled=False))
            modes.enter_context(torch.inference_mode(False))
            modes.enter_context(torch.enable_grad())
            yield
    finally:
        torch.set_num_threads(count)
        torch.set_default_dtype(dtype)
