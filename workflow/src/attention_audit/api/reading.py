"""A text that a trained model reads, or one of readouts of one's own: what it shows, and how firm that is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.api.writing import as_path, classes_named
from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.audits.attention_maps import MARKS
from attention_audit.audits.gradients import gradients
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import CENSUS, CORPUS
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.tokens import placed_words
from attention_audit.corpus.vocabulary import UNKNOWN
from attention_audit.divergence import jsd, tvd
from attention_audit.errors import AuditError
from attention_audit.figures import style
from attention_audit.figures.attention_maps import printable
from attention_audit.given.arrays import entries
from attention_audit.given.readouts import GivenReadout, check_beside
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.names import MAPS
from attention_audit.plan.configuration import read_configuration
from attention_audit.plan.model import Model, Run
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import Suite
from attention_audit.plan.trainings import Trainings
from attention_audit.raw_text import RawText
from attention_audit.readout import Readout
from attention_audit.stages.import_readout import as_readout
from attention_audit.stages.loading import Material, build_split, read_material, rebuilt
from attention_audit.stages.read_classifier import classes_of, opened, pieces_of, read_out, read_texts, split_of
from attention_audit.stages.reading_classifiers import take_classifier, take_word_maps
from attention_audit.stages.reading_out import take_readout
from attention_audit.tables.wording import ClassNames, class_names
from attention_audit.transformer.folder import told_of
from attention_audit.transformer.opening import open_tokenizer
from attention_audit.transformer.pieces import Pieces

ID = "text"
DIGITS = 3
ROW, MARGIN = 0.2, 1.3  # inches: of a word of the figure, and around all words
RATIOS = (3, 2, 1.5)  # of the widths of its panels, behind which each map has one of 2
NOT_KNOWN = " (unknown)"  # behind a word of the figure
COLUMNS = ("word", "weight", "contribution", "gradient", "lowest", "highest", "adversary", "known")
"""Of each word; behind them there is one for each further map."""
OTHERS = {"contribution": "contribution to the lead (logit)", "gradient": "share of the gradient"}

Known = npt.NDArray[np.bool_]


class Seen(NamedTuple):
    """What one training makes of a text of L items: readout, gradients (L,), exact contributions (L,), NaN where there
    are none; and whether it knows any part of each item, (L,), None where nobody has looked.
    """

    readout: Readout
    gradient: npt.NDArray[np.float64]
    contribution: npt.NDArray[np.float64]
    known: Known | None = None


def contributions(readout: Readout) -> npt.NDArray[np.float64]:
    """What each item of the one text of a readout adds to the decision, (L,); NaN where that is not known."""
    (texts,) = readout.batches(torch.float64)
    exact = texts.exact_contributions()
    return np.full(len(readout.attention[0]), np.nan) if exact is None else exact[0].numpy()


def _known_by(tokenizer: Any, pieces: Pieces, items: int) -> Known:
    """Whether any piece of each word of a text is one that the tokenizer knows; marks are known."""
    known, word, unknown = np.ones(items, np.bool_), pieces.words >= 0, pieces.ids == tokenizer.unk_token_id
    known[pieces.words[word & unknown]] = False
    known[pieces.words[word & ~unknown]] = True
    return known


def _known_of(material: Material, items: int) -> Known:
    """Whether a model that was trained here knows a word of each item of a test text, by vocabulary or tokenizer."""
    texts = material.splits["test"]
    if material.opened is not None and texts.pieces is not None:
        return _known_by(open_tokenizer(material.opened.folder), texts.pieces, items)
    known: Known = texts.texts.flat[1:-1] != UNKNOWN
    return known if texts.sentences is None else np.logical_or.reduceat(known, texts.sentences.flat)


def _headline(words: pd.DataFrame, facts: pd.Series) -> str:
    """What was predicted, of how many unknown words, how far the trainings agree, and how far the adversary moves map
    and prediction.
    """
    parts = [f"prediction: {facts['prediction']} (p = {facts['probability']:.3f})"]
    read = words["weight"].notna()
    if unread := int((~read).sum()):
        parts.append(f"the model does not read {unread} of {len(words)} words")
    if unknown := int((read & ~words["known"]).sum()):
        parts.append(f"the model does not know {unknown} of {len(words)} words")
    if facts["trainings"] > 1:
        parts.append(
            f"{facts['trainings']} trainings: JSD {facts['jsd']:.3f}, shuffled {facts['chance_jsd']:.3f}; the same "
            f"word is first in {100 * facts['same_top']:.0f} % of the others"
        )
    if not np.isnan(facts["adversary_jsd"]):
        parts.append(f"adversary: JSD {facts['adversary_jsd']:.3f}, TVD {facts['adversary_tvd']:.3f}")
    return "\n".join(parts)


def _draw_weights(axes: Axes, words: pd.DataFrame) -> None:
    """The weight of each word, its range over trainings, and the adversary's weight."""
    rows = range(len(words))
    axes.barh(rows, words["weight"], color=style.SKY, height=0.7, label="first training")
    if (words["highest"] > words["lowest"]).any():
        axes.hlines(rows, words["lowest"], words["highest"], color=style.BLACK, linewidth=1, label="all trainings")
    if words["adversary"].notna().any():
        axes.plot(words["adversary"], rows, "o", color=style.VERMILLION, markersize=3, label="adversary")
    axes.set_xlabel("attention")
    named = zip(words["word"], words["known"], strict=True)
    axes.set_yticks(rows, [printable(word) + ("" if known else NOT_KNOWN) for word, known in named])
    axes.set_ylim(len(words) - 0.5, -0.5)


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

    def __repr__(self) -> str:
        return f"Reading({'; '.join(_headline(self.words, self.facts).splitlines())})"

    def _repr_html_(self) -> str:
        shown = self.words.dropna(axis=1, how="all").round(DIGITS)
        return f"<p>{escape(_headline(self.words, self.facts))}</p>{shown.to_html(index=False)}"

    def figure(self) -> Figure:
        """A picture with a row for each word: weights with their range over trainings, signed contributions, shares of
        the gradient, and further maps. Words that are not read, and a panel of what is not known, are left out. The
        figure grows with the text and with the maps.
        """
        words, facts = self.words.dropna(subset="weight"), self.facts
        further = [str(name) for name in words if name not in COLUMNS]
        maps = {name: MAPS[name].label if name in MAPS else name for name in further}
        shown = {name: label for name, label in (OTHERS | maps).items() if words[name].notna().any()}
        with style.house_style([*words["word"], str(facts["prediction"])]):
            ratios = [*RATIOS[: 1 + len(shown) - len(maps)], *[2.0] * len(maps)]
            size = (style.WIDTH * max(1, sum(ratios) / sum(RATIOS)), ROW * len(words) + MARGIN)
            figure = Figure(figsize=size, layout="constrained")
            first, *others = figure.subplots(1, len(ratios), sharey=True, squeeze=False, width_ratios=ratios)[0]
            _draw_weights(first, words)
            for axes, (name, label) in zip(others, shown.items(), strict=True):
                colours = np.where(words[name] < 0, style.VERMILLION, style.BLUE)
                axes.barh(range(len(words)), words[name], color=colours.tolist(), height=0.7)
                axes.axvline(0, color=style.GREY, linewidth=0.6)
                axes.tick_params(left=False)
                axes.set_xlabel(label)
            figure.suptitle(_headline(words, facts), fontsize=style.TEXT, x=0.01, ha="left")
            figure.legend(*first.get_legend_handles_labels(), loc="outside lower left", ncols=3)
        return figure


