"""What the classes of a data set are called."""

from collections.abc import Mapping
from unicodedata import bidirectional

import pandas as pd

ClassNames = Mapping[int, str]
"""Names by class, of one data set."""


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
