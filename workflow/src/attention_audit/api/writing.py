"""Readouts of one's own, from arrays and to files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from attention_audit.errors import AuditError
from attention_audit.given.files import read_given, write_given
from attention_audit.given.readouts import GivenReadout, at, check

PLACE = "readout"
ONE_OR_TWO = ": must have one axis or two; give it so"
WRONG_AXES = " has not the axes that it must have; give a number a text and class"


def numbers(
    values: npt.ArrayLike, place: str, axes: tuple[int, ...] = (1, 2), fault: str = ONE_OR_TWO
) -> npt.NDArray[np.float64]:
    """Numbers as an array; a tensor of PyTorch on the CPU will do. Raises AuditError where they are none, or have
    another number of axes.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (RuntimeError, TypeError, ValueError) as error:
        raise AuditError(f"{place}: are no numbers in rows of the same length ({error}); give arrays") from error
    if array.ndim not in axes:
        raise AuditError(f"{place}{fault}")
    return array


def readout(
    tokens: Sequence[Sequence[str]],
    attention: Sequence[npt.ArrayLike],
    contributions: Sequence[npt.ArrayLike] | None,
    bias: npt.ArrayLike | None,
    labels: Sequence[int],
    probabilities: npt.ArrayLike,
    *,
    ids: Sequence[str] | None = None,
    evidence: Sequence[Sequence[int] | None] | None = None,
    maps: Mapping[str, Sequence[npt.ArrayLike]] | None = None,
    name: str = PLACE,
) -> GivenReadout:
    """One training of a model on N texts, checked.

    tokens: the words of each text, L_i. attention: of each text (L_i,), or (H, L_i) for H heads, of which the mean is
    taken. contributions: of each text z, (L_i, O), or (L_i,) where O is 1. bias: b, (O,), the same for all texts; an
    array (N, O) has it for each. logits = sum_t a_t z_t + b; O is the number of classes C, or 1 for the logit of class
    1 of two. Both are None where no predictions follow from the weights. labels: the gold classes, from 0.
    probabilities: (N, C), as the model itself predicts them. ids: of the texts, by default their numbers from 0.
    evidence: positions, from 0, of the words that are known to decide the label; None where nobody knows. maps: further
    scores of the words by name, (L_i,) of each text. name: what messages call it.

    Raises AuditError, in a line that names text and column, where something is wrong: see docs/readouts.md.
    """
    count = len(tokens)
    if (contributions is None) != (bias is None):
        missing = "contributions are" if contributions is None else "bias is"
        raise AuditError(f"{name}: {missing} left out, and one needs the other; give both, or neither")
    if contributions is None or bias is None:
        contributions, bias = [np.empty((len(words), 0)) for words in tokens], np.empty(0)
    names = [str(id_) for id_ in ids] if ids is not None else [str(number) for number in range(count)]
    known = list(evidence) if evidence is not None else [None] * count
    further = maps or {}
    predicted = numbers(probabilities, f"{name}: column probabilities", (2,), WRONG_AXES)
    shift = numbers(bias, f"{name}: column bias", fault=WRONG_AXES)
    counted = {
        "attention": len(attention),
        "contribution": len(contributions),
        "label": len(labels),
        "id": len(names),
        "evidence": len(known),
        "probabilities": len(predicted),
        "bias": len(shift) if shift.ndim == 2 else count,
        **{f"maps, {map_},": len(scores) for map_, scores in further.items()},
    }
    for column, entries in counted.items():
        if entries != count:
            raise AuditError(f"{name}: column {column} has {entries} entries for {count} texts; give each one")
    attended, added = (
        [numbers(values, at(name, id_, column)) for id_, values in zip(names, rows, strict=True)]
        for column, rows in (("attention", attention), ("contribution", contributions))
    )
    given = GivenReadout(
        name,
        names,
        [[str(word) for word in words] for words in tokens],
        np.array([int(label) for label in labels], dtype=np.int64),
        attended,
        [values if values.ndim == 2 else values[:, None] for values in added],
        np.broadcast_to(shift, (count, shift.shape[-1])),
        predicted,
        [[int(position) for position in positions] or None if positions is not None else None for positions in known],
        {
            map_: [
                numbers(values, f"{at(name, id_, 'maps')}: {map_}", (1,), " has not one axis; give a number a word")
                for id_, values in zip(names, scores, strict=True)
            ]
            for map_, scores in further.items()
        },
    )
    check(given)
    return given


def write(given: GivenReadout, path: str | Path) -> None:
    """Write a readout as .parquet or .npz, by the ending of the path: a file for the section `own` of a configuration.

    Raises AuditError where the file cannot be written.
    """
    write_given(given, Path(path))


def read(path: str | Path) -> GivenReadout:
    """Read such a file, checked. Raises AuditError, in a line that names file, text and column, where it is wrong."""
    return read_given(Path(path))
