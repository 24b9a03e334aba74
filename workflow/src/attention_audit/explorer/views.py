"""From readouts, audits and texts to the views of the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import Any, cast

import numpy as np
import torch

from attention_audit.arrays import Array, Floats, Floats32
from attention_audit.audits.erasure import find_contributions
from attention_audit.columns.kinds import flag, integer, real, reals
from attention_audit.columns.tables import TEXTS
from attention_audit.names import RANKINGS
from attention_audit.readout import HeadStates, Readout
from attention_audit.tables.wording import WORDING, mark_direction

from .document import (
    AboutColumn,
    AboutMap,
    AboutView,
    ColumnKind,
    Computed,
    MapKind,
    Predictions,
    Rows,
    View,
    ViewRun,
    ViewTail,
    Weights,
    round_digits,
)

ViewMaps = list[Floats | None]
"""Of each text, weights (L,) or, of several heads, (H, L); None where it has none."""
Known = Mapping[Any, Floats32]
"""Values of the words of texts, by id."""

PROBABILITY = 6
"""Decimals of a probability."""
EFFECT = 4
"""Significant digits of a column's values."""
SHOWN_ELSEWHERE = ("dataset", "suite", "model", "seed", "id", "label", "prediction", "label_name", "prediction_name")
"""Columns of the table of texts that a view has anyway."""
FURTHER_MAP = "A further map of this model, from which no prediction follows."
ATTRIBUTION_MAPS: Mapping[str, tuple[MapKind, str]] = {
    "gradient": (
        "share",
        "How much the prediction would move if the word were a little more present, attention held fixed.",
    ),
    "loo": (
        "signed",
        "The probability that the predicted class loses when the word is deleted and the model reads the text again.",
    ),
    "integrated_gradients": (
        "signed",
        "What the word adds to the probability of the predicted class, from a text of empty words on.",
    ),
}
"""The attributions of words: kind and meaning."""
NOT_LINEAR = (
    "What stands above the heads of this Transformer's last layer is not linear, so that no sum over the items gives "
    "the prediction. Predictions under the maps named here were computed with the model's own layers."
)
NOT_DECIDED = (
    "The predictions of this model do not follow from this map alone, so that nothing can be said of other weights."
)
NO_CONTRIBUTION = "A model of pairs has no sum over the items that is its logit: a tanh stands between."


def round_probabilities(rows: Array) -> Rows:
    """Round distributions (N, C) as the page has them."""
    return rows.astype(np.float64).round(PROBABILITY).tolist()


