"""States of texts with tokens deleted; only the states that the deletion changes are computed.

N texts of at most L tokens are read once. For n of them, all of one length l, and the deletions start <= d < stop of
one token, the states are (stop - start, n, l - 1, H): first the deletion, then the text. In this order, the deletions
that still have to be computed lie next to one another in memory. Where several tokens are deleted, it is said for each
of R shortened texts which of the N texts it is, (R,), which tokens it keeps, at most K in their order, (R, K), and how
many, (R,); the states are (R, K, H).
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding as lookup
from torch.nn.functional import linear, pad

from attention_audit.model.encoders import BiLSTM, VectorEncoder
from attention_audit.model.network import Words

EVERY = 8
"""How many steps lie between two checks for deletions that no longer change the states."""


class Recurrence(NamedTuple):
    """One direction of an LSTM over n texts, which ends before the last mark of the longest.

    inputs (L + 1, n, 4 H): what the input of each step adds to the gates. weight (H, 4 H): from state to gates. hidden,
    cell (L + 2, n, H): the states before each step, and after the last one. Inputs and weights of the candidate gate
    are doubled.
    """

    inputs: Tensor
    weight: Tensor
    hidden: Tensor
    cell: Tensor

    def of(self, texts: Tensor, length: int) -> "Recurrence":
        """The same of some texts, (n,), none of which is longer than `length`."""
        own = (values[: length + 2, texts] for values in (self.hidden, self.cell))
        return Recurrence(self.inputs[: length + 1, texts], self.weight, *own)

    def step(self, inputs: Tensor, hidden: Tensor, cell: Tensor) -> None:
        """Take a step in place, for any number of copies of the n texts: (n, 4 H), (..., n, H), (..., n, H).

        tanh x is computed as 2 sigmoid(2 x) - 1, which takes a fraction of the time.
        """
        gates = (hidden @ self.weight).add_(inputs).sigmoid_()
        into, forget, candidate, out = gates.chunk(4, -1)
        cell.mul_(forget).addcmul_(into, candidate, value=2).sub_(into)
        torch.addcmul(-out, out, (2 * cell).sigmoid_(), value=2, out=hidden)

    def rewrite(self, states: Tensor, start: int, stop: int, turned: bool = False) -> None:
        """Overwrite, in copies of the texts' own states, what the deletions start <= d < stop change.

        states (stop - start, n, L - 1, H). Before the deleted token nothing changes, so a deletion takes part only in
        the steps after its token. Once the LSTM's state equals the undeleted text's, the remaining states are the
        text's own and the deletion takes no further part; the first deletions stop first. `turned`: in `states` the
        last deletion and the last position of a text come first.
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
            self.step(self.inputs[token + 1], hidden[underway], cell[underway])
            states[underway, :, length - 1 - token if turned else token - 1] = hidden[underway]
            if token % EVERY == 0:
                same = self._same(token + 2, hidden[underway], cell[underway])
                forgotten += int((same.flip(0) if turned else same).cumprod(0).sum())

    def keep(self, text: Tensor, kept: Tensor, counts: Tensor) -> Tensor:
        """The states of shortened texts: (R,), (R, K), (R,) -> (R, K, H).

        A text takes part only in the steps after its first deleted token; the texts end together.
        """
        longest, place = kept.shape[1], torch.arange(kept.shape[1], device=kept.device)
        same = torch.minimum((kept == place).long().cumprod(1).sum(1), counts)
        taken, order = (counts - same).sort(descending=True)
        text, kept, counts, same = text[order], kept[order], counts[order], same[order]
        late = (longest - counts)[:, None]
        before = (place - late).clamp(min=0)
        states = self.hidden[before.t() + 2, text]
        hidden, cell = self.hidden[same + 1, text], self.cell[same + 1, text]
        # a lookup among rows is several times faster than one by two indices
        read, inputs = (kept.gather(1, before) + 1) * self.inputs.shape[1] + text[:, None], self.inputs.flatten(0, 1)
        for step, joined in enumerate((taken >= longest - place[:, None]).sum(1).tolist()):
            if joined:
                self.step(lookup(read[:joined, step], inputs), hidden[:joined], cell[:joined])
                states[step, :joined] = hidden[:joined]
        found = (place + late).clamp(max=longest - 1) * len(order) + torch.arange(len(order), device=kept.device)[
            :, None
        ]
        return lookup(found[order.argsort()], states.flatten(0, 1))

    def _same(self, number: int, hidden: Tensor, cell: Tensor) -> Tensor:
        """For each deletion, whether its states before a step equal the texts' own: (D, n, H), (D, n, H) -> (D,)."""
        rounding = 8 * torch.finfo(hidden.dtype).eps
        pairs = ((hidden, self.hidden[number]), (cell, self.cell[number]))
        same = [torch.isclose(one, own, rtol=rounding, atol=rounding).all(-1).all(-1) for one, own in pairs]
        return same[0] & same[1]


def from_the_end(lengths: Tensor, longest: int) -> Tensor:
    """The positions of sequences that are read backwards: (N,) -> (N, longest), 0 beyond their ends."""
    return (lengths[:, None] - 1 - torch.arange(longest, device=lengths.device)).clamp(min=0)


