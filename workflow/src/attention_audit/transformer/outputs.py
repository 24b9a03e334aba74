"""What the outputs of a model are, what they are called, and where a label or a number begins, as people say it and
config.json.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from attention_audit.errors import AuditError, suggest

from .folder import GENERIC, Facts

OutputKind = Literal["classes", "labels", "number"]
KINDS: Sequence[OutputKind] = ("classes", "labels", "number")
SAID = ("no", "yes")
"""What a model may say of a target."""
MOST_NAMED = 8
"""Labels that a message names."""


def check_kind(output: Any) -> OutputKind:
    """Check what outputs are said to be. Raises AuditError for a name that is none of `KINDS`."""
    if output not in KINDS:
        raise AuditError("output", f"is {output!r:.40}", f"give one of {', '.join(KINDS)}")
    return cast(OutputKind, output)


def find_kind(output: str | None, facts: Facts, prompted: bool) -> OutputKind:
    """Find what the outputs of a model are, as pipelines of the library read config.json: one of `KINDS`.

    Raises AuditError for a name that is none of these.
    """
    if output is not None:
        return check_kind(output)
    task = facts.says.get("problem_type")
    if task == "regression":
        return "number"
    several = task == "multi_label_classification" or len(facts.labels) == 1
    return "labels" if several and not prompted else "classes"


def call_outputs(names: Iterable[str], labels: Mapping[str, str]) -> list[str]:
    """List what the data set calls outputs that a model calls so. labels: the former by the latter, where it differs by
    more than the library's prefix.
    """
    return [labels.get(name, name.removeprefix(GENERIC)) for name in names]


def find_names(names: Any, place: str, known: Sequence[str]) -> list[int]:
    """Find the numbers of labels by their names or numbers. Raises AuditError, with what is likely, for another."""
    numbers = {key: number for number, name in enumerate(known) for key in (GENERIC + name, number, name)}
    numbers_found = []
    for name in names if isinstance(names, list | tuple | set | frozenset) else [names]:
        key = name.item() if isinstance(name, np.generic) else name
        if isinstance(key, bool) or not isinstance(key, str | int) or key not in numbers:
            likely = suggest(key, known) if isinstance(key, str) else ""
            listed = ", ".join(known[:MOST_NAMED]) + ", ..." * (len(known) > MOST_NAMED)
            raise AuditError(place, f"{key!r:.40} is no label of the model{likely}", f"known are {listed}")
        numbers_found.append(numbers[key])
    return numbers_found


def read_thresholds(threshold: Any, kind: OutputKind, names: Sequence[str]) -> list[float]:
    """Read where each label begins, a probability, by default 1/2; or the number above which the model says yes, none
    where it is not given. Raises AuditError for what is neither.
    """
    if threshold is None:
        return [0.5] * len(names) if kind == "labels" else []
    if kind == "classes":
        raise AuditError("threshold", "is of labels, and the model chooses one class", "leave it out")
    if kind == "number":
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not np.isfinite(threshold):
            raise AuditError("threshold", f"is {threshold!r:.40}", "give a number")
        return [float(threshold)]
    thresholds = [0.5] * len(names)
    values = threshold if isinstance(threshold, Mapping) else dict.fromkeys(names, threshold)
    for name, value in values.items():
        [number] = find_names([name], "threshold", names)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            remedy = "give a probability between 0 and 1, or {label: probability}"
            raise AuditError("threshold", f"is {value!r:.40}", remedy)
        thresholds[number] = float(value)
    return thresholds
