"""What a data set is made from: its raw files and its word vectors."""

from __future__ import annotations

import json
from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.availability import locate
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.vectors import Vectors

RAW = Path("results/raw")
VECTORS = "vectors"


def vectors_of(config: Config, dataset: str) -> Vectors | None:
    """The word vectors of a data set; None for random ones."""
    return config.word_vectors.get(config.corpora[dataset].vectors or config.vectors)


def vocabulary_settings(config: Config, dataset: str) -> str:
    """What the vocabulary job of a data set is told, as JSON."""
    vectors = vectors_of(config, dataset)
    told = {
        "dataset": dataset,
        "min_df": config.corpora[dataset].min_df,
        "vectors": vectors.model_dump() if vectors else None,
    }
    return json.dumps(told, sort_keys=True)


def raw_paths(config: Config, dataset: str, mirror: Path | None) -> dict[str, Path]:
    """The raw files of a data set by field: the user's own where they lie, others where they are fetched to."""
    source = config.corpora[dataset]
    if not isinstance(source, RawSource):
        return {}
    folder = RAW / (source.folder or dataset)
    fetched = {field: folder / remote.file for field, remote in source.remote_files().items()}
    return fetched | {field: locate(path, mirror) or Path(path) for field, path in source.local_files().items()}


def fetched_files(config: Config, dataset: str) -> list[tuple[str, str]]:
    """Folder and name of each file to fetch for a data set."""
    source = config.corpora[dataset]
    if not isinstance(source, RawSource):
        return []
    return [(source.folder or dataset, remote.file) for remote in source.remote_files().values()]


def remote_file(config: Config, folder: str, file: str) -> tuple[RemoteFile, str]:
    """The entry of a file to fetch, and the homepage of whom to ask for it ("" for word vectors)."""
    if folder == VECTORS:
        entries = (v for v in config.word_vectors.values() if isinstance(v, RemoteFile) and v.file == file)
        return next(entries), ""
    for name, source in config.corpora.items():
        if isinstance(source, RawSource) and (source.folder or name) == folder:
            for entry in source.remote_files().values():
                if entry.file == file:
                    return entry, source.origin.homepage
    raise KeyError(f"{folder}/{file}")
