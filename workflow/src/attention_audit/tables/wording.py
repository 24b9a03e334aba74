"""How tables, wherever they are shown, word the names of metrics, rows and classes, and write numbers."""

import math
import re
from collections.abc import Iterable, Mapping
from unicodedata import bidirectional

import pandas as pd

from attention_audit.errors import AuditError
from attention_audit.names import ATTRIBUTIONS, PLAUSIBLE, RANKINGS

ClassNames = Mapping[int, str]
"""Names by class, of one data set."""
MOST_CLASSES = 4
"""Predicted classes have rows of their own where there are at most this many."""

HEADINGS = {
    "negative": "first class",
    "positive": "second class",
    "duplicates": "in another split too",
    "repeated": "repeat an earlier text",
    "mean_length": "mean length (tokens)",
    "tokens_with_vector": "train tokens with vector",
    "f1": "F1",
    "roc_auc": "ROC-AUC",
    "tvd": "TVD",
    "jsd": "JSD (nats)",
    "admissible_share": "texts with an adversary",
    "tied": "at once (%)",
    "earlier_ratio": "first / second",
    "tau": "τ",
    "tau_sd": "sd of τ over texts",
    "significant": "share with p ≤ 0.05",
    "top_k_overlap": "top-k overlap",
    "overlap": "overlap of the first 5",
    "against": "attention against the prediction",
    "top_against": "texts whose top item speaks against it",
    "top_fall": "fall of p without the top item",
    "top_flips": "texts that flip without it",
    "erased": "first item opposes, erased",
    "deleted": "first item opposes, deleted",
    "undefined": "texts without τ",
    "cut": "texts cut",
    "flips": "permutations that flip (share)",
    "permutation_tvd": "TVD when permuted",
    "magnitude": "conicity, as in the authors' code",
    "tau_loo": "τ with leave-one-out",
    "used": "used: mean TVD when permuted",
    "ranks": "ranks: effect",
    "located": "located: effect",
    "comprehensiveness": "soft comprehensiveness",
    "comprehensiveness_gain": "beyond shuffled scores",
    "sufficiency": "soft sufficiency",
    "sufficiency_gain": "beyond shuffled scores, sufficiency",
    "racu": "RACU: share of the area below random",
    "mass_percent": "attention on impermissible words (%)",
    "uniform_percent": "uniform weights would put there (%)",
    "deleted_percent": "accuracy of the same model without them (%)",
    "found": "planted words among the first",
    "opposes": "first word opposes",
    "rank_stability": "same order in another training",
    "auprc": "AUPRC",
    "token_f1": "token F1",
    "iou": "IOU",
    "marked_mass": "mass on marked words",
    "majority_marked_mass": "mass, majority",
    "unmarked": "maps without a mark",
    "all_marked": "maps with all words marked",
}
CLASSES = [f"class_{number}" for number in range(MOST_CLASSES)]
HEADS = ["all_heads", *(f"head_{number}" for number in range(1, 257))]
PARTS = {
    **{name: name.replace("_", " ") for name in HEADS[1:]},
    HEADS[0]: "mean of all heads",
    **{name: name for name in ("raw", "train", "dev", "test", "vocabulary", "all", "seeds", "overall")},
    **{name: name.replace("_", " ") for name in CLASSES},
    "instance_adversary": "per-instance adversary",
    "corrected": "corrected draw",
    "as_published": "draw as published",
}
"""Labels of the parts of rows that are neither models nor rankings nor attributions."""
SEPARATORS = re.compile(r"(/|~| - )")
SPELT = {"/": ", ", "~": " and ", " - ": " - "}
COUNTS = re.compile(
    r"instances|(un|all_)marked|negative|positive|(smallest_|largest_)?class(es)?|duplicates|repeated|words|train_and_dev|test|texts|cut|excluded|undefined"
)
PER_CENT = re.compile(r"\w+_percent")
"""Metrics in percent whose values may be far below 1."""
PERCENT = re.compile(r"(both|neither|only_(top|other))_flips?|(first|second)_earlier|tied")
LENGTHS = re.compile(r"(mean|sd)_(length|sentences)")
ALWAYS = "always"
"""An infinite value: a ratio to what never happens, of two rankings of which the second is never first."""


def heading(metric: str) -> str:
    """The label of a metric at the head of a column: one of HEADINGS, or made of its name."""
    if metric in HEADINGS:
        return HEADINGS[metric]
    if metric.startswith("majority_"):
        return f"{heading(metric.removeprefix('majority_'))}, majority"
    words = re.sub("^sd ", "sd of ", metric.removesuffix("_percent").replace("_", " "))
    return f"{words} (%)" if PERCENT.fullmatch(metric) or PER_CENT.fullmatch(metric) else words


def number(value: float, metric: str, paper: bool = False) -> str:
    """A value with as many digits as its metric is shown with; "" for NaN, ALWAYS for infinity."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else ALWAYS
    if COUNTS.fullmatch(metric):
        return f"{value:z.0f}"
    if LENGTHS.fullmatch(metric):
        return f"{value:g}" if paper else f"{value:z.1f}"
    if PER_CENT.fullmatch(metric):
        return f"{value:g}" if paper else f"{value:z.2f}"
    return f"{value:z.1f}" if PERCENT.fullmatch(metric) else f"{value:z.3f}"


def labels_of(models: Iterable[Mapping[str, str]], titles: Mapping[str, str]) -> dict[str, str]:
    """The labels of all names in tables: the models of all suites, rankings, attributions, other parts of rows, papers.

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


def label_of(name: str, labels: Mapping[str, str]) -> str:
    """The label of a name. Raises AuditError where it has none."""
    if name not in labels:
        raise AuditError(
            f"name {name!r} is not known to tables; declare a model with its suite in attention_audit/plan/, a ranking "
            "or attribution in attention_audit/names.py, any other part of a row in attention_audit/tables/wording.py"
        )
    return labels[name]


def named(row: str, labels: Mapping[str, str], class_name: str = "") -> str:
    """The label of a row, made of the labels of its parts, which "/", "~" and " - " separate; "" for an empty row.

    class_name: what the class is called, of a row of one class. Raises AuditError for a part without a label.
    """
    parts = SEPARATORS.split(row) if row else []
    called = [SPELT.get(part) or label_of(part, labels) for part in parts]
    if class_name:
        called = [
            f"predicted {class_name}" if part in CLASSES else label for part, label in zip(parts, called, strict=True)
        ]
    return "".join(called)


def class_names(census: Mapping[str, pd.DataFrame]) -> dict[str, ClassNames]:
    """The names of the classes of each data set, from columns.CENSUS frames by data set."""
    return {
        dataset: {
            int(label): str(name) for label, name in zip(rows["label"], rows["label_name"], strict=True) if label >= 0
        }
        for dataset, rows in census.items()
    }


def isolated(text: str) -> str:
    """A text; one that is read from the right between marks of Unicode, so that what is beside it keeps its place."""
    return f"\u2068{text}\u2069" if any(bidirectional(letter) in ("R", "AL") for letter in text) else text


def listed(names: ClassNames) -> str:
    """All names of one data set, in the order of the classes."""
    return ", ".join(isolated(names[class_]) for class_ in sorted(names))
