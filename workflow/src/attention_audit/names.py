"""How data sets are named in tables and figures."""

from __future__ import annotations

PAPER_NAMES = {
    "sst": "SST",
    "imdb": "IMDb",
    "agnews": "AgNews",
    "newsgroups": "20News",
    "diabetes": "Diabetes",
    "anemia": "Anemia",
}


def display_name(dataset: str) -> str:
    """The paper's name of a data set, or the config's where the paper has none."""
    return PAPER_NAMES.get(dataset, dataset)
