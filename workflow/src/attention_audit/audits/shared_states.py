"""States of texts with tokens deleted; only the states that the deletion changes are computed.

N texts of at most L tokens are read once. For n of them, all of one length l, and the deletions start <= d < stop of
one token, the states are (stop - start, n, l - 1, H): first the deletion, then the text. In this order, the deletions
that still have to be computed lie next to one another in memory. Where several tokens are deleted, it is said for each
of R shortened texts which of the N texts it is, (R,), which tokens it keeps, at most K in their order, (R, K), and how
many, (R,); the states are (R, K, H).
"""

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding as lookup
from torch.nn.functional import linear, pad

from attention_audit.model.encoders import BiLSTM, VectorEncoder
from attention_audit.model.network import WordEncoder

CHECK_STEPS = 8
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

    def select(self, texts: Tensor, length: int) -> "Recurrence":
        """Select some texts, (n,), none of which is longer than `length`."""
        selected_states = (values[: length + 2, texts] for values in (self.hidden, self.cell))
        return Recurrence(self.inputs[: length + 1, texts], self.weight, *selected_states)

    def take_step(self, inputs: Tensor, hidden: Tensor, cell: Tensor) -> None:
        """Take a step in place, for any number of copies of the n texts: (n, 4 H), (..., n, H), (..., n, H).

        tanh x is computed as 2 sigmoid(2 x) - 1, which takes a fraction of the time.
        """
        gates = (hidden @ self.weight).add_(inputs).sigmoid_()
        into, forget, candidate, out = gates.chunk(4, -1)
        cell.mul_(forget).addcmul_(into, candidate, value=2).sub_(into)
        torch.addcmul(-out, out, (2 * cell).sigmoid_(), value=2, out=hidden)

    def update(self, states: Tensor, start: int, stop: int, turned: bool = False) -> None:
        """Update, in copies of the texts' own states, what the deletions start <= d < stop change.

        states (stop - start, n, L - 1, H). Before the deleted token nothing changes, so a deletion takes part only in
        the steps after its token. Once the LSTM's state equals the undeleted text's, the remaining states are the
        text's own and the deletion takes no further part; the first deletions stop first. `turned`: in `states` the
        last deletion and the last position of a text come first.
        """
        length, copies = len(self.inputs) - 1, stop - start
        hidden, cell = self.hidden[start + 1 : stop + 1].clone(), self.cell[start + 1 : stop + 1].clone()
        if turned:
            hidden, cell = hidden.flip(0), cell.flip(0)
        forgotten, rounding = 0, 8 * torch.finfo(hidden.dtype).eps
        isclose = partial(torch.isclose, rtol=rounding, atol=rounding)
        for token in range(start + 1, length):
            if forgotten == copies:
                break
            joined = min(token, stop) - start
            underway = slice(copies - joined, copies - forgotten) if turned else slice(forgotten, joined)
            self.take_step(self.inputs[token + 1], hidden[underway], cell[underway])
            states[underway, :, length - 1 - token if turned else token - 1] = hidden[underway]
            if token % CHECK_STEPS == 0:
                near = isclose(hidden[underway], self.hidden[token + 2]) & isclose(cell[underway], self.cell[token + 2])
                same = near.flatten(1).all(1)
                forgotten += int((same.flip(0) if turned else same).cumprod(0).sum())

    def read_kept(self, text: Tensor, positions: Tensor, counts: Tensor) -> Tensor:
        """Read the states of shortened texts: (R,), (R, K), (R,) -> (R, K, H).

        A text takes part only in the steps after its first deleted token; the texts end together.
        """
        longest, columns = positions.shape[1], torch.arange(positions.shape[1], device=positions.device)
        same = torch.minimum((positions == columns).long().cumprod(1).sum(1), counts)
        taken, order = (counts - same).sort(descending=True)
        text, positions, counts, same = text[order], positions[order], counts[order], same[order]
        late = (longest - counts)[:, None]
        before = (columns - late).clamp(min=0)
        states = self.hidden[before.t() + 2, text]
        hidden, cell = self.hidden[same + 1, text], self.cell[same + 1, text]
        # a lookup among rows is several times faster than one by two indices
        input_rows, inputs = (
            (positions.gather(1, before) + 1) * self.inputs.shape[1] + text[:, None],
            self.inputs.flatten(0, 1),
        )
        for step, joined in enumerate((taken >= longest - columns[:, None]).sum(1).tolist()):
            if joined:
                self.take_step(lookup(input_rows[:joined, step], inputs), hidden[:joined], cell[:joined])
                states[step, :joined] = hidden[:joined]
        flat_rows = (columns + late).clamp(max=longest - 1) * len(order) + torch.arange(
            len(order), device=positions.device
        )[:, None]
        return lookup(flat_rows[order.argsort()], states.flatten(0, 1))