def recurrence(lstm: nn.LSTM, vectors: Tensor) -> Recurrence:
    """Run the LSTM over vectors (L + 2, n, E), marks included."""
    twice = vectors.new_tensor([1, 1, 2, 1]).repeat_interleave(lstm.hidden_size)
    from_input, from_state, bias, further_bias = lstm.parameters()
    inputs = linear(vectors[:-1], from_input, bias + further_bias) * twice
    states = inputs.new_zeros(2, len(vectors), vectors.shape[1], lstm.hidden_size)
    through = Recurrence(inputs, from_state.t() * twice, *states)
    for number in range(len(inputs)):
        states[:, number + 1] = states[:, number]
        through.step(inputs[number], *states[:, number + 1])
    return through


class BothWays:
    """Shared states of a BiLSTM: a deletion changes the forward states after it and the backward states before it."""

    def __init__(self, encoder: BiLSTM, vectors: Tensor, lengths: Tensor) -> None:
        """vectors (N, L + 2, E), marks included; lengths (N,)."""
        self.lengths, self.hidden = lengths, encoder.forwards.hidden_size
        text = torch.arange(len(vectors), device=vectors.device)[:, None]
        self.forwards = recurrence(encoder.forwards, vectors.transpose(0, 1))
        turned = vectors[text, from_the_end(lengths + 2, vectors.shape[1])]
        self.backwards = recurrence(encoder.backwards, turned.transpose(0, 1))
        forwards, backwards = (read.hidden[2:].transpose(0, 1) for read in (self.forwards, self.backwards))
        self.states = torch.cat([forwards, backwards[text, from_the_end(lengths, forwards.shape[1])]], -1)

    def rewrite(self, states: Tensor, texts: Tensor, start: int, stop: int) -> None:
        """Overwrite what deletions change in the states of texts (n,), all of one length l.

        states (stop - start, n, l - 1, H): those of the texts themselves, but for the deleted tokens.
        """
        length = states.shape[2] + 1
        self.forwards.of(texts, length).rewrite(states[..., : self.hidden], start, stop)
        backwards = self.backwards.of(texts, length)
        backwards.rewrite(states[..., self.hidden :], length - stop, length - start, turned=True)

    def keep(self, text: Tensor, kept: Tensor, counts: Tensor) -> Tensor:
        """(R,), (R, K), (R,) -> (R, K, H)."""
        turned = from_the_end(counts, kept.shape[1])
        backwards = self.backwards.keep(text, self.lengths[text, None] - 1 - kept.gather(1, turned), counts)
        row = torch.arange(len(text), device=text.device)[:, None]
        return torch.cat([self.forwards.keep(text, kept, counts), backwards[row, turned]], -1)


class Nearby:
    """Shared states of an encoder whose states depend on at most `reach` tokens on either side.

    A deletion changes only the `reach` states on either side of it. They depend on the 2 `reach` tokens on either side,
    and are computed from that window.
    """

    def __init__(self, encoder: VectorEncoder, reach: int, vectors: Tensor, lengths: Tensor) -> None:
        """vectors (N, L + 2, E), marks included; lengths (N,)."""
        self.encoder, self.reach = encoder, reach
        self.vectors = vectors[:, 1:-1]
        self.states: Tensor = encoder(self.vectors, lengths)

    def rewrite(self, states: Tensor, texts: Tensor, start: int, stop: int) -> None:
        """Overwrite what deletions change, as `BothWays` does."""
        if not self.reach:
            return
        length, far = states.shape[2] + 1, 2 * self.reach
        deleted = torch.arange(start, stop, device=states.device)[:, None]
        offset = torch.arange(-far, far, device=states.device)
        padded = pad(self.vectors[texts, :length], (0, 0, far, far + 1))
        windows = padded[:, deleted + far + offset + (offset >= 0)].transpose(0, 1)
        flat = windows.flatten(0, 1)
        changed: Tensor = self.encoder(flat, torch.full((len(flat),), 2 * far, device=states.device))
        changed = changed[:, self.reach : -self.reach].view(*windows.shape[:2], far, -1)
        around = deleted + torch.arange(-self.reach, self.reach, device=states.device)
        row, column = ((around >= 0) & (around < length - 1)).nonzero(as_tuple=True)
        states[row, :, around[row, column]] = changed[row, :, column]

    def keep(self, text: Tensor, kept: Tensor, counts: Tensor) -> Tensor:
        """(R,), (R, K), (R,) -> (R, K, H)."""
        if not self.reach:
            return self.states[text[:, None], kept]
        states: Tensor = self.encoder(self.vectors[text[:, None], kept], counts)
        return states


def shared(encoder: nn.Module, vectors: Tensor, lengths: Tensor) -> BothWays | Nearby | None:
    """The shared states of an encoder for texts without some tokens; None where a deletion may change every state.

    vectors (N, L + 2, E): N texts, marks included, without gradients; lengths (N,), without marks.
    """
    # exactly this class, since a class derived from it may compute its states differently
    if type(encoder) is BiLSTM:
        return BothWays(encoder, vectors, lengths)
    if isinstance(encoder, Words) and encoder.encoder.reach is not None:
        return Nearby(encoder.encoder, encoder.encoder.reach, vectors, lengths)
    return None
