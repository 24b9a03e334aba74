"""A decoder that generates: its next token, with weights of any kind in the row of the position that predicts it.

Where this row has other weights in all layers, no query and no key of its piece matters, and of all values only its own
change. So a set of weights costs one decoding step on the cache of the pieces before, and is exact. What stands before
the first piece that a deletion takes is kept in the cache, too, so that a deletion costs the pieces behind it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from attention_audit.arrays import Integers
from attention_audit.batching import cut_runs, pass_texts, sort_into_runs
from attention_audit.errors import AuditError
from attention_audit.transformer.folder import BY_INTERFACE, Home, find_classifier_family, read_model_facts
from attention_audit.transformer.interface import Attended, use_interface, watch_attention
from attention_audit.transformer.opening import PROCESSOR, import_library, open_model, open_tokenizer
from attention_audit.transformer.states import MAX_PADDING, PieceBatch, get_piece_limit

from .found_classifier import FoundClassifier
from .sequence_classifier import TransformerClassifier, lift_halves

MIN_SHARING, MAX_SHARING = 8, 16
"""Deletions of a text from which on the cache of its pieces pays; and how many share what they have of it."""
Cache = Sequence[tuple[Tensor, Tensor]]
"""The keys and values of some pieces in each layer, (1, H, P, D_h)."""


class ReadRow(NamedTuple):
    """What the position that predicts a token attends to: weights (L, H, P) in L layers; the logits (V,) that the model
    returns; and the cache of the pieces before it.
    """

    weights: Tensor
    logits: Tensor
    cache: Cache


@dataclass(frozen=True)
class TokenTarget:
    """A token, told from others or, where these are none, from the whole vocabulary: its log odds are one logit."""

    token: int
    others: tuple[int, ...] = ()

    def select(self, logits: Tensor) -> Tensor:
        """Return the logits of the token, the first, and of those that it is told from: (..., V) -> (..., K)."""
        if self.others:
            return logits[..., [self.token, *self.others]]
        rest = torch.cat([logits[..., : self.token], logits[..., self.token + 1 :]], -1)
        return torch.cat([logits[..., [self.token]], rest], -1)

    def read(self, logits: Tensor) -> Tensor:
        """Read logits as the log odds of the token: (..., V) -> (..., 1)."""
        chosen = self.select(logits)
        return chosen[..., :1] - chosen[..., 1:].logsumexp(-1, keepdim=True)

    def compare(self, logits: Tensor) -> Tensor:
        """Compute the probabilities of its likeliest rival and of the token: (..., V) -> (..., 2)."""
        p = self.select(lift_halves(logits)).softmax(-1)
        return torch.stack([p[..., 1:].amax(-1), p[..., 0]], -1)


class TokenReader(TransformerClassifier):
    """A language model as maps read it. token: whose log odds it returns; None: it returns all logits."""

    token: TokenTarget | None = None

    def compute_logits(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Tensor:
        logits = lift_halves(super().compute_logits(pieces, vectors))
        return logits if self.token is None else self.token.read(logits)


class FoundTokenReader(TokenReader, FoundClassifier):
    """One whose parts are found."""


def share_cache(cache: Cache, length: int, rows: int) -> Any:
    """Make the library's cache of the first pieces of `cache`, for so many texts."""
    shared = import_library().DynamicCache()
    for layer, (keys, values) in enumerate(cache):
        shared.update(*(part[:, :, :length].expand(rows, -1, -1, -1) for part in (keys, values)), layer)
    return shared


