"""Attributions of generated tokens by any tool: arrays, and what inseq gives or has saved (Sarti et al. 2023).

Of a prompt, an attribution has a row a piece that is read, and a column a token that is generated.
"""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load

from attention_audit.arrays import Floats
from attention_audit.errors import AuditError

from . import convert_numbers, make_list

SEQUENCES = "sequence_attributions"


def _read_saved(path: Path, place: str) -> Any:
    try:
        content = path.read_bytes()
        return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    except OSError as error:
        raise AuditError(place, f"{path} cannot be read ({error.strerror})", "name a file of inseq") from error
    except ValueError as error:
        raise AuditError(place, f"{path} is no JSON", "name a file that inseq has saved") from error


def _get(part: Any, name: str) -> Any:
    """Get a field of an object of inseq, or of what it has saved of one."""
    if isinstance(part, Mapping):
        return part.get("attributes", part).get(name)
    return getattr(part, name, None)


def _decode(values: Any) -> Any:
    """Return the numbers of an array as inseq saves it: in the format of safetensors, as lists, or as they are."""
    if isinstance(values, str):
        return load(base64.b64decode(values))["attribution"].float()
    return values["__ndarray__"] if isinstance(values, Mapping) and "__ndarray__" in values else values


def _take_sequence(part: Any, ids: Sequence[int], place: str, number: int) -> Any:
    """Take what inseq gives of one prompt. ids: of all its pieces and generated tokens."""
    if _get(part, "source_attributions") is not None:
        raise AuditError(place, f"prompt {number} has a source apart from its target", "attribute a decoder alone")
    listed = [_get(token, "id") for token in _get(part, "target") or []]
    if listed != [*ids]:
        at = next((at for at, (own, given) in enumerate(zip(ids, listed, strict=False)) if own != given), len(listed))
        fault = f"prompt {number} has other tokens from piece {at} on ({len(listed)} in all, and here {len(ids)})"
        raise AuditError(place, fault, "attribute the same prompts, and give what was generated as `continuations`")
    return _decode(_get(part, "target_attributions"))


def read_attributions(values: Any, name: str, prompts: Sequence[tuple[int, Sequence[int]]]) -> list[Floats]:
    """Read an attribution of N prompts: scores (P + T - 1, T) each. prompts: of each, the number P of its pieces, and
    the ids of all its pieces and T tokens.

    Raises AuditError, which names the prompt, where it is of others, or holds what is no number.
    """
    place = f"attributions: {name!r}"
    if isinstance(values, str | Path):
        values = _read_saved(Path(values), place)
    sequences = _get(values, SEQUENCES)
    listed = make_list(values if sequences is None else sequences, place, len(prompts))
    scores = []
    for number, (part, (pieces, ids)) in enumerate(zip(listed, prompts, strict=True)):
        tokens = len(ids) - pieces
        before = len(ids) - 1
        given = part if sequences is None else _take_sequence(part, ids, place, number)
        remedy = f"give ({before}, {tokens})"
        remedy += "" if sequences is None else ", after .aggregate()"
        array = convert_numbers(given, f"{place}: prompt {number}", (2, 3), remedy)
        if array.shape[1:] != (tokens,) or len(array) not in (before, before + 1):
            fault = f"prompt {number} has shape {array.shape}, and {before} pieces come before its last token"
            raise AuditError(place, fault, remedy)
        for step in range(tokens):
            if not np.isfinite(array[: pieces + step, step]).all():
                raise AuditError(place, f"prompt {number} holds NaN or an infinite number", "give numbers")
        scores.append(array[:before])
    return scores