@dataclass(frozen=True, repr=False)
class Trained:
    """A model that the workflow trained or imported as a network, and that texts can be given to: see `trained`."""

    scope: Scope
    trainings: Trainings
    suite: Suite
    dataset: str
    model: str

    def __repr__(self) -> str:
        there = sum(map(self._there, self._model.runs))
        return f"Trained({self.dataset}, suite {self.suite.name}, model {self.model}: {there} trainings)"

    @property
    def _models(self) -> dict[str, Model]:
        return self.scope.models(self.suite, self.dataset)

    @property
    def _model(self) -> Model:
        return self._models[self.model]

    def _weights(self, run: Run) -> Path:
        return Path(self.trainings.home(self.suite, self.dataset, run).file("weights"))

    def _there(self, run: Run) -> bool:
        """Whether a run is given or was trained."""
        return self._models[run.model].settings is None or self._weights(run).is_file()

    @property
    def _adversary(self) -> Run | None:
        """The adversary of the model, where the suite has one and it is there."""
        run, base = self.scope.shown(self.suite, self.dataset), self.scope.base(self.suite, self.dataset)
        if run is None or base is None or base.model != self.model or not self._there(run):
            return None
        return run

    @property
    def classes(self) -> ClassNames:
        """The names of the classes."""
        path = Path(self.scope.config.places.corpus_file(self.dataset, "census"))
        return class_names({self.dataset: read_frame(path, CENSUS)})[self.dataset]

    def _corpus(self, sentences: Sequence[Sequence[str]], written: RawText | None, folder: str) -> Path:
        """A corpus whose splits have one text, in a folder."""
        starts = np.cumsum([0, *map(len, sentences)])[:-1].tolist()
        words = [*chain(*sentences)]
        row: dict[str, Any] = dict.fromkeys(CORPUS.schema.names)
        row |= {"id": ID, "label": 0, "label_name": "", "tokens": words, "sentences": starts}
        if written:
            row |= {"raw": written.text, "starts": written.places}
        columns = {name: [value] * len(SPLITS) for name, value in row.items()} | {"split": list(SPLITS)}
        path = Path(folder) / "corpus.parquet"
        write_table(path, CORPUS, columns, Provenance("reading", {}, ""))
        return path

    def _seen(self, run: Run, corpus: Path, maps: Sequence[str] = ()) -> Seen:
        made = self._trained if self._models[run.model].settings else self._given
        network, split, readout, known = made(run, corpus, maps)
        slope = np.full(len(readout.attention[0]), np.nan)
        if not self._model.hierarchical:
            slope[: readout.words[0]] = gradients(network, split)[0]
        return Seen(readout, slope, contributions(readout), known)

    def _trained(self, run: Run, corpus: Path, maps: Sequence[str]) -> tuple[Network, Split, Readout, Known]:
        places, device = self.scope.config.places, torch.device("cpu")
        architecture = self._models[run.model].architecture
        vocabulary = Path(places.corpus_file(self.dataset, "vocabulary"))
        records = self.trainings.transformer(self.dataset, self._models[run.model])
        files = {"transformer": [Path(record) for record in records]}
        material = read_material(corpus, vocabulary, architecture, files=files)
        material = replace(material, classes=len(self.classes))
        network = rebuilt(material, architecture, run.seed, self._weights(run), device)
        texts = material.splits["test"]
        split = build_split(texts, device)
        if isinstance(network, FineTuned) and texts.pieces is not None:
            labels = np.asarray(texts.labels)
            readout = take_classifier(network.eval(), texts.pieces, [ID], labels, range(material.classes))
            readout = replace(readout, maps=take_word_maps(network, texts.pieces, maps))
        else:
            readout = take_readout(network, split, [ID])
        return network, split, readout, _known_of(material, len(readout.attention[0]))

    def _given(self, run: Run, corpus: Path, maps: Sequence[str]) -> tuple[Network, Split, Readout, Known]:
        """A classifier of the user's folder, as it is imported."""
        read, texts = self._models[run.model].reads[run.seed - 1], read_texts(corpus)
        classifier = opened(read)
        classes = classes_of(classifier.folder, classifier.names, self.classes, read.labels)
        pieces = pieces_of(classifier, texts)
        readout = read_out(classifier, pieces, texts, classes, read)
        readout = replace(readout, maps=take_word_maps(classifier, pieces, maps))
        known = _known_by(classifier.tokenizer, pieces, len(readout.attention[0]))
        return classifier, split_of(pieces, texts, torch.device("cpu")), readout, known

    def read(self, text: str | Sequence[str], maps: Sequence[str] = ()) -> Reading:
        """What the model makes of a text, which is split into words as its data set was; or of a list of words.

        Of a model of sentences, the rows are sentences. maps: names of further maps of a Transformer classifier in
        question, all of which docs/method/maps.md has. Raises AuditError where the text has no word, where weights or
        vocabulary are not there, and where the model has no such maps.
        """
        maps = entries(maps, "maps")
        MAPS.refuse_unknown(maps)
        if maps and (self.suite.name != "hf" or not self._model.judged):
            raise AuditError(
                f"{self.model}: is no Transformer classifier in question, which maps are of; leave them out"
            )
        tokens = self.scope.config.corpora[self.dataset].preparation.tokens
        placed = placed_words(text if isinstance(text, str) else entries(text, "text"), tokens)
        sentences = [[word for word, _, _ in sentence] for sentence in placed]
        if not any(sentences):
            raise AuditError("text: no word is in it; give one with words")
        runs = [run for run in self._model.runs if self._there(run)]
        if not runs:
            path = self._weights(self._model.runs[0])
            raise AuditError(f"{path}: not there; make it with `snakemake {path}`, or name another model")
        adversary = self._adversary
        with TemporaryDirectory(prefix="attention-audit-") as folder, told_of(self.scope.config.mirror):
            written = RawText(text, [start for _, start, _ in chain(*placed)]) if isinstance(text, str) else None
            corpus = self._corpus(sentences, written, folder)
            seen = {runs[0]: self._seen(runs[0], corpus, maps)}
            seen |= {run: self._seen(run, corpus) for run in [*runs[1:], *([adversary] if adversary else [])]}
        hierarchical = self._model.hierarchical
        items = [" ".join(sentence) for sentence in sentences] if hierarchical else [*chain(*sentences)]
        # a Transformer may read less than the whole text, and one's own map has its marks behind the words
        first = seen[runs[0]].readout
        marks = int((first.lengths - first.words)[0])
        read = [*(items[place] for place in first.places[0]), *MARKS[:marks]]
        others = seen[adversary] if adversary else None
        return reading_of(read, [seen[run] for run in runs], others, self.classes, items)


