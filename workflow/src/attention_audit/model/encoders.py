"""Encoders: from the words of a text to the states that attention weighs.

There are two kinds of encoders, with a base class each. A `TextEncoder` looks up words and marks itself. A
`VectorEncoder` receives vectors of words or of sentences, and sees neither marks nor padding. Each is built from an
architecture and the width of the embedding or of the vectors; `architecture.ENCODER_PARTS` lists them.

Some encoders can also summarise a query in one vector (Jain & Wallace 2019, and their code where the paper leaves it
open): by the final states of its LSTMs, by the mean of affine states, or by the maximum of convolved states.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding as lookup

from attention_audit.batching import mark_lengths
from attention_audit.targets import load

from .architecture import ENCODER_PARTS, Architecture, find_part
from .batch import Batch, MarkedBatch, require_part

EPSILON = 1e-6
"""What is added to m m in `OrthogonalLSTM`, so that the first state, which has none before it, loses nothing."""


class TextEncoder(nn.Module):
    """Reads the words of B texts of at most L tokens, and the marks around each text.

    forward(embedding, texts) gives the states of the tokens, (B, L, width), which have no meaning on padding;
    summary(embedding, texts), where the entry says `paired`, one vector of each text, (B, width).
    """

    width: int


class VectorEncoder(nn.Module):
    """Reads N sequences of at most L vectors of size E, with their lengths (N,).

    forward(vectors, lengths) gives states, (N, L, E) -> (N, L, width), which have no meaning on padding;
    summary(states, lengths), where the entry says `paired`, one vector of each sequence, (N, width).

    reach: a state depends on its own vector and on `reach` vectors on either side, and on nothing else; leave-one-out
    then computes only the states that a deletion changes. None where a state may depend on any vector, or on its
    position in the sequence; every shortened text is then encoded from the start.
    """

    width: int
    reach: int | None = None


def reverse_positions(lengths: Tensor, longest: int) -> Tensor:
    """Give the positions of sequences that are reversed within their own lengths: (N,) -> (N, longest)."""
    position = torch.arange(longest, device=lengths.device)
    return torch.where(mark_lengths(lengths, longest), lengths[:, None] - 1 - position, position)


class OrthogonalLSTM(nn.Module):
    """The recurrence over whole texts, with the weights of an LSTM, of which each state is orthogonal to the mean of
    those before it.

    Mohankumar et al. 2020, section 4.1: an LSTM whose new state r_t loses, before it becomes the state of step t and
    enters the next one, its part along the mean of the states so far (a step of Gram and Schmidt):

        h_t = r_t - (r_t m_t / m_t m_t) m_t,    m_t = h_1 + ... + h_(t-1)

    The sum stands for the mean, whose direction it has. Nothing is taken from the first state. The authors draw the
    states before the first anew for every batch; here they are zero, as in any LSTM.

    Each step is PyTorch's own, which is faster on a CPU than gates computed here from inputs that are projected once. A
    gradient by hand saves a tenth of the time of short texts and a quarter of that of texts of 100 words.
    """

    def __init__(self, embedding: int, hidden: int) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(embedding, hidden)

    def forward(self, vectors: Tensor) -> tuple[Tensor, None]:
        """Return the states (T, B, H) of vectors (T, B, E) of B texts, and None where an LSTM has its last state."""
        state, memory, before = vectors.new_zeros(3, vectors.shape[1], self.cell.hidden_size)
        states = []
        for word in vectors:
            new, memory = self.cell(word, (state, memory))
            part = (new * before).sum(1, keepdim=True) / (before.square().sum(1, keepdim=True) + EPSILON)
            state = new - part * before
            before = before + state
            states.append(state)
        return torch.stack(states), None


class TwoWays(nn.Module):
    """A recurrence in each direction, of `hidden` units each."""

    recurrence: Any

    def __init__(self, architecture: Architecture, size: int) -> None:
        super().__init__()
        self.forwards = self.recurrence(size, architecture.hidden)
        self.backwards = self.recurrence(size, architecture.hidden)
        self.width = 2 * architecture.hidden

    def join(self, left_states: Tensor, right_states: Tensor, reverse: Tensor) -> Tensor:
        """Join the states of both directions, (T, N, hidden), where the second reads the positions `reverse` (N, T):
        (N, T, 2 hidden).
        """
        sequence = torch.arange(len(reverse), device=reverse.device)[:, None]
        # an embedding lookup, whose gradient is several times faster than that of indexing
        aligned = lookup(reverse * len(sequence) + sequence, right_states.flatten(0, 1))
        return torch.cat([left_states.transpose(0, 1), aligned], dim=-1)


class Bidirectional(TwoWays, TextEncoder):
    """One recurrence over the text and one over the text reversed within its own length.

    Padding comes last for both, so neither reads it before a token: the states are exact without packed sequences, and
    computed several times faster on a CPU. Both read their words from one lookup, time first, and stop before the last
    mark.
    """

    def forward(self, embedding: nn.Embedding, texts: MarkedBatch) -> Tensor:
        """Return the states of the tokens, (B, L, 2 hidden)."""
        left_states, right_states, reverse = self._read(embedding, texts, texts.ids.shape[1] - 1)
        return self.join(left_states[1:], right_states, reverse[:, 1:])

    def summary(self, embedding: nn.Embedding, texts: MarkedBatch) -> Tensor:
        """Return the final states of both, after their last mark, (B, 2 hidden)."""
        left_states, right_states, _ = self._read(embedding, texts, texts.ids.shape[1])
        text = torch.arange(left_states.shape[1], device=left_states.device)
        last = texts.lengths + 1
        return torch.cat([left_states[last, text], right_states[last, text]], dim=-1)

    def _read(self, embedding: nn.Embedding, texts: MarkedBatch, steps: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return the states of the first `steps` steps of both, (steps, B, hidden), and the positions that the second
        reads.
        """
        reverse = reverse_positions(texts.lengths + 2, steps)
        left_states, right_states = embedding(torch.stack([texts.ids[:, :steps].t(), texts.ids.gather(1, reverse).t()]))
        left_states, _ = self.forwards(left_states)
        right_states, _ = self.backwards(right_states)
        return left_states, right_states, reverse


