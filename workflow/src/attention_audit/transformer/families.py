"""The families of Transformer classifiers that are known: where the parts of their last layer and classifier are.

Each classifies the first token of a text (Devlin et al. 2019; Liu et al. 2019; Clark et al. 2020; Sanh et al. 2019;
Warner et al. 2024).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from attention_audit.errors import AuditError
from attention_audit.transformer.folder import Facts, read_facts


class Family(NamedTuple):
    """Where the parts of a classifier lie: the layers; in a layer, its attention, queries, keys, values, and parts of
    the tail by their names there; above them, pooler and classifier, and the activation between. What is not said is as
    in BERT.

    dropped, output_dropped, outer_dropped: dropout of the attention weights, and of what `output` and `outer` return;
    "" where there is none.

    third: a normalisation above the pooler, "" where there is none. A layer that has one is gated (`model.tail`), and
    queries, keys and values come from one part, the values last. tuned: whether it can be fine-tuned here.
    """

    layers: str
    pooler: str = "classifier.dense"
    classifier: str = "classifier"
    pooled: str = "tanh"
    attention: str = "attention.self"
    query: str = "attention.self.query"
    key: str = "attention.self.key"
    values: str = "attention.self.value"
    dropped: str = "attention.self.dropout"
    output: str = "attention.output.dense"
    output_dropped: str = "attention.output.dropout"
    first: str = "attention.output.LayerNorm"
    inner: str = "intermediate.dense"
    outer: str = "output.dense"
    outer_dropped: str = "output.dropout"
    second: str = "output.LayerNorm"
    third: str = ""
    tuned: bool = True


FAMILIES: Mapping[str, Family] = {
    "bert": Family("bert.encoder.layer", pooler="bert.pooler.dense"),
    "roberta": Family("roberta.encoder.layer", classifier="classifier.out_proj"),
    "electra": Family("electra.encoder.layer", classifier="classifier.out_proj", pooled="gelu"),
    "distilbert": Family(
        "distilbert.transformer.layer",
        pooler="pre_classifier",
        pooled="relu",
        attention="attention",
        query="attention.q_lin",
        key="attention.k_lin",
        values="attention.v_lin",
        dropped="attention.dropout",
        output="attention.out_lin",
        output_dropped="",
        first="sa_layer_norm",
        inner="ffn.lin1",
        outer="ffn.lin2",
        outer_dropped="ffn.dropout",
        second="output_layer_norm",
    ),
    "modernbert": Family(
        "model.layers",
        pooler="head.dense",
        pooled="gelu",
        attention="attn",
        query="attn.Wqkv",
        key="attn.Wqkv",
        values="attn.Wqkv",
        dropped="",
        output="attn.Wo",
        output_dropped="attn.out_drop",
        first="mlp_norm",
        inner="mlp.Wi",
        outer="mlp.Wo",
        outer_dropped="",
        second="model.final_norm",
        third="head.norm",
        tuned=False,
    ),
}
"""By `model_type` of config.json."""
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}
"""The activations of `model.tail` by their names in config.json."""


def family_of(folder: Path, facts: Facts | None = None) -> Family:
    """The family of the model of a folder. facts: what its config.json says, or will say.

    Raises AuditError where it is none of `FAMILIES`, or where the mean of all tokens is classified.
    """
    facts = facts or read_facts(folder)
    kind = facts.kind
    if kind not in FAMILIES:
        raise AuditError(
            f"{folder}: a model of type {kind!r}, whose last layer and classifier are not known here; known are "
            f"{', '.join(FAMILIES)}"
        )
    if facts.pooling != "cls":
        raise AuditError(
            f"{folder}: classifies the {facts.pooling} of all tokens (classifier_pooling of config.json), so that no "
            "token's attention is the map of its prediction; fine-tune it with classifier_pooling: cls"
        )
    return FAMILIES[kind]


def tuned_family_of(folder: Path, facts: Facts) -> Family:
    """The same of an encoder that is to be fine-tuned. Raises AuditError, too, where that is not known."""
    family = family_of(folder, facts)
    if not family.tuned:
        known = ", ".join(name for name, each in FAMILIES.items() if each.tuned)
        raise AuditError(
            f"{folder}: a model of type {facts.kind!r} can be read here, and not be fine-tuned; fine-tune "
            f"it elsewhere and name its folders under `models`, or take one of {known}"
        )
    return family
