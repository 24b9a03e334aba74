"""What a data set is made from: its raw files and its word vectors."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.encoders import ENCODERS
from attention_audit.corpus.source import OTHER_CORPUS, RawSource, RemoteFile, VectorFile, Vectors, find_own
from attention_audit.corpus.sources import Corpus
from attention_audit.errors import AuditError, suggest
from attention_audit.jobs.corpus import CorpusJob
from attention_audit.jobs.fetch import FetchJob

from .job import PlannedJob

VECTORS = "vectors"


def find_source(config: Config, dataset: str) -> Corpus:
    """Return the entry of a data set in the catalogue. Raises AuditError where there is none."""
    if dataset not in config.corpora:
        raise AuditError(
            f"{dataset}: not a data set of this configuration{suggest(dataset, config.corpora)}; add it to "
            "`corpora`, or ask for another"
        )
    return config.corpora[dataset]


def name_vectors(config: Config, dataset: str) -> str:
    """Return the name of the word vectors of a data set."""
    return find_source(config, dataset).vectors or config.vectors


def find_vectors(config: Config, dataset: str) -> Vectors | None:
    """Return the word vectors of a data set; None for random ones."""
    return config.word_vectors.get(name_vectors(config, dataset))


def add_others(config: Config, datasets: list[str]) -> list[str]:
    """Return these data sets, and those that they take texts from; each once."""
    return list(
        dict.fromkeys(name for own in datasets for name in (own, find_source(config, own).other) if name is not None)
    )


def locate_raw(config: Config, dataset: str, mirror: Path | None) -> dict[str, Path]:
    """Return the raw files of a data set by field: the user's own where they lie, others where they are fetched to."""
    source = find_source(config, dataset)
    if not isinstance(source, RawSource):
        return {}
    folder = Path(config.places.raw) / (source.folder or dataset)
    fetched = {field: folder / remote.file for field, remote in source.remote_files().items()}
    return fetched | {field: find_own(path, mirror) for field, path in source.local_files().items()}


def list_fetched(config: Config, dataset: str) -> list[tuple[str, str]]:
    """Return folder and name of each file to fetch for a data set."""
    source = find_source(config, dataset)
    if not isinstance(source, RawSource):
        return []
    return [(source.folder or dataset, remote.file) for remote in source.remote_files().values()]


def list_records(config: Config, datasets: list[str]) -> list[str]:
    """Return the records of the fetched files of these data sets, and of those that they take texts from."""
    files = {file for dataset in add_others(config, datasets) for file in list_fetched(config, dataset)}
    return [f"{config.places.raw}/{folder}/records/{file}.json" for folder, file in sorted(files)]


def locate_vectors(config: Config, dataset: str, mirror: Path | None) -> tuple[list[str], list[str]]:
    """Return the file that the word vectors of a data set are read from, if they are, and its record, if it is
    fetched.
    """
    vectors = find_vectors(config, dataset)
    if not isinstance(vectors, VectorFile):
        return [], []
    if vectors.path is not None:
        return [str(find_own(vectors.path, mirror))], []
    folder = f"{config.places.raw}/{VECTORS}"
    return [f"{folder}/{vectors.file}"], [f"{folder}/records/{vectors.file}.json"]


def build_fetch(config: Config, folder: str, file: str) -> FetchJob:
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


def plan_fetch(config: Config, folder: str, file: str) -> PlannedJob:
    """Return the job that fetches a file."""
    return PlannedJob(
        rule="fetch",
        wildcards={"folder": folder, "file": file},
        inputs={},
        outputs={
            "file": [f"{config.places.raw}/{folder}/{file}"],
            "record": [f"{config.places.raw}/{folder}/records/{file}.json"],
        },
        make_settings=partial(build_fetch, config, folder, file),
    )


def plan_preparation(config: Config, dataset: str, mirror: Path | None) -> PlannedJob:
    """Return the job that reads a data set and makes its vocabulary."""
    raw, (vectors, records) = locate_raw(config, dataset, mirror), locate_vectors(config, dataset, mirror)
    if other := find_source(config, dataset).other:
        raw |= {OTHER_CORPUS: Path(config.places.corpus_file(other, "corpus"))}
    names = ("corpus", "census", "vocabulary")
    return PlannedJob(
        rule="prepare",
        wildcards={"dataset": dataset},
        inputs={
            "raw": [str(path) for path in raw.values()],
            "vectors": vectors,
            "records": [*list_records(config, [dataset]), *records],
        },
        outputs={name: [config.places.corpus_file(dataset, name)] for name in names},
        make_settings=partial(
            CorpusJob,
            dataset=dataset,
            corpus=find_source(config, dataset),
            files=list(raw),
            vectors=find_vectors(config, dataset),
        ),
    )


def plan_jobs(config: Config, datasets: list[str], mirror: Path | None) -> Iterator[PlannedJob]:
    """Return the jobs of these data sets, and of those that they take texts from."""
    every = add_others(config, datasets)
    files = {file for dataset in every for file in list_fetched(config, dataset)}
    records = [record for dataset in every for record in locate_vectors(config, dataset, mirror)[1]]
    files |= {(VECTORS, Path(record).stem) for record in records}
    yield from (plan_fetch(config, *file) for file in sorted(files))
    # a data set that takes texts from another comes after it
    for dataset in sorted(every, key=lambda dataset: find_source(config, dataset).other is not None):
        yield plan_preparation(config, dataset, mirror)
