"""The families of Transformer classifiers that are known: where the parts of their last layer and classifier are.

Each classifies the first token of a text (Devlin et al. 2019; Liu et al. 2019; Clark et al. 2020; Sanh et al. 2019;
Warner et al. 2024).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from attention_audit.errors import AuditError
from attention_audit.transformer.folder import read_facts


class Family(NamedTuple):
    """Where the parts of a classifier lie: the layers; in a layer, its attention, queries, keys, values, and parts of
    the tail by their names there; above them, pooler and classifier, and the activation between.

    dropped, output_dropped, outer_dropped: dropout of the attention weights, and of what `output` and `outer` return;
    "" where there is none.

    third: a normalisation above the pooler, "" where there is none. A layer that has one is gated (`model.tail`), and
    queries, keys and values come from one part, the values last. tuned: whether it can be fine-tuned here.
    """

    layers: str
    attention: str
    query: str
    key: str
    values: str
    dropped: str
    output: str
    first: str
    inner: str
    outer: str
    second: str
    pooler: str
    classifier: str
    pooled: str
    output_dropped: str
    outer_dropped: str
    third: str = ""
    tuned: bool = True


def of_bert(name: str, pooler: str, classifier: str, pooled: str) -> Family:
    """A family whose layers are BERT's."""
    return Family(
        f"{name}.encoder.layer",
        "attention.self",
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.self.dropout",
        "attention.output.dense",
        "attention.output.LayerNorm",
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
        pooler,
        classifier,
        pooled,
        "attention.output.dropout",
        "output.dropout",
    )


FAMILIES: Mapping[str, Family] = {
    "bert": of_bert("bert", "bert.pooler.dense", "classifier", "tanh"),
    "roberta": of_bert("roberta", "classifier.dense", "classifier.out_proj", "tanh"),
    "electra": of_bert("electra", "classifier.dense", "classifier.out_proj", "gelu"),
    "distilbert": Family(
        "distilbert.transformer.layer",
        "attention",
        "attention.q_lin",
        "attention.k_lin",
        "attention.v_lin",
        "attention.dropout",
        "attention.out_lin",
        "sa_layer_norm",
        "ffn.lin1",
        "ffn.lin2",
        "output_layer_norm",
        "pre_classifier",
        "classifier",
        "relu",
        "",
        "ffn.dropout",
    ),
    "modernbert": Family(
        "model.layers",
        "attn",
        "attn.Wqkv",
        "attn.Wqkv",
        "attn.Wqkv",
        "",
        "attn.Wo",
        "mlp_norm",
        "mlp.Wi",
        "mlp.Wo",
        "model.final_norm",
        "head.dense",
        "classifier",
        "gelu",
        "attn.out_drop",
        "",
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


def family_of(folder: Path) -> Family:
    """The family of the model of a folder.

    Raises AuditError where it is none of `FAMILIES`, or where the mean of all tokens is classified.
    """
    facts = read_facts(folder)
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


def tuned_family_of(folder: Path) -> Family:
    """The same of an encoder that is to be fine-tuned. Raises AuditError, too, where that is not known."""
    family = family_of(folder)
    if not family.tuned:
        known = ", ".join(name for name, each in FAMILIES.items() if each.tuned)
        raise AuditError(
            f"{folder}: a model of type {read_facts(folder).kind!r} can be read here, and not be fine-tuned; fine-tune "
            f"it elsewhere and name its folders under `models`, or take one of {known}"
        )
    return family