@dataclass
class ViewBuilder:
    """The making of one view, of one judged model.

    All readouts are of the same texts in one order. about: what the page says of the view that does not follow from
    these. texts: rows of columns.CORPUS. runs: the readouts by seed, the first one first shown. twin: the model with
    uniform weights. others: further models, whose maps can be imposed on the states of this one, each with key, label
    and meaning of its map. instance: weights of J&W's adversary by id, flat. attributions: by name, values of the first
    seed. columns: rows of columns.TEXTS by id.
    """

    about: Mapping[str, Any]
    classes: Mapping[int, str]
    texts: Sequence[Mapping[str, Any]]
    runs: Mapping[int, Readout]
    twin: Readout | None
    others: Sequence[tuple[str, str, str, Readout]]
    instance: Known
    attributions: Mapping[str, Known]
    columns: Mapping[str, Mapping[str, Any]]

    def __post_init__(self) -> None:
        self.first = reference = next(iter(self.runs.values()))
        self.marks = (reference.lengths - reference.words).tolist()
        self.heads = reference.heads if reference.attending or reference.heads > 1 else 0
        self.here = reference.decided and reference.attending is None
        self.maps: dict[str, ViewMaps] = {}
        self.abouts: list[AboutMap] = []
        self.own: dict[str, Predictions] = {}
        self._gather()

    def _add(
        self,
        key: str,
        label: str,
        meaning: str,
        maps: ViewMaps | None = None,
        model: Readout | None = None,
        kind: MapKind = "attention",
        computed: Computed = "stored",
        seed: int | None = None,
    ) -> None:
        """Add a map, and what the model predicts whose own map it is. All else is as AboutMap has it."""
        own = model is not None
        self.abouts.append(
            AboutMap(key=key, label=label, meaning=meaning, kind=kind, computed=computed, seed=seed, own=own)
        )
        if maps is not None:
            self.maps[key] = maps
        if model is not None:
            self.own[key] = [*round_probabilities(model.probabilities)]

    def _fit(self, maps: Iterable[Floats32 | None]) -> ViewMaps:
        """Keep the weights, (L,) or (L, H), that have as many items and heads as this model's; flat, they stand item by
        item.
        """
        shapes = [(length, self.heads) if self.heads else (length,) for length in self.first.lengths]
        return [
            map_.reshape(shape).T.astype(np.float64)
            if map_ is not None and map_.shape in (shape, (np.prod(shape),))
            else None
            for map_, shape in zip(maps, shapes, strict=True)
        ]

    def _fit_model(self, readout: Readout) -> ViewMaps:
        return self._fit(readout.several.weights if self.heads and readout.several else readout.attention)

    def _fit_words(self, values: Iterable[Floats32 | None]) -> ViewMaps:
        """Take values of the words as those of all items: nothing on marks of a tokenizer."""
        return [
            np.append(scores, np.zeros(marks)) if scores is not None and len(scores) == words else None
            for scores, words, marks in zip(values, self.first.words, self.marks, strict=True)
        ]

    def _gather(self) -> None:
        """Gather all maps, in the order of the page."""
        reference, seed = self.first, next(iter(self.runs))
        for number, readout in self.runs.items():
            meaning = f"The attention of this model, trained with seed {number}."
            label = f"attention, seed {number}"
            self._add(f"attention:{number}", label, meaning, self._fit_model(readout), seed=number)
        meaning = "The same weight on every item."
        if self.twin:
            meaning += " The prediction of its own is that of a model that was trained with these weights."
        self._add("uniform", "uniform weights", meaning, model=self.twin, computed="even")
        for key, label, meaning, readout in self.others:
            self._add(key, label, meaning, self._fit_model(readout), readout)
        if self.instance:
            meaning = (
                f"For this text alone, the weights furthest from those of seed {seed} that a search found and that "
                "leave the prediction nearly as it is."
            )
            self._add("instance", "adversary of this text", meaning, self._fit(map(self.instance.get, reference.ids)))
        if reference.decided and reference.head is None:
            meaning = "What the item adds to the logit of the predicted class, beyond the mean of all classes."
            if not self.here:
                meaning += " Of the first-order expansion at the model's own weights."
            computed: Computed = "exact" if self.here else "stored"
            for number, readout in self.runs.items():
                key, label = f"contribution:{number}", f"exact contribution, seed {number}"
                maps = None if self.here else compute_contributions(readout)
                self._add(key, label, meaning, maps, kind="signed", computed=computed, seed=number)
        scores = {name: map(values.get, reference.ids) for name, values in self.attributions.items()}
        for name, values in {**scores, **reference.maps}.items():
            kind, meaning = ATTRIBUTION_MAPS.get(name, ("signed", FURTHER_MAP))
            label = f"{RANKINGS[name].label}, seed {seed}"
            self._add(f"{name}:{seed}", label, meaning, self._fit_words(values), kind=kind, seed=seed)
        marked = [
            np.mean([np.isin(words, list(marks)) for marks in text["marks"]], 0) if text["marks"] else None
            for text, words in zip(self.texts, reference.places, strict=True)
        ]
        if self.about["items"] == "words" and any(marks is not None for marks in marked):
            meaning = "The share of the annotators who marked the word."
            self._add("people", "marked words", meaning, self._fit_words(marked), kind="mark")

    def _list_items(self, index: int) -> tuple[list[str], int]:
        """List the items of a text, of which marks of a tokenizer come last; and count the words that were not read."""
        text, marks = self.texts[index], self.marks[index]
        words, count = text["tokens"], int(self.first.words[index])
        if self.about["items"] == "sentences":
            bounds = [*(text["sentences"] or [0]), len(words)]
            sentences = [" ".join(words[start:end]) for start, end in pairwise(bounds)]
            return sentences[:count], len(words) - bounds[count]
        names = ["[CLS]", "[SEP]", *(f"[mark {number}]" for number in range(3, marks + 1))][:marks]
        return [*(words[at] for at in self.first.places[index]), *names], len(words) - count

    def _write_run(self, readout: Readout) -> ViewRun:
        """Write a seed; with its states, biases and the tail of a model of pairs where the page predicts by them."""
        run = ViewRun(p=round_probabilities(readout.probabilities), prediction=readout.predictions.tolist())
        if self.here:
            run["z"] = [round_digits(z).ravel().tolist() for z in readout.contribution]
            run["bias"] = round_digits(readout.bias).tolist()
            if readout.head is not None:
                run["tail"] = ViewTail(weight=readout.head.weight.tolist(), bias=readout.head.bias.tolist())
        return run

    def _impose(self) -> dict[str, dict[str, Predictions]]:
        """Predict what each seed says under every map, where the page cannot compute it and its tail is known."""
        if self.here or self.first.attending is None:
            return {}
        even: ViewMaps = [np.full(weights.T.shape, 1 / len(weights)) for weights in self.first.attending.weights]
        keys = [about["key"] for about in self.abouts if about["kind"] == "attention"]
        choices = {"uniform": even} | {key: self.maps[key] for key in keys if key in self.maps}
        return {
            str(seed): {key: predict_under(readout, maps) for key, maps in choices.items()}
            for seed, readout in self.runs.items()
        }

    def write_view(self) -> View:
        """Write the texts of the view."""
        ids, candidates = self.first.ids, self.first.candidates
        maps: dict[str, list[Weights | None]] = {
            key: [None if map_ is None else round_digits(map_).tolist() for map_ in values]
            for key, values in self.maps.items()
        }
        words, unread = zip(*map(self._list_items, range(len(ids))), strict=True)
        return View(
            id=ids,
            words=[*words],
            marks=self.marks,
            unread=[*unread],
            query=[None if text["query"] is None else " ".join(text["query"]) for text in self.texts],
            candidates=[None] * len(ids) if candidates is None else [row.tolist() for row in candidates],
            gold=self.first.labels.tolist(),
            runs={str(seed): self._write_run(readout) for seed, readout in self.runs.items()},
            maps=maps,
            imposed=self._impose(),
            own=self.own,
            columns={
                name: [write_value(self.columns.get(id_, {}).get(name)) for id_ in ids]
                for name in (column["name"] for column in SHOWN_COLUMNS)
            },
        )

    def describe_view(self) -> AboutView:
        """Say what there is to know of the view before it is unpacked."""
        reference, missing = self.first, self.about["missing"]
        if not any(about["key"].startswith("contribution:") for about in self.abouts):
            missing = missing | {"exact contribution": NOT_DECIDED if reference.head is None else NO_CONTRIBUTION}
        classes = range(reference.probabilities.shape[1])
        view = {
            **self.about,
            "key": "{dataset}/{suite}/{model}".format_map(self.about),
            "classes": [mark_direction(self.classes.get(class_, str(class_))) for class_ in classes],
            "seeds": [*self.runs],
            "heads": self.heads,
            "outputs": reference.bias.shape[1] if self.here else 0,
            "here": self.here,
            "why_not": "" if self.here else NOT_LINEAR if reference.decided else NOT_DECIDED,
            "tail": self.here and reference.head is not None,
            "tokens": False,
            "maps": self.abouts,
            "missing": missing,
            "columns": SHOWN_COLUMNS,
        }
        return cast(AboutView, view)


