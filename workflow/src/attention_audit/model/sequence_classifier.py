"""A Transformer classifier of texts, fine-tuned elsewhere or here: what its last layer attends to; the tail above that.

The classified token is the first, such as [CLS], or in a decoder the last. Its row of attention in the last layer has a
map in each head; with the values of the layer, its state below, and the tail, all else of the network is needed no more
(`model.tail`).

A classifier that is fine-tuned here has its own attention or uniform weights in its place. What differs from the
library's model is its last layer only. Of that layer nothing is read but the state of the first token, which is
classified, so that no other row is computed; and that row's weights may be uniform.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad
from torch.utils.checkpoint import checkpoint

from attention_audit.errors import AuditError
from attention_audit.transformer.folder import (
    BY_INTERFACE,
    MEAN_POOLING,
    Home,
    find_classifier_family,
    find_family,
    read_classes,
    read_model_facts,
)
from attention_audit.transformer.opening import (
    PROCESSOR,
    choose_length,
    import_library,
    open_model,
    open_tokenizer,
    open_untrained,
)
from attention_audit.transformer.outputs import OutputKind
from attention_audit.transformer.pieces import UNLIMITED_LENGTH
from attention_audit.transformer.settings import TEXT_SLOT, Prompt, Truncation
from attention_audit.transformer.states import PieceBatch, Windows, cut_windows, prepare_inputs

from .attention import scale
from .batch import Batch, require_part
from .network import Network, Output
from .outputs import Target
from .tail import ACTIVATIONS, TAIL_PARTS, LogitTail, Tail

STATES_OF_LAYER = 8
"""Vectors of the width of the states that a layer makes of a piece; the inner ones are wider."""


class LastAttention(NamedTuple):
    """What the classified token of B texts of at most P pieces attends to in the last layer, and the model's logits.

    weights (B, H, P), zeros on padding; values (B, H, P, D_h); below (B, D); logits (B, C). Where the mean of all
    tokens is classified, weights and below are the means of all rows.
    """

    weights: Tensor
    values: Tensor
    below: Tensor
    logits: Tensor


class LayerPass:
    """What one layer did with B texts of at most P pieces: H heads, width D.

    below (B, P, D): x; weights (B, H, P, P): A; values (B, P, H, D_h): V x, biases included; mixed (B, P, D): what N1
    reads; joined (B, P, D): what N2 reads; above (B, P, D): y. With gradients these are part of the graph. A layer that
    normalises before its parts has no `mixed` and no `joined`. `maps.passes` says what the letters mean. part: gives a
    part of the layer by its name in `Family`.
    """

    part: Callable[[str], Any]
    below: Tensor
    weights: Tensor
    values: Tensor
    mixed: Tensor
    joined: Tensor
    above: Tensor


def lift_halves(values: Tensor) -> Tensor:
    """Return values of a half as float32, and others as they are."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


def _copy_shared_layers(layers: nn.ModuleList, config: Any) -> None:
    """Let each layer be a module of its own, which shares its weights with others as before: ALBERT calls one module
    for several layers (Lan et al. 2020), so that what is watched in it could not be told apart.
    """
    groups, count = [*layers], config.num_hidden_layers
    if len(groups) < count:
        shared = {id(part): part for part in (config, *(weight for group in groups for weight in group.parameters()))}
        del layers[:]
        layers.extend(deepcopy(groups[int(at / (count / len(groups)))], dict(shared)) for at in range(count))
        config.num_hidden_groups = count


def _replace_conv1d(model: nn.Module) -> None:
    """Let the linear layers of GPT-2, which holds their weights the other way round, be as those of all others."""
    kind = import_library().Conv1D
    for name, part in [*model.named_modules()]:
        if isinstance(part, kind):
            width, outputs = part.weight.shape
            linear = nn.Linear(width, outputs, device="meta")
            linear.weight, linear.bias = nn.Parameter(part.weight.T.contiguous()), part.bias
            model.set_submodule(name, linear.train(part.training))


