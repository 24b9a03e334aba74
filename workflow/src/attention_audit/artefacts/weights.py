"""Model weights as safetensors: reading them executes no code, unlike unpickling, and damage is noticed. And arrays too
large for memory, as .npy files that are read where they lie, with their seal behind the last byte.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from attention_audit.arrays import Array

from .files import OPEN_SEAL, SEAL_KEY, check_seal, write_sealed
from .provenance import Provenance


def write_weights(path: Path, weights: Mapping[str, torch.Tensor], provenance: Provenance) -> None:
    """Write a state dict, whole or not at all, with its provenance and its seal in the header.

    Raises AuditError where the file cannot be written.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    # everything under one key, since safetensors writes several keys in no fixed order
    header = json.dumps(provenance.record() | {SEAL_KEY: OPEN_SEAL.decode()}, sort_keys=True)
    with write_sealed(path) as temporary:
        temporary.write_bytes(save(tensors, metadata={"attention_audit": header}))


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Read a state dict written by `write_weights`.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing or damaged.
    """
    with check_seal(path, "weights", SafetensorError, ValueError):
        return load_file(path)


@contextmanager
def write_array(path: Path, shape: tuple[int, ...], kind: npt.DTypeLike) -> Iterator[Array]:
    """Give an array on disk to be filled in any order; it is sealed and gets its name when the block succeeds.

    Raises AuditError where the file cannot be written.
    """
    with write_sealed(path) as temporary:
        array = np.lib.format.open_memmap(temporary, mode="w+", dtype=np.dtype(kind), shape=shape)
        # a full disk is an error here; where the pages are first written, it would end the process
        with temporary.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, temporary.stat().st_size)
        yield array
        array.flush()
        del array
        with temporary.open("ab") as stream:
            stream.write(OPEN_SEAL)


def open_array(path: Path) -> Array:
    """Open the array of a sealed file, in memory only where it is touched; a write to it never reaches the file.

    Raises AuditError, naming the command that rebuilds it, where the file is missing or damaged.
    """
    with check_seal(path, "array", ValueError):
        array: Array = np.load(path, mmap_mode="c")
    return array