COLUMN_KINDS: dict[Any, ColumnKind] = {
    flag.type: "flag",
    integer.type: "integer",
    real.type: "number",
    reals.type: "number",
}
SHOWN_COLUMNS = [
    AboutColumn(
        name=column.name,
        label=WORDING["column"].get(column.name, column.name),
        kind=COLUMN_KINDS.get(column.type, "text"),
        unit=column.unit,
        meaning=column.meaning,
    )
    for column in TEXTS.columns
    if column.name not in SHOWN_ELSEWHERE
]


def write_value(value: Any) -> str | float | bool | None:
    """Write a value of the table of texts as JSON has it; of a list the first."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, float):
        return None if isnan(value) else float(f"{value:.{EFFECT}g}")
    return value


def compute_contributions(readout: Readout) -> ViewMaps:
    """Compute the exact contributions of each text, (L,), in float64."""
    contributions: ViewMaps = [None] * len(readout)
    for texts in readout.batches(torch.float64):
        exact = find_contributions(texts)
        if exact is not None:
            for member, row, length in zip(texts.members, exact.numpy(), texts.lengths.tolist(), strict=True):
                contributions[member] = row[:length]
    return contributions


def predict_under(readout: Readout, maps: ViewMaps) -> Predictions:
    """Predict as a Transformer does under other weights of its heads, (H, L) a text; None where there are none."""
    heads = cast(HeadStates, readout.several)
    weights = [
        stored if map_ is None else map_.T.astype(np.float32) for map_, stored in zip(maps, heads.weights, strict=True)
    ]
    predicted = round_probabilities(readout.predict(weights))
    return [None if map_ is None else row for map_, row in zip(maps, predicted, strict=True)]