def seen_in(readout: Readout, name: str) -> Seen:
    """What a readout says of one of its texts, by its id; there are no gradients."""
    read = readout.aligned([name])
    return Seen(read, np.full(len(read.attention[0]), np.nan), contributions(read))


def _distances(first: Readout, other: Readout) -> tuple[float, float]:
    """How far a map and a prediction are from those of the first training: JSD (nats) and TVD."""
    maps = (torch.tensor(readout.attention[0]).double() for readout in (first, other))
    predicted = (torch.tensor(readout.probabilities[0]).double() for readout in (first, other))
    return float(jsd(*maps)), float(tvd(*predicted))


def reading_of(
    items: list[str],
    trainings: list[Seen],
    adversary: Seen | None,
    classes: ClassNames,
    whole: Sequence[str] | None = None,
) -> Reading:
    """What trainings say of a text of some items. whole: all words of the text, of which some may not be read."""
    first, *others = (seen.readout for seen in trainings)
    weights = np.stack([seen.readout.attention[0] for seen in trainings]).astype(np.float64)
    words = pd.DataFrame(
        {
            "word": items,
            "weight": weights[0],
            "contribution": trainings[0].contribution,
            "gradient": trainings[0].gradient,
            "lowest": weights.min(0),
            "highest": weights.max(0),
            "adversary": np.nan if adversary is None else adversary.readout.attention[0].astype(np.float64),
            "known": True if trainings[0].known is None else trainings[0].known,
            # a series of the words alone, which has nothing for the marks
            **{name: pd.Series(scores, dtype=np.float64) for name, (scores,) in first.maps.items()},
        },
        index=range(len(items)),
    )
    decision = int(first.predictions[0])
    moved, moved_tvd = (np.nan, np.nan) if adversary is None else _distances(first, adversary.readout)
    tops = weights[:, : first.words[0]].argmax(1)
    known = len(items) > 1 and first.decided
    shuffled = permutation(first, Permutation(), Permutation().seed) if known else {"chance_jsd": [np.nan]}
    facts = pd.Series(
        {
            "prediction": classes.get(decision, str(decision)),
            "probability": float(first.probabilities[0, decision]),
            "trainings": len(trainings),
            "same_top": float((tops[1:] == tops[0]).mean()) if others else np.nan,
            "jsd": float(np.mean([_distances(first, other)[0] for other in others])) if others else np.nan,
            "chance_jsd": float(shuffled["chance_jsd"][0]),
            "adversary_jsd": moved,
            "adversary_tvd": moved_tvd,
        }
    )
    if whole is not None:
        places, count = first.places[0], len(whole) + len(items)
        words = words.set_axis([*places, *range(len(whole), count - len(places))]).reindex(range(count - len(places)))
        words["word"] = [*whole, *items[len(places) :]]
        words["known"] = words["known"].eq(True)
    return Reading(words, facts)


