"""A text that a trained model reads, or one of readouts of one's own: what it shows, and how firm that is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from matplotlib.figure import Figure
from torch import Tensor

from attention_audit.arrays import Flags
from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.audits.attention_maps import MARKS
from attention_audit.audits.erasure import find_contributions
from attention_audit.audits.gradients import compute_gradients
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import CENSUS, CORPUS
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.tokens import split_words
from attention_audit.corpus.vocabulary import UNKNOWN_ROW
from attention_audit.divergence import jsd, tvd
from attention_audit.errors import AuditError
from attention_audit.figures import style
from attention_audit.figures.attention_maps import replace_controls
from attention_audit.given import GivenReadout, GivenTrainings, check_path, list_class_names, make_list, name_readouts
from attention_audit.model.network import Network
from attention_audit.model.sequence_classifier import TransformerClassifier
from attention_audit.names import MAPS, refuse_unknown_maps
from attention_audit.plan.configuration import read_configuration
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

from .asking import use_torch

TEXT_ID = "text"
TABLE_DIGITS = 3
WORD_HEIGHT, WORDS_MARGIN = 0.2, 1.3  # inches: of a word of the figure, and around all words
WIDTH_RATIOS = {"weight": 3, "contribution": 2, "gradient": 1.5}  # of the widths of its panels; each map has one of 2
NOT_KNOWN = " (unknown)"  # behind a word of the figure
OTHER_PANELS = {"contribution": "contribution to the lead (logit)", "gradient": "share of the gradient"}


@dataclass(frozen=True, repr=False)
class Reading:
    """What a model makes of a text.

    words: a row for each word, in order, with the columns

    - word; weight: its attention in the first training, and contribution: what it adds there to the lead of the
      predicted class (logit; negative where it speaks against it)
    - gradient: its share of the gradient of the prediction, likewise
    - lowest, highest: the least and the greatest weight that any training of the model gives it
    - adversary: the weight that the adversary gives it, NaN where there is none
    - known: False where the model knows no part of the word, so that it reads any such word alike, or has not read it,
      as it is cut off or the tokenizer leaves it out: such a word has no numbers
    - one by its name for each further map: its score in the first training, NaN for marks of a tokenizer

    facts: prediction (the class of the first training) and its probability; trainings; same_top, the share of the other
    trainings in which the same word has the most attention; jsd, the mean Jensen-Shannon divergence (nats) of their
    maps from the first; chance_jsd, that of the first map shuffled; adversary_jsd and adversary_tvd, how far the
    adversary moves the map and the prediction. NaN where there is nothing to compare with.
    """

    words: pd.DataFrame
    facts: pd.Series

    def _write_head(self, words: pd.DataFrame) -> str:
        """Write what was predicted, of how many unknown words, how far the trainings agree, and how far the adversary
        moves map and prediction.
        """
        facts, weighted = self.facts, words["weight"].notna()
        parts = [f"prediction: {facts['prediction']} (p = {facts['probability']:.3f})"]
        for does, count in (("read", (~weighted).sum()), ("know", (weighted & ~words["known"]).sum())):
            if count:
                parts.append(f"the model does not {does} {count} of {len(words)} words")
        if facts["trainings"] > 1:
            parts.append(
                f"{facts['trainings']} trainings: JSD {facts['jsd']:.3f}, shuffled {facts['chance_jsd']:.3f}; the same "
                f"word is first in {100 * facts['same_top']:.0f} % of the others"
            )
        if not np.isnan(facts["adversary_jsd"]):
            parts.append(f"adversary: JSD {facts['adversary_jsd']:.3f}, TVD {facts['adversary_tvd']:.3f}")
        return "\n".join(parts)

    def __repr__(self) -> str:
        return f"Reading({'; '.join(self._write_head(self.words).splitlines())})"

    def _repr_html_(self) -> str:
        table = self.words.dropna(axis=1, how="all").round(TABLE_DIGITS)
        return f"<p>{escape(self._write_head(self.words))}</p>{table.to_html(index=False)}"

    def figure(self) -> Figure:
        """Draw a row for each word: weights with their range over trainings, signed contributions, shares of the
        gradient, and further maps. Words that are not read, and a panel of what is not known, are left out. The figure
        grows with the text and with the maps.
        """
        words = self.words.dropna(subset="weight")
        _, *map_names = map(str, words.loc[:, "known":])
        labels = OTHER_PANELS | {name: MAPS[name].label if name in MAPS else name for name in map_names}
        panels = {name: label for name, label in labels.items() if words[name].notna().any()}
        rows = range(len(words))
        with style.use_house_style([*words["word"], str(self.facts["prediction"])]):
            ratios = [WIDTH_RATIOS.get(name, 2) for name in ("weight", *panels)]
            width = style.PAGE_WIDTH * max(1, sum(ratios) / sum(WIDTH_RATIOS.values()))
            figure = Figure(figsize=(width, WORD_HEIGHT * len(words) + WORDS_MARGIN), layout="constrained")
            main, *sides = figure.subplots(1, len(ratios), sharey=True, squeeze=False, width_ratios=ratios)[0]
            main.barh(rows, words["weight"], color=style.SKY, height=0.7, label="first training")
            if (words["highest"] > words["lowest"]).any():
                main.hlines(rows, words["lowest"], words["highest"], style.BLACK, linewidth=1, label="all trainings")
            if words["adversary"].notna().any():
                main.plot(words["adversary"], rows, "o", color=style.VERMILLION, markersize=3, label="adversary")
            main.set_xlabel("attention")
            main.set_yticks(rows, words["word"].map(replace_controls) + np.where(words["known"], "", NOT_KNOWN))
            main.set_ylim(len(words) - 0.5, -0.5)
            for axes, (name, label) in zip(sides, panels.items(), strict=True):
                colours = np.where(words[name] < 0, style.VERMILLION, style.BLUE)
                axes.barh(rows, words[name], color=colours.tolist(), height=0.7)
                axes.axvline(0, color=style.GREY, linewidth=0.6)
                axes.tick_params(left=False)
                axes.set_xlabel(label)
            figure.suptitle(self._write_head(words), fontsize=style.TEXT_SIZE, x=0.01, ha="left")
            figure.legend(*main.get_legend_handles_labels(), loc="outside lower left", ncols=3)
        return figure


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


def average_distance(measure: Callable[[Tensor, Tensor], Tensor], shares: Any) -> float:
    """Average how far maps, or predictions, are from the first of them; NaN of no other."""
    maps = torch.from_numpy(np.stack(shares)).double()
    return float(measure(maps[:1], maps[1:]).mean())


@use_torch()
def make_reading(
    items: Sequence[str],
    trainings: Sequence[Readout],
    adversaries: Sequence[Readout],
    classes: ClassNames,
    gradient: Any = np.nan,
    known_items: Flags | bool = True,
) -> Reading:
    """Say what trainings make of a text of some items, of which some may not be read; marks stand behind them.

    adversaries: one, or none. gradient: of the words that the first training reads. known: whether it knows each item
    that it reads.
    """
    reference = trainings[0]
    positions, marks = reference.places[0], MARKS[: int((reference.lengths - reference.words)[0])]
    weights = np.stack([training.attention[0] for training in trainings]).astype(np.float64)
    (padded,) = reference.batches(torch.float64)
    exact = find_contributions(padded)
    count = len(items) + len(marks)
    words = pd.DataFrame(
        {
            "word": "",
            "weight": weights[0],
            "contribution": np.nan if exact is None else exact[0].numpy(),
            "gradient": pd.Series(gradient, positions, np.float64),
            "lowest": weights.min(0),
            "highest": weights.max(0),
            "adversary": adversaries[0].attention[0].astype(np.float64) if adversaries else np.nan,
            "known": known_items,
            # a series of the words alone, which has nothing for the marks
            **{name: pd.Series(scores, positions, np.float64) for name, (scores,) in reference.maps.items()},
        },
        index=[*positions, *range(len(items), count)],
    ).reindex(range(count))
    words["word"], words["known"] = [*items, *marks], words["known"].eq(True)
    decision = int(reference.predictions[0])
    readouts = [reference, *adversaries]
    tops = weights[:, : len(positions)].argmax(1)
    chance = np.nan
    if len(weights[0]) > 1 and reference.decided:
        chance = float(permutation(reference, Permutation())["chance_jsd"][0])
    facts = pd.Series(
        {
            "prediction": classes[decision],
            "probability": float(reference.probabilities[0, decision]),
            "trainings": len(trainings),
            "same_top": float((tops[1:] == tops[0]).mean()) if len(tops) > 1 else np.nan,
            "jsd": average_distance(jsd, weights),
            "chance_jsd": chance,
            "adversary_jsd": average_distance(jsd, [training.attention[0] for training in readouts]),
            "adversary_tvd": average_distance(tvd, [training.probabilities[0] for training in readouts]),
        }
    )
    return Reading(words, facts)


def trained(results: str | Path, dataset: str, suite: str = "wp", model: str = "base") -> Trained:
    """Open a model of a finished run: its folder of results, and data set, suite and model as its tables name them.

    Raises AuditError, in one line, where the folder holds no run, or the run has no such data set, suite or model, and
    for models of pairs and for what is known by readouts alone, which no text can be given to. Files that lay in the
    mirror of the run are looked for there.
    """
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
