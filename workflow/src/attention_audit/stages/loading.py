"""From cached files to what the network eats: encoded texts, a model with its first weights, a device."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import nn

from attention_audit.arrays import Flags, Floats32, Integers
from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.parquet import read_batches, read_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.batching import find_starts
from attention_audit.columns.files import CORPUS, VOCABULARY
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.vocabulary import UNKNOWN, Vocabulary
from attention_audit.errors import AuditError
from attention_audit.gpu import claim
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import GivenStates, RaggedLists, Split
from attention_audit.model.network import Network, build_network
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.readout import read_readout
from attention_audit.transformer.pieces import Pieces
from attention_audit.transformer.states import PieceTable

from .transformer_inputs import OpenedTransformer, check_folder, read_states


@dataclass(frozen=True)
class EncodedTexts:
    """One split: ids and labels; texts, as rows of the embedding, each between both marks.

    For a hierarchical model: `sentences`, the position of each sentence's first word in its text. For a deceptive
    model: `blocked`, the positions of each text's impermissible words. For a model of pairs: `queries`, as texts are;
    `candidates`, the classes that may answer each text, none where any may. For a Transformer: its `pieces`, or its
    states where they were `found` in a file.
    """

    ids: list[str]
    labels: Integers
    texts: RaggedLists
    sentences: RaggedLists | None = None
    blocked: RaggedLists | None = None
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
        """Tell whether each row is that of a token: the start mark is at 0, and the end mark behind the last token."""
        return (self.texts.places > 0) & (self.texts.places <= self.lengths[self.texts.owners])

    def cut(self, read: Integers) -> "EncodedTexts":
        """Return the same texts without what follows their first tokens, `read` (N,) of them; queries stay whole."""
        if np.array_equal(read, self.lengths):
            return self
        texts, blocked = self.texts, self.blocked
        kept = (texts.places <= read[texts.owners]) | ~self.is_token
        seen = None if blocked is None else blocked.select(blocked.flat < read[blocked.owners])
        return replace(self, texts=texts.select(kept), blocked=seen)

    def find_impermissible(self) -> Flags | None:
        """Tell whether each token is impermissible, text after text; None where that was not read."""
        if self.blocked is None:
            return None
        tokens = np.zeros(self.lengths.sum(), np.bool_)
        tokens[find_starts(self.lengths)[self.blocked.owners] + self.blocked.flat] = True
        return tokens

    def anonymise(self) -> "EncodedTexts":
        """Return the same texts without their impermissible words; one of which nothing is left is a single unknown
        word.
        """
        texts, gone = self.texts, np.zeros(len(self.texts.flat), np.bool_)
        gone[self.is_token] = self.find_impermissible()
        emptied = (find_starts(texts.counts) + 1)[texts.select(~gone).counts == 2]
        gone[emptied] = False
        rows = texts.flat.copy()
        rows[emptied] = UNKNOWN
        return replace(self, texts=RaggedLists(rows, texts.counts).select(~gone), blocked=None)

    def mask(self, masks: Flags) -> "EncodedTexts":
        """Return the same texts with the unknown word in the place of some; masks: whether each token is, text after
        text.
        """
        rows = self.texts.flat.copy()
        rows[self.is_token] = np.where(masks, UNKNOWN, rows[self.is_token])
        return replace(self, texts=RaggedLists(rows, self.texts.counts))


LISTS = {
    "texts": "tokens",
    "sentences": "sentences",
    "blocked": "blocked",
    "queries": "query",
    "candidates": "candidates",
}
"""Lists of `EncodedTexts` by their columns in columns.CORPUS."""
NO_SENTENCES = (
    "no sentence boundaries, which a hierarchical model reads; set `tokens.sentences: true` for this data set"
)
Part = tuple[list[str], Integers, dict[str, RaggedLists]]
"""Ids, labels and lists of some texts."""


def _encode_part(table: pa.Table, vocabulary: Vocabulary) -> Part:
    """Encode texts; a list that is null is empty."""
    lists = {}
    for name, column in LISTS.items():
        if column in table.column_names:
            values = table[column].combine_chunks()
            if pa.types.is_string(values.type.value_type):
                encoded = vocabulary.encode(values)
                lists[name] = RaggedLists(encoded.rows, encoded.lengths + 2)
            else:
                counts = values.value_lengths().fill_null(0).to_numpy().astype(np.int64)
                lists[name] = RaggedLists(values.flatten().to_numpy(), counts)
    return table["id"].to_pylist(), table["label"].to_numpy().astype(np.int64), lists


def _join_parts(parts: Sequence[Part]) -> EncodedTexts:
    ids, labels, lists = zip(*parts, strict=True)
    joined: dict[str, Any] = {
        name: RaggedLists(*map(np.concatenate, zip(*(part[name] for part in lists), strict=True))) for name in lists[0]
    }
    return EncodedTexts([*chain(*ids)], np.concatenate(labels), **joined)


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


def read_texts(
    corpus: Path, vocabulary: Vocabulary, sentences: bool, pairs: bool = False, blocked: bool = False
) -> dict[str, EncodedTexts]:
    """Return the texts of each split, in the order of SPLITS, encoded row group by row group.

    Raises AuditError where `sentences` or `pairs` are asked for and a text has no sentences or no query, where a
    training text may not be answered by its own class, or where `blocked` words are asked for and no training text has
    any.
    """
    parts: dict[str, list[Part]] = {split: [] for split in SPLITS}
    needed = {"sentences": NO_SENTENCES} if sentences else {}
    if pairs:
        needed["query"] = "no query, which a model of pairs reads; use another data set"
    columns = ["id", "split", "label", "tokens", *needed, *["candidates"] * pairs, *["blocked"] * blocked]
    for table in read_batches(corpus, CORPUS, columns):
        for column, lack in needed.items():
            if table[column].null_count:
                name = table.filter(pc.field(column).is_null())["id"][0]
                raise AuditError(f"{corpus}: text '{name}': {lack}")
        for split, texts in parts.items():
            texts.append(_encode_part(table.filter(pc.field("split") == split), vocabulary))
    splits = {split: _join_parts(texts) for split, texts in parts.items()}
    train = splits["train"]
    if train.candidates is not None:
        right = train.candidates.select(train.candidates.flat == train.labels[train.candidates.owners])
        missing = np.flatnonzero((right.counts == 0) & (train.candidates.counts > 0))
        if len(missing):
            name = train.ids[missing[0]]
            raise AuditError(f"{corpus}: text '{name}': its answer is none of its candidates; leave it out")
    if blocked and not np.any(train.find_impermissible()):
        raise AuditError(
            f"{corpus}: no training text has impermissible words, which a liar hides; name them with `block` in the "
            "entry of the data set, or name another data set"
        )
    return splits


def read_material(
    files: Mapping[str, Sequence[Path]], architecture: Architecture, blocked: bool = False, anonymised: bool = False
) -> EncodedDataset:
    """Read and encode a data set, with its impermissible words, those `blocked`, where a model is to hide them; or
    `anonymised`, without these words.

    files: its `corpus` and `vocabulary`, and of a Transformer that the architecture names, its record as `transformer`.
    The texts have the states that it has of them, where `states` are among the files; else their pieces, and it is
    `open_parquet`. Words behind the last that it reads are cut off.

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
    splits = read_texts(corpus, words, architecture.hierarchical, architecture.pair, blocked or anonymised)
    if anonymised:
        splits = {name: texts.anonymise() for name, texts in splits.items()}
    named = [part.labels for part in splits.values()]
    named += [part.candidates.flat for part in splits.values() if part.candidates is not None]
    material = EncodedDataset(splits, 1 + int(np.concatenate(named).max()), len(words.words), vectors)
    backbone = architecture.transformer
    if backbone is None:
        return material
    if states_files := files.get("states"):
        ids = {split: texts.ids for split, texts in splits.items()}
        states = read_states(states_files, ids, architecture.pair)
        read = {name: replace(texts.cut(states[name].read), found=states[name]) for name, texts in splits.items()}
        return replace(material, splits=read)
    opened = OpenedTransformer(check_folder(files["transformer"][0], backbone), backbone)
    cut = opened.pieces(corpus, architecture.pair, raw=architecture.classifying)
    pieces = {split: part for split, (_, part) in cut.items()}
    read = {name: replace(texts.cut(pieces[name].read), pieces=pieces[name]) for name, texts in splits.items()}
    return replace(material, splits=read, opened=opened)


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
    if opened and architecture.tuned and not architecture.classifying:
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
        raise AuditError(f"{start}: weights of another architecture or vocabulary; {rebuild_hint(start)}") from error
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
        other = read_readout(reference).align(texts.ids)
        attention, probabilities = other.attention, other.probabilities
        # a Transformer may have read less than the whole text
        texts = texts if texts.sentences is not None else texts.cut(other.lengths - marks)
        if marks and texts.pieces is None:
            attention = [weights[:-marks] / weights[:-marks].sum() for weights in attention]
    return Split(
        texts.texts.flat,
        texts.lengths,
        texts.labels,
        device,
        attention,
        probabilities,
        texts.sentences,
        texts.queries,
        texts.candidates,
        texts.find_impermissible(),
        None if texts.pieces is None else PieceTable(texts.pieces, device),
        texts.found,
        0 if texts.pieces is None else marks,
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
        raise AuditError("device: cuda was asked for but none is available; set `device: auto` or `device: cpu`")
    if not available or device == "cpu":
        return torch.device("cpu")
    return torch.device("cuda", claim(torch.cuda.device_count()))
