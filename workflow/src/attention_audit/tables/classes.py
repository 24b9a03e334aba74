"""What the classes of a data set are called."""

from __future__ import annotations

from collections.abc import Mapping

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
