"""A control corpus of documents: sentences of filler words, and one sentence with cues that decide the class."""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from attention_audit.corpus.rationales import of_words
from attention_audit.corpus.source import Source
from attention_audit.corpus.sources.control import PLANTED, Random, SplitSizes, cumulative_shares, pseudo_words
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.section import Seed

STREAM = 100
"""A number that makes this corpus's random streams differ from those of the other control corpora."""
FILLERS = 600
CUES = (
    ["rain", "snow", "frost", "wind"],
    ["oak", "elm", "ash", "yew"],
    ["gold", "zinc", "lead", "brass"],
    ["owl", "jay", "wren", "crow"],
)
"""Four words for each class, which no filler can equal. They are half of the planted sentence's words."""
SENTENCES, MORE_SENTENCES = 3, 5
WORDS, MORE_WORDS = 4, 6
"""A document has 3 to 8 sentences; a sentence has 4 to 10 words and a full stop."""


def write_document(
    random: Random, label: int, words: list[str], shares: npt.NDArray[np.float64]
) -> tuple[list[list[str]], int]:
    """The sentences of a document of class `label`, and the number of the planted sentence."""
    count = SENTENCES + int(random.integers(MORE_SENTENCES + 1))
    sentences = []
    for _ in range(count):
        length = WORDS + int(random.integers(MORE_WORDS + 1))
        fillers = [words[rank] for rank in np.searchsorted(shares, random.random(length), side="right")]
        sentences.append([*fillers, "."])
    evidence = int(random.integers(count))
    length = len(sentences[evidence]) - 1
    for place in random.choice(length, size=length // 2, replace=False):
        sentences[evidence][place] = str(random.choice(CUES[label]))
    return sentences, evidence


class DigestCorpus(Source):
    """Generated documents of four classes; one sentence decides, the others say nothing."""

    kind: Literal["digest"] = Field(description="digest: documents in which one planted sentence decides the class.")
    seed: Seed = Field(1, description="Seed of the generator.")
    texts: SplitSizes = Field(default_factory=SplitSizes, description="Size of each split.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """The three splits; ids are <name>-<split>-<number>, from 00001. Evidence: words of the planted sentence."""
        streams = [np.random.default_rng([self.seed, STREAM, i]) for i in range(1 + len(SPLITS))]
        words = pseudo_words(streams[0], FILLERS)
        shares = cumulative_shares(len(words))
        for split, random in zip(SPLITS, streams[1:], strict=True):
            labels = random.permutation(getattr(self.texts, split)) % len(CUES)
            for number, label in enumerate(labels.tolist(), start=1):
                sentences, planted = write_document(random, label, words, shares)
                starts = [*accumulate(map(len, sentences), initial=0)]
                evidence = list(range(starts[planted], starts[planted + 1] - 1))
                id_ = f"{name}-{split}-{number:05d}"
                text = [word for sentence in sentences for word in sentence]
                yield Text(
                    id_, split, str(label), text, id_, annotations=of_words({PLANTED: evidence}), sentences=starts[:-1]
                )