def trained(results: str | Path, dataset: str, suite: str = "wp", model: str = "base") -> Trained:
    """A model of a finished run: its folder of results, and data set, suite and model as its tables name them.

    Raises AuditError, in one line, where the folder holds no run, or the run has no such data set, suite or model, and
    for models of pairs and for what is known by readouts alone, which no text can be given to. Files that lay in the
    mirror of the run are looked for there.
    """
    config = read_configuration(as_path(results, "results"))
    scope = Scope(config.model_copy(update={"results": str(results)}), looking=False)
    trainings = Trainings(scope)
    every = scope.suite(suite)
    if dataset not in scope.datasets_of(every):
        known = ", ".join(scope.datasets_of(every)) or "none"
        raise AuditError(f"{dataset}: not a data set of suite {suite} in {results} (known: {known}); name another")
    models = scope.models(every, dataset)
    if model not in models:
        raise AuditError(f"{model}: not a model of suite {suite} (known: {', '.join(models)}); name another")
    pairs = config.corpora[dataset].pairs
    if pairs or not models[model].network:
        reason = "reads pairs of texts" if pairs else "is known by its readouts alone"
        raise AuditError(f"{model}: {reason}, so no text can be given to it; name another")
    return Trained(scope, trainings, every, dataset, model)


def _given(readout: Any, argument: str, first: GivenReadout | None) -> GivenReadout:
    """A readout of the texts of the first one. Raises AuditError where it is none."""
    if not isinstance(readout, GivenReadout):
        raise AuditError(f"{argument}: holds {type(readout).__name__}, and no readout; make one with api.readout")
    called = replace(readout, place=argument)
    check_beside(called, first or called)
    return called


