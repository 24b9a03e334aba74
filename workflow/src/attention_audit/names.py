"""How data sets are named in tables and figures."""

from __future__ import annotations

PAPER_NAMES = {
    "sst": "SST",
    "imdb": "IMDb",
    "agnews": "AgNews",
    "newsgroups": "20News",
    "diabetes": "Diabetes",
    "anemia": "Anemia",
    "tweets": "ADR tweets",
    "agnews-4": "AgNews, 4 classes",
    "newsgroups-20": "20News, 20 classes",
    "yahoo": "Yahoo",
    "imdb-jmars": "IMDB (Diao)",
    "imdb-ratings": "IMDb, 8 ratings",
    "amazon": "Amazon",
    "yelp": "Yelp",
    "snli": "SNLI",
    "babi-1": "bAbI 1",
    "babi-2": "bAbI 2",
    "babi-3": "bAbI 3",
    "cnn": "CNN",
}


def display_name(dataset: str) -> str:
    """The paper's name of a data set, or the config's where the paper has none."""
    return PAPER_NAMES.get(dataset, dataset)
