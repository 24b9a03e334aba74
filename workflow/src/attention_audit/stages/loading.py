"""From cached files to what the network eats: encoded texts, a model with its first weights, a device."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import nn

from attention_audit.arrays import Flags, Floats32, Integers
from attention_audit.artefacts.files import read_record, rebuild_hint
from attention_audit.artefacts.parquet import read_rows, read_table
from attention_audit.artefacts.running import claim
from attention_audit.artefacts.weights import open_array, read_weights
from attention_audit.batching import find_starts
from attention_audit.columns.files import CORPUS, PIECES, VOCABULARY
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.vocabulary import END_ROW, START_ROW, UNKNOWN_ROW, Vocabulary
from attention_audit.errors import AuditError, add_place
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import GivenStates, RaggedLists, Split
from attention_audit.model.network import Network, build_network
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.raw_text import RawText, join_words
from attention_audit.readout import read_readout
from attention_audit.transformer.folder import ENCODER, find_folder, hash_model_files
from attention_audit.transformer.opening import choose_length, open_model, open_tokenizer, refuse_without_vectors
from attention_audit.transformer.pieces import Pieces, cut, cut_raw
from attention_audit.transformer.settings import Backbone
from attention_audit.transformer.states import PieceTable, WordStates


@dataclass(frozen=True)
class EncodedTexts:
    """One split: ids and labels; texts, as rows of the embedding, each between both marks.

    For a hierarchical model: `sentences`, the position of each sentence's first word in its text. For a deceptive
    model: `impermissible`, whether each token is, text after text. For a model of pairs: `queries`, as texts are;
    `candidates`, the classes that may answer each text, none where any may. For a Transformer: its `pieces`, or its
    states where they were `found` in a file.
    """

    ids: list[str]
    labels: Integers
    texts: RaggedLists
    sentences: RaggedLists | None = None
    impermissible: Flags | None = None
    queries: RaggedLists | None = None
    candidates: RaggedLists | None = None
    pieces: Pieces | None = None
    found: GivenStates | None = None

    @property
    def lengths(self) -> Integers:
        """Return the tokens of each text, without marks, (N,)."""
        return self.texts.counts - 2

    @property
    def is_token(self) -> Flags:
        """Tell whether each row is that of a token, and not of a mark, which no text contains."""
        return ~np.isin(self.texts.flat, [START_ROW, END_ROW])

    def cut(self, positions: Sequence[Integers]) -> "EncodedTexts":
        """Return the same texts with their tokens at these positions alone, N arrays; queries stay whole."""
        texts, seen, is_token = self.texts, self.impermissible, self.is_token
        is_kept = ~is_token
        is_kept[np.repeat(find_starts(texts.counts) + 1, [*map(len, positions)]) + np.concatenate(positions)] = True
        return replace(
            self, texts=texts.select(is_kept), impermissible=None if seen is None else seen[is_kept[is_token]]
        )

    def take_read(self, inputs: Pieces | GivenStates) -> "EncodedTexts":
        """Return the same texts as a Transformer reads them, without the words that it does not read."""
        if isinstance(inputs, Pieces):
            return replace(self.cut(inputs.places_by_text), pieces=inputs)
        return replace(self.cut([*map(np.arange, inputs.read)]), found=inputs)

    def anonymise(self) -> "EncodedTexts":
        """Return the same texts without their impermissible words; one of which nothing is left is a single unknown
        word.
        """
        texts, gone = self.texts, np.zeros(len(self.texts.flat), np.bool_)
        gone[self.is_token] = self.impermissible
        emptied = (find_starts(texts.counts) + 1)[texts.select(~gone).counts == 2]
        gone[emptied] = False
        rows = texts.flat.copy()
        rows[emptied] = UNKNOWN_ROW
        return replace(self, texts=RaggedLists(rows, texts.counts).select(~gone), impermissible=None)

    def mask(self, masks: Flags) -> "EncodedTexts":
        """Return the same texts with the unknown word in the place of some; masks: whether each token is, text after
        text.
        """
        rows = self.texts.flat.copy()
        rows[self.is_token.nonzero()[0][masks]] = UNKNOWN_ROW
        return replace(self, texts=RaggedLists(rows, self.texts.counts))


WORDS = {"texts": "tokens", "queries": "query"}
"""Lists of words of `EncodedTexts` by their columns in columns.CORPUS."""
NUMBER_COLUMNS = ("sentences", "candidates")
"""Its lists of numbers, which have the names of their columns."""
NO_SENTENCES = (
    "no sentence boundaries, which a hierarchical model reads",
    "set `tokens.sentences: true` for this data set",
)
NO_QUERY = ("no query, which a model of pairs reads", "use another data set")
"""What is lacking, and what to do."""


def read_numbers(table: pa.Table, column: str) -> RaggedLists:
    """Read a column of lists of numbers; one that is null is empty."""
    values = table[column].combine_chunks()
    flat, counts = (
        part.to_numpy().astype(np.int64) for part in (values.flatten(), values.value_lengths().fill_null(0))
    )
    return RaggedLists(flat, counts)


def encode_texts(table: pa.Table, vocabulary: Vocabulary) -> EncodedTexts:
    """Encode the texts of a table of columns.CORPUS, with those of its further columns that a model may read."""
    encoded = {
        name: vocabulary.encode(table[column].combine_chunks())
        for name, column in WORDS.items()
        if column in table.column_names
    }
    lists: dict[str, Any] = {name: RaggedLists(each.rows, each.lengths + 2) for name, each in encoded.items()}
    lists |= {name: read_numbers(table, name) for name in NUMBER_COLUMNS if name in table.column_names}
    impermissible = None
    if "blocked" in table.column_names:
        blocked, lengths = read_numbers(table, "blocked"), encoded["texts"].lengths
        impermissible = np.zeros(lengths.sum(), np.bool_)
        impermissible[find_starts(lengths)[blocked.owners] + blocked.flat] = True
    labels = table["label"].to_numpy().astype(np.int64)
    return EncodedTexts(table["id"].to_pylist(), labels, impermissible=impermissible, **lists)


def read_splits(
    corpus: Path, vocabulary: Vocabulary, sentences: bool, pairs: bool, blocked: bool
) -> dict[str, EncodedTexts]:
    """Read and encode the texts of each split, in the order of SPLITS.

    Raises AuditError where `sentences` or `pairs` are asked for and a text has no sentences or no query, where a
    training text may not be answered by its own class, or where `blocked` words are asked for and no training text has
    any.
    """
    needed = {"sentences": NO_SENTENCES} if sentences else {}
    if pairs:
        needed["query"] = NO_QUERY
    columns = ["id", "split", "label", "tokens", *needed, *["candidates"] * pairs, *["blocked"] * blocked]
    table = read_table(corpus, CORPUS, columns)
    for column, lack in needed.items():
        if table[column].null_count:
            name = table.filter(pc.field(column).is_null())["id"][0]
            raise AuditError(f"{corpus}: text '{name}'", *lack)
    splits = {split: encode_texts(table.filter(pc.field("split") == split), vocabulary) for split in SPLITS}
    train = splits["train"]
    if train.candidates is not None:
        right = train.candidates.select(train.candidates.flat == train.labels[train.candidates.owners])
        missing = np.flatnonzero((right.counts == 0) & (train.candidates.counts > 0))
        if len(missing):
            name = train.ids[missing[0]]
            raise AuditError(f"{corpus}: text '{name}'", "its answer is none of its candidates", "leave it out")
    if train.impermissible is not None and not train.impermissible.any():
        raise AuditError(
            f"{corpus}",
            "no training text has impermissible words, which a liar hides",
            "name them with `block` in the entry of the data set, or name another data set",
        )
    return splits


def list_raw_texts(table: pa.Table) -> list[RawText]:
    """Return texts of columns.files.CORPUS as they are written, with the place of each word."""
    columns = (table[name].to_pylist() for name in ("tokens", "raw", "starts", "second"))
    rows = zip(*columns, strict=True)
    return [join_words(words) if raw is None else RawText(raw, *word_positions) for words, raw, *word_positions in rows]


@dataclass(frozen=True)
class OpenedTransformer:
    """A Transformer that was found as its record says: see `open_transformer`."""

    folder: Path
    backbone: Backbone

    def model(self) -> WordStates:
        """Return the Transformer as a network, a new one at each call, with weights that can be trained."""
        return WordStates(open_model(self.folder), self.backbone.layer, self.backbone.pool)

    @cached_property
    def frozen(self) -> WordStates:
        """Return the same, whose weights have no gradients: one for all models."""
        return self.model().requires_grad_(False)

    def cut_texts(self, corpus: Path, pair: bool, raw: bool = False) -> dict[str, Pieces]:
        """Return the pieces of the texts of each split: of their words, or of the `raw` texts.

        Raises AuditError, naming the text, where one cannot be read.
        """
        tokenizer, model = open_tokenizer(self.folder), open_model(self.folder)
        # whatever it was made with: what follows is cut, here and in training
        tokenizer.truncation_side = "right"
        limit = choose_length(tokenizer, model, self.backbone.max_length)
        columns, pieces = ["tokens", "raw", "starts", "second"] if raw else ["tokens", "query"], {}
        for split in SPLITS:
            texts = read_rows(corpus, CORPUS, ["id", "split", *columns], pc.field("split") == split)
            names = texts["id"].to_pylist()
            with add_place(f"{corpus}"):
                if raw:
                    pieces[split] = cut_raw(tokenizer, names, list_raw_texts(texts), limit)
                else:
                    words, queries = (texts[name].to_pylist() for name in columns)
                    pieces[split] = cut(tokenizer, names, words, queries if pair else None, limit)
            refuse_without_vectors(self.folder, tokenizer, model, pieces[split].ids)
        return pieces


def open_transformer(record: Path, backbone: Backbone) -> OpenedTransformer:
    """Find the Transformer that a record tells of. Raises AuditError where its files are others by now."""
    facts = read_record(record)
    fetched = record.parent / facts.get("fetched", "")
    folder = fetched if "fetched" in facts else find_folder(backbone.path, ENCODER)
    if facts["files"] != hash_model_files(folder):
        raise AuditError(f"{folder}", "its files have changed since the run began", "run Snakemake again")
    return OpenedTransformer(folder, backbone)


def read_states(files: Sequence[Path], ids: Mapping[str, list[str]], pair: bool) -> dict[str, GivenStates]:
    """Return the states of each split, from the two files that the job of the states wrote.

    Raises AuditError where they are damaged or of other texts than `ids`.
    """
    array, pieces = files
    table, flat = read_table(pieces, PIECES), open_array(array)
    word_counts, split_of = table["words"].to_numpy().astype(np.int64), np.array(table["split"].to_pylist())
    ends = (word_counts + pair).cumsum()
    if table["id"].to_pylist() != [name for split in SPLITS for name in ids[split]] or len(flat) != ends[-1]:
        raise AuditError(f"{pieces}", "is of other texts than the corpus", rebuild_hint(pieces))
    starts = ends - word_counts - pair
    parts = {split: split_of == split for split in SPLITS}
    return {
        split: GivenStates(torch.from_numpy(flat), starts[in_split], word_counts[in_split], pair)
        for split, in_split in parts.items()
    }


@dataclass(frozen=True)
class EncodedDataset:
    """A data set ready for the network: splits in the order of SPLITS, `words` the rows V of the embedding.

    vectors (V, E) has NaN rows where there is no pretrained vector. opened: the Transformer that reads the texts, or
    None.
    """

    splits: dict[str, EncodedTexts]
    classes: int
    words: int
    vectors: Floats32 | None
    opened: OpenedTransformer | None = None


def read_material(
    files: Mapping[str, Sequence[Path]], architecture: Architecture, blocked: bool = False, anonymised: bool = False
) -> EncodedDataset:
    """Read and encode a data set, with its impermissible words, those `blocked`, where a model is to hide them; or
    `anonymised`, without these words.

    files: its `corpus` and `vocabulary`, and of a Transformer that the architecture names, its record as `transformer`.
    The texts have the states that it has of them, where `states` are among the files; else their pieces, and it is
    `opened`. Words behind the last that it reads are cut off.

    Raises AuditError where a file is damaged or lacks what the architecture reads, and where the Transformer is another
    one by now, or cannot read a text.
    """
    (corpus,), (vocabulary,) = files["corpus"], files["vocabulary"]
    table = read_table(vocabulary, VOCABULARY)
    words = Vocabulary(table["word"].to_pylist(), table["train_count"].to_pylist())
    vectors = None
    if architecture.pretrained:
        column, width = table["vector"], architecture.embedding
        vectors = np.full((len(column), width), np.nan, np.float32)
        vectors[column.is_valid().to_numpy()] = column.combine_chunks().flatten().to_numpy().reshape(-1, width)
    splits = read_splits(corpus, words, architecture.hierarchical, architecture.pair, blocked or anonymised)
    if anonymised:
        splits = {name: texts.anonymise() for name, texts in splits.items()}
    label_parts = [part.labels for part in splits.values()]
    label_parts += [part.candidates.flat for part in splits.values() if part.candidates is not None]
    classes = 1 + int(np.concatenate(label_parts).max())
    opened, backbone = None, architecture.transformer
    by_transformer: Mapping[str, Pieces | GivenStates] = {}
    if backbone and (states := files.get("states")):
        by_transformer = read_states(states, {split: texts.ids for split, texts in splits.items()}, architecture.pair)
    elif backbone:
        opened = open_transformer(files["transformer"][0], backbone)
        by_transformer = opened.cut_texts(corpus, architecture.pair, raw=architecture.classifying)
    splits |= {split: splits[split].take_read(of_split) for split, of_split in by_transformer.items()}
    return EncodedDataset(splits, classes, len(words.words), vectors, opened)


def build_model(material: EncodedDataset, architecture: Architecture, seed: int, start: Path | None = None) -> Network:
    """Return a classifier with the first weights of `seed`; `architecture.missing` says how words start that have no
    pretrained vector, and padding is zero. A Transformer that is to be fine-tuned starts as it is on disk.

    start: a file with the weights of a training, which it then has, and its frozen Transformer where it reads texts
    again. Raises AuditError where the file is damaged or of another model.
    """
    torch.manual_seed(seed)
    opened = material.opened
    model: Network
    if opened and architecture.classifying:
        model = FineTuned(opened.folder, material.classes, architecture.attention == "even_heads")
    else:
        model = build_network(architecture, material.words, material.classes)
        if opened and architecture.tuned:
            model.transformer = opened.model()
    if material.vectors is not None:
        vectors = torch.from_numpy(material.vectors)
        with torch.no_grad():
            for module in model.modules():
                if isinstance(module, nn.Embedding):
                    drawn = torch.randn_like if architecture.missing == "normal" else torch.zeros_like
                    module.weight.copy_(torch.where(vectors.isnan(), drawn(vectors), vectors))
                    module.weight[0] = 0
    if start is None:
        return model
    weights = read_weights(start)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise AuditError(f"{start}", "weights of another architecture or vocabulary", rebuild_hint(start)) from error
    if opened and architecture.frozen:
        model.transformer = opened.frozen
    return model


def build_split(texts: EncodedTexts, device: torch.device, reference: Path | None = None, marks: int = 0) -> Split:
    """Return a split on the device, with the sentences of its texts, or their queries, where they were read.

    With `reference`, it carries the attention and predictions of that readout; where impermissible words were read,
    attention is to keep away from them. marks: how many items of that attention, its last ones, are marks of a
    tokenizer. A model that reads words alone gets the weights of the words, which then sum to 1.

    Raises AuditError where the readout lacks a text.
    """
    attention, probabilities = None, None
    if reference is not None:
        readout = read_readout(reference).align(texts.ids)
        attention, probabilities = readout.attention, readout.probabilities
        if texts.sentences is None and texts.pieces is None:
            # a Transformer may have read less than the whole text; which words is known of the test split alone
            texts = texts.cut(readout.places if readout.several else [*map(np.arange, readout.lengths - marks)])
        if marks and texts.pieces is None:
            attention = [weights[:-marks] / weights[:-marks].sum() for weights in attention]
    return Split(
        ids=texts.texts.flat,
        lengths=texts.lengths,
        labels=texts.labels,
        device=device,
        attention=attention,
        probabilities=probabilities,
        sentences=texts.sentences,
        queries=texts.queries,
        candidates=texts.candidates,
        impermissible=texts.impermissible,
        pieces=None if texts.pieces is None else PieceTable(texts.pieces, device),
        states=texts.found,
        marks=0 if texts.pieces is None else marks,
    )


def prepare_device(device: Literal["auto", "cpu", "cuda"], threads: int) -> torch.device:
    """Threads, denormals and the device that the settings ask for; raises AuditError where there is no such device.

    A GPU multiplies with all digits of float32: TF32, which cuDNN takes by default, has ten bits fewer.
    """
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    available = torch.cuda.is_available()
    if device == "cuda" and not available:
        raise AuditError("device", "cuda was asked for but none is available", "set `device: auto` or `device: cpu`")
    if not available or device == "cpu":
        return torch.device("cpu")
    return torch.device("cuda", claim(torch.cuda.device_count()))
