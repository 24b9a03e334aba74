"""States of texts without one of their tokens, of which only those that the deletion changes are computed.

For n texts of one length L and the deletions start <= d < stop: states (stop - start, n, L - 1, H), those of text n
without its token d. Deletions come first, and texts last, so that those that are underway lie together.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, pad

from attention_audit.model.encoders import Affine, Bare, BiLSTM, Convolution
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

    def without(self, start: int, stop: int) -> Tensor:
        """States of the texts without token d, start <= d < stop: (stop - start, n, L - 1, H).

        A deletion's state stands still before its token, so it joins the steps after it; all before are the text's own.
        So are all behind the place where the LSTM has forgotten the token: deletions leave the steps from the first on.
        """
        length, copies = len(self.inputs) - 1, stop - start
        hidden, cell = self.hidden[start + 1 : stop + 1].clone(), self.cell[start + 1 : stop + 1].clone()
        # time first, as it is written
        states = self.hidden[2 : length + 1, None].repeat(1, copies, 1, 1)
        forgotten = 0
        for token in range(start + 1, length):
            if forgotten == copies:
                states[token - 1 :] = self.hidden[token + 2 :, None]
                break
            underway = slice(forgotten, min(token, stop) - start)
            self.step(token + 1, hidden[underway], cell[underway])
            states[token - 1, underway] = hidden[underway]
            states[token - 1, :forgotten] = self.hidden[token + 2]
            if token % EVERY == 0:
                forgotten += self._forgotten(token + 2, hidden[underway], cell[underway])
        return states.permute(1, 2, 0, 3)

    def _forgotten(self, number: int, hidden: Tensor, cell: Tensor) -> int:
        """How many of the first deletions are, before a step, where the texts themselves are: (D, n, H), (D, n, H)."""
        rounding = 8 * torch.finfo(hidden.dtype).eps
        same = [
            torch.isclose(ours, own, rtol=rounding, atol=rounding).all(-1).all(-1)
            for ours, own in ((hidden, self.hidden[number]), (cell, self.cell[number]))
        ]
        return int((same[0] & same[1]).cumprod(0).sum())


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
        self.length = vectors.shape[1] - 2
        self.forwards = recurrence(encoder.forwards, vectors.transpose(0, 1))
        self.backwards = recurrence(encoder.backwards, vectors.flip(1).transpose(0, 1))

    def without(self, start: int, stop: int) -> Tensor:
        """(stop - start, n, L - 1, H)."""
        turned = self.backwards.without(self.length - stop, self.length - start)
        return torch.cat([self.forwards.without(start, stop), turned.flip(0, 2)], -1)


class Nearby:
    """Of an encoder that looks at most `reach` tokens around: only so many states on either side of a deletion change.

    They are computed from a window of twice as many tokens on either side, which is all that they see.
    """

    def __init__(self, encoder: nn.Module, reach: int, vectors: Tensor) -> None:
        """vectors (n, L + 2, E), marks included."""
        self.encoder, self.reach = encoder, reach
        self.vectors = vectors[:, 1:-1]
        texts, self.length, _ = self.vectors.shape
        self.states: Tensor = encoder(self.vectors, torch.full((texts,), self.length, device=vectors.device))

    def without(self, start: int, stop: int) -> Tensor:
        """(stop - start, n, L - 1, H)."""
        device = self.vectors.device
        deleted, place = torch.arange(start, stop, device=device)[:, None], torch.arange(self.length - 1, device=device)
        states = self.states[:, place + (place >= deleted)].transpose(0, 1)
        if self.reach:
            around = deleted + torch.arange(-self.reach, self.reach, device=device)
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
    match encoder:
        case BiLSTM():
            return BothWays(encoder, vectors)
        case Words(encoder=(Affine() | Bare()) as one_by_one):
            return Nearby(one_by_one, 0, vectors)
        case Words(encoder=Convolution() as convolution):
            filters = (module for module in convolution.modules() if isinstance(module, nn.Conv1d))
            return Nearby(convolution, max(some.kernel_size[0] // 2 for some in filters), vectors)
        case _:
            return None
