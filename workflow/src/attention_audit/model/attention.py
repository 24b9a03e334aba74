"""Attention: a weight for each item of a text; and how alike the states are that it weighs.

Shapes: N texts or sentences, at most I items, states of width H. Each kind of attention is built from an architecture
and the width H of the states; `architecture.ATTENTION_PARTS` lists them.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from attention_audit.errors import AuditError
from attention_audit.targets import load

from .architecture import ATTENTION_PARTS, Architecture, find_part
from .batch import Batch, Sentences, require_part

PLACES = 1000
"""How many places in a text have a drawn score of their own."""
SCORE_SD = 0.5
"""Standard deviation of drawn scores: few weights are twice the mean, so that no few words drown the others."""


def softmax_items(scores: Tensor, texts: Batch | Sentences) -> Tensor:
    """Return the softmax over the items of each text, without padding: (N, I) -> (N, I)."""
    return scores.masked_fill(~texts.mask, float("-inf")).softmax(-1)


def scale(weight: Tensor, factor: float) -> None:
    """Multiply a weight by a factor, in place."""
    with torch.no_grad():
        weight.mul_(factor)


def soften(attention: nn.Module, factor: float) -> None:
    """Multiply the scores of attention by a factor: below 1, no weight is near 1, and the softmax passes
    gradients.

    Raises AuditError where its class has no such method.
    """
    method = getattr(attention, "soften", None)
    if method is None:
        raise AuditError(
            "model.attention",
            f"the scores of {type(attention).__name__} cannot be softened",
            "give the class a method soften(factor), or set adversary.search: scratch",
        )
    method(factor)


class FixedAttention(nn.Module):
    """Attention that learns nothing and so asks no sizes."""

    def __init__(self, architecture: Architecture, width: int) -> None:
        super().__init__()


class LinearAttention(nn.Module):
    """Attention whose scores are those of one linear unit; models of pairs call it with the states of their queries."""

    score: nn.Linear

    def compute_scores(self, states: Tensor, query: Tensor | None) -> Tensor:
        """Compute the score of each item: (N, I, H), queries (N, H) -> (N, I)."""
        return self.score(states).squeeze(-1)

    def forward(self, states: Tensor, texts: Batch | Sentences, query: Tensor | None = None) -> Tensor:
        """Return weights: (N, I, H), queries (N, H) -> (N, I)."""
        return softmax_items(self.compute_scores(states, query), texts)

    def soften(self, factor: float) -> None:
        """Multiply all scores by a factor."""
        scale(self.score.weight, factor)


class Additive(LinearAttention):
    """softmax_t v tanh(W h_t + b) over the items of a text (Bahdanau et al. 2015); with the state q of its query,
    softmax_t v tanh(W h_t + U q + b).
    """

    def __init__(self, architecture: Architecture, width: int) -> None:
        super().__init__()
        hidden = architecture.attention_hidden
        self.affine = nn.Linear(width, hidden)
        if architecture.pair:
            self.query = nn.Linear(width, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def compute_scores(self, states: Tensor, query: Tensor | None) -> Tensor:
        inner = self.affine(states)
        return super().compute_scores((inner if query is None else inner + self.query(query)[:, None]).tanh(), None)


class Linear(LinearAttention):
    """softmax_t v h_t over the items of a text, with a learned query v: one linear unit (Pruthi et al. 2020)."""

    def __init__(self, architecture: Architecture, width: int) -> None:
        super().__init__()
        # a text of a pair has a query of its own
        if not architecture.pair:
            self.score = nn.Linear(width, 1, bias=False)


class Dot(Linear):
    """softmax_t v h_t / sqrt(H) over the items of a text (Vaswani et al. 2017, with a learned query v); with the state
    q of its query in the place of v.
    """

    def compute_scores(self, states: Tensor, query: Tensor | None) -> Tensor:
        scores = super().compute_scores(states, None) if query is None else torch.einsum("bih,bh->bi", states, query)
        return scores / math.sqrt(states.shape[-1])


class Uniform(FixedAttention):
    """1 / items on every item (Wiegreffe & Pinter 2019, section 3.2)."""

    def forward(self, states: Tensor, texts: Batch) -> Tensor:
        """Return weights: (N, I, H) -> (N, I)."""
        return texts.mask / texts.items[:, None]


class ImposedAttention(FixedAttention):
    """The weights of another model, which the batch carries (Wiegreffe & Pinter 2019, section 3.4)."""

    def forward(self, states: Tensor, texts: Batch) -> Tensor:
        """Return weights: (N, I, H) -> (N, I)."""
        return require_part(texts.attention, "attention")


class RandomAttention(FixedAttention):
    """softmax_t of scores that belong to the places in a text: drawn from a normal distribution before the training,
    and never learnt.

    It is a control: where the places of words say nothing of the label, neither do the weights. Scores repeat after
    `PLACES` items.
    """

    scores: Tensor

    def __init__(self, architecture: Architecture, width: int) -> None:
        super().__init__(architecture, width)
        self.register_buffer("scores", torch.randn(PLACES) * SCORE_SD)

    def forward(self, states: Tensor, texts: Batch | Sentences) -> Tensor:
        """Return weights: (N, I, H) -> (N, I)."""
        positions = torch.arange(states.shape[1], device=states.device) % PLACES
        return softmax_items(self.scores[positions].expand(len(states), -1), texts)


def weigh(attention: Tensor, states: Tensor) -> Tensor:
    """Sum states up to the context vectors sum_t a_t h_t: (N, I), (N, I, H) -> (N, H)."""
    return torch.einsum("bl,blh->bh", attention, states)


def build_attention(architecture: Architecture, width: int) -> Any:
    """Build the attention of an architecture over states of this width: from states (N, I, H) and the texts to weights
    (N, I); for pairs that which also reads the states of queries, (N, H).
    """
    return load(find_part(ATTENTION_PARTS, architecture.attention).target)(architecture, width)


def compute_cosines(states: Tensor, mask: Tensor) -> Tensor:
    """Compute the cosine of each state with the mean state of its text: states (n, L, H), mask (n, L), true on items ->
    (n, L).

    0 for a state of zeros, and on padding.
    """
    middle = states.where(mask[..., None], 0.0).sum(1) / mask.sum(1)[:, None]
    return cosine_similarity(states, middle[:, None], dim=-1).where(mask, 0.0)


def measure_conicity(states: Tensor, mask: Tensor) -> Tensor:
    """Measure conicity, the mean of the cosines: (n, L, H), (n, L) -> (n,). Mohankumar et al. 2020, section 3.2."""
    return compute_cosines(states, mask).sum(1) / mask.sum(1)


def measure_absolute_conicity(states: Tensor, mask: Tensor) -> Tensor:
    """Measure the mean of the cosines' magnitudes, (n, L, H), (n, L) -> (n,): what the authors' code computes and
    minimises.

    It is small only where states spread. Conicity itself is also small where one large state is opposed to many others
    that are all alike.
    """
    return compute_cosines(states, mask).abs().sum(1) / mask.sum(1)
