"""A Transformer classifier of any type of the library whose layers call its attention interface: which layers it has,
which token it classifies, and the tail above its last layer are found by running it.

All layers are seen to attend once, in their order. The last one's values, weights and sums are read where it attends,
and other weights imposed there. The logits' gradient says which token is classified: of no other one do the sums of
the last layer matter. The tail is the library's own network above that (`model.replay`).
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn

from attention_audit.errors import AuditError
from attention_audit.transformer.folder import BY_INTERFACE, CLASSIFIER, MEAN_POOLING, Home
from attention_audit.transformer.interface import Attended, use_interface, watch_attention
from attention_audit.transformer.opening import say_first
from attention_audit.transformer.states import PieceBatch, prepare_inputs

from .replay import ReplayedTail, cut_network, read_states
from .sequence_classifier import LayerPass, SequenceClassifier, TransformerClassifier
from .tail import LogitTail

TRIAL_PIECES = 6
"""Pieces of the text by which a model's parts are found."""
MAX_DIFFERENCE = 1e-4
"""How far what heads give may be from the sum of values by their weights, and these from a sum of 1."""


def find_layer(model: nn.Module, attention: nn.Module) -> str:
    """Find the layer that a module is part of, by its name: the entry of the outermost list; "" where there is none."""
    names = next(name for name, part in model.named_modules() if part is attention).split(".")
    prefixes = (".".join(names[:length]) for length in range(1, len(names)))
    return next(
        (
            ".".join(names[: prefix.count(".") + 2])
            for prefix in prefixes
            if isinstance(model.get_submodule(prefix), nn.ModuleList)
        ),
        "",
    )


