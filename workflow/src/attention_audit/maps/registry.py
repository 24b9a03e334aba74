"""All maps of a Transformer by their names, and the scores of words that their scores of pieces make."""

from collections.abc import Callable
from functools import partial
from typing import cast

from torch import Tensor

from attention_audit.arrays import Floats32
from attention_audit.targets import load
from attention_audit.transformer.states import PieceBatch

from . import attention, decomposed, norms, sampled
from .passes import Map

MAPS: dict[str, Map] = {
    map_.__name__: map_
    for map_ in (
        attention.mean_row,
        attention.received,
        attention.largest_head,
        attention.rollout,
        attention.flow,
        norms.value_norm,
        norms.globenc,
        norms.alti,
        attention.attcat,
        attention.gradient_attention,
        attention.input_gradient,
        decomposed.attn_lrp,
        decomposed.decompx,
        norms.value_zeroing,
        sampled.lime,
        sampled.kernel_shap,
    )
}
"""The maps by their names."""
NUMBERED: dict[str, Callable[..., Tensor]] = {"head": attention.head, "layer": attention.layer}
"""Maps of one of several parts, whose number stands behind the name: head_3, layer_2."""


def map_named(name: str) -> Map:
    """Find a map by its name, with a number or without; "module:function" is one of the user's own."""
    kind, _, number = name.partition("_")
    if ":" in name:
        return cast(Map, load(name))
    return MAPS[name] if name in MAPS else partial(NUMBERED[kind], number=int(number))


def words(scores: Tensor, pieces: PieceBatch) -> list[Floats32]:
    """Scores of pieces, (B, P), as those of the words of each text, (L_i,), in the order of the batch: sums over the
    pieces of a word. Words that are read from the same pieces have equal parts; marks are left out.
    """
    items = pieces.weigh_items(scores[:, None])[:, 0].cpu().numpy()
    return [row[:count] for row, count in zip(items, pieces.read.tolist(), strict=True)]
