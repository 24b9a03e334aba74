"""How alike the states of a text are: whether they lie in a narrow cone around their mean."""

from torch import Tensor
from torch.nn.functional import cosine_similarity


def cosines(states: Tensor, mask: Tensor) -> Tensor:
    """The cosine of each state with the mean state of its text: states (n, L, H), mask (n, L), true on items -> (n, L).

    0 for a state of zeros, and on padding.
    """
    middle = states.where(mask[..., None], 0.0).sum(1) / mask.sum(1)[:, None]
    return cosine_similarity(states, middle[:, None], dim=-1).where(mask, 0.0)


def cone(states: Tensor, mask: Tensor) -> Tensor:
    """Conicity, the mean of the cosines: (n, L, H), (n, L) -> (n,). Mohankumar et al. 2020, section 3.2."""
    return cosines(states, mask).sum(1) / mask.sum(1)


def absolute_conicity(states: Tensor, mask: Tensor) -> Tensor:
    """The mean of the cosines' magnitudes, (n, L, H), (n, L) -> (n,): what the authors' code computes and minimises.

    It is small only where states spread. Conicity itself is also small where one large state is opposed to many others
    that are all alike.
    """
    return cosines(states, mask).abs().sum(1) / mask.sum(1)