class FoundClassifier(TransformerClassifier):
    """A classifier whose parts are found by running it. Raises AuditError where they are not."""

    layers: Any
    attending: list[nn.Module]
    projections: list[nn.Linear | None]
    _tail: ReplayedTail

    def __init__(self, folder: Home, model: Any) -> None:
        super(TransformerClassifier, self).__init__()
        self.folder, self.family, self.model = folder, BY_INTERFACE, model.requires_grad_(False)
        self.attention, self.accepts = nn.Identity(), {*signature(model.forward).parameters}
        # it reads pieces itself, and its parts have one name each
        self.__dict__["transformer"] = self
        use_interface(model)
        config = model.config.get_text_config()
        config.use_cache = False
        if not type(model).__name__.endswith(CLASSIFIER):
            self.family, self.__dict__["decoder"] = BY_INTERFACE._replace(last=True), model.get_output_embeddings()
        elif config.pad_token_id is None:
            # of several texts, the library looks for the last token that is not this one
            config.pad_token_id = config.eos_token_id if isinstance(config.eos_token_id, int) else 0
        try:
            self._find_parts()
        except AuditError:
            raise
        except Exception as error:
            raise self._refuse(f"it cannot be run on pieces alone ({say_first(error):.80})") from error

    def _refuse(self, fault: str) -> AuditError:
        return AuditError(str(self.folder), f"a model of type {self.model.config.model_type!r}: {fault}", "use judge")

    def _try(self) -> tuple[PieceBatch, Tensor, list[tuple[nn.Module, Attended]], list[tuple[nn.Module, Any]]]:
        """Run the model on a text of a few pieces: these, its logits, what attends in it, in order, with sums that the
        gradient of the logits reaches, and all parts that are called with what they read.
        """
        seen, calls, hooks = list[tuple[nn.Module, Attended]](), list[tuple[nn.Module, Any]](), ExitStack()
        avoided = {getattr(self.model.config, f"{name}_token_id", None) for name in ("pad", "bos", "eos")}
        vocabulary = range(len(self.model.get_input_embeddings().weight))
        row = torch.tensor([[number for number in vocabulary if number not in avoided][:TRIAL_PIECES]])
        ones = torch.ones(1, dtype=torch.long)
        ids, types = (part.to(self.device) for part in (row, 0 * row))
        pieces = PieceBatch(ids, types, 0 * row, ones * row.shape[1], ones, 0 * ones, 0 * ones)

        def keep(module: nn.Module, attended: Attended) -> Tensor:
            seen.append((module, attended._replace(sums=attended.sums.detach().requires_grad_())))
            return seen[-1][1].sums

        with hooks, watch_attention(keep), torch.enable_grad():
            for part in self.model.modules():
                hooks.enter_context(part.register_forward_hook(lambda part, inputs, _: calls.append((part, inputs))))
            logits = self.compute_logits(pieces, self.look_up_vectors(pieces))
        return pieces, logits, seen, calls

    def _find_parts(self) -> None:
        """Find the layers, what attends in them, which token is classified, and the tail."""
        pieces, logits, seen, calls = self._try()
        if not seen:
            raise self._refuse("its layers do not call the attention interface of the library")
        modules, (_, last) = [module for module, _ in seen], seen[-1]
        name = find_layer(self.model, modules[-1])
        stack = name.rpartition(".")[0]
        layers = self.model.get_submodule(stack) if name else []
        if len({*map(id, modules)}) < len(seen) or len(seen) != len(layers):
            raise self._refuse(f"its layers, {len(layers)} in their list, attend {len(seen)} times")
        sums, weights, values = (part.detach() for part in last)
        by_weights = (weights @ values).transpose(1, 2)
        if by_weights.shape != sums.shape or not torch.allclose(by_weights, sums, atol=MAX_DIFFERENCE):
            raise self._refuse("what its heads give is not the sum of values by their weights")
        if float((weights.sum(-1) - 1).abs().max()) > MAX_DIFFERENCE:
            raise self._refuse("the weights of its heads do not sum to 1")
        # those of two classes may sum to 0
        mixed = (logits * torch.arange(1, 1 + logits.shape[1], device=self.device)).sum()
        slopes = torch.autograd.grad(mixed, last.sums)[0]
        rows, end = slopes[0].abs().amax((1, 2)).nonzero()[:, 0].tolist(), len(slopes[0]) - 1
        mean = getattr(self.model.config, "classifier_pooling", "") in MEAN_POOLING
        if rows not in ([0], [end]) and not mean:
            raise self._refuse(f"its logits hang on what {len(rows)} of {end + 1} tokens attend to in the last layer")
        self.family = self.family._replace(last=rows == [end])
        flat = (attended.sums.flatten(2) for _, attended in seen)
        # of some models, nothing linear reads the sums as they are
        linear = [(part, inputs[0]) for part, inputs in calls if isinstance(part, nn.Linear) and inputs]
        projections = [next((part for part, read in linear if torch.equal(read, each)), None) for each in flat]
        self.__dict__ |= {"layers": layers, "attending": modules, "projections": projections, "decoder": linear[-1][0]}
        attended = self.read_attention(pieces)
        self.__dict__["_tail"] = tail = ReplayedTail(
            cut_network(self.model, name, self._list_unused(name, {id(part) for part, _ in calls})),
            stack,
            count=attended.weights.shape[1],
            width=attended.below.shape[1],
            joined=last.sums[0, 0].numel(),
            order=tuple(range(logits.shape[1])),
        )
        if not mean:
            context = torch.einsum("bhp,bhpd->bhd", attended.weights, attended.values).flatten(1)
            tail.apply(context, attended.below)

    def _list_unused(self, layer: str, calls: set[int]) -> list[nn.Module]:
        """List the parts outside of a layer of which nothing is called."""
        outside = (part for name, part in self.model.named_modules() if not name.startswith(f"{layer}."))
        return [part for part in outside if not calls & {*map(id, part.modules())}]

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def part(self, name: str, layer: int = 0) -> Any:
        """Return what reads the sums of a layer, `output`. Raises AuditError of any other part, and where it is not
        known.
        """
        if name == "output" and self.projections[layer - 1] is not None:
            return self.projections[layer - 1]
        fault = f"in a model of type {self.model.config.model_type!r} the part {name!r} is not known, which a map needs"
        raise AuditError(str(self.folder), fault, "leave the map out")

    @property
    def tail(self) -> LogitTail:
        return replace(self._tail, target=self.target)

    def compute_logits(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Tensor:
        pad = self.model.config.get_text_config().pad_token_id
        ids = pieces.ids.where(pieces.mask, pad or 0)
        inputs = {
            name: value
            for name, value in prepare_inputs(self.model, replace(pieces, ids=ids)).items()
            if name in self.accepts
        }
        with ExitStack() as hooks:
            if vectors is not None:
                # the model may look for padding, and count positions, by its pieces; and change vectors in place
                copy = vectors.clone() if isinstance(vectors, Tensor) else vectors
                hooks.enter_context(self.model.get_input_embeddings().register_forward_hook(lambda *_: copy))
            # some classifiers take the key too, and choose a piece themselves
            if "logits_to_keep" not in self.accepts or type(self.model).__name__.endswith(CLASSIFIER):
                logits: Tensor = self.model(**inputs).logits
                # a language model has logits at each piece
                return logits if logits.dim() == 2 else torch.einsum("bp,bpc->bc", self.mark_classified(pieces), logits)
            classified = self.mark_classified(pieces)
            kept = classified.any(0).nonzero()[:, 0]
            # those of other pieces are many in a large vocabulary
            logits = self.model(**inputs, logits_to_keep=kept).logits
            return torch.einsum("bk,bkc->bc", classified[:, kept].to(logits), logits)

    def _record_layer(self, number: int, hooks: ExitStack) -> LayerPass:
        seen, layer, attention = LayerPass(), self.layers[number - 1], self.attending[number - 1]
        seen.part = partial(self.part, layer=number)

        def keep(module: nn.Module, attended: Attended) -> Tensor:
            if module is attention:
                seen.weights, seen.values = attended.weights, attended.values.transpose(1, 2)
            return attended.sums

        def keep_states(_: nn.Module, inputs: Any, keywords: Any, output: Any) -> None:
            seen.below, seen.above = read_states(inputs, keywords), output[0] if isinstance(output, tuple) else output

        hooks.enter_context(layer.register_forward_hook(keep_states, with_kwargs=True))
        hooks.enter_context(watch_attention(keep))
        return seen

    @contextmanager
    def impose_weights(self, pieces: PieceBatch, weights: Tensor) -> Iterator[None]:
        row = self.mark_classified(pieces)[:, :, None, None]

        def replace_row(module: nn.Module, attended: Attended) -> Tensor:
            if module is not self.attending[-1]:
                return attended.sums
            return torch.einsum("bhp,bhpd->bhd", weights, attended.values)[:, None].where(row > 0, attended.sums)

        with watch_attention(replace_row):
            yield


class FoundSequenceClassifier(SequenceClassifier, FoundClassifier):
    """One of a folder or in memory, with its tokenizer."""
