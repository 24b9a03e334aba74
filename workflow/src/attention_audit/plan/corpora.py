"""What a data set is made from: its raw files and its word vectors."""

from collections.abc import Iterator
from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.encoders import ENCODERS_KEY
from attention_audit.corpus.source import OTHER_CORPUS, FetchJob, RawSource, RemoteFile, VectorFile, Vectors, find_own
from attention_audit.corpus.sources import CorpusJob

from .job import PlannedJob

VECTORS = "vectors"


def name_vectors(config: Config, dataset: str) -> str:
    """Return the name of the word vectors of a data set."""
    return config.corpora[dataset].vectors or config.vectors


def find_vectors(config: Config, dataset: str) -> Vectors | None:
    """Return the word vectors of a data set; None for random ones."""
    return config.word_vectors.get(name_vectors(config, dataset))


def add_others(config: Config, datasets: list[str]) -> list[str]:
    """Return these data sets, and those that they take texts from; each once."""
    return list(dict.fromkeys(name for own in datasets for name in (own, config.corpora[own].other) if name))


def locate_raw(config: Config, dataset: str) -> dict[str, Path]:
    """Return the raw files of a data set by field: the user's own where they lie, others where they are fetched to."""
    source = config.corpora[dataset]
    if not isinstance(source, RawSource):
        return {}
    folder = Path(config.places.raw) / (source.folder or dataset)
    fetched = {field: folder / remote.file for field, remote in source.remote_files().items()}
    own = {field: find_own(path, config.mirror_folder) for field, path in source.local_files().items()}
    return fetched | own


def list_fetched(config: Config, dataset: str) -> list[tuple[str, str]]:
    """Return folder and name of each file to fetch for a data set."""
    source = config.corpora[dataset]
    if not isinstance(source, RawSource):
        return []
    return [(source.folder or dataset, remote.file) for remote in source.remote_files().values()]


def list_records(config: Config, datasets: list[str]) -> list[str]:
    """Return the records of the fetched files of these data sets, and of those that they take texts from."""
    files = {file for dataset in add_others(config, datasets) for file in list_fetched(config, dataset)}
    return [f"{config.places.raw}/{folder}/records/{file}.json" for folder, file in sorted(files)]


def list_fetches(config: Config) -> dict[tuple[str, str], FetchJob]:
    """Return what fetches each file that the configuration knows, by folder and name, with the homepage of whom to ask
    for it ("" for word vectors).
    """
    remote: list[tuple[str, RemoteFile, str]] = [
        *((VECTORS, own, "") for own in config.word_vectors.values() if isinstance(own, VectorFile) and own.file),
        *((ENCODERS_KEY, encoder.archive, encoder.origin.homepage) for encoder in config.encoders.values()),
        *(
            (source.folder or name, file, source.origin.homepage)
            for name, source in config.corpora.items()
            if isinstance(source, RawSource)
            for file in source.remote_files().values()
        ),
    ]
    # of data sets that share a file, the first one says where it is from
    return {
        (folder, file.file): FetchJob(folder=folder, remote=file, homepage=homepage)
        for folder, file, homepage in reversed(remote)
    }


def plan_preparation(config: Config, dataset: str) -> PlannedJob:
    """Return the job that reads a data set and makes its vocabulary."""
    source, raw, vectors = config.corpora[dataset], locate_raw(config, dataset), find_vectors(config, dataset)
    inputs = {"raw": [*map(str, raw.values())], "vectors": [], "records": list_records(config, [dataset])}
    if source.other:
        inputs["raw"].append(config.places.corpus_file(source.other, "corpus"))
    if isinstance(vectors, VectorFile):
        folder = f"{config.places.raw}/{VECTORS}"
        if vectors.path:
            inputs["vectors"] = [str(find_own(vectors.path, config.mirror_folder))]
        else:
            inputs["vectors"] = [f"{folder}/{vectors.file}"]
            inputs["records"].append(f"{folder}/records/{vectors.file}.json")
    return PlannedJob(
        rule="prepare",
        wildcards={"dataset": dataset},
        inputs=inputs,
        outputs={name: [config.places.corpus_file(dataset, name)] for name in ("corpus", "census", "vocabulary")},
        settings=CorpusJob(
            dataset=dataset, corpus=source, files=[*raw, *[OTHER_CORPUS] * bool(source.other)], vectors=vectors
        ),
    )


def plan_jobs(config: Config) -> Iterator[PlannedJob]:
    """Return the jobs of all data sets of the configuration, and of all files to fetch."""
    for (folder, file), job in list_fetches(config).items():
        place = f"{config.places.raw}/{folder}"
        yield PlannedJob(
            rule="fetch",
            wildcards={"folder": folder, "file": file},
            inputs={},
            outputs={"file": [f"{place}/{file}"], "record": [f"{place}/records/{file}.json"]},
            settings=job,
        )
    # a data set that takes texts from another comes after it
    for dataset in sorted(config.corpora, key=lambda dataset: config.corpora[dataset].other is not None):
        yield plan_preparation(config, dataset)
