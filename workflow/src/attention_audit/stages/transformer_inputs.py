"""What jobs do with a Transformer: open the one that the record names, cut texts into pieces, find its states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.parquet import read_rows, read_table
from attention_audit.artefacts.record import read_record
from attention_audit.artefacts.weights import open_array
from attention_audit.columns.files import CORPUS, PIECES
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.model.batch import GivenStates
from attention_audit.raw_text import RawText, join_words
from attention_audit.transformer.folder import ENCODER, find_folder, find_mirror, hash_files
from attention_audit.transformer.opening import (
    choose_length,
    open_model,
    open_tokenizer,
    refuse_without_vectors,
)
from attention_audit.transformer.pieces import Pieces, cut, cut_raw
from attention_audit.transformer.settings import Backbone
from attention_audit.transformer.states import WordStates


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
        tokenizer, model = open_tokenizer(self.folder, split=not raw), open_model(self.folder)
        # whatever it was made with: what follows is cut, here and in training
        tokenizer.truncation_side = "right"
        most = choose_length(tokenizer, model, self.backbone.max_length)
        columns, found = ["tokens", "raw", "starts", "second"] if raw else ["tokens", "query"], {}
        for split in SPLITS:
            texts = read_rows(corpus, CORPUS, ["id", "split", *columns], pc.field("split") == split)
            names = texts["id"].to_pylist()
            try:
                if raw:
                    found[split] = cut_raw(tokenizer, names, list_raw_texts(texts), most)
                else:
                    words, queries = (texts[name].to_pylist() for name in columns)
                    found[split] = cut(tokenizer, names, words, queries if pair else None, most)
            except AuditError as error:
                raise AuditError(f"{corpus}: {error}") from error
            refuse_without_vectors(self.folder, tokenizer, model, found[split].ids)
        return found


def open_transformer(record: Path, backbone: Backbone) -> OpenedTransformer:
    """Find the Transformer that a record tells of. Raises AuditError where its files are others by now."""
    known = read_record(record)
    fetched = record.parent / known.get("fetched", "")
    folder = fetched if "fetched" in known else find_folder(backbone.path, find_mirror(), ENCODER)
    if known["files"] != hash_files(folder):
        raise AuditError(f"{folder}: its files have changed since the run began; run Snakemake again")
    return OpenedTransformer(folder, backbone)


def list_raw_texts(table: pa.Table) -> list[RawText]:
    """Return texts of columns.files.CORPUS as they are written, with the place of each word."""
    columns = (table[name].to_pylist() for name in ("tokens", "raw", "starts", "second"))
    rows = zip(*columns, strict=True)
    return [join_words(words) if raw is None else RawText(raw, *places) for words, raw, *places in rows]


def read_states(files: Sequence[Path], ids: Mapping[str, list[str]], pair: bool) -> dict[str, GivenStates]:
    """Return the states of each split, from the two files that the job of the states wrote.

    Raises AuditError where they are damaged or of other texts than `ids`.
    """
    array, pieces = files
    table, flat = read_table(pieces, PIECES), open_array(array)
    read = table["words"].to_numpy().astype(np.int64)
    ends = (read + pair).cumsum()
    if table["id"].to_pylist() != [name for split in SPLITS for name in ids[split]] or len(flat) != ends[-1]:
        raise AuditError(f"{pieces}: is of other texts than the corpus; {rebuild_hint(pieces)}")
    cuts = np.cumsum([len(ids[split]) for split in SPLITS[:-1]])
    parts = zip(SPLITS, np.split(ends - read - pair, cuts), np.split(read, cuts), strict=True)
    return {split: GivenStates(torch.from_numpy(flat), begun, words, pair) for split, begun, words in parts}
