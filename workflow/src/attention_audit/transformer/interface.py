"""The attention interface of the library: what attention does is seen there, and replaced, whatever the model.

Most layers of the library call an attention function by its name in the configuration (`ALL_ATTENTION_FUNCTIONS`). The
one that is registered here computes what the model's own does, and shows its values, weights and sums of values.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from torch import Tensor, nn

NAME = "attention_audit"


class Attended(NamedTuple):
    """What H heads of a layer make of B texts of P pieces: sums (B, P, H, D_h) of values (B, H, P, D_h) by weights
    (B, H, P, P). Several heads may share the values of one.
    """

    sums: Tensor
    weights: Tensor
    values: Tensor


Watch = Callable[[nn.Module, Attended], Tensor]
"""Sees what a module attends to, and returns the sums of values with which the model goes on."""
_WATCHES = ContextVar[tuple[Watch, ...]]("watches", default=())


def attend(module: nn.Module, *inputs: Any, **options: Any) -> tuple[Tensor, Tensor]:
    """Compute what the module's own attention with explicit weights does, and show it to all that watch."""
    own = sys.modules[type(module).__module__].eager_attention_forward
    sums, weights = own(module, *inputs, **options)
    watches = _WATCHES.get()
    if watches:
        value: Tensor = options["value"] if "value" in options else inputs[2]
        values = value.repeat_interleave(weights.shape[1] // value.shape[1], 1)
        for watch in watches:
            sums = watch(module, Attended(sums, weights, values))
    return sums, weights


@contextmanager
def watch_attention(watch: Watch) -> Iterator[None]:
    """Let a function see, and replace, what attention does in the block."""
    token = _WATCHES.set((*_WATCHES.get(), watch))
    try:
        yield
    finally:
        _WATCHES.reset(token)


def use_interface(model: Any) -> None:
    """Let a model of the library attend by `attend`, where its layers call the interface."""
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    ALL_ATTENTION_FUNCTIONS.register(NAME, attend)
    ALL_MASK_ATTENTION_FUNCTIONS.register(NAME, ALL_MASK_ATTENTION_FUNCTIONS["eager"])
    model.set_attn_implementation(NAME)
