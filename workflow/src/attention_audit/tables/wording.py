"""How tables, wherever they are shown, word the names of metrics, rows and classes, and write numbers."""

import csv
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional, category

from attention_audit.errors import AuditError
from attention_audit.names import ATTRIBUTIONS, PLAUSIBLE, RANKINGS, TOKEN_MAPS, show_name

if TYPE_CHECKING:
    import pandas as pd

CONTROL = "\u25a1"
"""Stands for line breaks and the like within a word."""
Labels = Mapping[str, str]
"""What names are called."""
ClassNames = Mapping[int, str]
"""Names by class, of one data set."""
WORDING: dict[str, dict[str, str]] = {}
for _row in csv.DictReader(Path(__file__).with_suffix(".csv").read_text(encoding="utf-8").splitlines()):
    WORDING.setdefault(_row["kind"], {})[_row["name"]] = _row["label"]
"""What names are called, by kind: a heading (a metric at the head of a column); a part (what else a row is
about, or a model or map of no suite); a pass (what a text costs: F a pass forth, B one back, L the number of words, P
that of pieces); a column of the explorer; a claim (a question, in as few words as a paragraph has room for)."""
PART_LABELS = WORDING["part"] | {f"head_{number}": f"head {number}" for number in range(1, 257)}
"""Labels of what else rows are about; a model may have more heads than `NUMBERED` has looks for."""
PER_CENT = r"\w+_percent"
"""Metrics in percent whose values may be far below 1."""
PERCENT = r"(both|neither|only_(top|other))_flips?|(first|second)_earlier|tied"
METRIC_DIGITS = {
    r"instances|(un|all_)marked|negative|positive|(smallest_|largest_)?class(es)?|duplicates|repeated|words"
    r"|train_and_dev|test|texts|cut|excluded|undefined": ("z.0f", "z.0f"),
    r"(mean|sd)_(length|sentences)": ("z.1f", "g"),
    PER_CENT: ("z.2f", "g"),
    PERCENT: ("z.1f", "z.1f"),
    ".*": ("z.3f", "z.3f"),
}
"""How values of a metric are written, ours and those of a paper."""
INFINITE = "always"
"""An infinite value: a ratio to what never happens, of two rankings of which the second is never first."""


def write_heading(metric: str) -> str:
    """Write the label of a metric at the head of a column: that of wording.csv, or made of its name."""
    if metric in WORDING["heading"]:
        return WORDING["heading"][metric]
    if metric.startswith("majority_"):
        return f"{write_heading(metric.removeprefix('majority_'))}, majority"
    words = re.sub("^sd ", "sd of ", metric.removesuffix("_percent").replace("_", " "))
    return f"{words} (%)" if re.fullmatch(f"{PERCENT}|{PER_CENT}", metric) else words


def format_number(value: float, metric: str, paper: bool = False) -> str:
    """Write a value with as many digits as its metric is shown with; "" for NaN, INFINITE for infinity."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else INFINITE
    digits = next(digits for names, digits in METRIC_DIGITS.items() if re.fullmatch(names, metric))
    return f"{value:{digits[paper]}}"


def collect_labels(models: Iterable[Labels], titles: Labels) -> dict[str, str]:
    """Collect the labels of names in tables: the models of all suites, rankings, attributions, papers and the rest.

    `titles` has the labels of papers. Raises AuditError where one name has two labels.
    """
    labels: dict[str, str] = {}
    for some in (
        PART_LABELS,
        titles,
        TOKEN_MAPS,
        *(names.labels for names in (RANKINGS, ATTRIBUTIONS, PLAUSIBLE)),
        *models,
    ):
        for name, label in some.items():
            if labels.setdefault(name, label) != label:
                raise AuditError(
                    "",
                    f"name {name!r} is called both {labels[name]!r} and {label!r} in tables",
                    "where suites declare their models, give one of the two another name, or both the same label",
                )
    return labels


def write_name(name: str, labels: Labels) -> str:
    """Write the label of a name, or the name itself where it has none."""
    return labels.get(name, show_name(name))


def write_names(names: Iterable[str], labels: Labels) -> str:
    """Write names one after another, without those that are empty."""
    return ", ".join(write_name(name, labels) for name in names if name)


def write_subject(row: Mapping[Any, Any], labels: Labels, sign: str = ", ") -> str:
    """Write what a row is about, from the columns `OF_ROW` and perhaps class_name; `sign` follows the model."""
    model, ranking, second, part = (write_name(row[name], labels) for name in ("model", "ranking", "other", "part"))
    if second and ranking:
        ranking = f"{ranking} and {second}"
    elif second:
        model = f"{model} - {second}"
    group = f"predicted {row['class_name']}" if row.get("class_name") else row["label"] and f"class {row['label']}"
    rest = ", ".join(filter(None, (ranking, part, group)))
    return sign.join(filter(None, (model, rest)))


def read_class_names(census: "Mapping[str, pd.DataFrame]") -> dict[str, ClassNames]:
    """Read the names of the classes of each data set, from columns.CENSUS frames by data set."""
    return {
        dataset: {label: name for label, name in zip(rows["label"], rows["label_name"], strict=True) if label >= 0}
        for dataset, rows in census.items()
    }


def replace_controls(text: str) -> str:
    """Put a box for each line break or other character that controls the layout."""
    return "".join(CONTROL if category(character) == "Cc" else character for character in text)


def mark_direction(text: str) -> str:
    """Mark a text that is read from the right by marks of Unicode at both ends, so that what is beside it keeps its
    place.
    """
    return f"\u2068{text}\u2069" if any(bidirectional(letter) in ("R", "AL") for letter in text) else text


def list_names(names: ClassNames) -> str:
    """List all names of one data set, in the order of the classes."""
    return ", ".join(mark_direction(names[class_]) for class_ in sorted(names))
