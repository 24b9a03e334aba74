"""Classifiers of pairs: a text that is attended to, and a query (hypothesis, question) that says where to look.

Jain & Wallace 2019, section 2, for natural language inference and question answering. Shapes as in `classifier`; O is
half of H here, and C classes have a logit each.
"""

import torch
from torch import Tensor, nn

from attention_audit.model.architecture import Architecture
from attention_audit.model.attention import attention_of, weigh
from attention_audit.model.batch import Batch
from attention_audit.model.classifier import Network, Output, embedding_of, read
from attention_audit.model.hierarchy import flat_encoder
from attention_audit.transformer.states import WordStates


def allowed(candidates: Tensor, classes: int) -> Tensor:
    """Which classes may answer each text: candidates (B, K) as in `Batch` -> (B, C)."""
    named = candidates >= 0
    # padding is written to one further column, which is cut off
    columns = torch.zeros(len(candidates), classes + 1, dtype=torch.bool, device=candidates.device)
    columns.scatter_(1, candidates.where(named, classes), True)
    return columns[:, :-1] | ~named.any(1, keepdim=True)


class PairClassifier(Network):
    """Text and query have an embedding and an encoder each; c is the text's context vector, q the query's summary.

    logits = W tanh(W_p c + W_q q) with biases; a class that is not a candidate has the logit minus infinity.

    transformer: as in `Classifier`. It reads text and query as one sequence, and q is the mean of the states of the
    query's words. No parameter is spared the L2 penalty: Jain & Wallace train models of pairs with one on everything.
    """

    def __init__(self, architecture: Architecture, words: int, classes: int) -> None:
        super().__init__()
        self.transformer: WordStates | None = None
        self.embedding = embedding_of(architecture, words)
        self.query_embedding = embedding_of(architecture, words)
        self.encoder = flat_encoder(architecture)
        self.query_encoder = flat_encoder(architecture)
        width: int = self.encoder.width
        hidden = (width + 1) // 2
        self.attention = attention_of(architecture, width)
        self.projection = nn.Linear(width, hidden)
        self.query_projection = nn.Linear(width, hidden)
        self.decoder = nn.Linear(hidden, classes)

    def forward(self, batch: Batch) -> Output:
        """Logits, attention over the text's tokens, the states that it weighs, and the query's part of the scores."""
        batch = read(self.transformer, batch)
        query = self.query(batch)
        states = self.encoder(self.embedding, batch)
        attention = self.attention(states, batch, query)
        bias = self.projection.bias + self.query_projection(query)
        logits = self.decoder((self.contributions(weigh(attention, states)) + bias).tanh())
        if batch.candidates is not None:
            logits = logits.masked_fill(~allowed(batch.candidates, logits.shape[1]), float("-inf"))
        return Output(logits, attention, states, bias)

    def query(self, batch: Batch) -> Tensor:
        """The summaries q of the queries, (B, H)."""
        if batch.summary is not None:
            return batch.summary
        if batch.query is None:
            raise ValueError("a model of pairs needs a split that carries queries")
        return self.query_encoder.summary(self.query_embedding, batch.query)

    def contributions(self, states: Tensor) -> Tensor:
        """z_t = W_p h_t: (..., H) -> (..., O). logits = W tanh(sum_t attention_t z_t + bias) + b; W, b: the decoder."""
        return states @ self.projection.weight.T
