"""What audits share: values of batches of texts in the order of the readout, and rows as columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Array, Floats, Integers


def cut_rows(values: Tensor, lengths: Tensor) -> list[Array]:
    """Cut the padding off the values of n texts: (n, L), (n,) -> n times (L_i,)."""
    return [row[:length] for row, length in zip(values.numpy(), lengths.tolist(), strict=True)]


def select_class(predicted: Tensor, classes: Integers) -> Floats:
    """Select what is predicted for a class of each text: (n, C), (n,) -> (n,)."""
    chosen = torch.from_numpy(classes[:, None]).to(predicted.device)
    return predicted.gather(1, chosen)[:, 0].cpu().numpy()


def collect(measure: Callable[..., Mapping[str, Any]], *batches: Iterable[Any]) -> dict[str, Any]:
    """Measure the batches of one or several readouts, and put the values into the order of the texts.

    `measure` gives values by name: numbers (..., n), or a list of n values.
    """
    members, values = zip(*((each[0].members, measure(*each)) for each in zip(*batches, strict=True)), strict=True)
    order = np.concatenate(members).argsort()
    found: dict[str, Any] = {}
    for name in values[0]:
        every = [of_batch[name] for of_batch in values]
        if isinstance(every[0], list):
            rows = [row for of_batch in every for row in of_batch]
            found[name] = [rows[place] for place in order]
        else:
            found[name] = np.concatenate(every, -1)[..., order]
    return found


def to_columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Turn rows, of which there may be none, into columns of these names."""
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}