class TransformerClassifier(Network):
    """A classifier of the library `transformers`, of a folder or in memory, as messages name it.

    Audits that run a network again run it as they do those that end in one layer of attention, but nothing holds its
    attention constant. layers: all of them. target: what is asked of, whose one
    logit it then returns; None: all outputs. active, pooled: the activations within a layer, and between pooler and
    classifier, by their names in `model.tail`. most: pieces that it reads together. windowed: whether a longer text is
    read in windows (`transformer.states`); otherwise none is to be longer. Raises AuditError where it is of another
    family than those of `transformer.folder`, or where an activation is not known.
    """

    layers: nn.ModuleList
    target: Target | None = None
    windowed = False
    most = UNLIMITED_LENGTH

    def __init__(self, folder: Home, model: Any) -> None:
        super().__init__()
        self.folder, self.family, self.model = folder, find_family(folder), model
        config, self.attention = model.config, nn.Identity()
        # it reads pieces itself, and its parts have one name each
        self.__dict__ |= {"transformer": self, "layers": attrgetter(self.family.layers)(model)}
        _copy_shared_layers(self.layers, config)
        _replace_conv1d(model)
        self.__dict__["decoder"] = self.part("classifier")
        config.output_attentions = self.family.asked
        keys = ("hidden_act", "hidden_activation", "activation", "activation_function")
        self.active = next(activation for key in keys if (activation := getattr(config, key, None)))
        self.pooled = getattr(config, self.family.pooled, self.family.pooled)
        for activation in (self.active, self.pooled):
            if activation not in ACTIVATIONS:
                known_names = ", ".join(sorted(ACTIVATIONS))
                raise AuditError(
                    str(folder), f"its activation {activation!r} is not known here (known: {known_names})", "use judge"
                )

    @property
    def outputs(self) -> int:
        """Count the logits that it returns, O; 1 of a target."""
        return super().outputs if self.target is None else 1

    @property
    def device(self) -> torch.device:
        """Return where its weights are."""
        return self.decoder.weight.device

    def part(self, name: str, layer: int = 0) -> Any:
        """Return a part of a layer, counted from 1, or of the last one, or one above all layers, by its name in
        `Family`; what leaves states as they are where there is no such part.
        """
        above = ("pooler", "classifier", "third", *["second"] * self.family.before)
        path = getattr(self.family, name)
        return attrgetter(path)(self.model if name in above else self.layers[layer - 1]) if path else nn.Identity()

    @property
    def tail(self) -> LogitTail:
        """Return the tail with the weights that it has now."""
        family, weights, first_norm = self.family, {}, self.part("first")
        for name in (*TAIL_PARTS, "gate"):
            part = self.part(name)
            if isinstance(part, nn.Identity):
                continue
            weight = part.weight.detach()
            weights[f"{name}.weight"] = weight
            # a normalisation that divides by the root mean square knows no bias
            if hasattr(part, "bias"):
                weights[f"{name}.bias"] = weight.new_zeros(len(weight)) if part.bias is None else part.bias.detach()
        if family.gate:
            for what in ("weight", "bias"):
                weights[f"inner.{what}"] = torch.cat([weights.pop(f"gate.{what}"), weights[f"inner.{what}"]])
        epsilon = getattr(first_norm, "eps", None) or first_norm.variance_epsilon
        return Tail(weights, self.active, self.pooled, float(epsilon), family.before, target=self.target)

    def forward(self, batch: Batch) -> Output:
        """Return the logits of a batch that carries pieces; of what else such an output has, nothing is known."""
        logits = self.compute_logits(require_part(batch.pieces, "pieces"), batch.vectors)
        return Output(logits, *[logits.new_empty(0)] * 3)

    def compute_logits(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Tensor:
        """Compute the logits of B texts, (B, C). vectors (B, P, E): in the place of those that the pieces have below
        position.
        """
        inputs = prepare_inputs(self.model, pieces, vectors)
        with self._skip_rows(pieces):
            if self.family.last:
                # the library looks for padding among ids alone
                states = self.model.base_model(**inputs).last_hidden_state
                logits: Tensor = self.decoder(torch.einsum("bp,bpd->bd", self.mark_classified(pieces), states))
            else:
                logits = self.model(**inputs).logits
        return logits

    @contextmanager
    def _skip_rows(self, pieces: PieceBatch) -> Iterator[None]:
        """Let the last layer compute the classified row alone behind its attention, in the block, where no other one is
        classified and nobody looks: of six layers, these rows are an eighth of all operations.
        """
        layer, shares = self.layers[-1], self.mark_classified(pieces)
        with ExitStack() as hooks:
            if not self._has_mean and not layer._forward_hooks and "forward" not in vars(layer):
                texts, row = torch.arange(len(shares), device=shares.device), shares.argmax(1)

                def take_row(_: nn.Module, inputs: Any) -> Any:
                    return (inputs[0][texts, row][:, None], *inputs[1:])

                # what is added to the states below has one row, and then all have it
                for name in ("output", "first"):
                    hooks.enter_context(self.part(name).register_forward_pre_hook(take_row))
            yield

    @property
    def _has_mean(self) -> bool:
        """Tell whether the mean of all pieces is classified."""
        return getattr(self.model.config, "classifier_pooling", "") in MEAN_POOLING

    def mark_classified(self, pieces: PieceBatch) -> Tensor:
        """Return the share of each piece in the state that is classified, (B, P). That is the first piece's, or in a
        decoder that of the last one that is not the one of padding, as in the library; or the mean of all.
        """
        config, mask = self.model.config, pieces.mask
        if self._has_mean:
            return mask.to(self.decoder.weight) / pieces.send(pieces.lengths)[:, None]
        positions = torch.arange(mask.shape[1], device=mask.device)
        row = (positions * (mask & (pieces.ids != config.get_text_config().pad_token_id))).argmax(1) * self.family.last
        return (positions == row[:, None]).to(self.decoder.weight)

    def look_up_vectors(self, pieces: PieceBatch) -> Tensor:
        """Look up the vectors of the pieces below position and segment, (B, P, E)."""
        return self.model.get_input_embeddings()(pieces.ids)

    @torch.inference_mode()
    def read_attention(self, pieces: PieceBatch, layer: int = 0) -> LastAttention:
        """Run the model on a batch, and keep what the tail needs. layer: another one than the last, counted from 1.

        Raises AuditError where no weights are returned.
        """
        with self.record_layers(layer) as (seen,):
            logits = self.compute_logits(pieces)
        row = self.mark_classified(pieces)
        weights = torch.einsum("bi,bhij->bhj", row, seen.weights)
        below = torch.einsum("bp,bpd->bd", row, seen.below)
        return LastAttention(weights, seen.values.transpose(1, 2), below, logits)

    @contextmanager
    def record_layers(self, *numbers: int) -> Iterator[list[LayerPass]]:
        """Record what layers, counted from 1, do in the block, filled as texts pass: all of them, or those of some
        numbers.

        Raises AuditError where no weights are returned.
        """
        with ExitStack() as hooks:
            passes = [self._record_layer(number, hooks) for number in numbers or range(1, len(self.layers) + 1)]
            yield passes
        if any(getattr(seen, "weights", None) is None for seen in passes):
            raise AuditError(str(self.folder), "the library returned no attention weights", "use another version of it")

    def _record_layer(self, number: int, hooks: ExitStack) -> LayerPass:
        seen, layer = LayerPass(), self.layers[number - 1]
        seen.part = partial(self.part, layer=number)

        def keep(name: str, part: nn.Module, value: Callable[[Any, Any], Any]) -> None:
            hook = part.register_forward_hook(lambda _, inputs, output: setattr(seen, name, value(inputs, output)))
            hooks.enter_context(hook)

        keep("below", layer, lambda inputs, _: inputs[0])
        keep("above", layer, lambda _, output: output[0] if isinstance(output, tuple) else output)
        keep("weights", seen.part("attention"), lambda _, output: output[1])
        keep("values", seen.part("values"), lambda _, output: self.split_heads(output))
        for name, norm in () if self.family.before else (("mixed", "first"), ("joined", "second")):
            keep(name, seen.part(norm), lambda inputs, _: inputs[0])
        return seen

    def split_heads(self, output: Tensor) -> Tensor:
        """Return the values of the heads from what the part `values` returns: (B, P, ..) -> (B, P, H, D_h). Several
        heads may share those of one.
        """
        config: Any = self.model.config
        heads = config.num_attention_heads
        value_heads = getattr(config, "num_key_value_heads", None) or heads
        flat = output.chunk(3, -1)[2] if self.family.values == self.family.key else output
        values = flat.reshape(*flat.shape[:-1], value_heads, -1)
        return values if value_heads == heads else values.repeat_interleave(heads // value_heads, -2)

    def cut_windows(self, pieces: PieceBatch) -> Windows | None:
        """Cut B texts into the windows in which they are read; None where each is read as it is."""
        return cut_windows(pieces, self.most) if self.windowed and int(pieces.lengths.max()) > self.most else None

    @contextmanager
    def impose_weights(self, pieces: PieceBatch, weights: Tensor) -> Iterator[None]:
        """Let the classified token of B texts, which is one, have other weights in the last layer in the block:
        (B, H, P).
        """

        def replace_row(module: nn.Module, inputs: Any) -> Any:
            context = torch.einsum("bhp,bphd->bhd", weights, seen.values).flatten(1)
            return (context[:, None].where(row > 0, inputs[0]), *inputs[1:])

        row = self.mark_classified(pieces)[..., None]
        with self.record_layers(0) as (seen,), self.part("output").register_forward_pre_hook(replace_row):
            yield


def _make_classifier(folder: Home, model: Any, tokenizer: Any, labels: Sequence[str]) -> list[int]:
    """Make a language model a classifier of its last token: of its logits for the next one, those of the pieces that
    the labels of a prompt are, which are returned. Raises AuditError where a label is none, or several.
    """
    label_ids = []
    for label in labels:
        ids = tokenizer(label, add_special_tokens=False)["input_ids"]
        label_ids += ids
        if len(ids) != 1:
            pieces = ", ".join(map(repr, tokenizer.convert_ids_to_tokens(ids)))
            raise AuditError(
                str(folder),
                f"the label {label!r} of the prompt has {len(ids)} pieces there ({pieces})",
                "choose a word of one",
            )
    full_head = model.get_output_embeddings()
    score = nn.Linear(full_head.in_features, len(label_ids), bias=full_head.bias is not None).to(full_head.weight)
    with torch.no_grad():
        for weight, full_weight in zip(score.parameters(), full_head.parameters(), strict=True):
            weight.copy_(full_weight[label_ids])
    if find_family(folder) is BY_INTERFACE:
        model.set_output_embeddings(score)
    else:
        model.score = score
    # a prompt ends where it ends, whatever its last token is
    model.config.pad_token_id = None
    return label_ids


class SequenceClassifier(TransformerClassifier):
    """The classifier of a folder or in memory, in evaluation, with its tokenizer for raw texts; or a language model
    there, which a `prompt` asks for one of some next tokens.

    names: of its classes, in the order of its logits. asked: the pieces that stand for them, of a language model.
    template: what each text is set into. kind: what its outputs are. max_length: pieces that it reads together, or
    fewer. truncation: which text of a pair that is too long is cut. known: the outputs of what it was called with, by
    their pieces, so that several targets share them; None: they are not kept. Raises AuditError where the folder holds
    no such model.
    """

    known: dict[bytes, Tensor] | None = None

    def __init__(
        self,
        folder: Home,
        prompt: Prompt | None = None,
        max_length: int = UNLIMITED_LENGTH,
        windowed: bool = False,
        truncation: Truncation = "longest_first",
        kind: OutputKind = "classes",
        device: torch.device = PROCESSOR,
    ) -> None:
        find_classifier_family(folder, prompted=prompt is not None, choosing=kind == "classes")
        tokenizer = open_tokenizer(folder)
        model = open_model(folder, "ForCausalLM" if prompt else "ForSequenceClassification", device)
        label_ids = _make_classifier(folder, model, tokenizer, prompt.labels) if prompt else None
        super().__init__(folder, model)
        self.asked, self.tokenizer, self.template = label_ids, tokenizer, prompt.template if prompt else TEXT_SLOT
        self.names = [name.strip() for name in (prompt.labels if prompt else read_classes(folder))]
        self.most, self.windowed = choose_length(tokenizer, model, max_length), windowed
        self.truncation: Truncation = truncation
        self.kind = kind
        self.eval()

    @property
    def piece_bytes(self) -> int:
        """Count the bytes that a piece takes at most without gradients: its weights and states in all layers."""
        facts = read_model_facts(self.folder)
        of_layer = facts.heads * self.most + STATES_OF_LAYER * facts.width
        return of_layer * facts.layers * self.decoder.weight.dtype.itemsize

    def compute_logits(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Tensor:
        """Compute them as in `TransformerClassifier`; of a text in windows, their mean. Of a target, its one logit.
        Where memory does not suffice, the texts are read in two halves.
        """
        try:
            return self._take_target(self._compute_outputs(pieces, vectors))
        except torch.OutOfMemoryError:
            if len(pieces.ids) == 1 or vectors is not None:
                raise
        halves = map(pieces.select_texts, torch.arange(len(pieces.ids)).chunk(2))
        return torch.cat([self.compute_logits(half) for half in halves])

    def _take_target(self, outputs: Tensor) -> Tensor:
        return outputs if self.target is None else self.target.read(outputs)

    def forward(self, batch: Batch) -> Output:
        """Return the logits of a batch that carries pieces, as `TransformerClassifier` does; those that are known are
        not computed again.
        """
        if batch.vectors is not None or torch.is_grad_enabled():
            return super().forward(batch)
        logits = self.compute_known(require_part(batch.pieces, "pieces"))
        return Output(logits, *[logits.new_empty(0)] * 3)

    def _name_texts(self, pieces: PieceBatch) -> list[bytes]:
        """Name texts by their pieces."""
        rows = torch.stack([pieces.ids, pieces.types], 1).cpu().numpy()
        return [row[:, :count].tobytes() for row, count in zip(rows, pieces.lengths.tolist(), strict=True)]

    def compute_known(self, pieces: PieceBatch) -> Tensor:
        """Compute logits as `compute_logits` does; outputs that are known are not computed again."""
        if self.known is None:
            return self.compute_logits(pieces)
        keys = self._name_texts(pieces)
        if new := [at for at, key in enumerate(keys) if key not in self.known]:
            outputs = self._compute_outputs(pieces.select_texts(torch.tensor(new)))
            self.known |= zip((keys[at] for at in new), outputs, strict=True)
        return self._take_target(torch.stack([self.known[key] for key in keys]))

    def _compute_outputs(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Tensor:
        windows, alone = self.cut_windows(pieces), super().compute_logits
        if windows is None:
            return lift_halves(alone(pieces, vectors))
        logits = []
        for at, part in windows.iterate_parts():
            part_vectors = (
                None if vectors is None else vectors[windows.text[at, None], windows.place[at, : part.ids.shape[1]]]
            )
            # gradients run a part again, so that those of one are in memory at a time
            logits.append(checkpoint(alone, part, part_vectors, use_reentrant=False, preserve_rng_state=False))
        return windows.average_by_text(lift_halves(torch.cat(logits)))

    def read_attention(self, pieces: PieceBatch, layer: int = 0) -> LastAttention:
        """Read it as in `TransformerClassifier`; of a text in windows, the means of theirs, without values."""
        windows, alone = self.cut_windows(pieces), super().read_attention
        if windows is None:
            attended = alone(pieces, layer)
            if self.known is not None and self.target is None:
                self.known |= zip(self._name_texts(pieces), attended.logits, strict=True)
            return attended
        outputs = [alone(part, layer) for _, part in windows.iterate_parts()]
        count = windows.place.shape[1]
        weights = windows.join_scores(
            torch.cat([pad(part.weights, (0, count - part.weights.shape[2])) for part in outputs])
        )
        below, logits = (
            windows.average_by_text(torch.cat(parts)) for parts in zip(*(part[2:] for part in outputs), strict=True)
        )
        return LastAttention(weights, weights.new_zeros(*weights.shape, 0), below, logits)


class Queries(nn.Module):
    """The scores of the first token in the last layer: those of the query's weights.

    The layer's other rows are not read, so whatever is done to its queries is done to this row alone. It holds no
    weights of its own.
    """

    def __init__(self, query: nn.Linear) -> None:
        super().__init__()
        self._weights = (query.weight, query.bias)

    def soften(self, factor: float) -> None:
        """Multiply all scores by a factor."""
        for weight in self._weights:
            scale(weight, factor)


class FineTuned(TransformerClassifier):
    """A classifier that training fine-tunes. even: whether the first token's weights in the last layer are uniform.

    Its map is the mean of the heads over the items of a text: its words, then the marks (`PieceBatch.items`).
    """

    def __init__(self, folder: Path, classes: int, even: bool) -> None:
        super().__init__(folder, open_untrained(folder, classes))
        self.even = even
        if not even:
            self.attention = Queries(self.part("query"))

    def forward(self, batch: Batch) -> Output:
        """Return the logits (B, C) and the map (B, I) of a batch that carries pieces; it has no states of items, and no
        bias.
        """
        pieces, rows = require_part(batch.pieces, "pieces"), list[Tensor]()
        layer = self.layers[-1]
        layer.forward = partial(self._read_first, pieces, rows)
        try:
            output = super().forward(batch)
        finally:
            del layer.forward
        return output._replace(attention=pieces.weigh_items(rows[0].mean(1, keepdim=True))[:, 0])

    def _read_first(self, pieces: PieceBatch, rows: list[Tensor], states: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Do what the last layer does for the first token alone, with dropout where the library has it: the states
        below, (B, P, D), -> its state above, (B, 1, D). Its weights before dropout, (B, H, P), are added to `rows`.
        """
        part, below = self.part, states[:, 0]
        values = self.split_heads(part("values")(states))
        if self.even:
            weights = pieces.even[:, None].expand(-1, values.shape[2], -1)
        else:
            queries, keys = self.split_heads(part("query")(below)), self.split_heads(part("key")(states))
            scores = torch.einsum("bhd,bphd->bhp", queries, keys) * values.shape[-1] ** -0.5
            weights = scores.masked_fill(~pieces.mask[:, None], float("-inf")).softmax(-1)
        rows.append(weights)
        context = torch.einsum("bhp,bphd->bhd", part("dropped")(weights), values).flatten(1)
        normed = part("first")(part("output_dropped")(part("output")(context)) + below)
        inner = ACTIVATIONS[self.active](part("inner")(normed))
        above: Tensor = part("second")(part("outer_dropped")(part("outer")(inner)) + normed)
        return above[:, None]

    def read_attention(self, pieces: PieceBatch, layer: int = 0) -> LastAttention:
        """Read it as in `TransformerClassifier`, by the library's own model; with uniform weights where it has them."""
        if not self.even:
            return super().read_attention(pieces, layer)
        weights = pieces.even[:, None].expand(-1, self.model.config.num_attention_heads, -1)
        with self.impose_weights(pieces, weights):
            return super().read_attention(pieces)._replace(weights=weights)
