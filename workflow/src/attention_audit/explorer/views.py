"""From readouts, audits and texts to the views of the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isnan
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.answer.lines import Line
from attention_audit.answer.opening import Seen, opening
from attention_audit.columns.kinds import Column, flag, integer, real, reals
from attention_audit.columns.tables import TEXTS
from attention_audit.explorer import fitting
from attention_audit.explorer.document import (
    AboutColumn,
    AboutMap,
    AboutView,
    ColumnKind,
    Computed,
    MapKind,
    Run,
    Sampled,
    Tail,
    View,
    Weights,
)
from attention_audit.names import MAPS
from attention_audit.padded import Head
from attention_audit.readout import Readout
from attention_audit.tables.wording import isolated

Floats = npt.NDArray[np.float64]
Maps = list[Floats | None]
"""Of each text, weights (L,) or, of several heads, (H, L); None where it has none."""
Known = Mapping[str, npt.NDArray[np.float32]]
"""Values of the words of texts, by id."""

PROBABILITY = 6
"""Decimals of a probability."""
EFFECT = 4
"""Significant digits of a column's values."""
SHOWN_ELSEWHERE = ("dataset", "suite", "model", "seed", "id", "label", "prediction", "label_name", "prediction_name")
"""Columns of the table of texts that a view has anyway."""
LABELS = {
    "words": "top item",
    "weights": "its attention",
    "contributions": "its contribution",
    "others": "other seeds",
    "agree": "seeds with the same top item",
    "moved": "adversary's JSD",
    "moved_tvd": "adversary's TVD",
    "survives_item": "decision stays without the top item",
    "survives_word": "decision stays without the top word",
}
"""What readers call columns; others keep their names."""
FURTHER_MAP = "A further map of this model, from which no prediction follows."
ATTRIBUTIONS: Mapping[str, tuple[MapKind, str, str]] = {
    "gradient": (
        "share",
        "gradient",
        "How much the prediction would move if the word were a little more present, attention held fixed.",
    ),
    "loo": (
        "signed",
        "leave-one-out",
        "The probability that the predicted class loses when the word is deleted and the model reads the text again.",
    ),
    "integrated_gradients": (
        "signed",
        "integrated gradients",
        "What the word adds to the probability of the predicted class, from a text of empty words on.",
    ),
}
"""The attributions of words: kind, label and meaning."""
NOT_LINEAR = (
    "What stands above the heads of this Transformer's last layer is not linear, so that no sum over the items gives "
    "the prediction. Predictions under the maps named here were computed with the model's own layers."
)
NOT_DECIDED = (
    "The predictions of this model do not follow from this map alone, so that nothing can be said of other weights."
)
NO_CONTRIBUTION = "A model of pairs has no sum over the items that is its logit: a tanh stands between."


@dataclass(frozen=True)
class Explored:
    """One judged model: its readouts by seed, the first one first shown; other models; what audits say of its words.

    All readouts are of the same texts in one order. texts: these, as rows of columns.CORPUS. others: further models,
    each with what is known of its map, which can be imposed on the states of this one. twin: the model with uniform
    weights. instance: weights of J&W's adversary by id, flat. attributions: by name, values of the first seed. columns:
    rows of columns.TEXTS by id, of `columns_seed`. missing: maps that there are not, with the reason.
    lines: the answers on the model.
    """

    dataset: str
    suite: str
    model: str
    items: Literal["words", "sentences"]
    names: tuple[str, str, str]
    classes: Mapping[int, str]
    texts: Sequence[Mapping[str, Any]]
    runs: Mapping[int, Readout]
    twin: Readout | None = None
    others: Sequence[tuple[AboutMap, Readout]] = ()
    instance: Known = field(default_factory=dict)
    attributions: Mapping[str, Known] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    columns_seed: int | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    lines: Sequence[Line] = ()


def about_map(
    key: str,
    label: str,
    meaning: str,
    kind: MapKind = "attention",
    computed: Computed = "stored",
    seed: int | None = None,
    own: bool = False,
) -> AboutMap:
    """Say what there is to know of a map."""
    return AboutMap(key=key, label=label, meaning=meaning, kind=kind, computed=computed, seed=seed, own=own)


def maps_of(readout: Readout) -> Maps:
    """Take the weights of each text: (L,), or (H, L) of several heads."""
    if readout.several is None:
        return [weights.astype(np.float64) for weights in readout.attention]
    return [weights.T.astype(np.float64) for weights in readout.several.weights]


def probabilities(rows: npt.NDArray[Any]) -> list[list[float]]:
    """Round distributions (N, C) as the page has them."""
    return cast("list[list[float]]", rows.astype(np.float64).round(PROBABILITY).tolist())


