"""What a classifier at hand is asked of: which of its outputs, in which texts; and their gold labels, where these are
known.

A case is a text and a target. Of each target the model says yes or no, which are two statements of their own.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import torch

from attention_audit.answer.lines import write_share
from attention_audit.arrays import Flags, Floats, Floats32, Integers
from attention_audit.corpus.text import UNKNOWN_LABEL
from attention_audit.errors import AuditError, suggest
from attention_audit.given import SEVERAL_LABELS, convert_numbers, list_integers, list_labels, make_list
from attention_audit.model.outputs import Target, make_target, mark_said
from attention_audit.scores import micro_f1
from attention_audit.transformer.folder import GENERIC
from attention_audit.transformer.outputs import OutputKind, find_names

AnyFloats: TypeAlias = Floats | Floats32
"""What models return, or functions."""
PREDICTED, GOLD, ALL = "predicted", "gold", "all"
MOST_CASES = 10
"""Cases of a text of which many more are warned of."""


@dataclass(frozen=True)
class AskedTarget:
    """A target, and the texts that it is asked of: their places (n,), and whether it is the gold label of each, 1, 0 or
    `UNKNOWN_LABEL` (n,). number: which of the outputs; name: what it is called. statements: what the model may say, no
    and yes.
    """

    number: int
    name: str
    target: Target
    members: Integers
    gold: Integers
    statements: tuple[str, str]


def index_classes(labels: Any, classes: Sequence[str], count: int) -> list[int]:
    """List the number of each text's class. Raises AuditError for what is neither a name nor a number of a class, and
    for a number that is also what another class is called.
    """
    numbers: dict[Any, int] = {key: at for at, name in enumerate(classes) for key in (at, GENERIC + name)}
    numbers |= zip(classes, range(len(classes)), strict=True)
    gold = []
    for number, label in enumerate(list_labels(labels, "labels", count)):
        if isinstance(label, bool) or not isinstance(label, str | int | float) or label not in numbers:
            parts = re.split(r"\s*[|,;#]\s*", label) if isinstance(label, str) else []
            if len(parts) > 1 and {*parts} <= {*classes}:
                raise AuditError("labels", f"text {number} has {len(parts)} labels, {label!r:.40}", SEVERAL_LABELS)
            likely = suggest(label, classes) if isinstance(label, str) else ""
            raise AuditError(
                "labels",
                f"text {number} has {label!r:.40}{likely}",
                f"give the name of a class ({', '.join(classes)}), or its number, 0 to {len(classes) - 1}",
            )
        at = numbers[label]
        if numbers.get(str(label).removesuffix(".0"), at) != at:
            raise AuditError(
                "labels",
                f"text {number} has {label}, which is the number of class {classes[at]!r} and the name of another",
                f"give names, as strings: {', '.join(map(repr, classes))}",
            )
        gold.append(at)
    return gold


def number_labels(labels: Any, classes: Sequence[str] | None, count: int) -> list[int]:
    """Number the class of each text, from 0, of numbers or of names that stand in `classes`. Raises AuditError for what
    is neither.
    """
    entries = list_labels(labels, "labels", count)
    if names := [label for label in entries if isinstance(label, str)]:
        if classes is None:
            remedy = (
                "give the numbers of the classes, from 0, or all their names in `classes`, as the model orders them"
            )
            raise AuditError("labels", f"has {names[0]!r:.40}", remedy)
        return index_classes(entries, make_list(classes, "classes"), count)
    return list_integers(entries, "labels", count, "iufb")


def read_label_rows(labels: Any, names: Sequence[str], count: int) -> Integers:
    """Read the labels of N texts, which have any number of them: names or numbers, or a row of 0 and 1 for each text:
    (N, K) of 0 and 1. Raises AuditError, naming the text.
    """
    entries = [each.tolist() if hasattr(each, "tolist") else each for each in make_list(labels, "labels", count)]
    lists = [[*each] if isinstance(each, list | tuple) else None for each in entries]
    if all(row is not None and len(row) == len(names) and {*row} <= {0, 1} for row in lists):
        return np.array(lists, np.int64)
    rows = np.zeros((count, len(names)), np.int64)
    # of one label, 0 and 1 say whether it is there; of two, [0, 1] is a mask
    alone = len(names) == 1 and all(each in (0, 1) for each in entries if not isinstance(each, list | str))
    for number, entry in enumerate(entries):
        listed = lists[number]
        if alone and not isinstance(entry, list | str):
            rows[number, 0] = int(entry)
        elif listed and len(listed) > 1 and all(isinstance(each, int | float) and each in (0, 1) for each in listed):
            fault = f"text {number} has {len(listed)} numbers, and the model has {len(names)} labels"
            raise AuditError("labels", fault, f"give names, or a row of {len(names)}")
        else:
            rows[number, find_names(entry, f"labels: text {number}", names)] = 1
    return rows


@dataclass(frozen=True)
class GoldLabels:
    """What is known of N texts: of labels which of K each has, (N, K) of 0 and 1; of one class its number, (N,); of
    a number its value, (N,). None: nothing.
    """

    kind: OutputKind
    values: Integers | Floats | None

    def tell(self, number: int, members: Integers) -> Integers:
        """Tell whether an output is the gold label of some texts, 1, 0 or `UNKNOWN_LABEL`, (n,)."""
        if self.values is None or self.kind == "number":
            return np.full(len(members), UNKNOWN_LABEL, np.int64)
        chosen = self.values[members]
        return np.asarray(chosen[:, number] if self.kind == "labels" else chosen == number, np.int64)


def read_gold(labels: Any, kind: OutputKind, names: Sequence[str], count: int) -> GoldLabels:
    """Read the gold labels of N texts; None where nobody knows them. Raises AuditError, naming the text."""
    if labels is None:
        return GoldLabels(kind, None)
    if kind == "number":
        entries = list_labels(labels, "labels", count)
        return GoldLabels(kind, convert_numbers(entries, "labels", (1,), "give a number for each text", count))
    if kind == "labels":
        return GoldLabels(kind, read_label_rows(labels, names, count))
    return GoldLabels(kind, np.array(index_classes(labels, names, count), np.int64))


@dataclass(frozen=True)
class TargetChoice:
    """What is asked for: `targets` and `contrast` as they were given, and what the outputs are."""

    targets: Any
    contrast: Any
    kind: OutputKind
    names: Sequence[str]
    thresholds: Sequence[float]
    gold: GoldLabels
    count: int

    @property
    def rule(self) -> str:
        """Return by which rule targets are chosen: predicted, gold or all; "" where they are named."""
        return self.targets if isinstance(self.targets, str) and self.targets in (PREDICTED, GOLD, ALL) else ""

    @property
    def targeted(self) -> bool:
        """Tell whether targets are chosen; else the class that is predicted is asked of, among all classes."""
        return self.kind != "classes" or self.contrast is not None or self.rule != PREDICTED

    @property
    def class_names(self) -> list[str] | None:
        """Return the gold class of each text, where one is predicted and they are known."""
        if self.targeted or self.gold.values is None:
            return None
        return [self.names[int(number)] for number in self.gold.values]

    def choose(self, outputs: Sequence[AnyFloats]) -> list[AskedTarget]:
        """Choose targets, by what each training returns of all texts, (N, K) each. Raises AuditError where none is
        left.
        """
        if self.kind == "number" and self.rule != PREDICTED:
            raise AuditError("targets", "a number has one target, itself", "leave targets out")
        mask = self._mark(outputs)
        contrasts, members = self._list_contrasts(mask), defaultdict[tuple[int, tuple[int, ...]], list[int]](list)
        for number, text in np.argwhere(mask.T).tolist():
            members[number, contrasts[text]].append(text)
        return [self._make(*key, np.array(texts), outputs[0]) for key, texts in members.items()]

    def _mark(self, outputs: Sequence[AnyFloats]) -> Flags:
        """Mark which outputs are asked of which texts, (N, K)."""
        if self.rule == GOLD:
            if self.gold.values is None:
                fault, remedy = '"gold" needs labels, and none are given', 'give labels, or targets="predicted"'
                raise AuditError("targets", fault, remedy)
            texts = np.arange(self.count)
            return np.stack([self.gold.tell(number, texts) == 1 for number in range(len(self.names))], 1)
        # what one target says of each text has two sides
        if self.rule == PREDICTED and len(self.names) > 1:
            said: Flags = mark_said(self.kind, [*map(torch.from_numpy, outputs)], self.thresholds).numpy()
            if not said.any():
                fault = f"no label reaches its threshold in any of {self.count} texts"
                raise AuditError("targets", fault, "lower threshold, or name labels")
            return said
        mask = np.full((self.count, len(self.names)), bool(self.rule))
        for number, names in enumerate([] if self.rule else self._list_by_text()):
            mask[number, names] = True
        return mask

    def _list_by_text(self) -> list[list[int]]:
        """List the targets of each text: the named ones of every text, or those of its entry."""
        alone = isinstance(self.targets, str)
        entries = [self.targets] * self.count if alone else make_list(self.targets, "targets")
        if len(entries) == self.count:
            return [find_names(each, "targets", self.names) for each in entries]
        if not entries or any(isinstance(each, list | tuple) for each in entries):
            fault = f"is {entries!r:.40} and there are {self.count} texts"
            raise AuditError("targets", fault, "give one name, several, or one entry a text")
        return [find_names(entries, "targets", self.names)] * self.count

    def _list_contrasts(self, mask: Flags) -> list[tuple[int, ...]]:
        """List the classes that each text's target is told from, () for all others."""
        if self.contrast is None:
            return [()] * self.count
        if self.kind != "classes":
            raise AuditError("contrast", f"tells classes apart, and the model returns {self.kind}", "leave it out")
        entries = self.contrast
        by_text = not isinstance(entries, str) and len(make_list(entries, "contrast")) == self.count
        listed = [*entries] if by_text else [entries] * self.count
        contrasts = [tuple(find_names(each, "contrast", self.names)) for each in listed]
        if any(mask[number, [*names]].any() for number, names in enumerate(contrasts)):
            raise AuditError("contrast", "is the target itself", "give others")
        return contrasts

    def _make(self, number: int, rivals: tuple[int, ...], members: Integers, outputs: AnyFloats) -> AskedTarget:
        name = self.names[number]
        yes, no = name, " or ".join(self.names[each] for each in rivals) if rivals else f"not {name}"
        threshold = self.thresholds[number] if self.thresholds else None
        target = make_target(self.kind, number, torch.from_numpy(outputs), threshold, rivals)
        if self.kind == "number":
            yes, no = f"above {target.centre:.3g}", f"at most {target.centre:.3g}"
        return AskedTarget(number, name, target, members, self.gold.tell(number, members), (no, yes))


