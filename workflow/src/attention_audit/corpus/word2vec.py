"""Word vectors trained on a corpus: word2vec (Mikolov et al. 2013), by gensim."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attention_audit.corpus.vectors import TrainedVectors
from attention_audit.errors import AuditError

LONGEST = 10_000
"""Words of a text that gensim reads; it silently drops all further words."""


@dataclass(frozen=True)
class Runs:
    """Texts in runs of at most LONGEST words; every iteration starts from the beginning."""

    texts: Iterable[list[str]]

    def __iter__(self) -> Iterator[list[str]]:
        for words in self.texts:
            yield from (words[start : start + LONGEST] for start in range(0, len(words), LONGEST))


def train_vectors(
    texts: Iterable[list[str]], settings: TrainedVectors, report: Callable[[str], None]
) -> dict[str, npt.NDArray[np.float32]]:
    """The vector (dimension,) of each word that occurs at least `min_count` times in `texts`.

    `texts` are read once to count words and once in every epoch. There is one worker, so that the same texts always
    give the same vectors. Raises AuditError where no word occurs that often.
    """
    from gensim.models import Word2Vec  # imported here, since it takes a second
    from gensim.models.callbacks import CallbackAny2Vec

    class TrainingProgress(CallbackAny2Vec):  # type: ignore[misc]  # gensim has no types
        epoch = 0
        started = time.perf_counter()

        def on_epoch_end(self, model: Word2Vec) -> None:
            self.epoch += 1
            seconds = time.perf_counter() - self.started
            report(f"word2vec: epoch {self.epoch}/{settings.epochs}, {seconds:.1f} s")

    logging.getLogger("gensim").setLevel(logging.ERROR)  # TrainingProgress reports instead
    model = Word2Vec(
        vector_size=settings.dimension,
        window=settings.window,
        min_count=settings.min_count,
        sg=int(settings.skip_gram),
        seed=settings.seed,
        workers=1,
    )
    runs = Runs(texts)
    model.build_vocab(runs)
    if not model.wv.index_to_key:
        raise AuditError(f"word2vec: no word occurs {settings.min_count} times in the texts; lower its min_count")
    report(f"word2vec: {len(model.wv.index_to_key)} words, {model.corpus_total_words} tokens")
    model.train(runs, total_examples=model.corpus_count, epochs=settings.epochs, callbacks=[TrainingProgress()])
    return dict(zip(model.wv.index_to_key, model.wv.vectors, strict=True))
