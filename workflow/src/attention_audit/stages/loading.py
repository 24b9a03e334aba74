"""From cached files to what the network eats: encoded texts, a model with its first weights, a device."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import nn

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.parquet import read_batches, read_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.columns.corpus import CORPUS, VOCABULARY
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.vocabulary import UNKNOWN, Vocabulary
from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Boundaries, GivenStates, Pairs, Split
from attention_audit.model.network import Network, network
from attention_audit.readout import read_readout
from attention_audit.stages.transforming import FoundStates, Opened, folder_of, found_states
from attention_audit.transformer.batches import PieceTable
from attention_audit.transformer.pieces import Pieces
from attention_audit.transformer.settings import Backbone


def _append_lists(column: pa.ChunkedArray, flat: "array[int]", counts: "array[int]") -> None:
    """Append lists of int32, one after another, and how many each has; a list that is null has none."""
    lists = column.combine_chunks()
    flat.frombytes(lists.flatten().to_numpy().tobytes())
    counts.frombytes(lists.value_lengths().fill_null(0).to_numpy().astype(np.int64).tobytes())


@dataclass(frozen=True)
class EncodedTexts:
    """One split, growing: ids and labels; texts as rows of the embedding, one after another, each between both marks.

    The buffers grow in place, so that a split is never held twice. `lengths` are in tokens, without marks. For a
    hierarchical model: `starts`, the position of each sentence's first word in its text; `counts`, sentences of a text.
    For a deceptive model: `blocked`, the positions of each text's impermissible words, `blocks` of them. For
    a model of pairs: `queries` and `query_lengths`, as rows and lengths are; `candidates`, the classes that may
    answer each text, `choices` of them, 0 where any may. For a Transformer: its `pieces`, or its states where they were
    `found` in a file.
    """

    ids: list[str] = field(default_factory=list)
    labels: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))
    rows: "array[int]" = field(default_factory=lambda: array("i"))
    starts: "array[int]" = field(default_factory=lambda: array("i"))
    counts: "array[int]" = field(default_factory=lambda: array("q"))
    blocked: "array[int]" = field(default_factory=lambda: array("i"))
    blocks: "array[int]" = field(default_factory=lambda: array("q"))
    queries: "array[int]" = field(default_factory=lambda: array("i"))
    query_lengths: "array[int]" = field(default_factory=lambda: array("q"))
    candidates: "array[int]" = field(default_factory=lambda: array("i"))
    choices: "array[int]" = field(default_factory=lambda: array("q"))
    pieces: Pieces | None = None
    found: FoundStates | None = None

    def append(self, table: pa.Table, vocabulary: Vocabulary) -> None:
        """Add texts in the columns of columns.CORPUS."""
        encoded = vocabulary.encode(table["tokens"].combine_chunks())
        self.ids.extend(table["id"].to_pylist())
        self.labels.extend(table["label"].to_pylist())
        self.lengths.frombytes(encoded.lengths.tobytes())
        self.rows.frombytes(encoded.rows.tobytes())
        if "sentences" in table.column_names:
            sentences = table["sentences"].combine_chunks()
            self.starts.frombytes(sentences.flatten().to_numpy().tobytes())
            self.counts.frombytes(sentences.value_lengths().to_numpy().astype(np.int64).tobytes())
        if "blocked" in table.column_names:
            _append_lists(table["blocked"], self.blocked, self.blocks)
        if "query" in table.column_names:
            queries = vocabulary.encode(table["query"].combine_chunks())
            self.queries.frombytes(queries.rows.tobytes())
            self.query_lengths.frombytes(queries.lengths.tobytes())
            _append_lists(table["candidates"], self.candidates, self.choices)

    def cut(self, read: npt.NDArray[np.int64]) -> "EncodedTexts":
        """The same texts without what follows their first tokens, `read` (N,) of them; queries stay whole."""
        lengths = np.asarray(self.lengths)
        if np.array_equal(read, lengths):
            return self
        marked = np.repeat(lengths + 2, lengths + 2)
        place = np.arange(len(marked)) - np.repeat((lengths + 2).cumsum() - lengths - 2, lengths + 2)
        # the start mark is at 0, and the end mark behind the last token
        kept = (place <= np.repeat(read, lengths + 2)) | (place == marked - 1)
        shorter = replace(
            self, lengths=array("q", read.tolist()), rows=array("i", np.asarray(self.rows)[kept].tolist())
        )
        if not self.blocks:
            return shorter
        of_text = np.repeat(np.arange(len(lengths)), np.asarray(self.blocks))
        blocked = np.asarray(self.blocked, np.int32)
        seen = blocked < read[of_text]
        blocks = np.bincount(of_text[seen], minlength=len(lengths))
        return replace(shorter, blocked=array("i", blocked[seen].tolist()), blocks=array("q", blocks.tolist()))

    def impermissible(self) -> npt.NDArray[np.bool_]:
        """Whether each token is impermissible, text after text."""
        lengths = np.asarray(self.lengths)
        tokens = np.zeros(lengths.sum(), np.bool_)
        tokens[np.repeat(lengths.cumsum() - lengths, self.blocks) + np.asarray(self.blocked, np.int64)] = True
        return tokens

    def anonymised(self) -> "EncodedTexts":
        """The same texts without their impermissible words; one of which nothing is left is a single unknown word."""
        lengths, rows, gone = np.asarray(self.lengths), np.array(self.rows), self.impermissible()
        left = lengths - np.bincount(np.repeat(np.arange(len(lengths)), lengths)[gone], minlength=len(lengths))
        # a text lies between two marks
        words = np.arange(lengths.sum()) + np.repeat(2 * np.arange(len(lengths)) + 1, lengths)
        emptied = (lengths.cumsum() - lengths)[left == 0]
        gone[emptied], rows[words[emptied]] = False, UNKNOWN
        kept = np.ones(len(rows), np.bool_)
        kept[words] = ~gone
        return replace(
            self,
            lengths=array("q", np.maximum(left, 1).tolist()),
            rows=array("i", rows[kept].tolist()),
            blocked=array("i"),
            blocks=array("q"),
        )

    def unanswerable(self) -> str | None:
        """The id of the first text whose class is none of its candidates; None where there is no such text."""
        choices = np.asarray(self.choices)
        right = np.asarray(self.candidates) == np.repeat(np.asarray(self.labels), choices)
        answerable = np.bincount(np.repeat(np.arange(len(choices)), choices)[right], minlength=len(choices)) > 0
        missing = np.flatnonzero(~answerable & (choices > 0))
        return self.ids[missing[0]] if len(missing) else None


@dataclass(frozen=True)
class Material:
    """A data set ready for the network: splits in the order of SPLITS, `words` the rows V of the embedding.

    vectors (V, E) has NaN rows where there is no pretrained vector. opened: the Transformer that reads the texts, or
    None.
    """

    splits: dict[str, EncodedTexts]
    classes: int
    words: int
    vectors: npt.NDArray[np.float32] | None
    opened: Opened | None = None

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """Texts of each class in the training split."""
        return tuple(np.bincount(self.splits["train"].labels, minlength=self.classes).tolist())


def vector_matrix(column: pa.ChunkedArray, width: int) -> npt.NDArray[np.float32]:
    """Vectors (V, width) of a column of lists; NaN where there is none."""
    vectors = np.full((len(column), width), np.nan, np.float32)
    vectors[column.is_valid().to_numpy()] = column.combine_chunks().flatten().to_numpy().reshape(-1, width)
    return vectors


def _refuse_nulls(corpus: Path, table: pa.Table, column: str, what: str) -> None:
    if table[column].null_count:
        name = table.filter(pc.is_null(table[column]))["id"][0]
        raise AuditError(f"{corpus}: text '{name}': {what}")


def read_texts(
    corpus: Path, vocabulary: Vocabulary, sentences: bool, pairs: bool = False, blocked: bool = False
) -> dict[str, EncodedTexts]:
    """The texts of each split, in the order of SPLITS, encoded row group by row group.

    Raises AuditError where `sentences` or `pairs` are asked for and a text has no sentences or no query, where a
    training text may not be answered by its own class, or where `blocked` words are asked for and no training text has
    any.
    """
    splits = {split: EncodedTexts() for split in SPLITS}
    columns = ["id", "split", "label", "tokens"]
    columns += ["sentences"] * sentences + ["query", "candidates"] * pairs + ["blocked"] * blocked
    for table in read_batches(corpus, CORPUS, columns):
        if sentences:
            needed = "no sentence boundaries, which a hierarchical model reads"
            _refuse_nulls(corpus, table, "sentences", f"{needed}; set `tokens.sentences: true` for this data set")
        if pairs:
            _refuse_nulls(corpus, table, "query", "no query, which a model of pairs reads; use another data set")
        for split, texts in splits.items():
            texts.append(table.filter(pc.equal(table["split"], split)), vocabulary)
    if pairs and (name := splits["train"].unanswerable()) is not None:
        raise AuditError(f"{corpus}: text '{name}': its answer is none of its candidates; leave it out")
    if blocked and not splits["train"].blocked:
        raise AuditError(
            f"{corpus}: no training text has impermissible words, which a liar hides; name them with `block` in the "
            "entry of the data set, or name another data set"
        )
    return splits


class OfTransformer(NamedTuple):
    """The files of a Transformer's job: the record of the Transformer; and its states, where these are to be read and
    the texts are not.
    """

    record: Path
    states: list[Path]


def of_transformer(inputs: Mapping[str, list[Path]]) -> OfTransformer | None:
    """The files of the Transformer of a job; None where it has none."""
    return OfTransformer(inputs["transformer"][0], inputs.get("states", [])) if inputs.get("transformer") else None


def with_transformer(
    splits: Mapping[str, EncodedTexts],
    corpus: Path,
    architecture: Architecture,
    backbone: Backbone,
    files: OfTransformer,
) -> tuple[dict[str, EncodedTexts], Opened | None]:
    """The texts with the states that a Transformer has of them or, where these are not to be read, with their pieces
    and the Transformer. Words behind the last that it reads are cut off.

    Raises AuditError where the Transformer is another one by now, or cannot read a text.
    """
    if files.states:
        found = found_states(files.states, {split: texts.ids for split, texts in splits.items()}, architecture.pair)
        return {name: replace(texts.cut(found[name].read), found=found[name]) for name, texts in splits.items()}, None
    opened = Opened(folder_of(files.record, backbone), backbone)
    cut = opened.pieces(corpus, architecture.pair, raw=architecture.classifying)
    pieces = {split: part for split, (_, part) in cut.items()}
    return {name: replace(texts.cut(pieces[name].read), pieces=pieces[name]) for name, texts in splits.items()}, opened


def read_material(
    corpus: Path,
    vocabulary: Path,
    architecture: Architecture,
    blocked: bool = False,
    transformer: OfTransformer | None = None,
    anonymised: bool = False,
) -> Material:
    """Read and encode a data set, with its impermissible words, those `blocked`, where a model is to hide them; or
    `anonymised`, without these words.

    `transformer`: the files of the one that the architecture names. Raises AuditError where a file is damaged or lacks
    what the architecture reads.
    """
    table = read_table(vocabulary, VOCABULARY)
    words = Vocabulary(table["word"].to_pylist(), table["train_count"].to_pylist())
    vectors = vector_matrix(table["vector"], architecture.embedding) if architecture.pretrained else None
    splits = read_texts(corpus, words, architecture.hierarchical, architecture.pair, blocked or anonymised)
    if anonymised:
        splits = {name: texts.anonymised() for name, texts in splits.items()}
    classes = 1 + max(max(numbers) for part in splits.values() for numbers in (part.labels, part.candidates) if numbers)
    opened = None
    if architecture.transformer is not None:
        if transformer is None:
            raise ValueError("the files of the Transformer are needed")
        splits, opened = with_transformer(splits, corpus, architecture, architecture.transformer, transformer)
    return Material(splits, classes, len(words.words), vectors, opened)


def build_model(material: Material, architecture: Architecture, seed: int) -> Network:
    """A classifier with the first weights of `seed`; `architecture.missing` says how words start that have no
    pretrained vector, and padding is zero. A Transformer that is to be fine-tuned starts as it is on disk.
    """
    torch.manual_seed(seed)
    if architecture.classifying:
        if material.opened is None:
            raise ValueError("the files of the Transformer are needed")
        # it has what trainings, readouts and audits ask of a network
        return cast(Network, material.opened.classifier(material.classes, architecture.attention == "even_heads"))
    model = network(architecture, material.words, material.classes)
    if architecture.tuned and material.opened is not None:
        model.transformer = material.opened.model()
    if material.vectors is not None:
        vectors = torch.from_numpy(material.vectors)
        with torch.no_grad():
            for module in model.modules():
                if isinstance(module, nn.Embedding):
                    drawn = torch.randn_like if architecture.missing == "normal" else torch.zeros_like
                    module.weight.copy_(torch.where(vectors.isnan(), drawn(vectors), vectors))
                    module.weight[0] = 0
    return model


def load_weights(model: Network, path: Path) -> None:
    """Give a model its trained weights; raises AuditError where they are damaged or of another model."""
    weights = read_weights(path)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise AuditError(f"{path}: weights of another architecture or vocabulary; {rebuild_hint(path)}") from error


def rebuilt(material: Material, architecture: Architecture, seed: int, path: Path, device: torch.device) -> Network:
    """A trained model that reads texts again, on the device: with its Transformer, where it has one.

    Raises AuditError as `load_weights` does.
    """
    model = build_model(material, architecture, seed)
    load_weights(model, path)
    if architecture.frozen and material.opened is not None:
        model.transformer = material.opened.frozen
    return model.to(device)


def build_split(texts: EncodedTexts, device: torch.device, reference: Path | None = None, marks: int = 0) -> Split:
    """A split on the device, with the sentences of its texts, or their queries, where they were read.

    With `reference`, it carries the attention and predictions of that readout; where impermissible words were read,
    attention is to keep away from them. marks: how many items of that attention, its last ones, are marks of a
    tokenizer. A model that reads words alone gets the weights of the words, which then sum to 1.

    Raises AuditError where the readout lacks a text.
    """
    attention, probabilities = None, None
    if reference is not None:
        other = read_readout(reference).aligned(texts.ids)
        attention, probabilities = other.attention, other.probabilities
        # a Transformer may have read less than the whole text
        texts = texts if texts.counts else texts.cut(other.lengths - marks)
        if marks and texts.pieces is None:
            attention = [weights[:-marks] / weights[:-marks].sum() for weights in attention]
    boundaries = Boundaries(texts.starts, texts.counts) if texts.counts else None
    pairs = Pairs(texts.queries, texts.query_lengths, texts.candidates, texts.choices) if texts.query_lengths else None
    impermissible = texts.impermissible() if texts.blocks else None
    pieces = None if texts.pieces is None else PieceTable(texts.pieces, device)
    found = texts.found
    return Split(
        texts.rows,
        texts.lengths,
        texts.labels,
        device,
        attention,
        probabilities,
        boundaries,
        pairs,
        impermissible,
        pieces,
        None if found is None else GivenStates(found.flat, found.starts, found.summarised, device),
        0 if pieces is None else marks,
    )


def by_split(paths: Sequence[Path]) -> dict[str, Path]:
    """Readout files by split: each is named after the split it holds."""
    return {path.stem: path for path in paths}
