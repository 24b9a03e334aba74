"""The trainings of a classifier at hand, which read texts: those that are given with it, and any other."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from attention_audit.arrays import Floats32
from attention_audit.errors import AuditError
from attention_audit.model.network import use_torch
from attention_audit.model.outputs import Target, distribute
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.readout import HeadStates, Readout, select_texts
from attention_audit.stages.classifier_texts import ReadTexts, build_classifier, cut_pieces
from attention_audit.stages.network_readout import take_checked_heads, take_target, take_word_maps
from attention_audit.stages.read_classifier import check_reading, match_classes, read_out, refuse_other_words
from attention_audit.transformer.folder import Home, read_model_facts
from attention_audit.transformer.outputs import OutputKind
from attention_audit.transformer.pieces import Pieces
from attention_audit.transformer.settings import ReadClassifier, choose_layer
from attention_audit.transformer.states import PieceTable, set_piece_limit

from .shown_text import Reading, make_reading
from .targets import AskedTarget

Report = Callable[[str], None]


def ignore(line: str) -> None:
    """Report nothing."""


def print_progress(line: str) -> None:
    """Write a line of progress."""
    print(line, file=sys.stderr)


class CutTexts(NamedTuple):
    """Texts at hand. units: what each is cut into; read: the texts, as trainings read them."""

    units: Sequence[Sequence[str]]
    read: ReadTexts

    def select(self, members: Sequence[int]) -> "CutTexts":
        """Select texts by their numbers."""
        ids, labels, written = self.read
        read = ReadTexts([ids[at] for at in members], labels[[*members]], [written[at] for at in members])
        return CutTexts([self.units[at] for at in members], read)


ListCandidates = Callable[[Sequence[Any]], Sequence[Sequence[AskedTarget]]]
"""Lists the targets of which one is asked of each text, from the outputs of each training, (N, K)."""


def state_chance(reading: Reading, asked_target: AskedTarget, kind: OutputKind, outputs: Any) -> Reading:
    """State how sure the model is of what it says of a label or a class: its own probability of that, and not that of a
    label which begins at its threshold, or of two classes alone. outputs (K,): what a pipeline answers of the text.
    """
    if kind == "number":
        return reading
    probability, rivals = float(outputs[asked_target.number]), [*asked_target.target.rivals]
    if reading.said["prediction"] == asked_target.statements[0]:
        probability = float(outputs[rivals].sum()) if rivals else 1 - probability
    return replace(reading, said={**reading.said, "probability": probability})


@dataclass(frozen=True, eq=False)
class ClassifierReader:
    """The trainings of a classifier, which read texts one after another; only one is in memory at a time.

    homes: where each of them is. how: they read. classes, kind: the names of its outputs, and what these are.
    piece_limit: padded pieces at most that are read at once; None: as many as else. texts: those that are given.
    prepare: cuts further texts, as they were written; None where somebody says what their units are.
    """

    homes: Sequence[Home]
    how: ReadClassifier
    classes: Sequence[str]
    kind: OutputKind
    device: torch.device
    threads: int
    piece_limit: int | None
    texts: CutTexts
    prepare: Callable[[Sequence[Any]], CutTexts] | None

    @contextmanager
    def compute(self) -> Iterator[None]:
        """Compute in the block as an audit does, and leave the random state as it was."""
        with use_torch(self.threads), set_piece_limit(self.piece_limit), torch.random.fork_rng():
            yield

    def _order(self, home: Home, classifier: SequenceClassifier) -> list[int]:
        """Return which output of a training each of the first one's is."""
        return match_classes(home, classifier.names, dict(enumerate(self.classes)), {})

    def open(self, home: Home, texts: ReadTexts, target: Target | None = None) -> tuple[SequenceClassifier, Pieces]:
        """Open a training, which is asked of a target, with the pieces of texts."""
        classifier = build_classifier(home, self.how, self.kind, self.device)
        if target is not None:
            classifier.target = target.reorder(self._order(home, classifier))
        return classifier, cut_pieces(classifier, texts, "texts")

    def _open_alike(self, home: Home, texts: ReadTexts, first: Pieces | None) -> tuple[SequenceClassifier, Pieces]:
        """Open a training that must read the words that the first one reads, whose pieces are given."""
        classifier, pieces = self.open(home, texts)
        refuse_other_words(home, texts, pieces, first or pieces)
        return classifier, pieces

    def read_out(
        self, home: Home, texts: ReadTexts, first: Pieces | None = None, report: Report = ignore
    ) -> tuple[Readout, Pieces]:
        """Read texts out by a training; return the readout, and their pieces. first: those of the first training."""
        classifier, pieces = self._open_alike(home, texts, first)
        return read_out(classifier, texts, pieces, dict(enumerate(self.classes)), self.how, report), pieces

    def read_outputs(
        self, home: Home, texts: ReadTexts, first: Pieces | None = None, report: Report = ignore
    ) -> tuple[tuple[HeadStates, Floats32], Pieces]:
        """Read all outputs of texts by a training, (N, K), in the order of the first one's, with what its heads attend
        to; return them, and the pieces. first: as in `read_out`.
        """
        classifier, pieces = self._open_alike(home, texts, first)
        report(check_reading(classifier, texts, pieces))
        order = self._order(home, classifier)
        return take_checked_heads(classifier, pieces, texts.ids, order, self.how.layer), pieces

    def take_target(
        self, home: Home, texts: ReadTexts, target: Target, heads: HeadStates, outputs: Floats32
    ) -> Readout:
        """Take the readout of a target from the outputs of texts, and from what heads attend to in them."""
        taken = take_target(heads, outputs, target, texts.ids, texts.labels, self.how.layer)
        if self.how.maps:
            taken = replace(taken, maps=take_word_maps(*self.open(home, texts, target), self.how.maps))
        return taken

    def choose_layer(self, layer: int | None) -> "ClassifierReader":
        """Return what reads the map of a layer, from 1. Raises AuditError where a training has not so many."""
        if layer is None:
            return self
        trainings = [*map(read_model_facts, self.homes)]
        count = min(facts.layers for facts in trainings)
        if layer not in range(1, count + 1):
            raise AuditError("layer", f"is {layer!r}, and the model has {count}", "give one of them, from 1")
        chosen = choose_layer(trainings, layer, self.how.long)
        return replace(self, how=self.how.model_copy(update={"layer": chosen}))

    def prepare_text(self, text: Any) -> CutTexts:
        """Cut another text, as it was written. Raises AuditError where only spans can say its units."""
        if self.prepare is None:
            raise AuditError(
                "read", "the units of this text are not known, as `spans` says those of others", "audit it"
            )
        return self.prepare([text])

    def weigh_layers(self, texts: ReadTexts) -> Floats32:
        """Read the weights of all layers and heads of the first training in a text, (L, H, I): of its words that are
        read, then of marks.
        """
        with self.compute():
            classifier, pieces = self.open(self.homes[0], texts)
            batch = PieceTable(pieces, self.device).batch(np.array([0]))
            layers = range(1, len(classifier.layers) + 1)
            weights = [batch.weigh_items(classifier.read_attention(batch, layer).weights)[0] for layer in layers]
            return torch.stack(weights).cpu().numpy()

    def show(
        self, texts: CutTexts, readouts: Sequence[Readout], names: Sequence[str], layer: int | None = None
    ) -> list[Reading]:
        """Show texts by the readouts of the trainings. names: of what the model says. layer: which was read."""
        readings = []
        for number, (name, units) in enumerate(zip(texts.read.ids, texts.units, strict=True)):
            of_text = [readout.align([name]) for readout in readouts]
            reading = make_reading(units, of_text, [], dict(enumerate(names)))
            weigh_layers = partial(self.weigh_layers, texts.select([number]).read)
            readings.append(replace(reading, layer=layer, weigh_layers=weigh_layers))
        return readings

    def read_texts(self, texts: CutTexts, layer: int | None) -> list[Reading]:
        """Read texts. layer: another one than the last. Raises AuditError where one cannot be read."""
        reader = self.choose_layer(layer)
        with self.compute():
            reference, pieces = reader.read_out(self.homes[0], texts.read)
            others = [reader.read_out(home, texts.read, pieces)[0] for home in self.homes[1:]]
        return self.show(texts, [reference, *others], self.classes, layer)

    def read_targets(self, texts: CutTexts, list_candidates: ListCandidates, layer: int | None) -> list[Reading]:
        """Read texts, and what they say of that of the candidates to which the model says yes most clearly. layer: as
        in `read_texts`.
        """
        reader, members = self.choose_layer(layer), defaultdict[int, list[int]](list)
        with self.compute():
            first, pieces = reader.read_outputs(self.homes[0], texts.read)
            seen = [first, *(reader.read_outputs(home, texts.read, pieces)[0] for home in self.homes[1:])]
            outputs, chosen = torch.from_numpy(first[1]), dict[int, AskedTarget]()
            for number, candidates in enumerate(list_candidates([values for _, values in seen])):
                row = outputs[[number]]
                asked_target = max(candidates, key=lambda each: float(each.target.read(row)))
                members[id(asked_target)].append(number)
                chosen[id(asked_target)] = asked_target
            readings: dict[int, Reading] = {}
            answers = distribute(outputs, self.kind)
            for key, asked_target in chosen.items():
                at, part = np.array(members[key]), texts.select(members[key])
                readouts = [
                    reader.take_target(home, part.read, asked_target.target, select_texts(heads, at), values[at])
                    for home, (heads, values) in zip(self.homes, seen, strict=True)
                ]
                shown = self.show(part, readouts, asked_target.statements, layer)
                readings |= {
                    number: state_chance(reading, asked_target, self.kind, answers[number])
                    for number, reading in zip(members[key], shown, strict=True)
                }
        return [readings[number] for number in range(len(texts.units))]
