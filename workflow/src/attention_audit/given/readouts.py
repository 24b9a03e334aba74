"""A readout from elsewhere: for each text the words, the attention, and what each word adds to the logits.

Nothing is believed before it was checked: `check` looks at one readout by itself, `check_beside` holds it against
another of the same texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from attention_audit.arrays import Floats, Integers
from attention_audit.errors import AuditError

SUM, REPRODUCED = 1e-4, 1e-4
"""How far the weights of a text may be from 1 together, and its logits from its probabilities."""
PADDING = {"[PAD]", "<pad>"}
WITHOUT = "where no predictions follow from the weights, leave contributions and bias out"


@dataclass(frozen=True, repr=False)
class GivenReadout:
    """One training of a model on N texts with C classes; text i has L_i words.

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
        """The number of classes."""
        return int(self.probabilities.shape[1])

    @property
    def decided(self) -> bool:
        """Whether it says what the words add to the logits."""
        return bool(self.bias.shape[1])

    @property
    def heads(self) -> int:
        """How many heads each text has a map of, 1 where there is one map."""
        return len(np.atleast_2d(self.attention[0]))

    @property
    def seen(self) -> list[Floats]:
        """The map that a reader sees of each text, (L_i,): the mean over heads."""
        return [np.atleast_2d(weights).mean(0) for weights in self.attention]


def at(place: str, text: str, column: str) -> str:
    """Where something is wrong, as messages begin."""
    return f"{place}: text {text!r}, column {column}"


def softmax(logits: Floats) -> Floats:
    """Probabilities (C,) of logits (O,); one logit is that of the second of two classes."""
    every = np.append(0.0, logits) if len(logits) == 1 else logits
    raised = np.exp(every - every.max())
    return np.asarray(raised / raised.sum())


def _misfits(given: GivenReadout, number: int) -> Iterator[tuple[str, str]]:
    """List what of a text does not fit in size: the column, and the fault."""
    tokens, attention, contribution = (
        given.tokens[number],
        np.atleast_2d(given.attention[number]),
        given.contribution[number],
    )
    outputs, classes = len(given.bias[number]), given.classes
    if not tokens:
        yield "tokens", "has no word; leave the text out"
    elif padding := {tokens[0], tokens[-1]} & PADDING:
        yield "tokens", f"has padding at an end, {min(padding)!r}; leave it out, with its weights"
    if len(attention) != given.heads or not given.heads:
        fault = f"has {len(attention)} heads, and text {given.ids[0]!r} {given.heads}"
        yield "attention", f"{fault}; give every text the same heads"
    maps = {f"maps: {name}": scores[number] for name, scores in given.maps.items()}
    for column, values in {"attention": attention[0], **maps, "contribution": contribution}.items():
        if len(values) != len(tokens):
            yield column, f"has {len(values)} entries for {len(tokens)} words; give each word one"
    if contribution.shape[1] != outputs:
        yield "contribution", f"has {contribution.shape[1]} values a word, and bias has {outputs}; give both as many"
    if classes < 2:
        yield "probabilities", f"has {classes} values; give one for each class, two or more"
    if given.decided and outputs not in ({1, 2} if classes == 2 else {classes}):
        yield "bias", f"has {outputs} values for {classes} classes; give one a class, or one for two classes"


def _faults(given: GivenReadout, number: int) -> Iterator[tuple[str, str]]:
    """List which values of a text are wrong, where all fits in size: the column, and the fault."""
    attention, contribution = np.atleast_2d(given.attention[number]), given.contribution[number]
    bias, predicted, words = given.bias[number], given.probabilities[number], len(given.tokens[number])
    named = {"attention": attention, "contribution": contribution, "bias": bias, "probabilities": predicted}
    for column, values in (named | {f"maps: {name}": scores[number] for name, scores in given.maps.items()}).items():
        if not np.isfinite(values).all():
            yield column, "holds NaN, an infinite number or nothing at all; give numbers"
    if (attention < 0).any():
        yield "attention", f"holds {attention.min():.4g}; give weights that are not negative"
    for head, total in enumerate(attention.sum(1)):
        if abs(total - 1) > SUM:
            of_head = f"head {head}: " * (len(attention) > 1)
            yield "attention", f"{of_head}sums to {total:.4g}; give weights that sum to 1"
    if not 0 <= given.labels[number] < given.classes:
        fault = f"is {given.labels[number]}, and the classes are 0 to {given.classes - 1}"
        yield "label", f"{fault}; number the classes from 0"
    if outside := [position for position in given.evidence[number] or [] if not 0 <= position < words]:
        yield "evidence", f"names word {outside[0]} of {words}; count words from 0"
    if not given.decided:
        if abs(predicted.sum() - 1) > SUM or (predicted < 0).any():
            yield "probabilities", f"sums to {predicted.sum():.4g}; give probabilities that sum to 1, none below 0"
    elif (apart := np.abs(softmax(attention.mean(0) @ contribution + bias) - predicted).max()) > REPRODUCED:
        fault = f"is {apart:.2g} away from softmax(attention x contribution + bias)"
        yield "probabilities", f"{fault}; give contributions that are exact"


