"""Readouts from arrays, lists and tensors; what is no such thing is a line that names place and column."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.errors import AuditError
from attention_audit.given.readouts import Floats, GivenReadout, at, check

PLACE = "readout"
ONE_OR_TWO = "give an array of one axis or two"
A_TEXT_AND_CLASS = "give a number a text and class"
A_WORD = "give a number a word"
HELD = {"word_attributions": "its word_attributions", "as_list": "the number of each word, which its as_list() has"}
"""What to give of the objects of Captum, transformers-interpret and LIME, by an attribute that they have."""


def numbers(values: Any, place: str, axes: tuple[int, ...] = (1, 2), wanted: str = ONE_OR_TWO) -> Floats:
    """Make an array of numbers, of a tensor of PyTorch or an Explanation of SHAP too.

    Raises AuditError, which ends in what is wanted, where they are none, or have another number of axes.
    """
    try:
        # SHAP and pandas hold values, which of mappings and tensors is a method
        held = getattr(values, "values", values)
        held = values if callable(held) else held
        # a tensor may have a gradient, or a precision that NumPy lacks
        array = np.asarray(held.detach().cpu().double() if hasattr(held, "detach") else held, dtype=np.float64)
    except (RuntimeError, TypeError, ValueError) as error:
        wanted = next((f"give {part}" for name, part in HELD.items() if hasattr(values, name)), wanted)
        fault = f"is {type(values).__name__}, and no numbers in rows of the same length ({error})"
        raise AuditError(f"{place}: {fault}; {wanted}") from error
    if array.ndim not in axes:
        raise AuditError(f"{place}: is {type(values).__name__} of shape {array.shape}; {wanted}")
    return array


def entries(values: Any, place: str, count: int | None = None) -> list[Any]:
    """List what is given of each text, of `count` if that is known. Raises AuditError where it is no such list."""
    # of a frame, the names of its columns are iterated
    if isinstance(values, str | bytes | Mapping | Set) or hasattr(values, "columns") or not np.iterable(values):
        raise AuditError(f"{place}: is {type(values).__name__}, and no list; give one")
    listed = [*values]
    if len(listed) != (len(listed) if count is None else count):
        raise AuditError(f"{place}: has {len(listed)} entries for {count} texts; give each text one")
    return listed


def word_lists(tokens: Any, place: str) -> list[list[str]]:
    """List the words of each text. Raises AuditError where a text is one string or no list, or holds no words."""
    texts = []
    for number, words in enumerate(entries(tokens, place)):
        if isinstance(words, str):
            raise AuditError(f"{place}: text {number} is one string; give the list of its words")
        texts.append(entries(words, f"{place}: text {number}"))
        if wrong := [word for word in texts[-1] if not isinstance(word, str)]:
            raise AuditError(f"{place}: text {number} holds {wrong[0]!r}, and no word; give words, and no ids of them")
    return texts


def integers(values: Any, place: str, kinds: str = "iuf") -> list[int]:
    """List whole numbers, of these kinds of NumPy; b among them takes truth values too.

    Raises AuditError where something else is given.
    """
    listed = entries(values, place)
    try:
        found = np.asarray(listed)
        if not found.size or (found.ndim == 1 and found.dtype.kind in kinds and (found % 1 == 0).all()):
            return [int(value) for value in found]
    except (RuntimeError, TypeError, ValueError):
        pass
    raise AuditError(f"{place}: holds something else than whole numbers; give a flat list of these")


def _by_word(values: Floats, outputs: int) -> Floats:
    """Give contributions an axis of words: a plain list has the values of one word after another."""
    if values.ndim == 2 or not outputs or len(values) % outputs:
        return values if values.ndim == 2 else values[:, None]
    return values.reshape(-1, outputs)


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
    texts = word_lists(tokens, f"{name}: column tokens")
    count = len(texts)
    if (contributions is None) != (bias is None):
        missing = "contributions are" if contributions is None else "bias is"
        raise AuditError(f"{name}: {missing} left out, and one needs the other; give both, or neither")
    if contributions is None or bias is None:
        contributions, bias = [np.empty((len(words), 0)) for words in texts], np.empty(0)
    if not isinstance(maps, Mapping | None):
        raise AuditError(f"{name}: maps: is {type(maps).__name__}; give the scores of each map by its name")
    columns = {
        "id": range(count) if ids is None else ids,
        "attention": attention,
        "contribution": contributions,
        "label": labels,
        "evidence": [None] * count if evidence is None else evidence,
    }
    columns |= {f"maps, {map_},": scores for map_, scores in (maps or {}).items()}
    listed = {column: entries(values, f"{name}: column {column}") for column, values in columns.items()}
    if wrong := [id_ for id_ in listed["id"] if not isinstance(id_, str | int | np.integer)]:
        raise AuditError(f"{name}: column id: holds {wrong[0]!r}; give each text a name")
    names = [str(id_) for id_ in listed["id"]]
    predicted = numbers(probabilities, f"{name}: column probabilities", (2,), A_TEXT_AND_CLASS)
    shift = numbers(bias, f"{name}: column bias", wanted=A_TEXT_AND_CLASS)
    counted = {column: len(values) for column, values in listed.items()}
    counted |= {"probabilities": len(predicted), "bias": len(shift) if shift.ndim == 2 else count}
    for column, entered in counted.items():
        if entered != count:
            raise AuditError(f"{name}: column {column} has {entered} entries for {count} texts; give each one")
    attended, added = (
        [numbers(values, at(name, id_, column)) for id_, values in zip(names, listed[column], strict=True)]
        for column in ("attention", "contribution")
    )
    given = GivenReadout(
        name,
        names,
        texts,
        np.array(integers(listed["label"], f"{name}: column label", "iufb"), dtype=np.int64),
        attended,
        [_by_word(values, shift.shape[-1]) for values in added],
        np.broadcast_to(shift, (count, shift.shape[-1])),
        predicted,
        [
            None if positions is None else integers(positions, at(name, id_, "evidence")) or None
            for id_, positions in zip(names, listed["evidence"], strict=True)
        ],
        {
            map_: [
                numbers(values, f"{at(name, id_, 'maps')}: {map_}", (1,), A_WORD)
                for id_, values in zip(names, listed[f"maps, {map_},"], strict=True)
            ]
            for map_ in maps or {}
        },
    )
    check(given)
    return given
