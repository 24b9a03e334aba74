"""The words of a few texts under the attention of a model and of its adversaries, for reading (Wiegreffe & Pinter 2019,
figure 2)."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from attention_audit.arrays import Floats, Floats32
from attention_audit.columns.audits import ATTENTION_MAPS
from attention_audit.readout import MARKS, Readout

from .answers import Answers, Training, explain_sentences
from .batches import Columns, make_columns
from .comparison import compare_maps
from .facts import TextFacts
from .settings import AttentionMaps, Permutation

READABLE_LENGTHS = (10, 60)
ITEM_COLUMNS = (
    "model",
    "lambda",
    "seed",
    "id",
    "label",
    "weights",
    "probability",
    "base_prediction",
    "jsd",
    "position",
    "token",
    "attention",
)


class ModelReading(NamedTuple):
    """How one model reads the texts of the base model, in their order.

    weights: what they are called in the results, and training: of which model they are. attention: these weights. jsd:
    how far they are from the base model's (nats). probabilities (N, C): what it predicts.
    """

    weights: str
    training: Training
    attention: Sequence[Floats32]
    jsd: Floats
    probabilities: Floats32


def choose_texts(base: Readout, divergences: Sequence[Floats], settings: AttentionMaps) -> list[str]:
    """Choose the texts that the settings name and this data set has, then as many automatic ones as they ask for.

    Automatic: texts of readable length that the base model classifies correctly, ranked by how far the kind of
    adversary moved that moved least. The first is a typical one, in the middle; then come those whose adversaries moved
    furthest, alternating between predicted classes, another class first. Ties go to the lesser id, and so does all
    where there is no adversary. `divergences` has the mean distance of each kind of adversary from the base model, text
    by text.
    """
    named_texts = [name for name in settings.instances if name in base.ids]
    readable = base.right & (base.lengths >= READABLE_LENGTHS[0]) & (base.lengths <= READABLE_LENGTHS[1])
    pool = np.flatnonzero(readable if readable.any() else np.ones(len(base))).tolist()
    ranked = sorted(pool, key=lambda i: (-min((distances[i] for distances in divergences), default=0.0), base.ids[i]))
    typical = ranked.pop(len(ranked) // 2)
    classes = sorted(np.unique(base.predictions), key=lambda c: (c == base.predictions[typical], -c))
    by_class = ([i for i in ranked if base.predictions[i] == c] for c in classes)
    turns = dict.fromkeys([typical, *chain.from_iterable(zip(*by_class, strict=False)), *ranked])
    automatic = [base.ids[i] for i in turns if base.ids[i] not in named_texts]
    return named_texts + automatic[: settings.automatic]


def list_words(
    base: Readout, ids: Sequence[str], readings: Sequence[ModelReading], tokens: Mapping[str, Sequence[str]]
) -> Columns:
    """List the columns `ITEM_COLUMNS`, a row for each text, reading and item: words, then marks where it has them."""
    rows = []
    for name in ids:
        at = base.ids.index(name)
        words, predicted = [tokens[name][position_read] for position_read in base.places[at]], int(base.predictions[at])
        words += MARKS[: base.lengths[at] - base.words[at]]
        for reading in readings:
            chance = float(reading.probabilities[at, predicted])
            model = reading.training.about.model, reading.training.lambda_, reading.training.about.seed
            text = name, int(base.labels[at]), reading.weights, chance, predicted, float(reading.jsd[at])
            rows += [
                (*model, *text, position, *word)
                for position, word in enumerate(zip(words, reading.attention[at].tolist(), strict=True))
            ]
    return make_columns(ITEM_COLUMNS, rows)


def read_model(weights: str, training: Training, base: Readout) -> ModelReading:
    """Read the texts of `base` by another model. Raises AuditError where its readout lacks one of them."""
    readout = training.read().align(base.ids)
    distances = compare_maps(base, readout, Permutation(permutations=1, seed=0))["jsd"]
    return ModelReading(weights, training, readout.attention, distances, readout.probabilities)


def read_search(instance_adversary: pd.DataFrame, training: Training, base: Readout) -> ModelReading:
    """Read the texts by the base model with the weights that the per-instance adversary found."""
    rows = instance_adversary.set_index("id").loc[base.ids]
    weights_by_text = maps = rows["attention"].to_list()
    if base.attending is not None:
        weights_by_text = [
            weights.reshape(length, -1) for weights, length in zip(weights_by_text, base.lengths, strict=True)
        ]
        maps = [weights.mean(1) for weights in weights_by_text]
    return ModelReading(
        "instance_adversary", training, maps, rows["jsd"].to_numpy(np.float64), base.predict(weights_by_text)
    )


def list_maps(
    trainings: Sequence[Training],
    tokens: Mapping[str, Sequence[str]],
    settings: AttentionMaps,
    report: Callable[[str], None],
    instance_adversary: pd.DataFrame | None = None,
) -> Columns:
    """Return the columns of `list_words` for the texts that `choose_texts` selects.

    trainings: the base model, which comes first, and its adversaries. instance_adversary: rows of that audit, none
    where it cannot be asked.
    """
    main, *adversaries = trainings
    base = main.read()
    consistent = [read_model("consistent_adversary", adversary, base) for adversary in adversaries]
    search = instance_adversary if instance_adversary is not None and len(instance_adversary) else None
    searched = [] if search is None else [read_search(search, main, base)]
    distances = [np.mean([reading.jsd for reading in each], 0) for each in (consistent, searched) if each]
    ids = choose_texts(base, distances, settings)
    report(f"{len(ids)} texts: {', '.join(ids)}")
    return list_words(base, ids, [read_model("base", main, base), *consistent, *searched], tokens)


def ask_attention_maps(
    trainings: Sequence[Training],
    answers: Answers,
    facts: TextFacts,
    settings: AttentionMaps,
    instance_adversary: pd.DataFrame | None,
) -> None:
    """Ask for the maps of the base model, which comes first, and of its adversaries.

    instance_adversary: the rows of this audit of the base model, where it was asked.
    """
    if answers.asks(ATTENTION_MAPS, explain_sentences(trainings[0])):
        answers.add(ATTENTION_MAPS, list_maps(trainings, facts.tokens, settings, answers.report, instance_adversary))
