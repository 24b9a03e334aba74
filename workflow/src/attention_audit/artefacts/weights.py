"""Model weights as safetensors: nothing is unpickled, and damage is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from attention_audit.artefacts.files import rebuild_hint, whole
from attention_audit.artefacts.provenance import Provenance
from attention_audit.errors import AuditError


def checksum(weights: Mapping[str, torch.Tensor]) -> str:
    """sha256 over names, shapes and bytes; safetensors itself keeps none."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()


def write_weights(path: Path, weights: Mapping[str, torch.Tensor], provenance: Provenance, seed: int) -> None:
    """Write a state dict, whole or not at all, with its provenance and checksum in the header."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    # one key: safetensors writes several in no fixed order
    header = json.dumps(provenance.record(seed) | {"weights_sha256": checksum(tensors)}, sort_keys=True)
    with whole(path) as temporary:
        save_file(tensors, temporary, metadata={"attention_audit": header})


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Read a state dict written by `write_weights`.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing or damaged.
    """
    try:
        with safe_open(path, framework="pt") as handle:
            weights = {name: handle.get_tensor(name) for name in handle.keys()}  # noqa: SIM118, not a dictionary
            expected = json.loads((handle.metadata() or {}).get("attention_audit", "{}")).get("weights_sha256")
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except (SafetensorError, OSError, ValueError) as error:
        raise AuditError(f"{path}: truncated or corrupt weights; {rebuild_hint(path)}") from error
    if checksum(weights) != expected:
        raise AuditError(f"{path}: corrupt weights (checksum differs); {rebuild_hint(path)}")
    return weights
