"""A control corpus of documents: sentences of filler words, and one sentence with cues that decide the class."""

from collections.abc import Iterator, Mapping
from itertools import accumulate, chain
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from attention_audit.corpus.source import Source
from attention_audit.corpus.sources.control import Random, Shares, SplitSizes, Written, balanced, generated
from attention_audit.corpus.text import Text
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


def write_document(random: Random, label: int, words: list[str], shares: Shares) -> Written:
    """A document of class `label`. All words of the planted sentence count as its cues."""
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
    starts = [*accumulate(map(len, sentences), initial=0)]
    planted = [*range(starts[evidence], starts[evidence + 1] - 1)]
    return [*chain(*sentences)], planted, starts[:-1]


class DigestCorpus(Source):
    """Generated documents of four classes; one sentence decides, the others say nothing."""

    kind: Literal["digest"] = Field(description="digest: documents in which one planted sentence decides the class.")
    seed: Seed = Field(1, description="Seed of the generator.")
    texts: SplitSizes = Field(default_factory=SplitSizes, description="Size of each split.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """The three splits, as `generated` gives them. Evidence: words of the planted sentence."""
        return generated(name, [self.seed, STREAM], self.texts, FILLERS, balanced(len(CUES)), write_document)
