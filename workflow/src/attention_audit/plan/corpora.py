"""What a data set is made from: its raw files and its word vectors."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.encoders import ENCODERS
from attention_audit.corpus.source import OTHER_CORPUS, RawSource, RemoteFile, VectorFile, Vectors, locate
from attention_audit.corpus.sources import Corpus
from attention_audit.errors import AuditError, did_you_mean
from attention_audit.jobs.corpus import CorpusJob
from attention_audit.jobs.fetch import FetchJob

from .job import PlannedJob

VECTORS = "vectors"


def source_of(config: Config, dataset: str) -> Corpus:
    """Return the entry of a data set in the catalogue. Raises AuditError where there is none."""
    if dataset not in config.corpora:
        raise AuditError(
            f"{dataset}: not a data set of this configuration{did_you_mean(dataset, config.corpora)}; add it to "
            "`corpora`, or ask for another"
        )
    return config.corpora[dataset]


def vectors_name(config: Config, dataset: str) -> str:
    """Return the name of the word vectors of a data set."""
    return source_of(config, dataset).vectors or config.vectors


def vectors_of(config: Config, dataset: str) -> Vectors | None:
    """Return the word vectors of a data set; None for random ones."""
    return config.word_vectors.get(vectors_name(config, dataset))


def with_others(config: Config, datasets: list[str]) -> list[str]:
    """Return these data sets, and those that they take texts from; each once."""
    return list(
        dict.fromkeys(name for own in datasets for name in (own, source_of(config, own).other) if name is not None)
    )


def raw_paths(config: Config, dataset: str, mirror: Path | None) -> dict[str, Path]:
    """Return the raw files of a data set by field: the user's own where they lie, others where they are fetched to."""
    source = source_of(config, dataset)
    if not isinstance(source, RawSource):
        return {}
    folder = Path(config.places.raw) / (source.folder or dataset)
    fetched = {field: folder / remote.file for field, remote in source.remote_files().items()}
    return fetched | {field: locate(path, mirror) or Path(path) for field, path in source.local_files().items()}


def fetched_files(config: Config, dataset: str) -> list[tuple[str, str]]:
    """Return folder and name of each file to fetch for a data set."""
    source = source_of(config, dataset)
    if not isinstance(source, RawSource):
        return []
    return [(source.folder or dataset, remote.file) for remote in source.remote_files().values()]


def record_files(config: Config, datasets: list[str]) -> list[str]:
    """Return the records of the fetched files of these data sets, and of those that they take texts from."""
    files = {file for dataset in with_others(config, datasets) for file in fetched_files(config, dataset)}
    return [f"{config.places.raw}/{folder}/records/{file}.json" for folder, file in sorted(files)]


def vector_files(config: Config, dataset: str, mirror: Path | None) -> tuple[list[str], list[str]]:
    """Return the file that the word vectors of a data set are read from, if they are, and its record, if it is
    fetched.
    """
    vectors = vectors_of(config, dataset)
    if not isinstance(vectors, VectorFile):
        return [], []
    if vectors.path is not None:
        return [str(locate(vectors.path, mirror) or vectors.path)], []
    folder = f"{config.places.raw}/{VECTORS}"
    return [f"{folder}/{vectors.file}"], [f"{folder}/records/{vectors.file}.json"]


def fetch_job(config: Config, folder: str, file: str) -> FetchJob:
    """Return the settings of the job that fetches a file, with the homepage of whom to ask for it ("" for word
    vectors).

    Raises AuditError where the configuration knows no such file.
    """
    for vectors in config.word_vectors.values():
        if folder == VECTORS and isinstance(vectors, VectorFile) and vectors.file == file:
            entry = vectors.model_dump(include=set(RemoteFile.model_fields))
            return FetchJob(folder=folder, remote=RemoteFile.model_validate(entry), homepage="")
    for encoder in config.encoders.values():
        if folder == ENCODERS and encoder.archive.file == file:
            return FetchJob(folder=folder, remote=encoder.archive, homepage=encoder.origin.homepage)
    for name, source in config.corpora.items():
        if isinstance(source, RawSource) and (source.folder or name) == folder:
            for remote in source.remote_files().values():
                if remote.file == file:
                    return FetchJob(folder=folder, remote=remote, homepage=source.origin.homepage)
    path = f"{config.places.raw}/{folder}/{file}"
    raise AuditError(f"{path}: no file of this configuration; add it there, or ask for another")


def fetching(config: Config, folder: str, file: str) -> PlannedJob:
    """Return the job that fetches a file."""
    return PlannedJob(
        rule="fetch",
        wildcards={"folder": folder, "file": file},
        inputs={},
        outputs={
            "file": [f"{config.places.raw}/{folder}/{file}"],
            "record": [f"{config.places.raw}/{folder}/records/{file}.json"],
        },
        told=partial(fetch_job, config, folder, file),
    )


def reading(config: Config, dataset: str, mirror: Path | None) -> PlannedJob:
    """Return the job that reads a data set and makes its vocabulary."""
    raw, (vectors, records) = raw_paths(config, dataset, mirror), vector_files(config, dataset, mirror)
    if other := source_of(config, dataset).other:
        raw |= {OTHER_CORPUS: Path(config.places.corpus_file(other, "corpus"))}
    names = ("corpus", "census", "vocabulary")
    return PlannedJob(
        rule="prepare",
        wildcards={"dataset": dataset},
        inputs={
            "raw": [str(path) for path in raw.values()],
            "vectors": vectors,
            "records": [*record_files(config, [dataset]), *records],
        },
        outputs={name: [config.places.corpus_file(dataset, name)] for name in names},
        told=partial(
            CorpusJob,
            dataset=dataset,
            corpus=source_of(config, dataset),
            files=list(raw),
            vectors=vectors_of(config, dataset),
        ),
    )


def jobs(config: Config, datasets: list[str], mirror: Path | None) -> Iterator[PlannedJob]:
    """Return the jobs of these data sets, and of those that they take texts from."""
    every = with_others(config, datasets)
    files = {file for dataset in every for file in fetched_files(config, dataset)}
    records = [record for dataset in every for record in vector_files(config, dataset, mirror)[1]]
    files |= {(VECTORS, Path(record).stem) for record in records}
    yield from (fetching(config, *file) for file in sorted(files))
    # a data set that takes texts from another comes after it
    for dataset in sorted(every, key=lambda dataset: source_of(config, dataset).other is not None):
        yield reading(config, dataset, mirror)
