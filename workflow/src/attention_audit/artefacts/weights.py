"""Model weights as safetensors: reading them executes no code, unlike unpickling, and damage is noticed."""

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from attention_audit.artefacts.files import whole
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.seal import KEY, OPEN, seal, sealed


def write_weights(path: Path, weights: Mapping[str, torch.Tensor], provenance: Provenance) -> None:
    """Write a state dict, whole or not at all, with its provenance and its seal in the header.

    Raises AuditError where the file cannot be written.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    # everything under one key, since safetensors writes several keys in no fixed order
    header = json.dumps(provenance.record() | {KEY: OPEN.decode()}, sort_keys=True)
    content = save(tensors, metadata={"attention_audit": header})
    with whole(path) as temporary:
        temporary.write_bytes(content)
        seal(temporary)


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Read a state dict written by `write_weights`.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing or damaged.
    """
    with sealed(path, "weights", SafetensorError, ValueError), safe_open(path, framework="pt") as handle:
        return {name: handle.get_tensor(name) for name in handle.keys()}  # noqa: SIM118, not a dictionary
