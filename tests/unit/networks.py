"""Small classifiers of random weights, in memory."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attention_audit.model.architecture import Architecture
from attention_audit.model.network import Classifier


def make_architecture(encoder: str = "bilstm", attention: str = "additive", **given: Any) -> Architecture:
    sizes = {"embedding": 5, "hidden": 4, "attention_hidden": 3, "pretrained": False}
    return Architecture.model_validate({"encoder": encoder, "attention": attention} | sizes | given)


def make_classifier(
    encoder: str = "bilstm", attention: str = "additive", words: int = 10, classes: int = 2, seed: int = 0, **given: Any
) -> Classifier:
    torch.manual_seed(seed)
    return Classifier(make_architecture(encoder, attention, **given), words, classes)


def run_packed(encoder: Any, reference: Any, vectors: Tensor, lengths: Tensor) -> Tensor:
    """States of PyTorch's own bidirectional network, which takes the weights of an encoder that reads both ways."""
    for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
        reference._parameters[name] = encoder.forwards._parameters[name]
        reference._parameters[f"{name}_reverse"] = encoder.backwards._parameters[name]
    reference._init_flat_weights()
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    states: Tensor = pad_packed_sequence(reference(packed)[0], batch_first=True)[0]
    return states