def reading(
    readouts: GivenReadout | Sequence[GivenReadout],
    text: int | str,
    *,
    adversary: GivenReadout | None = None,
    classes: Sequence[str] | None = None,
) -> Reading:
    """What readouts of one's own say of one of their texts.

    readouts: the trainings of a model, one or several. text: its place, from 0, or its id. adversary: a model that
    predicts alike and attends elsewhere. classes: their names. Nobody says which words the model knows, so that all are
    called known; there are no gradients.

    Raises AuditError, in one line, where readouts are not of the same texts, or have no such text.
    """
    several = [readouts] if isinstance(readouts, GivenReadout) else entries(readouts, "readouts")
    if not several:
        raise AuditError("readouts: there is none; give one or more")
    first = _given(several[0], "readouts", None)
    given = [first, *(_given(one, f"readouts, {number}.", first) for number, one in enumerate(several[1:], 2))]
    if isinstance(text, str) and text not in first.ids:
        raise AuditError(f"text: no id is {text!r}; give one of {first.ids[0]!r} to {first.ids[-1]!r}, or a place")
    if not isinstance(text, str) and not 0 <= text < len(first):
        raise AuditError(f"text: is {text}, and there are {len(first)} texts; count from 0")
    at = first.ids.index(text) if isinstance(text, str) else text
    given += [] if adversary is None else [_given(adversary, "adversary", first)]
    seen = [seen_in(as_readout(one), first.ids[at]) for one in given]
    names = {} if classes is None else dict(enumerate(classes_named(classes, first.classes)))
    return reading_of(first.tokens[at], seen[: len(several)], None if adversary is None else seen[-1], names)
