"""The Stanford Sentiment Treebank (Socher et al. 2013), as Jain & Wallace 2019 prepare it: see docs/data.md."""

import re
from typing import Literal, NamedTuple

from pydantic import Field

from attention_audit.corpus.rationales import Annotations, of_words
from attention_audit.corpus.raw import remedy, split_lines
from attention_audit.corpus.source import Files, RawSource, RemoteFile
from attention_audit.corpus.text import SPLITS, Text, Texts
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText, spaced

CLASSES = ("negative", "positive")
SENTIMENTS = {"0", "1", "2", "3", "4"}
NEUTRAL = 2
MARKED = 0.5
"""The sentiment from which on a word is marked: that of phrases labelled 1 and 3."""
LABELS = "phrase labels"
"""Who marked the words: nobody, but the labels of the phrases say which ones."""
BRACKETS = {"-LRB-": "(", "-RRB-": ")"}


class Phrase(NamedTuple):
    """A phrase of a tree, or a word.

    sentiment: 0 to 4. words: as the tree has them. scores: the sentiment of each word by the rule of Carton et al.
    (2020), from 0 (none) to 1: that of the largest phrase around it which has more sentiment than any phrase or word
    within that phrase, or else its own. extreme: the strongest sentiment of the phrase and of all within it, 0 to 1.
    """

    sentiment: int
    words: list[str]
    scores: list[float]
    extreme: float


def joined(sentiment: int, parts: list[Phrase | str]) -> Phrase:
    """A phrase of its parts, which are phrases, or one word."""
    own = abs(sentiment - NEUTRAL) / 2  # how far it is from neutral: 0, .5 or 1
    words = [word for part in parts for word in ([part] if isinstance(part, str) else part.words)]
    within = max((part.extreme for part in parts if isinstance(part, Phrase)), default=0.0)
    if own > within or not any(isinstance(part, Phrase) for part in parts):
        return Phrase(sentiment, words, [own] * len(words), own)
    below = [score for part in parts for score in ([own] if isinstance(part, str) else part.scores)]
    return Phrase(sentiment, words, below, max(own, within))


def parse_tree(line: str) -> Phrase:
    """A tree such as `(3 (2 It) (4 works))`. Raises ValueError where the line is not one whole tree."""
    stack: list[list[Phrase | str]] = [[]]
    for token in re.findall(r"[()]|[^()\s]+", line):
        if len(stack) == 1 and (stack[0] or token != "("):
            raise ValueError("text outside the tree")
        if token == "(":
            stack.append([])
        elif token == ")":
            label, *parts = stack.pop() or [""]
            if not isinstance(label, str) or label not in SENTIMENTS or not parts:
                raise ValueError("node without sentiment or words")
            stack[-1].append(joined(int(label), parts))
        else:
            stack[-1].append(token)
    if len(stack) > 1 or not stack[0]:
        raise ValueError("tree not closed")
    (root,) = stack[0]
    if isinstance(root, str):
        raise ValueError("text outside the tree")
    return root


def clean(phrase: Phrase) -> tuple[str, Annotations, RawText]:
    """The words as one text without brackets, in which every run of characters that are no letters or digits becomes a
    space; the sentiment of each word, which is marked from half of the strongest on; and the text as it was.
    """
    text = ""
    scores: list[tuple[int, int, float]] = []
    before = spaced(written_words(phrase))
    places: list[int] = []
    for word, score, begin in zip(phrase.words, phrase.scores, before.places, strict=True):
        kept = word.replace("\\/", "/")
        for part in re.finditer(r"\w+", kept) if word not in BRACKETS else []:
            text += f" {part[0]}" if text else part[0]
            scores.append((len(text) - len(part[0]), len(text), score))
            places += [begin + part.start()] * (len(text) - len(places) - len(part[0]))
            places += range(begin + part.start(), begin + part.end())
    marks = [(start, end) for start, end, score in scores if score >= MARKED]
    return text, Annotations({LABELS: marks}, scores), RawText(before.text, places)


def written_words(phrase: Phrase) -> list[str]:
    """The words as they were before the treebank wrote brackets and slashes in its own way."""
    return [BRACKETS.get(word, word.replace("\\/", "/")) for word in phrase.words]


def written(phrase: Phrase) -> tuple[list[str], Annotations, None]:
    """The words as they were before the treebank wrote them in its own way, and their sentiment."""
    words = written_words(phrase)
    marked = [at for at, score in enumerate(phrase.scores) if score >= MARKED]
    return words, of_words({LABELS: marked}, phrase.scores), None


class SstCorpus(RawSource):
    """The Stanford Sentiment Treebank, two classes, whole sentences."""

    annotated = True
    ordered = CLASSES

    kind: Literal["sst"] = Field(description="sst: trees in Penn Treebank format, as Stanford publishes them.")
    archive: RemoteFile = Field(description="The archive with train.txt, dev.txt and test.txt.")
    clean: bool = Field(
        True,
        description="Whether every run of characters that are no letters or digits becomes a space, as Jain & Wallace "
        "do. false: the words of the trees, punctuation included, in which Transformers were trained to read.",
    )

    def read(self, name: str, raw: Files) -> Texts:
        """All sentences with a sentiment: negative for roots 0 and 1, positive for 3 and 4; neutral ones are left out.

        Ids are <name>-<split>-<line of the tree in its file>, from 00001. Raises AuditError naming file and line.
        """
        archive = raw["archive"]
        lacking = "trees/{}.txt in it; is it trainDevTestTrees_PTB.zip?"
        for split, number, place, line in split_lines(archive, r"trees/(train|dev|test)\.txt", SPLITS, lacking):
            if not line.strip():
                continue
            try:
                tree = parse_tree(line)
            except ValueError as error:
                raise AuditError(f"{place}: malformed tree ({error}); {remedy(archive)}") from error
            if tree.sentiment != NEUTRAL:
                label = CLASSES[tree.sentiment > NEUTRAL]
                text, said, before = clean(tree) if self.clean else written(tree)
                id_ = f"{name}-{split}-{number:05d}"
                yield Text(id_, split, label, text, place, annotations=said, written=before)