def list_backwards(lengths: Tensor, longest: int) -> Tensor:
    """List the positions of sequences that are read backwards: (N,) -> (N, longest), 0 beyond their ends."""
    return (lengths[:, None] - 1 - torch.arange(longest, device=lengths.device)).clamp(min=0)


def run_lstm(lstm: nn.LSTM, vectors: Tensor) -> Recurrence:
    """Run the LSTM over vectors (L + 2, n, E), marks included."""
    twice = vectors.new_tensor([1, 1, 2, 1]).repeat_interleave(lstm.hidden_size)
    from_input, from_state, bias, further_bias = lstm.parameters()
    inputs = linear(vectors[:-1], from_input, bias + further_bias) * twice
    states = inputs.new_zeros(2, len(vectors), vectors.shape[1], lstm.hidden_size)
    through = Recurrence(inputs, from_state.t() * twice, *states)
    for number in range(len(inputs)):
        states[:, number + 1] = states[:, number]
        through.take_step(inputs[number], *states[:, number + 1])
    return through


class BidirectionalStates:
    """Shared states of a BiLSTM: a deletion changes the forward states after it and the backward states before it."""

    def __init__(self, encoder: BiLSTM, vectors: Tensor, lengths: Tensor) -> None:
        """vectors (N, L + 2, E), marks included; lengths (N,)."""
        self.lengths, self.hidden = lengths, encoder.forwards.hidden_size
        text = torch.arange(len(vectors), device=vectors.device)[:, None]
        self.forwards = run_lstm(encoder.forwards, vectors.transpose(0, 1))
        turned = vectors[text, list_backwards(lengths + 2, vectors.shape[1])]
        self.backwards = run_lstm(encoder.backwards, turned.transpose(0, 1))
        forwards, backwards = (recurrence.hidden[2:].transpose(0, 1) for recurrence in (self.forwards, self.backwards))
        self.states = torch.cat([forwards, backwards[text, list_backwards(lengths, forwards.shape[1])]], -1)

    def update(self, states: Tensor, texts: Tensor, start: int, stop: int) -> None:
        """Update what deletions change in the states of texts (n,), all of one length l.

        states (stop - start, n, l - 1, H): those of the texts themselves, but for the deleted tokens.
        """
        length = states.shape[2] + 1
        self.forwards.select(texts, length).update(states[..., : self.hidden], start, stop)
        backwards = self.backwards.select(texts, length)
        backwards.update(states[..., self.hidden :], length - stop, length - start, turned=True)

    def read_kept(self, text: Tensor, positions: Tensor, counts: Tensor) -> Tensor:
        """Read the states of shortened texts: (R,), (R, K), (R,) -> (R, K, H)."""
        turned = list_backwards(counts, positions.shape[1])
        backwards = self.backwards.read_kept(text, self.lengths[text, None] - 1 - positions.gather(1, turned), counts)
        row = torch.arange(len(text), device=text.device)[:, None]
        return torch.cat([self.forwards.read_kept(text, positions, counts), backwards[row, turned]], -1)


class LocalStates:
    """Shared states of an encoder whose states depend on at most `reach` tokens on either side.

    A deletion changes only the `reach` states on either side of it. They depend on the 2 `reach` tokens on either side,
    and are computed from that window.
    """

    def __init__(self, encoder: VectorEncoder, reach: int, vectors: Tensor, lengths: Tensor) -> None:
        """vectors (N, L + 2, E), marks included; lengths (N,)."""
        self.encoder, self.reach = encoder, reach
        self.vectors = vectors[:, 1:-1]
        self.states: Tensor = encoder(self.vectors, lengths)

    def update(self, states: Tensor, texts: Tensor, start: int, stop: int) -> None:
        """Update what deletions change, as `BidirectionalStates` does."""
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

    def read_kept(self, text: Tensor, positions: Tensor, counts: Tensor) -> Tensor:
        """Read the states of shortened texts: (R,), (R, K), (R,) -> (R, K, H)."""
        if not self.reach:
            return self.states[text[:, None], positions]
        return self.encoder(self.vectors[text[:, None], positions], counts)


def share_states(encoder: nn.Module, vectors: Tensor, lengths: Tensor) -> BidirectionalStates | LocalStates | None:
    """Share the states of an encoder among texts without some tokens; None where a deletion may change every state.

    vectors (N, L + 2, E): N texts, marks included, without gradients; lengths (N,), without marks.
    """
    # exactly this class, since a class derived from it may compute its states differently
    if type(encoder) is BiLSTM:
        return BidirectionalStates(encoder, vectors, lengths)
    if isinstance(encoder, WordEncoder) and encoder.encoder.reach is not None:
        return LocalStates(encoder.encoder, encoder.encoder.reach, vectors, lengths)
    return None
