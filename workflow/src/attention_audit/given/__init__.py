"""A readout from elsewhere: for each text the words, the attention, and what each word adds to the logits.

Nothing that a user gives is believed before it was checked: arrays, lists and tensors as they come, one readout by
itself (`check_readout`), and beside another of the same texts (`check_beside`). What is wrong is a line that names the
place.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.arrays import Floats, Integers
from attention_audit.errors import AuditError

PLACE = "readout"
SUM, REPRODUCED = 1e-4, 1e-4
"""How far the weights of a text may be from 1 together, and its logits from its probabilities."""
PADDING_WORDS = {"[pad]", "<pad>"}
TOKENIZER_MARK = re.compile(
    r"\s*|\[(CLS|SEP|PAD|BOS|EOS)\]|</?s>|<(cls|sep|pad|bos|eos|sos)>|<[|｜].+[|｜]>", re.IGNORECASE
)
"""What tokenizers put before a text and behind it; an empty token too."""
LEAVE_OUT_HINT = "where no predictions follow from the weights, leave contributions and bias out"
A_TEXT_AND_CLASS = "give a number a text and class"
A_WORD = "give a number a word"
A_READOUT = "readout; make one with api.readout"
SEVERAL_LABELS = 'give each text one, or ask audit_classifier or judge with output="labels"'
TOOL_HINTS = {
    "word_attributions": "its word_attributions",
    "as_list": "the number of each word, which its as_list() has",
}
"""What to give of the objects of Captum, transformers-interpret and LIME, by an attribute that they have."""


WrittenTexts = Sequence[str | Sequence[str]]
"""Texts as they are written, or as the lists of their words."""


def find_marks(texts: Sequence[Sequence[str]]) -> set[str]:
    """Find which tokens at the ends of texts are a tokenizer's marks, padding or empty: those that most texts have
    there, or that are repeated there.
    """
    texts_with: Counter[str] = Counter()
    repeated = {""}
    for words in texts:
        ends = [Counter(map(str.strip, takewhile(TOKENIZER_MARK.fullmatch, side))) for side in (words, words[::-1])]
        texts_with.update({*ends[0], *ends[1]})
        # padding is no part of the longest texts, but is often repeated in the others
        repeated |= {mark for end in ends for mark, count in end.items() if count > 1}
    return {mark for mark, count in texts_with.items() if mark in repeated or 2 * count > len(texts)}


@dataclass(frozen=True, repr=False)
class GivenReadout:
    """One training of a model on N texts with C classes; text i has L_i words, marks of a tokenizer among them.

    place: the file, or what else messages call it. attention[i] (L_i,), or (H, L_i) for a map of H heads.
    contribution[i] (L_i, O) and bias (N, O): logits = sum_t a_t z_t + b, with a the mean over heads. O is C, or 1 in a
    model of two classes whose one logit is that of class 1. probabilities (N, C): what the model predicts, as it says
    itself. evidence[i]: the positions of the words that are known to decide the label, None where nobody knows. Where
    no prediction follows from the map, O is 0. maps: further scores of the words by name, maps[name][i] (L_i,), of any
    sign, from which no prediction follows either.
    """

    place: str
    ids: list[str]
    tokens: list[list[str]]
    labels: Integers
    attention: list[Floats]
    contribution: list[Floats]
    bias: Floats
    probabilities: Floats
    evidence: list[list[int] | None]
    maps: Mapping[str, list[Floats]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        heads = f", {self.heads} heads" if self.heads > 1 else ""
        maps = f", also {', '.join(self.maps)}" if self.maps else ""
        added = "with" if self.decided else "without"
        return (
            f"GivenReadout({self.place}: {len(self)} texts, {self.classes} classes{heads}, {added} contributions{maps})"
        )

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return int(self.probabilities.shape[1])

    @property
    def decided(self) -> bool:
        """Tell whether it says what the words add to the logits."""
        return bool(self.bias.shape[1])

    @property
    def heads(self) -> int:
        """Count the heads that each text has a map of, 1 where there is one map."""
        return len(np.atleast_2d(self.attention[0]))

    @cached_property
    def items(self) -> list[tuple[list[int], list[list[int]]]]:
        """Find which tokens of each text are words, and which are marks of a tokenizer: the first, where a text begins
        with one, and all others together. Padding is neither.
        """
        # white space was given as a word
        marks, texts = find_marks(self.tokens) - {""}, []
        for tokens in self.tokens:
            read = [at for at, token in enumerate(tokens) if token.lower() not in PADDING_WORDS]
            words = [at for at in read if tokens[at].strip() not in marks]
            others = [at for at in read if at not in words]
            first = others[: others[:1] < words[:1]]
            texts.append((words, [*filter(None, [first, others[len(first) :]])]))
        return texts

    @property
    def words(self) -> list[list[str]]:
        """List the words of each text, without marks and padding."""
        return [[tokens[at] for at in words] for tokens, (words, _) in zip(self.tokens, self.items, strict=True)]

    @property
    def seen(self) -> list[Floats]:
        """Return the map that a reader sees of each text, (L_i,): the mean over heads."""
        return [np.atleast_2d(weights).mean(0) for weights in self.attention]


def name_column(location: str, text: str, column: str) -> str:
    """Say where something is wrong, as messages begin."""
    return f"{location}: text {text!r}, column {column}"


def softmax(logits: Floats) -> Floats:
    """Compute probabilities (C,) of logits (O,); one logit is that of the second of two classes."""
    all_logits = np.append(0.0, logits) if len(logits) == 1 else logits
    raised = np.exp(all_logits - all_logits.max())
    return np.asarray(raised / raised.sum())


GivenTrainings = GivenReadout | Sequence[GivenReadout]
"""The readouts of a model, one or several."""
Faults = Iterator[tuple[str, str, str]]
"""The column, the fault and the remedy of what is wrong with a text."""


def find_misfits(readout: GivenReadout, number: int, by_word: Mapping[str, Floats]) -> Faults:
    """Find what of a text does not fit in size. by_word: what it has for each word, (L, ...), by its column."""
    tokens, outputs, classes = readout.tokens[number], len(readout.bias[number]), readout.classes
    heads, added = by_word["attention"].shape[1], by_word["contribution"].shape[1]
    padding = [at for at, token in enumerate(tokens) if token.lower() in PADDING_WORDS]
    if not readout.items[number][0]:
        yield "tokens", "has no word", "leave the text out"
    elif padding and (len(by_word["attention"]) != len(tokens) or by_word["attention"][padding].any()):
        fault = f"has padding at an end, {tokens[padding[0]].lower()!r}"
        yield "tokens", fault, "leave it out, with its weights; a model that attends to it must be read with it masked"
    if heads != readout.heads or not heads:
        fault = f"has {heads} heads, and text {readout.ids[0]!r} {readout.heads}"
        yield "attention", fault, "give every text the same heads"
    for column, values in by_word.items():
        if len(values) != len(tokens):
            yield column, f"has {len(values)} entries for {len(tokens)} words", "give each word one"
    if added != outputs:
        yield "contribution", f"has {added} values a word, and bias has {outputs}", "give both as many"
    if classes < 2:
        yield "probabilities", f"has {classes} values", "give one for each class, two or more"
    if readout.decided and outputs not in ({1, 2} if classes == 2 else {classes}):
        yield "bias", f"has {outputs} values for {classes} classes", "give one a class, or one for two classes"


def find_faults(readout: GivenReadout, number: int, by_word: Mapping[str, Floats]) -> Faults:
    """Find which values of a text are wrong, where all fits in size."""
    attention, contribution = by_word["attention"].T, by_word["contribution"]
    bias, predicted, words = readout.bias[number], readout.probabilities[number], len(readout.tokens[number])
    for column, values in {**by_word, "bias": bias, "probabilities": predicted}.items():
        if not np.isfinite(values).all():
            yield column, "holds NaN, an infinite number or nothing at all", "give numbers"
    if (attention < 0).any():
        yield "attention", f"holds {attention.min():.4g}", "give weights that are not negative"
    for head, total in enumerate(attention.sum(1)):
        if abs(total - 1) > SUM:
            of_head = f"head {head}: " * (len(attention) > 1)
            yield "attention", f"{of_head}sums to {total:.6g}", "give weights that sum to 1"
    if not 0 <= readout.labels[number] < readout.classes:
        fault = f"is {readout.labels[number]}, and the classes are 0 to {readout.classes - 1}"
        yield "label", fault, "number the classes from 0"
    if outside := [position for position in readout.evidence[number] or [] if not 0 <= position < words]:
        yield "evidence", f"names word {outside[0]} of {words}", "count words from 0"
    if marks := sorted({*(readout.evidence[number] or [])} - {*readout.items[number][0]}):
        yield "evidence", f"names {readout.tokens[number][marks[0]]!r}, which is no word", "name words alone"
    if not readout.decided:
        if abs(np.abs(predicted).sum() - 1) > SUM:
            fault = f"sums to {predicted.sum():.6g}"
            yield "probabilities", fault, "give probabilities that sum to 1, none below 0"
    elif (gap := np.abs(softmax(attention.mean(0) @ contribution + bias) - predicted).max()) > REPRODUCED:
        fault = f"is {gap:.2g} away from softmax(attention x contribution + bias)"
        yield "probabilities", fault, "give contributions that are exact"


def check_readout(readout: GivenReadout) -> None:
    """Raise AuditError, in a line that names place, text and column, for the first thing that is wrong.

    Words, weights, contributions, bias and probabilities fit each other in size; no number is missing, NaN or infinite;
    no weight is negative, and the weights of each map sum to 1 within `SUM`; labels are classes; ids are unique; and
    the logits give the probabilities within `REPRODUCED`. Where there are no contributions, the probabilities sum to 1
    likewise.

    Contributions that give the probabilities must say something of other weights, too. A bias of each text can be
    chosen so that any contributions fit. Contributions that are the logits themselves, word by word, fit any map.
    """
    ((twice, times),) = Counter(readout.ids).most_common(1)
    if times > 1:
        raise AuditError(name_column(readout.place, twice, "id"), "occurs twice", "make ids unique")
    for number, name in enumerate(readout.ids):
        maps = {f"maps: {map_}": scores[number] for map_, scores in readout.maps.items()}
        attention = np.atleast_2d(readout.attention[number]).T
        by_word = {"attention": attention, **maps, "contribution": readout.contribution[number]}
        # the first fault of a text ends it, since what follows relies on what comes before
        faults = chain(find_misfits(readout, number, by_word), find_faults(readout, number, by_word))
        for column, fault, remedy in faults:
            raise AuditError(name_column(readout.place, name, column), fault, remedy)
    if not readout.decided:
        return
    shifts = np.abs(readout.bias - readout.bias[0]).max(axis=1)
    if shifts.max() > REPRODUCED:
        raise AuditError(
            name_column(readout.place, readout.ids[int(shifts.argmax())], "bias"),
            f"is another one than in text {readout.ids[0]!r}, so that any contributions would fit",
            "give one bias for all texts. What a text adds whatever the weights are may stand in the contribution of "
            f"each of its words; {LEAVE_OUT_HINT}",
        )
    contributions = [values for values in readout.contribution if len(values) > 1]
    constant = contributions and max(np.ptp(values, axis=0).max() for values in contributions) <= REPRODUCED
    if constant and np.ptp([values[0] for values in contributions], axis=0).max() > REPRODUCED:
        raise AuditError(
            f"{readout.place}: column contribution",
            "all words of a text have the same, and other texts have others, so that any weights would do",
            f"give what each word adds; {LEAVE_OUT_HINT}",
        )


def check_beside(readout: GivenReadout, reference: GivenReadout) -> None:
    """Raise AuditError, likewise, where a readout is not of the texts and classes of another one.

    Texts may stand in another order.
    """
    location, rows, ids = readout.place, {name: number for number, name in enumerate(reference.ids)}, {*readout.ids}
    for absent, fault, of_how_many in (
        (
            [id_ for id_ in reference.ids if id_ not in ids],
            "missing",
            f", of {len(reference)} texts of {reference.place}",
        ),
        ([id_ for id_ in readout.ids if id_ not in rows], f"not in {reference.place}", ""),
    ):
        if absent:
            rest = f" and {len(absent) - 1} more" * (len(absent) > 1) + of_how_many
            raise AuditError(
                name_column(location, absent[0], "id"), f"is {fault}{rest}", "give every training the same texts"
            )
    if readout.classes != reference.classes:
        fault = f"has {readout.classes} classes, and in {reference.place} {reference.classes}"
        raise AuditError(name_column(location, readout.ids[0], "probabilities"), fault, "give both as many")
    for number, name in enumerate(readout.ids):
        row = rows[name]
        if readout.tokens[number] != reference.tokens[row]:
            raise AuditError(
                name_column(location, name, "tokens"), f"are not the words of {reference.place}", "give both the same"
            )
        if readout.labels[number] != reference.labels[row]:
            fault = f"is {readout.labels[number]}, and in {reference.place} {reference.labels[row]}"
            raise AuditError(name_column(location, name, "label"), fault, "give both the same")


def refuse_count(length: int, count: int | None, location: str, what: str = "text") -> None:
    """Raise AuditError where there are not as many entries as texts, or as words; None is any count."""
    if count is not None and length != count:
        raise AuditError(location, f"has {length} entries for {count} {what}s", f"give each {what} one")


def convert_numbers(
    values: Any,
    location: str,
    axes: tuple[int, ...] = (1, 2),
    wanted: str = "give an array of one axis or two",
    count: int | None = None,
    what: str = "text",
) -> Floats:
    """Make an array of numbers, of a tensor of PyTorch or an Explanation of SHAP too.

    Raises AuditError, which ends in what is wanted, where they are none, or have another number of axes; or are not as
    many as there are texts or words, if that is known.
    """
    try:
        # SHAP and pandas hold values, which of mappings and tensors is a method
        content = getattr(values, "values", values)
        content = values if callable(content) else content
        # a tensor may have a gradient, or a precision that NumPy lacks
        array = np.asarray(content.detach().cpu().double() if hasattr(content, "detach") else content, dtype=np.float64)
    except (RuntimeError, TypeError, ValueError) as error:
        wanted = next((f"give {part}" for name, part in TOOL_HINTS.items() if hasattr(values, name)), wanted)
        fault = f"is {type(values).__name__}, and no numbers in rows of the same length ({error})"
        raise AuditError(location, fault, wanted) from error
    if array.ndim not in axes:
        raise AuditError(location, f"is {type(values).__name__} of shape {array.shape}", wanted)
    refuse_count(len(array), count, location, what)
    # what is given may be filled anew later
    return array.copy()


def make_list(values: Any, location: str, count: int | None = None) -> list[Any]:
    """List what is given of each text, of `count` if that is known. Raises AuditError where it is no such list."""
    # of a frame, the names of its columns are iterated
    if isinstance(values, str | bytes | Mapping | Set) or hasattr(values, "columns") or not np.iterable(values):
        raise AuditError(location, f"is {type(values).__name__}, and no list", "give one")
    listed = [*values]
    refuse_count(len(listed), count, location)
    return listed


def list_tokens(tokens: Any, location: str) -> list[list[str]]:
    """List the words of each text. Raises AuditError where there is none, or one is one string or no list, or holds no
    words.
    """
    texts = []
    for number, words in enumerate(make_list(tokens, location)):
        if isinstance(words, str):
            raise AuditError(location, f"text {number} is one string", "give the list of its words")
        texts.append(make_list(words, f"{location}: text {number}"))
        if wrong := [word for word in texts[-1] if not isinstance(word, str)]:
            raise AuditError(
                location, f"text {number} holds {wrong[0]!r}, and no word", "give words, and no ids of them"
            )
    if not texts:
        raise AuditError(location, "there is no text", "give some")
    return texts


def list_integers(values: Any, location: str, count: int | None = None, kinds: str = "iuf") -> list[int]:
    """List whole numbers, of these kinds of NumPy; b among them takes truth values too.

    Raises AuditError where something else is given, or not as many.
    """
    listed = make_list(values, location, count)
    with suppress(RuntimeError, TypeError, ValueError):
        array = np.asarray(listed)
        if not array.size or (array.ndim == 1 and array.dtype.kind in kinds and (array % 1 == 0).all()):
            return [int(value) for value in array]
    raise AuditError(location, "holds something else than whole numbers", "give a flat list of these")


def list_labels(labels: Any, location: str, count: int) -> list[Any]:
    """List the label of each text, which may be a row of one; what comes of arrays are numbers of Python.

    Raises AuditError for rows of more, or of none.
    """
    entries = [each.tolist() if hasattr(each, "tolist") else each for each in make_list(labels, location, count)]
    rows = [[*entry] if isinstance(entry, list | tuple | Set) else [entry] for entry in entries]
    if all(len(row) == 1 for row in rows):
        return [row[0] for row in rows]
    numeric = len({*map(len, rows)}) == 1 and all(isinstance(label, int | float) for row in rows for label in row)
    if numeric and all(min(row) >= 0 and abs(sum(row) - 1) < SUM for row in rows):
        raise AuditError(
            location,
            "text 0 has several numbers, as of one-hot rows",
            "give the place of its class in them, as argmax(1) of an array does",
        )
    masks = numeric and {*chain(*rows)} <= {0, 1}
    number, count = next((at, each) for at, row in enumerate(rows) if (each := sum(row) if masks else len(row)) != 1)
    raise AuditError(location, f"text {number} has {int(count) or 'no'} labels", SEVERAL_LABELS)


def list_class_names(classes: Any, count: int, location: str = "classes") -> list[str]:
    """List the names of C classes, by default their numbers. Raises AuditError where they are not as many, or two are
    the same.
    """
    names = [*map(str, range(count) if classes is None else make_list(classes, location))]
    if len(names) != count:
        raise AuditError(location, f"has {len(names)} names for {count} classes", "name each, in their order")
    if twice := [name for at, name in enumerate(names) if name in names[:at]]:
        raise AuditError(location, f"names {twice[0]!r} twice", "give each class a name of its own")
    return names


def refuse_kind(value: Any, kind: Any, location: str, wanted: str) -> None:
    """Raise AuditError where a value is of another kind. wanted: what this kind is called, and what to give."""
    if not isinstance(value, kind):
        kind_name, _, remedy = wanted.partition("; ")
        raise AuditError(location, f"is {type(value).__name__}, and no {kind_name}", remedy)


def check_path(path: Any, location: str) -> Path:
    """Return a path. Raises AuditError, which names the place, where it is none."""
    refuse_kind(path, str | Path, location, "path; give one")
    return Path(path)


def name_readouts(**arguments: GivenTrainings) -> dict[str, list[GivenReadout]]:
    """List the readouts of each argument; those without a name are called by argument and number in messages.

    Raises AuditError where one is no readout, or not of the texts of the first, and where the first argument has none.
    """
    by_argument: dict[str, list[GivenReadout]] = {}
    for name, readouts in arguments.items():
        by_argument[name] = []
        listed = [readouts] if isinstance(readouts, GivenReadout) else make_list(readouts, name)
        for number, entry in enumerate(listed, start=1):
            location = f"{name} {number}"
            refuse_kind(entry, GivenReadout, location, A_READOUT)
            by_argument[name].append(replace(entry, place=location) if entry.place == PLACE else entry)
            check_beside(by_argument[name][-1], next(iter(by_argument.values()))[0])
        if not any(by_argument.values()):
            raise AuditError(name, "there is none", "give one or more")
    return by_argument


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
    """Make a readout of one training of a model on N texts, and check it.

    tokens: the words of each text, L_i. attention: of each text (L_i,), or (H, L_i) for H heads, of which the mean is
    taken. contributions: of each text z, (L_i, O), or (L_i,) where O is 1. bias: b, (O,), the same for all texts; an
    array (N, O) has it for each. logits = sum_t a_t z_t + b; O is the number of classes C, or 1 for the logit of class
    1 of two. Both are None where no predictions follow from the weights. labels: the gold classes, from 0.
    probabilities: (N, C), as the model itself predicts them. ids: of the texts, by default their numbers from 0.
    evidence: positions, from 0, of the words that are known to decide the label; None where nobody knows. maps: further
    scores of the words by name, (L_i,) of each text. name: what messages call it.

    Raises AuditError, in a line that names text and column, where something is wrong: see docs/readouts.md.
    """
    texts = list_tokens(tokens, f"{name}: column tokens")
    count = len(texts)
    if (contributions is None) != (bias is None):
        missing = "contributions are" if contributions is None else "bias is"
        raise AuditError(name, f"{missing} left out, and one needs the other", "give both, or neither")
    if contributions is None or bias is None:
        contributions, bias = [np.empty((len(words), 0)) for words in texts], np.empty(0)
    if not isinstance(maps, Mapping | None):
        raise AuditError(f"{name}: maps", f"is {type(maps).__name__}", "give the scores of each map by its name")

    def name_entries(column: str, values: Any) -> Iterator[tuple[str, Any]]:
        listed = make_list(values, f"{name}: column {column}", count)
        return zip((name_column(name, id_, column) for id_ in names), listed, strict=True)

    def list_arrays(column: str, values: Any, *axes_and_wanted: Any) -> list[Floats]:
        return [
            convert_numbers(of_text, location, *axes_and_wanted) for location, of_text in name_entries(column, values)
        ]

    listed = make_list(range(count) if ids is None else ids, f"{name}: column id", count)
    if wrong := [id_ for id_ in listed if not isinstance(id_, str | int | np.integer)]:
        raise AuditError(f"{name}: column id", f"holds {wrong[0]!r}", "give each text a name")
    names = [*map(str, listed)]
    gold = list_integers(list_labels(labels, f"{name}: column label", count), f"{name}: column label", count, "iufb")
    predicted = convert_numbers(probabilities, f"{name}: column probabilities", (2,), A_TEXT_AND_CLASS, count)
    shift = convert_numbers(bias, f"{name}: column bias", wanted=A_TEXT_AND_CLASS)
    if shift.ndim == 2:
        refuse_count(len(shift), count, f"{name}: column bias")
    outputs = shift.shape[-1]
    marked = name_entries("evidence", [None] * count if evidence is None else evidence)
    training = GivenReadout(
        name,
        names,
        texts,
        np.array(gold, dtype=np.int64),
        list_arrays("attention", attention),
        [
            # a plain list has the values of one word after another
            values if values.ndim == 2 else values.reshape(-1, outputs if outputs and not len(values) % outputs else 1)
            for values in list_arrays("contribution", contributions)
        ],
        np.broadcast_to(shift, (count, outputs)),
        predicted,
        [None if each is None else list_integers(each, location) or None for location, each in marked],
        {map_: list_arrays(f"maps: {map_}", scores, (1,), A_WORD) for map_, scores in (maps or {}).items()},
    )
    check_readout(training)
    return training
