"""The families of Transformer classifiers that are known: where the parts of their last layer and classifier are.

Encoders classify the first token of a text (Devlin et al. 2019; Liu et al. 2019; Conneau et al. 2020; Lan et al. 2020;
Clark et al. 2020; Sanh et al. 2019; Song et al. 2020; He et al. 2023; Warner et al. 2024). Decoders classify the last
token, which alone has read the whole text (Radford et al. 2019; Touvron et al. 2023; Jiang et al. 2023; Qwen Team 2024;
Gemma Team 2024).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from attention_audit.errors import AuditError

from .folder import Facts, read_facts

CLASSIFIER = "ForSequenceClassification"
"""How the class of a classifier of texts ends, as config.json names it."""
LANGUAGE = ("ForCausalLM", "LMHeadModel")
"""How that of a language model may end."""


class Family(NamedTuple):
    """Where the parts of a classifier lie: the layers; in a layer, its attention, queries, keys, values, and parts of
    the tail by their names there; above them, the pooler, "" where there is none, and the classifier, and the
    activation between, or the key of config.json that names it. What is not said is as in BERT. Where queries, keys and
    values come from one part, they come in this order.

    dropped, output_dropped, outer_dropped: dropout of the attention weights, and of what `output` and `outer` return;
    "" where there is none.

    before: whether a layer normalises before its parts (`model.tail`); `second` is then above all layers. gate: what is
    multiplied with `inner` once its activation is taken, third: a normalisation above the pooler, output_normed and
    outer_normed: those of what `output` and `outer` return; "" where there is none, or where the gate is part of
    `inner`. plus: what normalisations add to their weights.

    asked: whether attention returns its weights only where config.json says so. last: whether the last token is
    classified. tuned: whether it can be fine-tuned here.
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
    before: bool = False
    gate: str = ""
    third: str = ""
    output_normed: str = ""
    outer_normed: str = ""
    plus: float = 0.0
    asked: bool = False
    last: bool = False
    tuned: bool = True


FAMILIES: Mapping[str, Family] = {
    kind: Family(**parts)
    for kind, parts in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items()
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
KNOWN = {"conv_kernel_size": 0, "inner_group_num": 1}
"""Keys of config.json by which a model of a known type has layers of another kind, with the value that is known."""


def family_of(folder: Path, facts: Facts | None = None) -> Family:
    """The family of the model of a folder. facts: what its config.json says, or will say.

    Raises AuditError where it is none of `FAMILIES`, or differs from them by `KNOWN`.
    """
    facts = facts or read_facts(folder)
    kind = facts.kind
    if kind not in FAMILIES:
        raise AuditError(
            f"{folder}: a model of type {kind!r}, whose last layer and classifier are not known here; known are "
            f"{', '.join(FAMILIES)}"
        )
    for key, known in KNOWN.items():
        if (said := facts.says.get(key, known)) != known:
            raise AuditError(f"{folder}: config.json says {key}: {said}; of a {kind}, {known} alone is known here")
    return FAMILIES[kind]


def classifier_family_of(folder: Path, facts: Facts | None = None, prompted: bool = False) -> Family:
    """The same of a classifier of texts into classes, or of a language model that is prompted for a class.

    Raises AuditError, too, where config.json says another task.
    """
    facts = facts or read_facts(folder)
    family = family_of(folder, facts)
    if prompted and not family.last:
        known = ", ".join(name for name, each in FAMILIES.items() if each.last)
        raise AuditError(f"{folder}: a model of type {facts.kind!r} reads no prompt; take a decoder, one of {known}")
    made = (facts.says.get("architectures") or [CLASSIFIER])[0]
    if not made.endswith(LANGUAGE if prompted else CLASSIFIER):
        what = "language model" if prompted else "classifier of texts"
        auto = LANGUAGE[0] if prompted else CLASSIFIER
        raise AuditError(
            f"{folder}: is no {what} but a {made}, as config.json says; name a folder that was saved "
            f"after training with AutoModel{auto}"
        )
    task = facts.says.get("problem_type") or ("regression" if len(facts.labels) == 1 else "")
    if not prompted and task in ("regression", "multi_label_classification"):
        raise AuditError(f"{folder}: its task is {task.replace('_', ' ')}, and no choice of one class; use judge")
    return family


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
