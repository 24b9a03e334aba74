"""The hyperparameters of a page's runs beside those of the paper's authors, which authors.csv has."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from makers.replication.findings import name_data
from makers.replication.grids import grid
from makers.replication.kept import Kept

AUTHORS = Path(__file__).parent / "authors.csv"
"""By page and setting: the keys of the configuration that have ours, in the words of one version or another, and what
the authors have, from their paper or their published code. * stands for a data set, or for "default"."""


def look_up(config: Any, steps: Sequence[str]) -> Any:
    """Look up a value by its steps; None where there is none."""
    for step in steps:
        config = config.get(step) if isinstance(config, Mapping) else None
    return config


def list_values(kept: Kept, keys: str) -> Iterator[tuple[str, str]]:
    """List what each data set of a run has under the first of these keys that it knows, as data set and value."""
    config = kept.facts.config
    for dataset in dict.fromkeys(name for names in kept.facts.datasets.values() for name in names):
        places = (config.get("overrides", {}).get(dataset, {}), config)
        paths = [key.replace("*", name).split(".") for key in keys.split("|") for name in (dataset, "default")]
        known = (look_up(place, path) for place in places for path in paths)
        value = next((each for each in known if each is not None), None)
        if value is not None:
            each = value if isinstance(value, list) else [value]
            yield (
                dataset,
                ", ".join({True: "yes", False: "no"}[one] if isinstance(one, bool) else f"{one}" for one in each),
            )


def write_ours(runs: Sequence[Kept], keys: str) -> str:
    """Write ours: the value of most data sets and, with their names, those of the others."""
    by_value: dict[str, list[str]] = {}
    for dataset, value in dict.fromkeys(pair for kept in runs for pair in list_values(kept, keys)):
        by_value.setdefault(value, []).append(name_data(dataset))
    first, *rest = sorted(by_value, key=lambda value: -len(by_value[value])) or [""]
    return "; ".join([first, *(f"{', '.join(by_value[value])}: {value}" for value in rest)])


def compare_hyperparameters(page: str, runs: Sequence[Kept]) -> str:
    """Write the table of a page; "" where nothing is known of its authors'."""
    known = pd.read_csv(AUTHORS, dtype=str, keep_default_na=False)
    rows = [
        (row["setting"], write_ours(runs, row["key"]), row["theirs"], row["source"])
        for row in known[known["page"] == page].to_dict("records")
    ]
    return grid(["setting", "ours", "theirs", "theirs is from their"], rows) if rows else ""
