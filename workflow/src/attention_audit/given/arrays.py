"""Readouts from arrays, lists and tensors; what is no such thing is a line that names place and column."""

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.arrays import Floats
from attention_audit.errors import AuditError

from .readouts import GivenReadout, at, check

PLACE = "readout"
ONE_OR_TWO = "give an array of one axis or two"
A_TEXT_AND_CLASS = "give a number a text and class"
A_WORD = "give a number a word"
HELD = {"word_attributions": "its word_attributions", "as_list": "the number of each word, which its as_list() has"}
"""What to give of the objects of Captum, transformers-interpret and LIME, by an attribute that they have."""


def refuse_count(found: int, count: int | None, place: str, what: str = "text") -> None:
    """Raise AuditError where there are not as many entries as texts, or as words; None is any count."""
    if count is not None and found != count:
        raise AuditError(f"{place}: has {found} entries for {count} {what}s; give each {what} one")


def numbers(
    values: Any,
    place: str,
    axes: tuple[int, ...] = (1, 2),
    wanted: str = ONE_OR_TWO,
    count: int | None = None,
    what: str = "text",
) -> Floats:
    """Make an array of numbers, of a tensor of PyTorch or an Explanation of SHAP too.

    Raises AuditError, which ends in what is wanted, where they are none, or have another number of axes; or are not as
    many as there are texts or words, if that is known.
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
    refuse_count(len(array), count, place, what)
    return array


def entries(values: Any, place: str, count: int | None = None) -> list[Any]:
    """List what is given of each text, of `count` if that is known. Raises AuditError where it is no such list."""
    # of a frame, the names of its columns are iterated
    if isinstance(values, str | bytes | Mapping | Set) or hasattr(values, "columns") or not np.iterable(values):
        raise AuditError(f"{place}: is {type(values).__name__}, and no list; give one")
    listed = [*values]
    refuse_count(len(listed), count, place)
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
    with suppress(RuntimeError, TypeError, ValueError):
        found = np.asarray(listed)
        if not found.size or (found.ndim == 1 and found.dtype.kind in kinds and (found % 1 == 0).all()):
            return [int(value) for value in found]
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

    def list_column(column: str, values: Any) -> list[Any]:
        return entries(values, f"{name}: column {column}", count)

    def list_arrays(column: str, values: Any, *axes_and_wanted: Any) -> list[Floats]:
        each = zip(names, list_column(column, values), strict=True)
        return [numbers(of_text, at(name, id_, column), *axes_and_wanted) for id_, of_text in each]

    listed = list_column("id", range(count) if ids is None else ids)
    if wrong := [id_ for id_ in listed if not isinstance(id_, str | int | np.integer)]:
        raise AuditError(f"{name}: column id: holds {wrong[0]!r}; give each text a name")
    names = [*map(str, listed)]
    gold = integers(list_column("label", labels), f"{name}: column label", "iufb")
    predicted = numbers(probabilities, f"{name}: column probabilities", (2,), A_TEXT_AND_CLASS, count)
    shift = numbers(bias, f"{name}: column bias", wanted=A_TEXT_AND_CLASS)
    refuse_count(len(shift) if shift.ndim == 2 else count, count, f"{name}: column bias")
    marked = zip(names, list_column("evidence", [None] * count if evidence is None else evidence), strict=True)
    given = GivenReadout(
        name,
        names,
        texts,
        np.array(gold, dtype=np.int64),
        list_arrays("attention", attention),
        [_by_word(values, shift.shape[-1]) for values in list_arrays("contribution", contributions)],
        np.broadcast_to(shift, (count, shift.shape[-1])),
        predicted,
        [None if each is None else integers(each, at(name, id_, "evidence")) or None for id_, each in marked],
        {map_: list_arrays(f"maps: {map_}", scores, (1,), A_WORD) for map_, scores in (maps or {}).items()},
    )
    check(given)
    return given