def logits_with(heads: Sequence[Head | None]) -> fitting.Logits:
    """Make the function of the logits of the states of several seeds, one beside another: (..., L), (L, seeds x O) ->
    (..., seeds x C).
    """
    above = [(head.weight.double().numpy(), head.bias.double().numpy()) for head in heads if head is not None]

    def logits(weights: Floats, z: Floats, bias: Floats) -> Floats:
        scores = weights @ z + bias
        if not above:
            return scores
        parts = np.split(np.tanh(scores), len(above), axis=-1)
        return np.concatenate(
            [part @ weight.T + add for part, (weight, add) in zip(parts, above, strict=True)], axis=-1
        )

    return logits


def shares_of(marks: Sequence[Sequence[int]], words: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Take the share of the annotators who marked each of some words."""
    return np.array(np.mean([np.isin(words, list(positions)) for positions in marks], axis=0), np.float32)


def contributions_of(readout: Readout) -> Maps:
    """Compute the exact contributions of each text, (L,), in float64."""
    found: Maps = [None] * len(readout)
    for texts in readout.batches(torch.float64):
        exact = texts.exact_contributions()
        if exact is not None:
            for member, row, length in zip(texts.members, exact.numpy(), texts.lengths.tolist(), strict=True):
                found[member] = row[:length]
    return found


class Viewing:
    """The making of one view."""

    def __init__(self, explored: Explored) -> None:
        self.explored = explored
        self.readouts = [*explored.runs.values()]
        self.first = first = self.readouts[0]
        self.lengths = first.lengths.tolist()
        self.marks = (first.lengths - first.words).tolist()
        self.heads = 0 if first.several is None else first.several.weights[0].shape[1]
        self.here = first.decided and first.attending is None
        self.maps: dict[str, Maps] = {}
        self.abouts: list[AboutMap] = []
        self.own: dict[str, list[list[float] | None]] = {}
        self._gather()

    def _fitting(self, maps: Maps) -> Maps:
        """Keep the maps that have as many items and heads as this model's."""
        shapes = [(self.heads, length) if self.heads else (length,) for length in self.lengths]
        return [
            map_ if map_ is not None and map_.shape == shape else None for map_, shape in zip(maps, shapes, strict=True)
        ]

    def _add(self, about: AboutMap, maps: Maps | None = None, model: Readout | None = None) -> None:
        """Add a map, and what the model predicts whose own map it is."""
        self.abouts.append(about)
        if maps is not None:
            self.maps[about["key"]] = maps
        if model is not None:
            self.own[about["key"]] = [*probabilities(model.probabilities)]

    def _whole(self, values: Known) -> Maps:
        """Take values of the words as those of all items: nothing on marks of a tokenizer."""
        return [
            np.concatenate([own, np.zeros(marks)]) if own is not None and len(own) == length - marks else None
            for own, length, marks in zip(map(values.get, self.first.ids), self.lengths, self.marks, strict=True)
        ]

    def _gather(self) -> None:
        """Gather all maps, in the order of the page."""
        explored, twin = self.explored, self.explored.twin
        for seed, readout in explored.runs.items():
            meaning = f"The attention of this model, trained with seed {seed}."
            about = about_map(f"attention:{seed}", f"attention, seed {seed}", meaning, seed=seed)
            self._add(about, self._fitting(maps_of(readout)))
        meaning = "The same weight on every item." + (
            " The prediction of its own is that of a model that was trained with these weights." if twin else ""
        )
        self._add(about_map("uniform", "uniform weights", meaning, computed="even", own=twin is not None), model=twin)
        for about, readout in explored.others:
            self._add(about, self._fitting(maps_of(readout)), readout)
        if explored.instance:
            meaning = (
                f"For this text alone, the weights furthest from those of seed {next(iter(explored.runs))} that a "
                "search found and that leave the prediction nearly as it is."
            )
            self._add(about_map("instance", "adversary of this text", meaning), self._fitting(self._instance()))
        self._signed()
        read = zip(self.first.ids, explored.texts, self.first.places, strict=True)
        known = {id_: shares_of(text["marks"], words) for id_, text, words in read if text["marks"]}
        if known and explored.items == "words":
            meaning = "The share of the annotators who marked the word."
            self._add(about_map("people", "marked words", meaning, "mark"), self._whole(known))

    def _instance(self) -> Maps:
        """Take the weights of J&W's adversary; of several heads they stand item by item."""
        found: Maps = []
        for flat, length in zip(map(self.explored.instance.get, self.first.ids), self.lengths, strict=True):
            by_head = flat is not None and self.heads and len(flat) == length * self.heads
            map_ = flat.reshape(length, self.heads).T if flat is not None and by_head else flat
            found.append(None if map_ is None else map_.astype(np.float64))
        return found

    def _signed(self) -> None:
        """Gather exact contributions of every seed, and the attributions of the first."""
        if self.first.decided and self.first.head is None:
            meaning = "What the item adds to the logit of the predicted class, beyond the mean of all classes." + (
                "" if self.here else " Of the first-order expansion at the model's own weights."
            )
            for seed, readout in self.explored.runs.items():
                key, label = f"contribution:{seed}", f"exact contribution, seed {seed}"
                about = about_map(key, label, meaning, "signed", "exact" if self.here else "stored", seed)
                self._add(about, None if self.here else contributions_of(readout))
        first = next(iter(self.explored.runs))
        carried = {name: dict(zip(self.first.ids, scores, strict=True)) for name, scores in self.first.maps.items()}
        for name, values in {**self.explored.attributions, **carried}.items():
            kind, label, meaning = ATTRIBUTIONS.get(name) or ("signed", MAPS[name].label, FURTHER_MAP)
            about = about_map(f"{name}:{first}", f"{label}, seed {first}", meaning, kind, seed=first)
            self._add(about, self._whole(values))

    @property
    def imposable(self) -> list[str]:
        """List the stored maps that can be imposed on the states of any seed."""
        return [about["key"] for about in self.abouts if about["kind"] == "attention" and about["key"] in self.maps]

    def _items(self, place: int) -> tuple[list[str], int]:
        """List the items of a text, marks of a tokenizer last, and how many words were not read."""
        text, marks = self.explored.texts[place], self.marks[place]
        words, read = text["tokens"], self.lengths[place] - marks
        if self.explored.items == "sentences":
            bounds = [*(text["sentences"] or [0]), len(words)]
            sentences = [" ".join(words[start:end]) for start, end in pairwise(bounds)]
            return sentences[:read], sum(len(words) - bound for bound in bounds[read : read + 1])
        names = ["[CLS]", "[SEP]", *(f"[mark {number}]" for number in range(3, marks + 1))][:marks]
        return [*(words[at] for at in self.first.places[place]), *names], len(words) - read

    def _computed_here(self, runs: Sequence[Run]) -> dict[str, list[Weights | None]]:
        """Give the runs their states and biases, and return the maps that are imposed on them, each with as few digits
        as agree.
        """
        maps: dict[str, list[Weights | None]] = {key: [] for key in self.imposable}
        logits = logits_with([readout.head for readout in self.readouts])
        for run in runs:
            run["z"], run["bias"] = [], []
        for place, length in enumerate(self.lengths):
            z = np.concatenate([readout.contribution[place] for readout in self.readouts], 1).astype(np.float64)
            bias = np.concatenate([readout.bias[place] for readout in self.readouts]).astype(np.float64)
            own = {key: self.maps[key][place] for key in maps}
            means = [np.atleast_2d(map_).mean(0) for map_ in own.values() if map_ is not None]
            rounded = fitting.states(np.array([np.full(length, 1 / length), *means]), z, bias, logits)
            for run, states, biases in zip(runs, *(np.split(part, len(runs), -1) for part in rounded), strict=True):
                run["z"].append(states.ravel().tolist())
                run["bias"].append(biases.tolist())
            for key, map_ in own.items():
                maps[key].append(None if map_ is None else fitting.weights(map_, (z, bias), rounded, logits).tolist())
        return maps

    def _imposed(self) -> dict[str, dict[str, list[list[float] | None]]]:
        """Predict what each seed says under every map, where the page cannot compute it and its tail is known."""
        if self.here or self.first.attending is None:
            return {}
        even: Maps = [np.full((self.heads, length), 1 / length) for length in self.lengths]
        every = {"uniform": even} | {key: self.maps[key] for key in self.imposable}
        return {
            str(seed): {key: under(readout, maps) for key, maps in every.items()}
            for seed, readout in self.explored.runs.items()
        }

    def view(self) -> View:
        """Write the texts of the view."""
        ids, texts = self.first.ids, self.explored.texts
        runs = [
            Run(p=probabilities(each.probabilities), prediction=each.predictions.tolist()) for each in self.readouts
        ]
        maps: dict[str, list[Weights | None]] = {
            key: [None if map_ is None else fitting.significant(map_.astype(np.float64)).tolist() for map_ in values]
            for key, values in self.maps.items()
        }
        if self.here:
            maps |= self._computed_here(runs)
            for run, readout in zip(runs, self.readouts, strict=True):
                if readout.head is not None:
                    run["tail"] = Tail(weight=readout.head.weight.tolist(), bias=readout.head.bias.tolist())
        items = [self._items(place) for place in range(len(self.lengths))]
        candidates = self.first.candidates
        return View(
            id=ids,
            words=[words for words, _ in items],
            marks=self.marks,
            unread=[unread for _, unread in items],
            query=[None if text["query"] is None else " ".join(text["query"]) for text in texts],
            candidates=[None] * len(items) if candidates is None else [row.tolist() for row in candidates],
            gold=self.first.labels.tolist(),
            runs=dict(zip(map(str, self.explored.runs), runs, strict=True)),
            maps=maps,
            imposed=self._imposed(),
            own=self.own,
            columns={
                column.name: [value_of(self.explored.columns.get(id_, {}).get(column.name)) for id_ in ids]
                for column in SHOWN_COLUMNS
            },
        )

    def about(self, sampled: Sampled) -> AboutView:
        """Say what there is to know of the view before it is unpacked."""
        explored, first = self.explored, self.first
        dataset_name, suite_name, model_name = explored.names
        missing = dict(explored.missing)
        if not any(about["key"].startswith("contribution:") for about in self.abouts):
            missing["exact contribution"] = NOT_DECIDED if first.head is None else NO_CONTRIBUTION
        return AboutView(
            key=f"{explored.dataset}/{explored.suite}/{explored.model}",
            dataset=explored.dataset,
            dataset_name=dataset_name,
            suite=explored.suite,
            suite_name=suite_name,
            model=explored.model,
            model_name=model_name,
            opening="",
            items=explored.items,
            classes=[
                isolated(explored.classes.get(class_, str(class_))) for class_ in range(first.probabilities.shape[1])
            ],
            seeds=[*explored.runs],
            heads=self.heads,
            outputs=first.bias.shape[1] if self.here else 0,
            here=self.here,
            why_not="" if self.here else NOT_LINEAR if first.decided else NOT_DECIDED,
            tail=self.here and first.head is not None,
            sampled=sampled,
            maps=self.abouts,
            missing=missing,
            columns=[about_column(column) for column in SHOWN_COLUMNS],
            columns_seed=explored.columns_seed,
            lines=[line._asdict() for line in explored.lines],
        )


KINDS: dict[Any, ColumnKind] = {flag.type: "flag", integer.type: "integer", real.type: "number", reals.type: "number"}
SHOWN_COLUMNS = tuple(column for column in TEXTS.columns if column.name not in SHOWN_ELSEWHERE)


def about_column(column: Column) -> AboutColumn:
    """Say what there is to know of a column of the table of texts."""
    label, kind = LABELS.get(column.name, column.name), KINDS.get(column.type, "text")
    return AboutColumn(name=column.name, label=label, kind=kind, unit=column.unit, meaning=column.meaning)


def value_of(value: Any) -> str | float | bool | None:
    """Write a value of the table of texts as JSON has it; of a list the first."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, float):
        return None if isnan(value) else float(f"{value:.{EFFECT}g}")
    return cast("str | bool | None", value)


def under(readout: Readout, maps: Maps) -> list[list[float] | None]:
    """Predict as a Transformer does under other weights of its heads, (H, L) a text; None where there are none."""
    known = [place for place, map_ in enumerate(maps) if map_ is not None]
    predicted: list[list[float] | None] = [None] * len(maps)
    if known:
        weights = [map_.T.astype(np.float32) for map_ in maps if map_ is not None]
        some = readout.aligned([readout.ids[place] for place in known])
        for place, p in zip(known, probabilities(some.predict(weights)), strict=True):
            predicted[place] = p
    return predicted


def cut(view: View, places: Sequence[int]) -> View:
    """Keep the texts of a view at these places alone."""

    def some(part: Any) -> Any:
        if isinstance(part, list):
            return [part[place] for place in places]
        return {key: value if key == "tail" else some(value) for key, value in part.items()}

    return cast(View, some(view))


def seen_of(about: AboutView, view: View) -> list[Seen]:
    """List what the rule of the opening text knows of each text: of the seed that is shown first."""
    run = view["runs"][str(about["seeds"][0])]
    right = [own == gold for own, gold in zip(run["prediction"], view["gold"], strict=True)]
    read = [items[: len(items) - marks] for items, marks in zip(view["words"], view["marks"], strict=True)]
    words = [len(items) if about["items"] == "words" else len(" ".join(items).split()) for items in read]
    known = [view["columns"][name] for name in Seen._fields[3:]]
    return [*map(Seen.of, right, map(max, run["p"]), words, *known)]


def opened(about: AboutView, view: View) -> tuple[AboutView, View]:
    """Put the text first that is shown first, and give the reason."""
    place, why = opening(seen_of(about, view), about["items"].removesuffix("s"))
    others = [other for other in range(len(view["id"])) if other != place]
    return AboutView(**about | {"opening": why}), cut(view, [place, *others])
