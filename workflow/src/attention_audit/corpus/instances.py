"""The texts of a data set, whatever their source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_audit.corpus.settings import Length
from attention_audit.errors import AuditError

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Instance:
    """One labelled text. `evidence`: positions of the tokens known to decide the label; None where nobody knows."""

    id: str
    split: str
    label: int
    tokens: list[str]
    evidence: list[int] | None = None


def split_of(instances: Sequence[Instance], split: str) -> list[Instance]:
    """The instances of one split, in order."""
    return [instance for instance in instances if instance.split == split]


def filter_lengths(instances: Sequence[Instance], length: Length) -> list[Instance]:
    """Keep texts strictly longer than `length.above` and strictly shorter than `length.below`, in tokens.

    An open bound is the split's own least or greatest length: its shortest or longest texts go. That is Jain &
    Wallace's loader, and it alone yields the sizes of Wiegreffe & Pinter 2019, table 1.
    """
    bounds: dict[str, tuple[int, int]] = {}
    for split in {instance.split for instance in instances}:
        lengths = [len(instance.tokens) for instance in split_of(instances, split)]
        above = min(lengths) if length.above is None else length.above
        below = max(lengths) if length.below is None else length.below
        bounds[split] = above, below

    def inside(instance: Instance) -> bool:
        above, below = bounds[instance.split]
        return above < len(instance.tokens) < below

    return [instance for instance in instances if inside(instance)]


def check_instances(dataset: str, instances: Sequence[Instance]) -> None:
    """Refuse a corpus that can not be audited.

    Raises AuditError for an id that stands twice, a text without tokens, an empty split, a split with one label only,
    and a class (0 to the greatest label) that the training split lacks.
    """
    ids = Counter(instance.id for instance in instances)
    for instance in instances:
        if ids[instance.id] > 1:
            raise AuditError(f"{dataset}: {ids[instance.id]} texts have the id {instance.id}; make ids unique")
        if not instance.tokens:
            raise AuditError(f"{dataset}: {instance.id}: text without words; mend or leave it out")
    for split in SPLITS:
        labels = {instance.label for instance in split_of(instances, split)}
        if not labels:
            raise AuditError(f"{dataset}: split {split}: no texts; widen the length filter or check the source")
        if len(labels) == 1:
            raise AuditError(f"{dataset}: split {split}: every text has label {min(labels)}; add texts of another one")
    learnt = {instance.label for instance in split_of(instances, "train")}
    if missing := set(range(max(instance.label for instance in instances) + 1)) - learnt:
        raise AuditError(f"{dataset}: split train: no text has label {min(missing)}; number the classes from 0")


def corpus_columns(instances: Sequence[Instance]) -> dict[str, list[Any]]:
    """The columns of `schema.CORPUS`, one row an instance."""
    return {
        "id": [instance.id for instance in instances],
        "split": [instance.split for instance in instances],
        "label": [instance.label for instance in instances],
        "tokens": [instance.tokens for instance in instances],
        "evidence": [instance.evidence for instance in instances],
    }
