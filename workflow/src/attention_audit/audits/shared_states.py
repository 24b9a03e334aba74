"""States of texts without one of their tokens, of which only those that the deletion changes are computed.

For n texts of one length L and the deletions start <= d < stop: states (stop - start, n, L - 1, H), those of text n
without its token d. Deletions come first, and texts last, so that those that are underway lie together.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, pad

from attention_audit.model.encoders import BiLSTM, VectorEncoder
from attention_audit.model.hierarchy import Words

EVERY = 8
"""Steps after which it is looked for deletions that have been forgotten."""


class Recurrence(NamedTuple):
    """One direction of an LSTM over n texts, up to the mark that would come last.

    inputs (L + 1, n, 4 H): what each step adds to its gates. weight (H, 4 H): from state to gates. hidden, cell
    (L + 2, n, H): before each step, and after the last. Gates are those of `lstm`, but twice the candidate's.
    """

    inputs: Tensor
    weight: Tensor
    hidden: Tensor
    cell: Tensor

    def step(self, number: int, hidden: Tensor, cell: Tensor) -> None:
        """Take a step in place, for any number of copies of the n texts: (..., n, H), (..., n, H).

        tanh x is 2 sigmoid(2 x) - 1, which takes a fraction of its time.
        """
        gates = (hidden @ self.weight).add_(self.inputs[number]).sigmoid_()
        into, forget, candidate, out = gates.chunk(4, -1)
        cell.mul_(forget).addcmul_(into, candidate, value=2).sub_(into)
        torch.addcmul(-out, out, (2 * cell).sigmoid_(), value=2, out=hidden)

    def rewrite(self, states: Tensor, start: int, stop: int, turned: bool = False) -> None:
        """Put what the deletions start <= d < stop change into the texts' own states (stop - start, n, L - 1, H).

        A deletion's state stands still before its token, so it joins the steps after it; where the LSTM has forgotten
        the token, the text's own states remain: deletions leave the steps from the first on. `turned`: in `states` the
        last deletion comes first, and so does the last place of a text.
        """
        length, copies = len(self.inputs) - 1, stop - start
        hidden, cell = self.hidden[start + 1 : stop + 1].clone(), self.cell[start + 1 : stop + 1].clone()
        if turned:
            hidden, cell = hidden.flip(0), cell.flip(0)
        forgotten = 0
        for token in range(start + 1, length):
            if forgotten == copies:
                break
            joined = min(token, stop) - start
            underway = slice(copies - joined, copies - forgotten) if turned else slice(forgotten, joined)
            self.step(token + 1, hidden[underway], cell[underway])
            states[underway, :, length - 1 - token if turned else token - 1] = hidden[underway]
            if token % EVERY == 0:
                same = self._same(token + 2, hidden[underway], cell[underway])
                forgotten += int((same.flip(0) if turned else same).cumprod(0).sum())

    def _same(self, number: int, hidden: Tensor, cell: Tensor) -> Tensor:
        """Which deletions (D,) are, before a step, where the texts themselves are: (D, n, H), (D, n, H)."""
        rounding = 8 * torch.finfo(hidden.dtype).eps
        pairs = ((hidden, self.hidden[number]), (cell, self.cell[number]))
        same = [torch.isclose(ours, own, rtol=rounding, atol=rounding).all(-1).all(-1) for ours, own in pairs]
        return same[0] & same[1]


def own_without(states: Tensor, start: int, stop: int) -> Tensor:
    """States (n, L, H) but that of token d, for each start <= d < stop: (stop - start, n, L - 1, H)."""
    texts, length, _ = states.shape
    deleted = torch.arange(start, stop, device=states.device)[:, None, None]
    place = torch.arange(length - 1, device=states.device)
    return states[torch.arange(texts, device=states.device)[:, None], place + (place >= deleted)]


def recurrence(lstm: nn.LSTM, vectors: Tensor) -> Recurrence:
    """The LSTM over vectors (L + 2, n, E), marks included."""
    twice = vectors.new_tensor([1, 1, 2, 1]).repeat_interleave(lstm.hidden_size)
    from_input, from_state, bias, further_bias = lstm.parameters()
    inputs = linear(vectors[:-1], from_input, bias + further_bias) * twice
    states = inputs.new_zeros(2, len(vectors), vectors.shape[1], lstm.hidden_size)
    through = Recurrence(inputs, from_state.t() * twice, *states)
    for number in range(len(inputs)):
        states[:, number + 1] = states[:, number]
        through.step(number, *states[:, number + 1])
    return through


class BothWays:
    """Of a BiLSTM: a state before the deletion is the text's own forwards, and one behind it backwards."""

    def __init__(self, encoder: BiLSTM, vectors: Tensor) -> None:
        """vectors (n, L + 2, E), marks included."""
        self.length, self.hidden = vectors.shape[1] - 2, encoder.forwards.hidden_size
        self.forwards = recurrence(encoder.forwards, vectors.transpose(0, 1))
        self.backwards = recurrence(encoder.backwards, vectors.flip(1).transpose(0, 1))
        self.states = torch.cat([self.forwards.hidden[2:], self.backwards.hidden[2:].flip(0)], -1).transpose(0, 1)

    def without(self, start: int, stop: int) -> Tensor:
        """(stop - start, n, L - 1, H)."""
        states = own_without(self.states, start, stop)
        self.forwards.rewrite(states[..., : self.hidden], start, stop)
        self.backwards.rewrite(states[..., self.hidden :], self.length - stop, self.length - start, turned=True)
        return states