class Generator:
    """The language model of a folder or in memory, in evaluation, with its tokenizer.

    network: the same model as maps read it. Raises AuditError where it is no decoder whose attention can be seen.
    """

    def __init__(self, home: Home, device: torch.device = PROCESSOR) -> None:
        family = find_classifier_family(home, read_model_facts(home), prompted=True)
        self.tokenizer = open_tokenizer(home)
        self.model = model = open_model(home, "ForCausalLM", device)
        # a context ends where it ends, whatever its last piece is
        model.config.get_text_config().pad_token_id = None
        if family is BY_INTERFACE:
            self.network: TokenReader = FoundTokenReader(home, model)
        else:
            model.score = model.get_output_embeddings()
            self.network = TokenReader(home, model)
            use_interface(model)
        self.network.eval()
        for weight in model.parameters():
            weight.requires_grad_(False)
        ends = model.generation_config.eos_token_id if model.generation_config else None
        self.ends = {*(ends if isinstance(ends, list) else [ends])} - {None}
        self.device = device

    @property
    def tolerance(self) -> float:
        """Return how far a logit under the model's own weights, imposed, may be from its own."""
        return 1e-4 if self.model.dtype == torch.float32 else 0.5

    def _call(self, ids: Tensor, cache: Any, kept: Tensor | int = 1) -> Tensor:
        """Run the model on ids (B, Q) behind a cache, which grows: the logits at some positions, (B, K, V)."""
        logits: Tensor = self.model(
            input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=kept, return_dict=True
        ).logits
        pass_texts(len(ids))
        return logits

    def _send(self, ids: Integers | Sequence[int]) -> Tensor:
        return torch.as_tensor(np.asarray(ids), device=self.device)[None]

    @torch.no_grad()
    def make_cache(self, ids: Integers) -> Cache:
        """Return the keys and values of pieces (P,)."""
        cache = import_library().DynamicCache()
        if len(ids):
            self._call(self._send(ids), cache)
        return [(layer.keys, layer.values) for layer in cache.layers]

    @torch.no_grad()
    def generate(self, ids: Integers, most: int) -> list[int]:
        """Generate at most so many tokens behind a prompt (P,), each the likeliest, up to the one that ends a text."""
        cache, step, tokens = import_library().DynamicCache(), self._send(ids), list[int]()
        while len(tokens) < most:
            token = int(self._call(step, cache)[0, -1].argmax())
            if token in self.ends:
                break
            tokens.append(token)
            step = self._send([token])
        return tokens

    @torch.no_grad()
    def read_row(self, ids: Integers) -> ReadRow:
        """Read what the last of P pieces attends to, and predicts."""
        cache, rows = self.make_cache(ids[:-1]), list[Tensor]()

        def keep(_: nn.Module, attended: Attended) -> Tensor:
            rows.append(attended.weights[0, :, -1])
            return attended.sums

        with watch_attention(keep):
            logits = self._call(self._send(ids[-1:]), share_cache(cache, len(ids), 1))[0, -1]
        return ReadRow(torch.stack(rows), logits, cache)

    def impose(self, ids: Integers, cache: Cache, weights: Tensor) -> Tensor:
        """Predict the token behind P pieces from R sets of weights of the last one, (R, L, H, P): logits (R, V).

        ids: (P,), or for each set its own, (R, P). cache: of the pieces before, likewise (`join_caches`). A layer whose
        weights are NaN in a set keeps those that it has. The logits have gradients where the weights do.
        """
        layers = count()

        def replace_row(_: nn.Module, attended: Attended) -> Tensor:
            given = weights[:, next(layers), :, None].to(attended.values)
            sums = (given.nan_to_num() @ attended.values).transpose(1, 2)
            return attended.sums.where(given.isnan().flatten(1).any(1)[:, None, None, None], sums)

        last = self._send(ids)[..., -1:].reshape(-1, 1).expand(len(weights), 1)
        with watch_attention(replace_row):
            return self._call(last, share_cache(cache, ids.shape[-1], len(weights)))[:, -1]

    @torch.no_grad()
    def iterate_next(
        self, contexts: Sequence[Integers], whole: tuple[Integers, Cache] | None = None
    ) -> Iterator[tuple[Integers, Tensor]]:
        """Predict the tokens behind contexts, in batches: which contexts (B,), and their logits (B, V).

        whole: pieces with their cache, without some of which the contexts are. A batch has at most `get_piece_limit`
        padded pieces, those in the cache included.
        """
        counts = np.array([*map(len, contexts)])
        if whole is None:
            for at in sort_into_runs(counts, get_piece_limit(), MAX_PADDING):
                yield at, self._predict([contexts[each] for each in at], 0, ())
            return
        shared = np.array([count_shared(each, whole[0]) for each in contexts])
        order = shared.argsort(kind="stable")
        for run in cut_runs(counts[order], MAX_SHARING, get_piece_limit()):
            at = order[run]
            yield at, self._predict([contexts[each] for each in at], int(shared[at].min()), whole[1])

    def _predict(self, contexts: Sequence[Integers], length: int, cache: Cache) -> Tensor:
        """Predict the tokens behind contexts, whose first pieces are those of the cache: logits (B, V)."""
        rows = [torch.from_numpy(each[length:]) for each in contexts]
        last = torch.tensor([len(row) - 1 for row in rows], device=self.device)
        # a causal model never sees the padding behind
        ids = pad_sequence(rows, batch_first=True).to(self.device)
        kept, place = torch.unique(last, return_inverse=True)
        shared = share_cache(cache, length, len(rows)) if length else import_library().DynamicCache()
        logits = self._call(ids, shared, kept)
        return logits[torch.arange(len(rows), device=self.device), place]


def join_caches(caches: Sequence[Cache], copies: int) -> Cache:
    """Join the caches of texts of one length to that of all, so many copies of each."""
    return [
        (torch.cat([keys.expand(copies, -1, -1, -1) for keys, _ in layer]),
         torch.cat([values.expand(copies, -1, -1, -1) for _, values in layer]))
        for layer in zip(*caches, strict=True)
    ]  # fmt: skip


def count_shared(ids: Integers, whole: Integers) -> int:
    """Count the pieces at the beginning of a context that are those of another one; its last is read anew."""
    most = min(len(ids) - 1, len(whole))
    return int(np.append(ids[:most] == whole[:most], False).argmin())


def batch_context(ids: Integers, items: Integers, units: int, device: torch.device) -> PieceBatch:
    """Make the batch of one context, (P,), whose pieces are of these units or marks, as maps read it."""
    one = torch.ones(1, dtype=torch.long)
    row = torch.as_tensor(ids, device=device)[None]
    return PieceBatch(row, 0 * row, torch.from_numpy(items)[None], one * len(ids), one * units, 0 * one, 0 * one)


def require_decoder(name: str, model: Any) -> None:
    """Raise AuditError for a model in memory that has an encoder and a decoder apart, or labels each token."""
    kind, config = type(model).__name__, getattr(model, "config", None)
    if getattr(config, "is_encoder_decoder", False):
        raise AuditError(
            name,
            f"is a {kind}, whose encoder and decoder are apart",
            "decoders alone are known (gpt2, llama, ...); use judge",
        )
    if kind.endswith("ForTokenClassification"):
        raise AuditError(name, f"is a {kind}, which gives each token a label, and generates none", "use judge")
