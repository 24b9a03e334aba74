"""What a data set is made from: its raw files and its word vectors."""

from itertools import chain
from pathlib import Path

from attention_audit.config import Config
from attention_audit.corpus.encoders import ENCODERS_KEY
from attention_audit.corpus.source import (
    OTHER_CORPUS,
    FetchJob,
    RawSource,
    RemoteFile,
    VectorFile,
    Vectors,
    find_own,
)
from attention_audit.corpus.sources import Corpus, CorpusJob
from attention_audit.transformer.folder import list_added_tokens
from attention_audit.transformer.outputs import SAID

from .transformers import NamedTransformer, find_given

VECTORS = "vectors"


def name_vectors(config: Config, dataset: str) -> str:
    """Return the name of the word vectors of a data set."""
    return config.corpora[dataset].vectors or config.vectors


def find_vectors(config: Config, dataset: str) -> Vectors | None:
    """Return the word vectors of a data set; None for random ones."""
    return config.word_vectors.get(name_vectors(config, dataset))


def add_others(config: Config, datasets: list[str]) -> list[str]:
    """Return these data sets, and those that they take texts from; each once."""
    pairs = ((dataset, config.corpora[dataset].other) for dataset in datasets)
    return list(dict.fromkeys(name for pair in pairs for name in pair if name))


def locate_raw(config: Config, dataset: str) -> dict[str, Path]:
    """Return the raw files of a data set by field: the user's own where they lie, others where they are fetched to."""
    source = config.corpora[dataset]
    if not isinstance(source, RawSource):
        return {}
    folder = Path(config.places.raw) / (source.folder or dataset)
    fetched = {field: folder / remote.file for field, remote in source.remote_files().items()}
    local = {field: find_own(path, config.mirror_folder) for field, path in source.local_files().items()}
    return fetched | local


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
        *((VECTORS, file, "") for file in config.word_vectors.values() if isinstance(file, VectorFile) and file.file),
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


def list_read(config: Config, dataset: str) -> list[str]:
    """List the raw files that a data set is read from, and the corpus of another that it takes texts from."""
    source = config.corpora[dataset].other
    taken = [config.places.corpus_file(source, "corpus")] if source else []
    return [*map(str, locate_raw(config, dataset).values()), *taken]


def list_vectors(config: Config, dataset: str) -> list[str]:
    """List the file of the word vectors of a data set; often none."""
    vectors = find_vectors(config, dataset)
    if not isinstance(vectors, VectorFile):
        return []
    if vectors.path:
        return [str(find_own(vectors.path, config.mirror_folder))]
    return [f"{config.places.raw}/{VECTORS}/{vectors.file}"]


def list_vector_records(config: Config, dataset: str) -> list[str]:
    """List the record of the word vectors of a data set, where they are fetched."""
    vectors = find_vectors(config, dataset)
    if not isinstance(vectors, VectorFile) or vectors.path:
        return []
    return [f"{config.places.raw}/{VECTORS}/records/{vectors.file}.json"]


def name_classes(config: Config, dataset: str) -> list[str] | None:
    """Name the classes of a data set in the order of their numbers; None where its texts tell them. Of texts whose
    labels nobody knows, they are those of the first classifier that reads them, or what it says of its targets; of
    prompts there are none.
    """
    preparation = config.corpora[dataset].preparation
    if preparation.labelled or preparation.classes is not None:
        return preparation.classes
    section = find_given(config, dataset)
    if section.generate is not None:
        return None
    if section.targets is not None:
        return [*SAID]
    model, (folder, *_) = next(iter(section.models.items()))
    return section.call_classes(model, NamedTransformer(config, folder).facts)


def complete_source(config: Config, dataset: str) -> Corpus:
    """Return a data set in which the special and added tokens of the tokenizers that read it, of folders that are here,
    are words, with the names of its classes where nobody knows its labels. Raises AuditError where a file of a
    classifier cannot be read.
    """
    source, section = config.corpora[dataset], config.hf.get(dataset)
    if section is None or not isinstance(source, RawSource):
        return source
    paths = {*chain(*section.by_model.values()), *([section.recipe.path] if section.recipe else [])}
    named = [NamedTransformer(config, path) for path in sorted(paths)]
    added = (list_added_tokens(each.folder) for each in named if each.made is None)
    whole = [*dict.fromkeys(chain(source.tokens.whole, *added))]
    named_classes = {} if source.labelled or source.class_order else {"classes": name_classes(config, dataset)}
    return source.model_copy(update={"tokens": source.tokens.model_copy(update={"whole": whole})} | named_classes)


def find_tokenizer(config: Config, dataset: str) -> NamedTransformer | None:
    """Find the first classifier, or the encoder, whose pieces the maps of a data set are of; None where they are of
    words or sentences.
    """
    section = config.hf.get(dataset)
    if section is None or section.granularity != "token":
        return None
    path = section.recipe.path if section.recipe else next(iter(section.models.values()))[0]
    return NamedTransformer(config, path)


def describe_corpus(config: Config, dataset: str) -> CorpusJob:
    """Describe how a data set is read; its files are named in the order of `list_read`."""
    source, tokenizer = complete_source(config, dataset), find_tokenizer(config, dataset)
    return CorpusJob(
        dataset=dataset,
        corpus=source,
        files=[*locate_raw(config, dataset), *[OTHER_CORPUS] * bool(source.other)],
        vectors=find_vectors(config, dataset),
        granularity=config.hf[dataset].granularity if dataset in config.hf else "word",
        tokenizer=str(tokenizer.folder if tokenizer.made else tokenizer.path) if tokenizer else None,
    )
