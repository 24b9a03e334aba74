"""How tables, wherever they are shown, word the names of metrics, rows and classes, and write numbers."""

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from unicodedata import bidirectional

import pandas as pd

from attention_audit.errors import AuditError
from attention_audit.names import ATTRIBUTIONS, PLAUSIBLE, RANKINGS

Labels = Mapping[str, str]
"""What names are called."""
ClassNames = Mapping[int, str]
"""Names by class, of one data set."""
MOST_CLASSES = 4
"""Predicted classes have rows of their own where there are at most this many."""

_WORDED = pd.read_csv(Path(__file__).with_suffix(".csv"), index_col="name")
WORDING = {str(kind): dict(rows["label"]) for kind, rows in _WORDED.groupby("kind")}
"""What names are called, by kind: a heading (a metric at the head of a column); a part of a row that is no model,
ranking or attribution; a pass (what a text costs: F a pass forth, B one back, L the number of words, P that of
pieces); a column of the explorer; a claim (a question, in as few words as a paragraph has room for)."""
CLASSES = [f"class_{format_number}" for format_number in range(MOST_CLASSES)]
HEADS = ["all_heads", *(f"head_{format_number}" for format_number in range(1, 257))]
PARTS = {
    name: name.replace("_", " ")
    for name in ("raw", "train", "dev", "test", "vocabulary", "all", "seeds", "overall", *CLASSES, *HEADS)
} | WORDING["part"]
"""Labels of the parts of rows that are neither models nor rankings nor attributions."""
SEPARATORS = re.compile(r"(/|~| - )")
SEPARATOR_WORDS = {"/": ", ", "~": " and ", " - ": " - "}
PER_CENT = r"\w+_percent"
"""Metrics in percent whose values may be far below 1."""
PERCENT = r"(both|neither|only_(top|other))_flips?|(first|second)_earlier|tied"
DIGITS = {
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
        return str(WORDING["heading"][metric])
    if metric.startswith("majority_"):
        return f"{write_heading(metric.removeprefix('majority_'))}, majority"
    words = re.sub("^sd ", "sd of ", metric.removesuffix("_percent").replace("_", " "))
    return f"{words} (%)" if re.fullmatch(f"{PERCENT}|{PER_CENT}", metric) else words


def format_number(value: float, metric: str, paper: bool = False) -> str:
    """Write a value with as many digits as its metric is shown with; "" for NaN, INFINITE for infinity."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else INFINITE
    digits = next(digits for names, digits in DIGITS.items() if re.fullmatch(names, metric))
    return f"{value:{digits[paper]}}"


def collect_labels(models: Iterable[Labels], titles: Labels) -> dict[str, str]:
    """Collect the labels of all names in tables: the models of all suites, rankings, attributions, other parts of rows,
    papers.

    `titles` has the labels of papers. Raises AuditError where one name has two labels.
    """
    labels: dict[str, str] = {}
    for some in (PARTS, titles, *(names.labels for names in (RANKINGS, ATTRIBUTIONS, PLAUSIBLE)), *models):
        for name, label in some.items():
            if labels.setdefault(name, label) != label:
                raise AuditError(
                    f"name {name!r} is called both {labels[name]!r} and {label!r} in tables; where suites declare "
                    "their models, give one of the two another name, or both the same label"
                )
    return labels


def find_label(name: str, labels: Labels) -> str:
    """Find the label of a name; of a function of the user's own what stands behind the colon. Raises AuditError where
    it has none.
    """
    if ":" in name:
        return name.partition(":")[2].replace("_", " ")
    if name not in labels:
        raise AuditError(
            f"name {name!r} is not known to tables; declare a model with its suite in attention_audit/plan/, a ranking "
            "or attribution in attention_audit/names.py, any other part of a row in attention_audit/tables/wording.py"
        )
    return labels[name]


def write_name(row: str, labels: Labels, class_name: str = "") -> str:
    """Write the label of a row, made of the labels of its parts, which "/", "~" and " - " separate; "" for an empty
    row.

    class_name: what the class is called, of a row of one class. Raises AuditError for a part without a label.
    """
    parts = SEPARATORS.split(row) if row else []
    called = [SEPARATOR_WORDS.get(part) or find_label(part, labels) for part in parts]
    if class_name:
        called = [
            f"predicted {class_name}" if part in CLASSES else label for part, label in zip(parts, called, strict=True)
        ]
    return "".join(called)


def read_class_names(census: Mapping[str, pd.DataFrame]) -> dict[str, ClassNames]:
    """Read the names of the classes of each data set, from columns.CENSUS frames by data set."""
    return {
        dataset: {label: name for label, name in zip(rows["label"], rows["label_name"], strict=True) if label >= 0}
        for dataset, rows in census.items()
    }


def mark_direction(text: str) -> str:
    """Mark a text that is read from the right by marks of Unicode at both ends, so that what is beside it keeps its
    place.
    """
    return f"\u2068{text}\u2069" if any(bidirectional(letter) in ("R", "AL") for letter in text) else text


def list_names(names: ClassNames) -> str:
    """List all names of one data set, in the order of the classes."""
    return ", ".join(mark_direction(names[class_]) for class_ in sorted(names))
