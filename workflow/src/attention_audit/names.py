"""How data sets, models and attributions are named in tables and figures."""

from __future__ import annotations

PAPERS = {
    "WP2019": "Wiegreffe & Pinter 2019",
    "SS2019": "Serrano & Smith 2019",
    "JW2019": "Jain & Wallace 2019",
}
"""The papers by their names in tables."""

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

ENCODERS = {"lstm": "BiLSTM", "cnn": "CNN", "average": "average"}
ATTENTIONS = {"tanh": "additive", "dot": "dot product"}
JAIN_WALLACE = {
    f"{encoder}_{attention}": f"{ENCODERS[encoder]} ({ATTENTIONS[attention]})"
    for attention in ATTENTIONS
    for encoder in ENCODERS
}
"""Jain & Wallace's models by their names in paths, in the order of tables and figures."""

ATTRIBUTIONS = {
    "gradient_attached": "attached gradient",
    "loo": "leave-one-out",
}
"""Those whose name does not say it all."""


def attribution_name(attribution: str) -> str:
    """What an attribution is called."""
    return ATTRIBUTIONS.get(attribution, attribution.replace("_", " "))


def display_name(dataset: str) -> str:
    """The paper's name of a data set, or the config's where the paper has none."""
    return PAPER_NAMES.get(dataset, dataset)
