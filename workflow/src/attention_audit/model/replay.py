"""The tail of a Transformer classifier whose parts are not known one by one: the library's own network, cut to its last
layer, which reads one piece.

For the classified token alone, the state x below the last layer takes the place of what the layer reads, and the sums
of values c that of what its attention gives (`transformer.interface`). All above is run as it is.
"""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attention_audit.transformer.interface import Attended, use_interface, watch_attention
from attention_audit.transformer.opening import import_library

from .outputs import TARGET, Target
from .tail import LogitTail

SPEC = "network"
"""Of what is stored, the description of the network, as JSON."""
STATES = "hidden_states"
"""What layers call the states that they read, where these are named."""


def read_states(inputs: Sequence[Any], keywords: Mapping[str, Any]) -> Tensor:
    """Return the states that a layer is called with."""
    states: Tensor = inputs[0] if inputs else keywords[STATES]
    return states


def cut_network(model: Any, layer: str, unused: Sequence[nn.Module] = ()) -> Any:
    """Return a model that has but one of its layers, the last, and one piece. It shares the weights, and asks for no
    gradients of them. layer: by its name in the model. unused: parts that it does without, such as those that see
    images.
    """
    stack, _, last = layer.rpartition(".")
    vectors = model.get_input_embeddings()
    below = [*unused, *(part for name, part in model.get_submodule(stack).named_children() if name != last)]
    gone = {id(tensor) for part in (*below, vectors) for tensor in (*part.parameters(), *part.buffers())}
    memo: dict[int, Any] = {id(part): nn.Identity() for part in below}
    memo |= {id(vectors): nn.Embedding(1, vectors.weight.shape[1]).to(vectors.weight).requires_grad_(False)}
    for tensor in (*model.parameters(), *model.buffers()):
        if id(tensor) not in gone:
            values = tensor.detach()
            memo[id(tensor)] = nn.Parameter(values, requires_grad=False) if isinstance(tensor, nn.Parameter) else values
    network = deepcopy(model, memo)
    network.set_submodule(stack, nn.ModuleList([network.get_submodule(layer)]))
    return network


@dataclass(frozen=True, eq=False)
class ReplayedTail(LogitTail):
    """A network that is cut to its last layer. stack: the list of its layers, by its name there. count, width: of the
    heads, and of the states. order: the outputs that are classes, in the order of these.
    """

    network: Any
    stack: str
    count: int
    width: int
    joined: int
    order: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, int]:
        return self.width, self.joined

    @property
    def classes(self) -> int:
        return len(self.order)

    @property
    def sample(self) -> Tensor:
        # parts that are without use have no values once they are read from a file
        weight: Tensor = next(self.network.get_submodule(f"{self.stack}.0").parameters())
        return weight

    def _compute_rows(self, contexts: Tensor, below: Tensor) -> Tensor:
        sums = contexts.reshape(len(contexts), 1, self.count, -1)

        def replace_sums(_: nn.Module, attended: Attended) -> Tensor:
            return sums

        def replace_states(_: nn.Module, inputs: Any, keywords: Any) -> Any:
            states = below[:, None]
            return ((states, *inputs[1:]), keywords) if inputs else (inputs, keywords | {STATES: states})

        layer, ids = self.network.get_submodule(f"{self.stack}.0"), contexts.new_zeros(len(contexts), 1).long()
        hook = layer.register_forward_pre_hook(replace_states, with_kwargs=True)
        with hook, watch_attention(replace_sums):
            logits: Tensor = self.network(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
        return logits.reshape(len(contexts), -1)[:, list(self.order)]

    def order_classes(self, classes: Sequence[int]) -> "ReplayedTail":
        return replace(self, order=tuple(self.order[each] for each in classes))

    def __reduce__(self) -> Any:
        # the attention interface of another process does not know ours
        return build_replay, (self.pack(), self.target)

    def pack(self) -> dict[str, Tensor]:
        network = self.network
        spec = {name: getattr(self, name) for name in ("stack", "count", "width", "joined", "order")}
        spec |= {"class": type(network).__name__, "config": json.loads(network.config.to_json_string(use_diff=False))}
        tensors = dict([*network.named_parameters(), *network.named_buffers()])
        packed = {
            name: (tensor.detach().float() if tensor.is_floating_point() else tensor).cpu().clone().contiguous()
            for name, tensor in tensors.items()
            if not tensor.is_meta
        }
        return packed | {SPEC: torch.frombuffer(bytearray(json.dumps(spec).encode()), dtype=torch.uint8)}


def build_replay(tensors: Mapping[str, Tensor], target: Target | None = None) -> ReplayedTail:
    """Build the tail of `ReplayedTail.pack`, with the target that is asked of."""
    spec, transformers = json.loads(bytes(tensors[SPEC].tolist())), import_library()
    kind, written = spec.pop("class"), spec.pop("config")
    config = transformers.CONFIG_MAPPING[written["model_type"]].from_dict(written)
    with torch.device("meta"):
        model = getattr(transformers, kind)(config)
    layers = model.get_submodule(spec["stack"])
    network = cut_network(model, f"{spec['stack']}.{len(layers) - 1}").eval()
    for name, tensor in tensors.items():
        if name not in (SPEC, TARGET):
            module_name, _, part = name.rpartition(".")
            module = network.get_submodule(module_name)
            if part in module._parameters:
                setattr(module, part, nn.Parameter(tensor, requires_grad=False))
            else:
                setattr(module, part, tensor)
    use_interface(network)
    return ReplayedTail(network, **spec | {"order": tuple(spec["order"])}, target=target)
