"""20 Newsgroups (Lang 1995), as scikit-learn gives it without headers, footers and quotes: its posts, each with its
group as label; and snippets of posts on several topics in one text, which has each of them as a label.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from attention_audit.errors import AuditError
from attention_audit.section import Count, OneOrMore, Seed
from attention_audit.transformer.outputs import SAID

from ..rationales import Annotations
from ..raw import open_members, read_content
from ..source import RawFiles, RawSource, RemoteFile
from ..text import Text, Texts

SUBSETS = ("20news-bydate-train", "20news-bydate-test")
"""The folders of the archive."""
SNIPPETS_OF_POST = 3
"""Snippets of a post at most, so that long ones are not most of a topic."""
SHORTEST, LONGEST = 10, 16
"""Words of a snippet."""
TEXT_PARTS = (1, 2, 2, 3)
"""How many snippets make a text, each as often as another."""
NO_PROSE = re.compile(r"\S*[^\w\s.,;:!?'\"()-]\S*")
"""Addresses, paths, quotation marks of mail, and code."""
PROSE_WORD = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*,?")


class Post(NamedTuple):
    """Where a post stands in the archive, and its text."""

    subset: str
    group: str
    number: str
    text: str


def read_posts(archive: Path, groups: list[str] | None) -> list[Post]:
    """Read the posts of some groups, None for all, in the order of scikit-learn's fetch_20newsgroups(subset="all"),
    without headers, footers and quotes. Raises AuditError where the archive lacks a group.
    """
    from sklearn.datasets import _twenty_newsgroups as clean  # imported here, since it takes a second
    from sklearn.utils import shuffle

    posts = {
        (*member.split("/"),): read_content(stream, f"{archive}: {member}", "", "latin-1")
        for member, stream in open_members(archive, r"20news-bydate-(train|test)/[^/]+/[^/]+")
    }
    missing = {*(groups or ())} - {group for _, group, _ in posts}
    if missing or not posts:
        wanted = f"newsgroup {min(missing)!r}" if missing else "20news-bydate-<train or test>/*/*"
        raise AuditError(archive, f"no {wanted} in it", "is it 20news-bydate.tar.gz?")
    files: list[tuple[str, ...]] = []
    for subset in SUBSETS:
        files += shuffle(sorted(file for file in posts if file[0] == subset), random_state=0)

    def strip(text: str) -> str:
        return clean.strip_newsgroup_quoting(clean.strip_newsgroup_footer(clean.strip_newsgroup_header(text)))

    return [
        Post(subset, group, number, strip(posts[subset, group, number]))
        for subset, group, number in shuffle(files, random_state=42)
        if groups is None or group in groups
    ]


def cut_snippets(texts: Iterable[str], random: np.random.Generator) -> Iterator[str]:
    """Cut posts into snippets of random lengths, each a sentence of words and commas."""
    for text in texts:
        words = PROSE_WORD.findall(NO_PROSE.sub(" ", text))
        for start in range(0, min(len(words) - LONGEST, SNIPPETS_OF_POST * LONGEST), LONGEST):
            count = random.integers(SHORTEST, LONGEST, endpoint=True)
            yield " ".join(words[start : start + count]).rstrip(",") + "."


class NewsgroupsCorpus(RawSource):
    """Posts of all twenty newsgroups, or of some."""

    kind: Literal["newsgroups"]
    """newsgroups: posts of the bydate archive."""
    archive: RemoteFile
    """20news-bydate.tar.gz."""
    groups: list[str] | None = Field(None, min_length=2)
    """Newsgroups, by class; null: all twenty."""

    @property
    def class_order(self) -> list[str] | None:
        """Return the groups that the configuration names; None for all twenty, which are sorted by name."""
        return self.groups

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read posts of both subsets together, without splits.

        They come in the order of scikit-learn and, where `groups` are named, one group after another. The authors take
        them in this order, so splits drawn by a seed are the authors' own. Ids are <name>-<group>-<file name>. Raises
        AuditError where the archive lacks a group.
        """
        archive = raw["archive"]
        posts = read_posts(archive, self.groups)
        if groups := self.groups:
            posts.sort(key=lambda post: groups.index(post.group))
        for subset, group, number, text in posts:
            place = f"{archive}: {subset}/{group}/{number}"
            yield Text(f"{name}-{group}-{number}", None, group, text, place)


class MixedPostsCorpus(RawSource):
    """Texts of one to three snippets of posts, each on another topic. The topics of a text are its labels, and each
    snippet, a sentence, is the evidence of its own.
    """

    annotated = True
    ordered = SAID

    kind: Literal["mixed-posts"]
    """mixed-posts: snippets of the posts of the bydate archive, of several topics in each text."""
    archive: RemoteFile
    """20news-bydate.tar.gz."""
    topics: dict[str, OneOrMore[str]] = Field(min_length=3)
    """The newsgroups of each topic, by its name, which is a label."""
    train: Count = 1650
    """Training texts, of which those for development are drawn."""
    test: Count = 300
    """Test texts."""
    seed: Seed = 1
    """Seed of the snippets that are drawn."""

    @property
    def labelled(self) -> bool:
        """Return that texts have any number of labels, and not one of some classes."""
        return False

    @property
    def label_names(self) -> list[str]:
        """Return the topics."""
        return [*self.topics]

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read training and test texts, which are of the archive's training and test posts; no snippet stands in two
        texts. Ids are <name>-<split>-<number>, from 00001.

        Raises AuditError where the archive lacks a group, and where a topic has too few snippets.
        """
        archive = raw["archive"]
        posts = read_posts(archive, [group for groups in self.topics.values() for group in groups])
        for at, (split, count) in enumerate((("train", self.train), ("test", self.test))):
            random = np.random.default_rng([self.seed, at])
            snippets: dict[str, list[str]] = {}
            for topic, groups in self.topics.items():
                texts = [post.text for post in posts if post.subset == SUBSETS[at] and post.group in groups]
                snippets[topic] = random.permutation([*cut_snippets(texts, random)]).tolist()
            for number in range(1, count + 1):
                id_, text, marks = f"{name}-{split}-{number:05d}", "", {}
                for topic in random.choice(self.label_names, random.choice(TEXT_PARTS), replace=False).tolist():
                    if not snippets[topic]:
                        fault = f"the {split} posts on {topic} have too few snippets for {count} texts"
                        raise AuditError(archive, fault, f"lower `{split}` of {name}, or name more groups")
                    start = len(text) + bool(text)
                    text = f"{text} {snippets[topic].pop()}".lstrip()
                    marks[topic] = [(start, len(text))]
                yield Text(id_, split, None, text, id_, annotations=Annotations(marks), labels=[*marks])
