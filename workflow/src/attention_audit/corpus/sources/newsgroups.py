"""20 Newsgroups (Lang 1995), as scikit-learn gives it without headers, footers and quotes: its posts, each with its
group as label; and snippets of posts on several topics in one text, which has each of them as a label.
"""

import re
from collections.abc import Mapping
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
from ..text import SPLITS, Text, Texts
from .control import SplitSizes

SUBSETS = ("20news-bydate-train", "20news-bydate-test")
"""The folders of the archive."""
SNIPPETS_OF_POST = 3
"""Snippets of a post at most, so that long ones are not most of a topic."""
DEV_POSTS = 10
"""Of so many training posts, one is for development."""
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
    texts: SplitSizes = SplitSizes()
    """Texts of each split."""
    shortest: Count = 10
    """Words of a snippet at least."""
    longest: Count = 16
    """Words of a snippet at most."""
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

    def cut_snippets(self, posts: list[Post], random: np.random.Generator) -> list[str]:
        """Cut posts into snippets of random lengths, each a sentence of words and commas."""
        snippets = []
        for post in posts:
            words = PROSE_WORD.findall(NO_PROSE.sub(" ", post.text))
            for start in range(0, min(len(words) - self.longest, SNIPPETS_OF_POST * self.longest), self.longest):
                count = random.integers(self.shortest, self.longest, endpoint=True)
                snippets.append(" ".join(words[start : start + count]).rstrip(",") + ".")
        return snippets

    def mix(self, snippets: Mapping[str, list[str]], random: np.random.Generator) -> tuple[str, Annotations]:
        """Join snippets of different topics, which are taken from those that are left, to a text in which each is
        marked by its topic.
        """
        text, marks = "", {}
        for topic in random.choice(self.label_names, random.choice(TEXT_PARTS), replace=False).tolist():
            start = len(text) + bool(text)
            text = f"{text} {snippets[topic].pop()}".lstrip()
            marks[topic] = [(start, len(text))]
        return text, Annotations(marks)

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the texts of all splits: test texts are of the archive's test posts, and no snippet stands in two texts.
        Ids are <name>-<split>-<number>, from 00001.

        Raises AuditError where the archive lacks a group, and where a topic has too few snippets.
        """
        archive = raw["archive"]
        posts = read_posts(archive, [group for groups in self.topics.values() for group in groups])
        training = [post for post in posts if post.subset == SUBSETS[0]]
        of_split = {
            "train": [post for at, post in enumerate(training) if at % DEV_POSTS],
            "dev": training[::DEV_POSTS],
            "test": [post for post in posts if post.subset == SUBSETS[1]],
        }
        for at, split in enumerate(SPLITS):
            random, count = np.random.default_rng([self.seed, at]), getattr(self.texts, split)
            snippets = {
                topic: random.permutation(
                    self.cut_snippets([post for post in of_split[split] if post.group in groups], random)
                ).tolist()
                for topic, groups in self.topics.items()
            }
            for number in range(1, count + 1):
                id_ = f"{name}-{split}-{number:05d}"
                try:
                    text, annotations = self.mix(snippets, random)
                except IndexError as error:
                    fault = f"the {split} posts of a topic have too few snippets for {count} texts"
                    raise AuditError(archive, fault, f"lower texts.{split} of {name}, or name more groups") from error
                yield Text(id_, split, None, text, id_, annotations=annotations, labels=[*annotations.marks])
