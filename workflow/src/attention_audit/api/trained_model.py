"""A text that a trained model reads, or one of readouts of one's own: what it shows, and how firm that is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from attention_audit.arrays import Flags
from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.audits.gradients import compute_gradients
from attention_audit.columns.files import CENSUS, CORPUS
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.tokens import split_words
from attention_audit.corpus.vocabulary import UNKNOWN_ROW
from attention_audit.errors import AuditError
from attention_audit.given import GivenReadout, GivenTrainings, check_path, list_class_names, make_list, name_readouts
from attention_audit.model.network import Network, use_torch
from attention_audit.model.sequence_classifier import TransformerClassifier
from attention_audit.names import refuse_unknown_maps
from attention_audit.plan.model import Model, Run
from attention_audit.plan.suites import Scope, find_suite
from attention_audit.plan.trainings import Trainings
from attention_audit.readout import Readout
from attention_audit.stages.classifier_texts import build_split_of, cut_pieces, open_classifier, read_texts
from attention_audit.stages.import_readout import build_readout
from attention_audit.stages.loading import build_model, build_split, read_material
from attention_audit.stages.network_readout import take_classifier, take_readout
from attention_audit.stages.read_classifier import match_classes
from attention_audit.tables.wording import ClassNames, read_class_names
from attention_audit.transformer.folder import use_mirror
from attention_audit.transformer.opening import open_tokenizer

from .shown_text import Reading, make_reading

TEXT_ID = "text"


@dataclass(frozen=True, repr=False)
class Trained:
    """A model that the workflow trained or imported as a network, and that texts can be given to: see `trained`."""

    trainings: Trainings
    model: Model

    def __repr__(self) -> str:
        count, data = sum(map(self._is_there, self.model.runs)), self.model.data
        return f"Trained({data.name}, suite {data.suite.name}, model {self.model.name}: {count} trainings)"

    def _place_weights(self, run: Run) -> Path:
        return Path(self.trainings.homes[run].locate("weights"))

    def _is_there(self, run: Run) -> bool:
        """Tell whether a run is given or was trained."""
        return run.model.settings is None or self._place_weights(run).is_file()

    @property
    def classes(self) -> ClassNames:
        """Read the names of the classes."""
        dataset = self.model.data.name
        path = Path(self.trainings.places.corpus_file(dataset, "census"))
        return read_class_names({dataset: read_frame(path, CENSUS)})[dataset]

    def _read_out(self, run: Run, corpus: Path, maps: Sequence[str] = ()) -> tuple[Readout, Any, Flags]:
        """Read the one text of a corpus out by one training: its readout, the gradients of its words, NaN where there
        are none, and whether the training knows any part of each item.
        """
        model, device = run.model, torch.device("cpu")
        network: Network
        tokenizer: Any = None
        if model.settings:
            vocabulary = Path(self.trainings.places.corpus_file(model.data.name, "vocabulary"))
            record = map(Path, self.trainings.list_records(model))
            files = {"corpus": [corpus], "vocabulary": [vocabulary], "transformer": [*record]}
            material = replace(read_material(files, model.architecture), classes=len(self.classes))
            network = build_model(material, model.architecture, run.seed, self._place_weights(run))
            encoded = material.splits["test"]
            split, pieces = build_split(encoded, device), encoded.pieces
            if material.opened:
                tokenizer = open_tokenizer(material.opened.folder)
            about: tuple[Any, ...] = range(material.classes), False, None, maps
            known_items: Flags = encoded.texts.flat[1:-1] != UNKNOWN_ROW
            if encoded.sentences is not None:
                known_items = np.logical_or.reduceat(known_items, encoded.sentences.flat)
        else:
            source, texts = model.reads[run.seed - 1], read_texts(corpus)
            network = classifier = open_classifier(source)
            tokenizer, pieces = classifier.tokenizer, cut_pieces(classifier, texts)
            class_order = match_classes(classifier.folder, classifier.names, self.classes, source.labels)
            split = build_split_of(pieces, texts, device)
            about = class_order, source.imposed, source.layer, maps
        if isinstance(network, TransformerClassifier) and pieces is not None:
            readout = take_classifier(network.eval(), pieces, [TEXT_ID], split.labels, *about)
        else:
            readout = take_readout(network, split, [TEXT_ID])
        if pieces is not None:
            # marks are known, and a word is of which the tokenizer knows any piece
            known_items, words = np.ones(len(readout.attention[0]), np.bool_), pieces.words
            known_items[words[words >= 0]] = False
            known_items[words[(words >= 0) & (pieces.ids != tokenizer.unk_token_id)]] = True
        return readout, np.nan if model.hierarchical else compute_gradients(network, split)[0], known_items

    @use_torch()
    def read(self, text: str | Sequence[str], maps: Sequence[str] = ()) -> Reading:
        """Read a text, which is split into words as its data set was; or of a list of words.

        Of a model of sentences, the rows are sentences. maps: names of further maps of a Transformer classifier in
        question, all of which docs/method/transformers.md has. Raises AuditError where the text has no word, where
        weights or vocabulary are not there, and where the model has no such maps.
        """
        model, data, maps = self.model, self.model.data, make_list(maps, "maps")
        refuse_unknown_maps(maps)
        if maps and (data.suite.name != "hf" or not model.judged):
            raise AuditError(
                model.name, "is no Transformer classifier in question, which maps are of", "leave them out"
            )
        if any(read.target is not None for read in model.reads):
            raise AuditError(model.name, "is asked of one of its targets", "read texts by audit_classifier(...).read")
        tokens = data.config.corpora[data.name].preparation.tokens
        split = split_words(text if isinstance(text, str) else make_list(text, "text"), tokens)
        if not split.words:
            raise AuditError("text", "no word is in it", "give one with words")
        runs = [run for run in model.runs if self._is_there(run)]
        if not runs:
            path = self._place_weights(model.runs[0])
            raise AuditError(str(path), "not there", f"make it with `snakemake {path}`, or name another model")
        adversary, base = data.shown, data.base
        away = [adversary] if adversary and base and base.model is model and self._is_there(adversary) else []
        row = {
            "id": TEXT_ID,
            "label": 0,
            "label_name": "",
            "tokens": split.words,
            "sentences": split.begins,
            "raw": text if isinstance(text, str) else None,
            "starts": [start for start, _ in split.places],
        }
        with TemporaryDirectory(prefix="attention-audit-") as folder, use_mirror(data.config.mirror):
            corpus = Path(folder) / "corpus.parquet"
            table = pa.Table.from_pylist([row | {"split": split} for split in SPLITS], CORPUS.schema)
            write_table(corpus, CORPUS, table, Provenance("reading", {}, ""))
            reference, gradient, known_items = self._read_out(runs[0], corpus, maps)
            repeats, adversaries = ([self._read_out(run, corpus)[0] for run in each] for each in (runs[1:], away))
        items = split.words
        if model.hierarchical:
            items = [" ".join(items[start:end]) for start, end in pairwise([*split.begins, len(items)])]
        return make_reading(items, [reference, *repeats], adversaries, self.classes, gradient, known_items)


def trained(results: str | Path, dataset: str, suite: str = "wp", model: str = "base") -> Trained:
    """Open a model of a finished run: its folder of results, and data set, suite and model as its tables name them.

    Raises AuditError, in one line, where the folder holds no run, or the run has no such data set, suite or model, and
    for models of pairs and for what is known by readouts alone, which no text can be given to. Files that lay in the
    mirror of the run are looked for there.
    """
    # the type of all configurations takes long to make, and nothing else here needs it
    from attention_audit.plan.configuration import read_configuration

    config = read_configuration(check_path(results, "results"))
    scope = Scope(config.model_copy(update={"results": str(results)}), looking=False)
    if dataset not in (datasets := scope.list_datasets(find_suite(suite))):
        names = ", ".join(datasets) or "none"
        fault = f"not a data set of suite {suite} in {results} (known: {names})"
        raise AuditError(dataset, fault, "name another")
    models = scope.find_data(suite, dataset).models
    if model not in models:
        fault = f"not a model of suite {suite} (known: {', '.join(models)})"
        raise AuditError(model, fault, "name another")
    pairs = config.corpora[dataset].pairs
    if pairs or not models[model].network:
        reason = "reads pairs of texts" if pairs else "is known by its readouts alone"
        raise AuditError(model, f"{reason}, so no text can be given to it", "name another")
    return Trained(Trainings(scope), models[model])


def reading(
    readouts: GivenTrainings,
    text: int | str,
    *,
    adversary: GivenReadout | None = None,
    classes: Sequence[str] | None = None,
) -> Reading:
    """Show what readouts of one's own say of one of their texts.

    readouts: the trainings of a model, one or several. text: its place, from 0, or its id. adversary: a model that
    predicts alike and attends elsewhere. classes: their names. Nobody says which words the model knows, so that all are
    called known; there are no gradients.

    Raises AuditError, in one line, where readouts are not of the same texts, or have no such text.
    """
    arguments = name_readouts(readouts=readouts, adversary=[] if adversary is None else adversary)
    readout = arguments["readouts"][0]
    ids = readout.ids
    at: Any = ids.index(str(text)) if text in ids else text
    if at not in range(len(ids)):
        raise AuditError(
            "text",
            f"{text!r} is neither an id nor a place",
            f"give one of {ids[0]!r} to {ids[-1]!r}, or one of 0 to {len(ids) - 1}",
        )
    at = int(at)
    trainings, away = ([build_readout(training).align([ids[at]]) for training in group] for group in arguments.values())
    names = list_class_names(classes, readout.classes)
    return make_reading(readout.words[at], trainings, away, dict(enumerate(names)))
