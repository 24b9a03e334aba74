"""raw files with records, or nothing for a generated corpus (, word vectors) -> corpus, its census, and vocabulary.

All three share a process, since on small data sets the imports of another would cost more than the work.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from attention_audit.arrays import Floats32
from attention_audit.artefacts.files import check_recorded
from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.files import CENSUS, VOCABULARY
from attention_audit.corpus.prepare import prepare_corpus
from attention_audit.corpus.source import TrainedVectors, VectorFile
from attention_audit.corpus.sources import CorpusJob
from attention_audit.corpus.vocabulary import (
    WordLists,
    WordVectors,
    build_columns,
    build_vocabulary,
    read_vectors,
    scale_vectors,
)
from attention_audit.errors import AuditError
from attention_audit.transformer.folder import find_folder

from .job import Job

MAX_GENSIM_WORDS = 10_000
"""Words of a text that gensim reads; it silently drops all further words."""


@dataclass(frozen=True)
class Runs:
    """Texts in runs of at most MAX_GENSIM_WORDS words; every iteration starts from the beginning."""

    texts: Iterable[list[str]]

    def __iter__(self) -> Iterator[list[str]]:
        for words in self.texts:
            yield from (words[start : start + MAX_GENSIM_WORDS] for start in range(0, len(words), MAX_GENSIM_WORDS))


def train_vectors(
    texts: Iterable[list[str]], settings: TrainedVectors, report: Callable[[str], None]
) -> dict[str, Floats32]:
    """Train the vector (dimension,) of each word that occurs at least `min_count` times, by word2vec of gensim
    (Mikolov et al. 2013).

    `texts` are read once to count words and once in every epoch. There is one worker, so that the same texts always
    give the same vectors. Raises AuditError where no word occurs that often.
    """
    from gensim.models import Word2Vec  # imported here, since it takes a second
    from gensim.models.callbacks import CallbackAny2Vec

    class TrainingProgress(CallbackAny2Vec):  # type: ignore[misc]  # gensim has no types
        epoch = 0

        def on_epoch_end(self, model: Word2Vec) -> None:
            self.epoch += 1
            report(f"word2vec: epoch {self.epoch}/{settings.epochs}")

    logging.getLogger("gensim").setLevel(logging.ERROR)  # TrainingProgress reports instead
    try:
        model = Word2Vec(
            Runs(texts),
            vector_size=settings.dimension,
            window=settings.window,
            min_count=settings.min_count,
            sg=int(settings.skip_gram),
            seed=settings.seed,
            epochs=settings.epochs,
            workers=1,
            callbacks=[TrainingProgress()],
        )
    except RuntimeError as error:  # there is no vocabulary
        raise AuditError(
            "word2vec", f"no word occurs {settings.min_count} times in the texts", "lower its min_count"
        ) from error
    report(f"word2vec: {len(model.wv.index_to_key)} words, {model.corpus_total_words} tokens")
    return dict(zip(model.wv.index_to_key, model.wv.vectors, strict=True))


def read_corpus(job: Job[CorpusJob]) -> None:
    """Read the raw files, or nothing for a generated corpus, and write corpus and census.

    Raises AuditError where a raw file is damaged or cannot be read.
    """
    settings = job.settings
    raw = dict(zip(settings.files, job.inputs["raw"], strict=True))
    corpus = job.output("corpus")
    opened = None
    if settings.tokenizer is not None:
        from attention_audit.transformer.opening import open_tokenizer  # imported here, since it takes seconds

        opened = open_tokenizer(find_folder(settings.tokenizer, "config: hf"))
    counts = prepare_corpus(
        settings.dataset,
        settings.corpus,
        raw,
        corpus,
        job.provenance,
        job.threads,
        job.report,
        granularity=settings.granularity,
        tokenizer=opened,
    )
    write_table(job.output("census"), CENSUS, counts, job.provenance)
    if any(counts["annotated"].to_pylist()) and not settings.corpus.marked:
        raise AuditError(settings.dataset, "has marked words, and its class does not say so", "set `annotated` there")
    for row in counts.group_by("split", use_threads=False).aggregate([("kept", "sum")]).to_pylist():
        if row["kept_sum"]:
            job.report(f"{row['split']}: {row['kept_sum']} texts")


def make_vocabulary(job: Job[CorpusJob]) -> None:
    """Count the words of the training texts, and read or train their vectors where the run does not start from random
    ones.

    Raises AuditError where no word is in enough of these texts.
    """
    min_df, settings = job.settings.corpus.min_df, job.settings.vectors
    vocabulary = build_vocabulary(WordLists(job.output("corpus"), ["train"]), min_df)
    if not vocabulary.rows and job.settings.corpus.trained:
        raise AuditError(job.settings.dataset, f"no word is in {min_df} training texts", "lower min_df")
    job.report(f"{len(vocabulary.rows)} words")
    vectors = WordVectors()
    if settings is not None and vocabulary.rows:
        if isinstance(settings, VectorFile):
            vectors = read_vectors(job.input("vectors"), vocabulary.rows.keys(), settings.dimension, settings.member)
        else:
            vectors = train_vectors(WordLists(job.output("corpus"), ["train", "dev"]), settings, job.report)
        if settings.normalise:
            vectors = scale_vectors(vectors)
        if not (known_words := vectors.keys() & vocabulary.rows.keys()):
            raise AuditError(job.settings.dataset, "its word vectors are of none of its words", "name other `vectors`")
        job.report(f"vectors for {len(known_words)} of them")
    write_table(job.output("vocabulary"), VOCABULARY, build_columns(vocabulary, vectors), job.provenance)


def run(job: Job[CorpusJob]) -> None:
    """Make the three files, each from what came before it."""
    check_recorded(job.inputs.get("records", []))
    read_corpus(job)
    make_vocabulary(job)
