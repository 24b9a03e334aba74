"""The Stanford Sentiment Treebank (Socher et al. 2013), as Jain & Wallace 2019 prepare it: see docs/data.md."""

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText, join_words

from ..rationales import Annotations, of_words
from ..raw import remedy, split_lines
from ..source import Files, RawSource, RemoteFile
from ..text import SPLITS, Text, Texts

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

    sentiment: 0 to 4. words: as they were before the treebank wrote brackets and slashes in its own way. scores: the
    sentiment of each word by the rule of Carton et al. (2020), from 0 (none) to 1: that of the largest phrase around it
    which has more sentiment than any phrase or word within that phrase, or else its own.
    """

    sentiment: int
    words: list[str]
    scores: list[float]


def join_parts(sentiment: int, parts: list[Phrase | str]) -> Phrase:
    """Make a phrase of its parts, which are phrases, or one word."""
    own = abs(sentiment - NEUTRAL) / 2  # how far it is from neutral: 0, .5 or 1
    within = max((max(part.scores) for part in parts if isinstance(part, Phrase)), default=-1.0)
    phrases = [
        Phrase(sentiment, [BRACKETS.get(part, part.replace("\\/", "/"))], [own]) if isinstance(part, str) else part
        for part in parts
    ]
    words = [word for phrase in phrases for word in phrase.words]
    scores = [own if own > within else score for phrase in phrases for score in phrase.scores]
    return Phrase(sentiment, words, scores)


def parse_tree(line: str) -> Phrase:
    """Parse a tree such as `(3 (2 It) (4 works))`. Raises ValueError where the line is not one whole tree."""
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
            stack[-1].append(join_parts(int(label), parts))
        else:
            stack[-1].append(token)
    tree = stack[0][0] if len(stack) == 1 and stack[0] else None
    if not isinstance(tree, Phrase):
        raise ValueError("tree not closed")
    return tree


def clean(phrase: Phrase) -> tuple[str, Annotations, RawText]:
    """Join the words without brackets, and with a space for every run of characters that are no letters or digits; give
    the sentiment of each word, which is marked from half of the strongest on; and the text as it was.
    """
    before = join_words(phrase.words)
    parts = [*re.finditer(r"\w+", before.text)]
    made = join_words([part[0] for part in parts])
    scores = [
        (start, start + len(part[0]), phrase.scores[bisect_right(before.places, part.start()) - 1])
        for start, part in zip(made.places, parts, strict=False)
    ]
    marks = [(start, end) for start, end, score in scores if score >= MARKED]
    # a space has the place of the part behind it
    places = [at for part in parts for at in (part.start(), *range(*part.span()))][1:]
    return made.text, Annotations({LABELS: marks}, scores), RawText(before.text, places)


class SstCorpus(RawSource):
    """The Stanford Sentiment Treebank, two classes, whole sentences."""

    annotated = True
    ordered = CLASSES

    kind: Literal["sst"]
    """sst: trees in Penn Treebank format, as Stanford publishes them."""
    archive: RemoteFile
    """The archive with train.txt, dev.txt and test.txt."""
    clean: bool = True
    """Whether every run of characters that are no letters or digits becomes a space, as Jain & Wallace do. false: the
    words of the trees, punctuation included, in which Transformers were trained to read.
    """

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
            label, id_ = CLASSES[tree.sentiment > NEUTRAL], f"{name}-{split}-{number:05d}"
            if tree.sentiment == NEUTRAL:
                continue
            if self.clean:
                text, said, before = clean(tree)
                yield Text(id_, split, label, text, place, annotations=said, written=before)
            else:
                marked = [at for at, score in enumerate(tree.scores) if score >= MARKED]
                said = of_words({LABELS: marked}, tree.scores)
                yield Text(id_, split, label, tree.words, place, annotations=said)