def _meaningless(given: GivenReadout) -> str:
    """Why contributions that give the probabilities say nothing of other weights; "" where that is not seen.

    A bias of each text can be chosen so that any contributions fit. Contributions that are the logits themselves, word
    by word, fit any map.
    """
    moved = np.abs(given.bias - given.bias[0]).max(axis=1)
    if (most := int(moved.argmax())) and moved[most] > REPRODUCED:
        return (
            f"{at(given.place, given.ids[most], 'bias')}: is another one than in text {given.ids[0]!r}, so that any "
            "contributions would fit; give one bias for all texts. What a text adds whatever the weights are may stand "
            f"in the contribution of each of its words; {WITHOUT}"
        )
    several = [values for values in given.contribution if len(values) > 1]
    if not several or any(np.ptp(values, axis=0).max() > REPRODUCED for values in several):
        return ""
    if np.ptp([values[0] for values in several], axis=0).max() <= REPRODUCED:
        return ""
    return (
        f"{given.place}: column contribution: all words of a text have the same, and other texts have others, so that "
        f"any weights would do; give what each word adds; {WITHOUT}"
    )


def check(given: GivenReadout) -> None:
    """Raise AuditError, in a line that names place, text and column, for the first thing that is wrong.

    Words, weights, contributions, bias and probabilities fit each other in size; no number is missing, NaN or infinite;
    no weight is negative, and the weights of each map sum to 1 within `SUM`; labels are classes; ids are unique; and
    the logits give the probabilities within `REPRODUCED`, with one bias, and with contributions that differ from word
    to word. Where there are no contributions, the probabilities sum to 1 likewise.
    """
    if not given.ids:
        raise AuditError(f"{given.place}: has no text; give some")
    seen: set[str] = set()
    for number, name in enumerate(given.ids):
        if name in seen:
            raise AuditError(f"{at(given.place, name, 'id')}: occurs twice; make ids unique")
        seen.add(name)
        # the first fault of a text ends it, since what follows relies on what comes before
        for column, fault in chain(_misfits(given, number), _faults(given, number)):
            raise AuditError(f"{at(given.place, name, column)}: {fault}")
    if given.decided and (fault := _meaningless(given)):
        raise AuditError(fault)


def _others(names: Sequence[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def check_beside(given: GivenReadout, first: GivenReadout) -> None:
    """Raise AuditError, likewise, where a readout is not of the texts and classes of another one.

    Texts may stand in another order.
    """
    place, known = given.place, {name: number for number, name in enumerate(first.ids)}
    own = set(given.ids)
    if missing := [name for name in first.ids if name not in own]:
        raise AuditError(
            f"{at(place, missing[0], 'id')}: is missing{_others(missing)}, of {len(first)} texts of {first.place}; "
            "give every training the same texts"
        )
    if unknown := [name for name in given.ids if name not in known]:
        raise AuditError(
            f"{at(place, unknown[0], 'id')}: is not in {first.place}{_others(unknown)}; give every training the same "
            "texts"
        )
    if given.classes != first.classes:
        fault = f"has {given.classes} classes, and in {first.place} {first.classes}; give both as many"
        raise AuditError(f"{at(place, given.ids[0], 'probabilities')}: {fault}")
    for number, name in enumerate(given.ids):
        there = known[name]
        if given.tokens[number] != first.tokens[there]:
            raise AuditError(f"{at(place, name, 'tokens')}: are not the words of {first.place}; give both the same")
        if given.labels[number] != first.labels[there]:
            fault = f"is {given.labels[number]}, and in {first.place} {first.labels[there]}; give both the same"
            raise AuditError(f"{at(place, name, 'label')}: {fault}")
