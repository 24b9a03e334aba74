"""What a reader must know to compare a run with the papers: how its data and models are other than theirs."""

from collections.abc import Mapping
from typing import Any

from attention_audit.config import Config

from .corpora import name_vectors
from .papers.jain_wallace import Combinations
from .papers.mohankumar import DiverseModels
from .papers.pruthi import Deception
from .papers.serrano_smith import DocumentModels

BABI, BABI_HIDDEN = "babi-", 32
DECEIVERS = {"batch_size": 1, "learning_rate": 1e-3, "epochs": 15, "embedding": 128, "hidden": 64}
"""How the authors' code of deceptive attention trains, by the keys of `deception`."""


def describe_data(dataset: str, config: Mapping[str, Any], catalogue: Mapping[str, Any]) -> list[str]:
    """Find where the entry of a data set in the raw configuration is not the catalogue's."""
    ours, theirs = (entries.get("corpora", {}).get(dataset, {}) for entries in (config, catalogue))
    # where it comes from changes no number
    keys = sorted(key for key in {*ours, *theirs} - {"origin"} if ours.get(key) != theirs.get(key))
    return [f"data not as in the paper: {', '.join(keys)} changed"] if keys else []


def describe_models(dataset: str, config: Config) -> dict[str, list[str]]:
    """Describe word vectors, sizes and other settings that are not the paper's, by the beginning of our tables' names;
    and whose attention the guides of test 3 have, by their names.
    """
    config = config.for_dataset(dataset)
    # the units of our encoders, and of the papers'
    hidden = {
        "wp": (config.model.hidden, 128),
        "ss": (config.get_section(DocumentModels).hidden, 50),
        "jw": (config.get_section(Combinations).recipe.hidden, 128),
        "md": (config.get_section(DiverseModels).recipe.hidden, 128),
    }
    remarks = {}
    for tables, (ours, published) in hidden.items():
        theirs = BABI_HIDDEN if dataset.startswith(BABI) else published
        sizes = [f"hidden {ours}, the paper's {theirs}"] if ours != theirs else []
        remarks[tables] = [f"our word vectors: {name_vectors(config, dataset)}", *sizes]
    words = {"batch_size": "batches of", "learning_rate": "rate"}
    remarks["pd"] = [
        f"our {words.get(key, key)} {ours:g}, the paper's {theirs:g}"
        for key, theirs in DECEIVERS.items()
        if (ours := getattr(config.get_section(Deception), key)) != theirs
    ]
    return remarks | {
        "guide_base_lstm": ["our guides have a base map each, of the same seed; the paper's all have one"],
        "guide_adversary": [f"our guides have the map of the adversary with lambda {config.guides.adversary_lambda:g}"],
    }