def describe_cases(choice: TargetChoice, targets: Sequence[AskedTarget]) -> str:
    """Say what was asked of: how many cases in how many texts, where these differ."""
    members = [*chain(*(asked_target.members for asked_target in targets))]
    cases, texts = len(members), len({*members})
    if cases == texts == choice.count:
        return ""
    what = "labels that the model gives" if choice.kind == "labels" and choice.rule == PREDICTED else "cases"
    rest = f" ({choice.count - texts} have none)" if texts < choice.count else ""
    return f"{cases} {what}, in {texts} of {choice.count} texts{rest}"


def describe_outputs(choice: TargetChoice, outputs: Sequence[AnyFloats]) -> str:
    """Say how well the model's outputs fit what is known of all texts: of labels, the share that is right, beside that
    of always the more frequent side, and micro F1; of a number, the correlation. "" where nothing is known, or a class
    is chosen.
    """
    values = choice.gold.values
    if values is None or choice.kind == "classes":
        return ""
    if choice.kind == "number":
        correlations = [np.corrcoef(each[:, 0], values)[0, 1] for each in outputs]
        return f"r {write_share(float(np.mean(correlations)))}"
    said = [mark_said("labels", [torch.from_numpy(each)], choice.thresholds).long().numpy() for each in outputs]
    right = float(np.mean([each == values for each in said]))
    shares = values.mean(0)
    side = float(np.maximum(shares, 1 - shares).mean())
    f1 = float(np.mean([micro_f1(values.astype(np.int64), each) for each in said]))
    return (
        f"label accuracy {write_share(right)}, always the more frequent side {write_share(side)}; "
        f"micro F1 {write_share(f1)}"
    )