class BiLSTM(Bidirectional):
    """An LSTM in each direction."""

    recurrence = nn.LSTM


class OrthogonalBiLSTM(Bidirectional):
    """An orthogonal LSTM in each direction: a state is orthogonal to the mean of those read before it."""

    recurrence = OrthogonalLSTM


class LSTM(TextEncoder):
    """One LSTM over the text, from its start mark on."""

    recurrence: Any = nn.LSTM

    def __init__(self, architecture: Architecture, size: int) -> None:
        super().__init__()
        self.forwards = self.recurrence(size, architecture.hidden)
        self.width = architecture.hidden

    def forward(self, embedding: nn.Embedding, texts: MarkedBatch) -> Tensor:
        """Return the states of the tokens, (B, L, hidden)."""
        states, _ = self.forwards(embedding(texts.ids[:, :-1].t()))
        return states[1:].transpose(0, 1)

    def summary(self, embedding: nn.Embedding, texts: MarkedBatch) -> Tensor:
        """Return the state after the end mark, (B, hidden)."""
        states, _ = self.forwards(embedding(texts.ids.t()))
        return states[texts.lengths + 1, torch.arange(len(texts.ids), device=states.device)]


class OneOrthogonalLSTM(LSTM):
    """An orthogonal LSTM in its place."""

    recurrence = OrthogonalLSTM


class CarriedStates(TextEncoder):
    """The states that a batch carries; of pairs it carries the summary of the query too (`PairClassifier`)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, embedding: nn.Embedding, texts: MarkedBatch) -> Tensor:
        """Return (B, L, width), as they are."""
        return require_part(texts.states if isinstance(texts, Batch) else None, "states, or its Transformer")


def build_carried(architecture: Architecture, size: int) -> CarriedStates:
    """Build the encoder of a Transformer's states, which reads a pair as one sequence."""
    return CarriedStates(architecture.hidden)


class Affine(VectorEncoder):
    """tanh(W x + b), which reads each vector alone: the diagnostic MLP (Wiegreffe & Pinter 2019, section 3.4)."""

    reach = 0

    def __init__(self, architecture: Architecture, size: int) -> None:
        super().__init__()
        self.affine = nn.Linear(size, architecture.hidden)
        self.width = architecture.hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return states: (N, L, E) -> (N, L, hidden)."""
        return self.affine(vectors).tanh()

    def summary(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Return the mean of the states, 0 for an empty sequence: (N, L, hidden) -> (N, hidden)."""
        inside = mark_lengths(lengths, states.shape[1])[..., None]
        return (states * inside).sum(1) / lengths.clamp(min=1)[:, None]


class BiGRU(TwoWays, VectorEncoder):
    """One GRU over the sequence and one over the sequence reversed within its own length, as in `BiLSTM`."""

    recurrence = nn.GRU

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return states: (N, L, E) -> (N, L, 2 hidden)."""
        longest = vectors.shape[1]
        reverse = reverse_positions(lengths, longest)
        starts = torch.arange(len(vectors), device=vectors.device) * longest
        left_states, _ = self.forwards(vectors.transpose(0, 1))
        # a lookup as in `join`
        right_states, _ = self.backwards(lookup(starts + reverse.t(), vectors.flatten(0, 1)))
        return self.join(left_states, right_states, reverse)


class Convolution(VectorEncoder):
    """ReLU of convolutions of several widths, side by side.

    Serrano & Smith (2019, figure 2) use the widths 3 and 5, Jain & Wallace 1, 3, 5 and 7.
    """

    def __init__(self, architecture: Architecture, size: int) -> None:
        super().__init__()
        filters, kernels = architecture.hidden, architecture.kernels
        self.dropout = nn.Dropout(architecture.dropout.convolution)
        self.filters = nn.ModuleList(nn.Conv1d(size, filters, width, padding="same") for width in kernels)
        self.width = len(kernels) * filters
        self.reach = max(kernels) // 2

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return states: (N, L, E) -> (N, L, widths x filters)."""
        inside = mark_lengths(lengths, vectors.shape[1])
        values = self.dropout(vectors * inside[..., None]).transpose(1, 2)
        return torch.cat([filters(values) for filters in self.filters], dim=1).relu().transpose(1, 2)

    def summary(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Return the largest value of each filter, 0 for an empty sequence: (N, L, H) -> (N, H)."""
        # no state is negative, so zeros on padding never win
        return (states * mark_lengths(lengths, states.shape[1])[..., None]).amax(1)


class NoEncoder(VectorEncoder):
    """No encoder: the vectors themselves."""

    reach = 0

    def __init__(self, architecture: Architecture, size: int) -> None:
        super().__init__()
        self.width = size

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return states: (N, L, E) -> (N, L, E)."""
        return vectors


def build_encoder(architecture: Architecture, size: int) -> Any:
    """Build the encoder that an architecture names, of words or vectors of width `size`."""
    return load(find_part(ENCODER_PARTS, architecture.encoder).target)(architecture, size)
