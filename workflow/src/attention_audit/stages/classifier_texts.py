"""A classifier that is given, and the texts of a corpus as it reads them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.arrays import Integers
from attention_audit.artefacts.parquet import read_rows
from attention_audit.columns.files import CORPUS
from attention_audit.corpus.text import UNKNOWN_LABEL
from attention_audit.errors import add_place
from attention_audit.model.batch import Split
from attention_audit.model.found_classifier import FoundSequenceClassifier
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import RawText
from attention_audit.transformer.folder import BY_INTERFACE, Home, find_family, find_folder
from attention_audit.transformer.opening import PROCESSOR, refuse_without_vectors
from attention_audit.transformer.outputs import OutputKind, find_names
from attention_audit.transformer.pieces import UNLIMITED_LENGTH, Pieces, cut_raw
from attention_audit.transformer.settings import ReadClassifier
from attention_audit.transformer.states import PieceTable, fit_batches, refuse_narrow

from .loading import list_raw_texts


class ReadTexts(NamedTuple):
    """The test texts of a corpus, as they are written."""

    ids: list[str]
    labels: Integers
    written: list[RawText]

    def find(self, ids: Sequence[str]) -> "ReadTexts":
        """Find those with these ids."""
        at = {name: number for number, name in enumerate(self.ids)}
        members = [at[name] for name in ids]
        return ReadTexts([*ids], self.labels[members], [self.written[number] for number in members])


def take_texts(table: pa.Table) -> ReadTexts:
    """Take texts from the rows of a corpus."""
    return ReadTexts(table["id"].to_pylist(), table["label"].to_numpy().astype(np.int64), list_raw_texts(table))


def read_texts(corpus: Path) -> ReadTexts:
    """Return the test texts of a corpus. Raises AuditError where it is damaged."""
    columns = ["id", "split", "label", "tokens", "raw", "starts", "second"]
    return take_texts(read_rows(corpus, CORPUS, columns, pc.field("split") == "test"))


def read_gold_rows(corpus: Path, known: Sequence[str], split: str = "test") -> Integers:
    """Read which labels each text of a split has, (N, K) of 0 and 1, or `UNKNOWN_LABEL`. known: all K labels that there
    are. Raises AuditError for another.
    """
    rows = read_rows(corpus, CORPUS, ["id", "split", "labels"], pc.field("split") == split).to_pylist()
    gold = np.full((len(rows), len(known)), UNKNOWN_LABEL, np.int64)
    for has_label, row in zip(gold, rows, strict=True):
        if row["labels"] is not None:
            has_label[:] = 0
            has_label[find_names(row["labels"], f"text {row['id']!r}: labels", known)] = 1
    return gold


def build_classifier(
    home: Home, read: ReadClassifier, kind: OutputKind = "classes", device: torch.device = PROCESSOR
) -> SequenceClassifier:
    """Build the classifier of a folder, or of what is in memory, on a device, as it is read, and fit batches to it.
    kind: what its outputs are. Raises AuditError where it cannot be had.
    """
    build = FoundSequenceClassifier if find_family(home) is BY_INTERFACE else SequenceClassifier
    classifier = build(home, read.prompt, read.max_length, read.long == "window", read.truncation, kind, device)
    fit_batches(device, classifier.piece_bytes)
    return classifier


def open_classifier(read: ReadClassifier, device: torch.device = PROCESSOR) -> SequenceClassifier:
    """Open the classifier of a job on a device. Raises AuditError where it cannot be had."""
    return build_classifier(find_folder(read.folder, "config: hf"), read, read.kind or "classes", device)


def cut_pieces(classifier: SequenceClassifier, texts: ReadTexts, argument: str = "") -> Pieces:
    """Return the pieces of the raw texts, as many as the classifier reads. argument: what gave the texts, in a call.

    Raises AuditError where it cannot read one.
    """
    most = UNLIMITED_LENGTH if classifier.windowed else classifier.most
    with add_place(argument):
        pieces = cut_raw(
            classifier.tokenizer, texts.ids, texts.written, most, classifier.template, classifier.truncation
        )
        if classifier.windowed:
            refuse_narrow(texts.ids, pieces, classifier.most)
    refuse_without_vectors(classifier.folder, classifier.tokenizer, classifier.model, pieces.ids)
    return pieces


def build_split_of(pieces: Pieces, texts: ReadTexts, device: torch.device) -> Split:
    """Return the texts as their pieces, on the device, for a classifier that reads them again."""
    rows = np.zeros(int((pieces.read + 2).sum()), np.int32)
    return Split(rows, pieces.read, texts.labels, device, pieces=PieceTable(pieces, device))
