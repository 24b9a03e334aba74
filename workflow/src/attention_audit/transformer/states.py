"""The Transformer as a network: from pieces to the states of words."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attention_audit.batching import within
from attention_audit.transformer.batches import PieceBatch
from attention_audit.transformer.settings import Pool


class Encoded(NamedTuple):
    """States of the words of B texts, (B, L, H), zeros after the last word that is read; summaries of their queries,
    (B, H), which are the means of the states of the queries' words, zeros where there is no query.
    """

    states: Tensor
    summary: Tensor


def layer_of(output: Any, layer: int | None) -> Tensor:
    """The states of a layer, from 1, of the library's output, or of the last: (B, P, H)."""
    last: Tensor = output.last_hidden_state
    if layer is None:
        return last
    chosen: Tensor = output.hidden_states[layer]
    # some models normalise after their last layer, and say so in the last state only
    return last if layer == len(output.hidden_states) - 1 else chosen


def pooled(states: Tensor, pieces: PieceBatch, pool: Pool) -> Tensor:
    """States of the pieces (B, P, H) as states of the words of text and query together, (B, W, H)."""
    counts = pieces.read + pieces.queried
    longest = int(counts.max())
    # (B, W, P), true where a piece is of a word
    members = pieces.words[:, None, :] == torch.arange(longest, device=states.device)[:, None]
    if pool == "sum":
        return members.to(states.dtype) @ states
    first = members.to(torch.uint8).argmax(-1)
    found = states.gather(1, first[..., None].expand(-1, -1, states.shape[-1]))
    return found * within(counts, longest)[..., None]


def library_inputs(model: Any, pieces: PieceBatch, vectors: Tensor | None = None) -> dict[str, Tensor]:
    """What a model of the library is called with. vectors (B, P, E): in the place of those that the pieces have below
    position and segment.
    """
    given = {"input_ids": pieces.ids} if vectors is None else {"inputs_embeds": vectors}
    if getattr(model.config, "type_vocab_size", 1) > 1:
        given["token_type_ids"] = pieces.types
    return given | {"attention_mask": pieces.mask.long()}


def library_vectors(model: Any, pieces: PieceBatch) -> Tensor:
    """The vectors of pieces before position and segment are added, (B, P, E)."""
    looked_up: Tensor = model.get_input_embeddings()(pieces.ids)
    return looked_up


class WordStates(nn.Module):
    """A Transformer that reads pieces, and the states of words that it ends in."""

    def __init__(self, backbone: nn.Module, layer: int | None, pool: Pool) -> None:
        super().__init__()
        self.backbone = backbone
        self.layer, self.pool = layer, pool
        config: Any = backbone.config
        self.width: int = config.hidden_size

    def vectors(self, pieces: PieceBatch) -> Tensor:
        """The vectors of the pieces before position and segment are added, (B, P, E)."""
        return library_vectors(self.backbone, pieces)

    def forward(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Encoded:
        """The states of the words of each text, and the summaries of the queries.

        vectors (B, P, E): in the place of the pieces' own.
        """
        given = library_inputs(self.backbone, pieces, vectors)
        output = self.backbone(**given, output_hidden_states=self.layer is not None, return_dict=True)
        words = pooled(layer_of(output, self.layer), pieces, self.pool)
        place = torch.arange(words.shape[1], device=words.device)
        read, queried = pieces.read[:, None], pieces.queried[:, None]
        asked = (place >= read) & (place < read + queried)
        summary = (words * asked[..., None]).sum(1) / pieces.queried.clamp(min=1)[:, None]
        longest = int(pieces.read.max())
        return Encoded(words[:, :longest] * within(pieces.read, longest)[..., None], summary)
