"""Maps of the parts of a logit that pass down, or up, through all layers: DecompX and AttnLRP.

DecompX (Modarressi et al. 2023): the state of every piece as a sum of vectors, one of each piece of the input, which
are carried through all parts of a Transformer up to the logits.

A linear part acts on each vector; a normalisation has the deviation of the whole sum; an activation f multiplies each
vector by f(z) / z of the whole sum z; and a bias is split among the vectors in proportion to the absolute value of
their dot product with it, so that nothing is left over: the parts of a logit sum to the logit. As in the authors' code,
the biases of attention, W_o b_v + b_o, are split as one, once the residual connection is added; but in the first layer
each piece keeps the bias of its own value.

AttnLRP (Achtibat et al. 2024): relevance that is passed down through a Transformer by rules, as input x gradient of
a network whose gradients are bent.

The rules: a normalisation divides by a constant (its standard deviation is not differentiated); an activation f
passes the share f(z) / z in the place of its slope (equation 9 there); a softmax is differentiated as it is; and a
product of two things that both depend on the input, such as queries and keys, or weights and values, passes half of the
relevance to either (equation 7). As a gradient, that is half of the gradient of both factors; so queries and keys have
a quarter together.

These few lines are ours, after the paper. Its authors' own code (LXT) grants no patent rights, and the method may be
covered by a patent application of theirs: whoever uses this map commercially has to look into that.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from attention_audit.model.sequence_classifier import TransformerClassifier
from attention_audit.model.tail import ACTIVATIONS
from attention_audit.transformer.folder import FAMILIES

from .attention import input_gradient
from .norms import compute_deviation, normalise_part
from .passes import ModelPass, refuse_norm_before, require_norm_after

LAYER_PARTS = ("values", "output", "first", "second", "inner", "outer")
FACTORS = {"query": 0.25, "key": 0.25, "values": 0.5}
"""What these parts of a layer keep of their gradient."""


def split_bias(parts: Tensor, bias: Tensor | None) -> Tensor:
    """Split a bias (D,) among vectors (.., J, D)."""
    if bias is None:
        return parts
    weight = (parts @ bias).abs()
    total = weight.sum(-1, keepdim=True)
    weight = (weight / total).where(total > 0, 1 / weight.shape[-1])
    return parts + weight[..., None] * bias


def apply_linear(part: Any, parts: Tensor) -> Tensor:
    """Apply a linear layer to vectors (.., J, D)."""
    return split_bias(parts @ part.weight.T, part.bias)


def apply_norm(part: Any, parts: Tensor) -> Tensor:
    """Apply a layer normalisation to vectors (.., J, D), with the deviation of their sum."""
    return split_bias(normalise_part(part, parts) / compute_deviation(part, parts.sum(-2))[..., None, None], part.bias)


def apply_activation(name: str, parts: Tensor) -> Tensor:
    """Apply an activation to vectors (.., J, D): all are multiplied by f(z) / z of their sum z."""
    total = parts.sum(-2, keepdim=True)
    return parts * (ACTIVATIONS[name](total) / total.where(total != 0, 1.0))


@torch.no_grad()
def split_logits(model_pass: ModelPass, text: int) -> Tensor:
    """Split the logits of one text into what each of its J pieces adds to them, (J, C)."""
    classifier, count = model_pass.classifier, int(model_pass.pieces.lengths[text])
    states = model_pass.layers[0].below[text, :count]
    index = torch.arange(count, device=states.device)
    parts = torch.diag_embed(states.T).permute(1, 2, 0)  # (P, J, D): of piece i, the vector of piece j
    for layer in model_pass.layers:
        weights = layer.weights[text, :, :count, :count]
        value, output, first_norm, second_norm, inner, outer = map(layer.part, LAYER_PARTS)
        values, bias = parts @ value.weight.T, output.bias
        if layer is model_pass.layers[0]:
            values[index, index] += value.bias
        else:
            bias = output.weight @ value.bias + bias
        mixed = torch.einsum("hik,kjhe->ijhe", weights, values.reshape(count, count, len(weights), -1)).flatten(-2)
        parts = apply_norm(first_norm, split_bias(mixed @ output.weight.T + parts, bias))
        parts = apply_norm(
            second_norm, apply_linear(outer, apply_activation(classifier.active, apply_linear(inner, parts))) + parts
        )
    pooled = apply_activation(classifier.pooled, apply_linear(classifier.part("pooler"), parts[0]))
    return apply_linear(classifier.decoder, pooled)


@require_norm_after
def decompx(model_pass: ModelPass) -> Tensor:
    """DecompX: what each piece adds to the logit of the predicted class, signed. As many passes as there are pieces."""
    scores = torch.zeros_like(model_pass.mask)
    for text, (count, chosen) in enumerate(
        zip(model_pass.pieces.lengths.tolist(), model_pass.explained.tolist(), strict=True)
    ):
        logits = split_logits(model_pass, text)
        if target := model_pass.classifier.target:
            # of a class, the first-order expansion of its logit
            of_yes = logits @ target.weigh(logits.sum(0))
            logits = torch.stack([-of_yes, of_yes], 1)
        scores[text, :count] = logits[:, chosen]
    return scores


def scale_gradient(states: Tensor, factor: float) -> Tensor:
    """Scale the gradient of states by a factor."""
    return states * factor + (states * (1 - factor)).detach()


def share_gradient(before: Tensor, after: Tensor) -> Tensor:
    """Give the values `after` the gradient of before * (after / before): f(z) passes f(z) / z, not its slope."""
    share = (after / before.where(before != 0, 1.0)).detach()
    return before * share + (after - before * share).detach()


def scale_thirds(states: Tensor) -> Tensor:
    """Scale the gradient of queries, keys and values that one layer returns, in this order."""
    thirds = states.chunk(3, -1)
    return torch.cat([*map(scale_gradient, thirds, (FACTORS[name] for name in ("query", "key", "values")))], -1)


@contextmanager
def apply_rules(classifier: TransformerClassifier) -> Iterator[None]:
    """Apply the rules to gradients in the block."""
    with ExitStack() as hooks:

        def replace_slope(before: nn.Module, after: nn.Module) -> None:
            """Replace the slope of f, the activation between two layers: `after` reads f of what `before` returns."""
            outputs: dict[str, Tensor] = {}
            hooks.enter_context(before.register_forward_hook(lambda _m, _i, out: outputs.update(z=out)))
            hooks.enter_context(
                after.register_forward_pre_hook(
                    lambda _m, inputs: (share_gradient(outputs["z"], inputs[0]), *inputs[1:])
                )
            )

        def pass_halves(gate: nn.Module, before: nn.Module, after: nn.Module) -> None:
            """Let both factors f(g) and z of what `after` reads have half of its gradient, where g is what the gate
            returns.
            """
            outputs: dict[str, Tensor] = {}
            for name, part in (("g", gate), ("z", before)):
                hooks.enter_context(
                    part.register_forward_hook(lambda _m, _i, out, name=name: outputs.update({name: out}))
                )
            activation = ACTIVATIONS[classifier.active]

            def multiply(_: nn.Module, inputs: Any) -> Any:
                active = share_gradient(outputs["g"], activation(outputs["g"]))
                product = scale_gradient(active, 0.5) * scale_gradient(outputs["z"], 0.5)
                # as the library rounds it
                return (product + (inputs[0] - product).detach(), *inputs[1:])

            hooks.enter_context(after.register_forward_pre_hook(multiply))

        def normalise(norm: nn.LayerNorm, inputs: tuple[Tensor], _: Tensor) -> Tensor:
            """Normalise states by a standard deviation that is a constant."""
            (states,) = inputs
            return normalise_part(norm, states) / compute_deviation(norm, states)[..., None].detach() + norm.bias

        for module in classifier.model.modules():
            if isinstance(module, nn.LayerNorm):
                hooks.enter_context(module.register_forward_hook(normalise))
            elif type(module).__name__.endswith("RMSNorm"):
                # it multiplies each number by one that is then a constant
                hooks.enter_context(module.register_forward_hook(lambda _m, read, out: share_gradient(read[0], out)))
        for number in range(1, len(classifier.layers) + 1):
            inner, outer = (classifier.part(name, number) for name in ("inner", "outer"))
            if classifier.family.gate:
                pass_halves(classifier.part("gate", number), inner, outer)
            else:
                replace_slope(inner, outer)
            if classifier.family.query == classifier.family.values:
                part = classifier.part("query", number)
                hooks.enter_context(part.register_forward_hook(lambda _m, _i, out: scale_thirds(out)))
                continue
            for name, factor in FACTORS.items():
                part = classifier.part(name, number)
                hooks.enter_context(part.register_forward_hook(lambda _m, _i, out, by=factor: scale_gradient(out, by)))
        if classifier.family.pooler:
            replace_slope(classifier.part("pooler"), classifier.decoder)
        yield


def attn_lrp(model_pass: ModelPass) -> Tensor:
    """AttnLRP: the relevance of each piece's vector for the predicted class's logit, signed. One pass forth and one
    back.
    """
    family = model_pass.classifier.family
    if family.before and not (family.last and family.values):
        decoders = ", ".join(name for name, each in FAMILIES.items() if each.last)
        refuse_norm_before(model_pass.classifier, "attn_lrp", f" and for {decoders}")
    with apply_rules(model_pass.classifier):
        return input_gradient(replace(model_pass))
