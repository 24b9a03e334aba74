"""Encoders of texts as words (flat), or as sentences of words (hierarchical).

The flat and the hierarchical attention networks of Serrano & Smith 2019, after Yang et al. 2016. Neither reads the
marks around a text.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding as lookup

from attention_audit.model.architecture import Architecture
from attention_audit.model.attention import Additive, weigh
from attention_audit.model.batch import Batch, Marked, Sentences
from attention_audit.model.encoders import TextEncoder, text_encoder, vector_encoder


class Words(nn.Module):
    """Embedding, dropout and encoder over the words of texts or of sentences, without marks."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.dropout = nn.Dropout(architecture.dropout.words)
        self.encoder = vector_encoder(architecture, architecture.embedding)
        self.width = self.encoder.width

    def forward(self, embedding: nn.Embedding, texts: Marked | Sentences) -> Tensor:
        """States of the words, (N, L, H)."""
        states: Tensor = self.encoder(self.dropout(embedding(texts.words)), texts.lengths)
        return states

    def summary(self, embedding: nn.Embedding, texts: Marked) -> Tensor:
        """The encoder's summary of each text, (N, H); raises TypeError where it does not define one."""
        return self.encoder.summary(self(embedding, texts), texts.lengths)


def flat_encoder(architecture: Architecture) -> TextEncoder | Words:
    """The encoder of an architecture that reads texts flat, from a batch to the states of its words."""
    return text_encoder(architecture) or Words(architecture)


class Hierarchy(nn.Module):
    """`Words` and attention turn each sentence into a vector; dropout and an encoder of the same kind read the vectors.

    The sentences of all texts of a batch are encoded together, in groups of similar length, so that padding never
    takes more room than the texts themselves, however long one sentence is.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.words = Words(architecture)
        self.attention = Additive(architecture, self.words.width)
        self.dropout = nn.Dropout(architecture.dropout.sentences)
        self.encoder = vector_encoder(architecture, self.words.width)
        self.width = self.encoder.width

    def forward(self, embedding: nn.Embedding, batch: Batch) -> Tensor:
        """States of the sentences, (B, S, H)."""
        if batch.documents is None:
            raise ValueError("a hierarchical model needs a split that carries sentence boundaries")
        vectors = torch.cat([self._summary(embedding, group) for group in batch.documents.groups])
        documents = lookup(batch.documents.places, self.dropout(vectors))
        states: Tensor = self.encoder(documents, batch.items)
        return states

    def _summary(self, embedding: nn.Embedding, sentences: Sentences) -> Tensor:
        states = self.words(embedding, sentences)
        return weigh(self.attention(states, sentences), states)
