"""All maps of a Transformer by their names, and the scores of words that their scores of pieces make."""

from functools import partial
from typing import cast

from torch import Tensor

from attention_audit.arrays import Floats32
from attention_audit.batching import cut_rows
from attention_audit.targets import load
from attention_audit.transformer.states import PieceBatch

from . import attention, decomposed, norms, word_sets
from .passes import Map

MAP_FUNCTIONS: dict[str, Map] = {
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
        word_sets.lime,
        word_sets.kernel_shap,
    )
}
"""The maps by their names."""


def find_map(name: str) -> Map:
    """Find a map by its name, or by that of its kind with a number behind it (head_3, layer_2); "module:function" is
    one of the user's own.
    """
    kind, _, number = name.partition("_")
    if ":" in name:
        return cast(Map, load(name))
    return MAP_FUNCTIONS[name] if name in MAP_FUNCTIONS else partial(attention.take_row, kind=kind, number=int(number))


def sum_words(scores: Tensor, pieces: PieceBatch) -> list[Floats32]:
    """Sum scores of pieces, (B, P), to those of the words of each text, (L_i,), in the order of the batch.

    Words that are read from the same pieces have equal parts; marks are left out.
    """
    return cut_rows(pieces.weigh_items(scores[:, None])[:, 0], pieces.read)
