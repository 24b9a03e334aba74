"""What a data set is made from: its raw files and its word vectors."""

from __future__ import annotations

import json
from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.availability import locate
from attention_audit.corpus.source import RawSource, RemoteFile, Source
from attention_audit.corpus.vectors import Vectors
from attention_audit.errors import AuditError

RAW = Path("results/raw")
VECTORS = "vectors"


def source_of(config: Config, dataset: str) -> Source:
    """The entry of a data set in the catalogue. Raises AuditError where there is none."""
    if dataset not in config.corpora:
        raise AuditError(f"{dataset}: not a data set of this configuration; add it to `corpora`, or ask for another")
    return config.corpora[dataset]


def vectors_of(config: Config, dataset: str) -> Vectors | None:
    """The word vectors of a data set; None for random ones."""
    return config.word_vectors.get(source_of(config, dataset).vectors or config.vectors)


def vocabulary_settings(config: Config, dataset: str) -> str:
    """What the vocabulary job of a data set is told, as JSON."""
    vectors = vectors_of(config, dataset)
    told = {
        "dataset": dataset,
        "min_df": source_of(config, dataset).min_df,
        "vectors": vectors.model_dump() if vectors else None,
    }
    return json.dumps(told, sort_keys=True)


def raw_paths(config: Config, dataset: str, mirror: Path | None) -> dict[str, Path]:
    """The raw files of a data set by field: the user's own where they lie, others where they are fetched to."""
    source = source_of(config, dataset)
    if not isinstance(source, RawSource):
        return {}
    folder = RAW / (source.folder or dataset)
    fetched = {field: folder / remote.file for field, remote in source.remote_files().items()}
    return fetched | {field: locate(path, mirror) or Path(path) for field, path in source.local_files().items()}


def fetched_files(config: Config, dataset: str) -> list[tuple[str, str]]:
    """Folder and name of each file to fetch for a data set."""
    source = source_of(config, dataset)
    if not isinstance(source, RawSource):
        return []
    return [(source.folder or dataset, remote.file) for remote in source.remote_files().values()]


def remote_file(config: Config, folder: str, file: str) -> tuple[RemoteFile, str]:
    """The entry of a file to fetch, and the homepage of whom to ask for it ("" for word vectors).

    Raises AuditError where the configuration knows no such file.
    """
    for vectors in config.word_vectors.values():
        if folder == VECTORS and isinstance(vectors, RemoteFile) and vectors.file == file:
            return vectors, ""
    for name, source in config.corpora.items():
        if isinstance(source, RawSource) and (source.folder or name) == folder:
            for entry in source.remote_files().values():
                if entry.file == file:
                    return entry, source.origin.homepage
    raise AuditError(f"{RAW / folder / file}: no file of this configuration; add it there, or ask for another")