class Nearby:
    """Of an encoder that looks at most `reach` tokens around: only so many states on either side of a deletion change.

    They are computed from a window of twice as many tokens on either side, which is all that they see.
    """

    def __init__(self, encoder: VectorEncoder, reach: int, vectors: Tensor) -> None:
        """vectors (n, L + 2, E), marks included."""
        self.encoder, self.reach = encoder, reach
        self.vectors = vectors[:, 1:-1]
        texts, self.length, _ = self.vectors.shape
        self.states: Tensor = encoder(self.vectors, torch.full((texts,), self.length, device=vectors.device))

    def without(self, start: int, stop: int) -> Tensor:
        """(stop - start, n, L - 1, H)."""
        states = own_without(self.states, start, stop)
        if self.reach:
            deleted = torch.arange(start, stop, device=states.device)[:, None]
            around = deleted + torch.arange(-self.reach, self.reach, device=states.device)
            row, column = ((around >= 0) & (around < self.length - 1)).nonzero(as_tuple=True)
            states[row, :, around[row, column]] = self._changed(deleted)[row, :, column]
        return states

    def _changed(self, deleted: Tensor) -> Tensor:
        """The 2 reach states around each deletion, (D, n, 2 reach, H); deleted (D, 1)."""
        far = 2 * self.reach
        offset = torch.arange(-far, far, device=deleted.device)
        padded = pad(self.vectors, (0, 0, far, far + 1))
        windows = padded[:, deleted + far + offset + (offset >= 0)].transpose(0, 1)
        flat = windows.flatten(0, 1)
        states: Tensor = self.encoder(flat, torch.full((len(flat),), len(offset), device=deleted.device))
        return states[:, self.reach : -self.reach].view(*windows.shape[:2], far, -1)


def shared(encoder: nn.Module, vectors: Tensor) -> BothWays | Nearby | None:
    """What gives the states of texts without each of their tokens; None where a deletion may change every state.

    vectors (n, L + 2, E): n texts of one length, marks included, and no gradients.
    """
    # of this very class: one that is derived from it may compute its states in another way
    if type(encoder) is BiLSTM:
        return BothWays(encoder, vectors)
    if isinstance(encoder, Words) and encoder.encoder.reach is not None:
        return Nearby(encoder.encoder, encoder.encoder.reach, vectors)
    return None
