"""20 Newsgroups (Lang 1995), from the bydate archive, as scikit-learn gives it without headers, footers and quotes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from attention_audit.corpus.raw import content, members
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError

SUBSETS = ("train", "test")


def shuffled(files: list[str], seed: int) -> list[str]:
    """`files` in the order in which scikit-learn shuffles them."""
    order = np.arange(len(files))
    np.random.RandomState(seed).shuffle(order)
    return [files[i] for i in order]


def group_of(file: str) -> str:
    """The newsgroup of a member of the archive."""
    return file.split("/")[1]


class NewsgroupsCorpus(RawSource):
    """Posts of all twenty newsgroups, or of some."""

    kind: Literal["newsgroups"] = Field(description="newsgroups: posts of the bydate archive.")
    archive: RemoteFile = Field(description="20news-bydate.tar.gz.")
    groups: list[str] | None = Field(None, min_length=2, description="Newsgroups, by class; null: all twenty.")

    @property
    def class_order(self) -> list[str] | None:
        """The groups that the configuration names; None for all twenty, which are sorted by name."""
        return self.groups

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """Posts of both subsets together, without splits.

        They come in the order of scikit-learn's fetch_20newsgroups(subset="all") and, where `groups` are named, one
        group after another. The authors take them in this order, so splits drawn by a seed are the authors' own. Ids
        are <name>-<group>-<file name>. Raises AuditError where the archive lacks a group.
        """
        from sklearn.datasets import _twenty_newsgroups as clean  # imported here, since it takes a second

        archive = raw["archive"]
        posts = {
            member: content(stream, f"{archive}: {member}").decode("latin-1")
            for member, stream in members(archive, r"20news-bydate-(train|test)/[^/]+/[^/]+")
        }
        missing = set(self.groups or ()) - {group_of(file) for file in posts}
        if missing or not posts:
            lacking = f"newsgroup {min(missing)!r}" if missing else "20news-bydate-<train or test>/*/*"
            raise AuditError(f"{archive}: no {lacking} in it; is it 20news-bydate.tar.gz?")
        for file in self._chosen(list(posts)):
            _, group, number = file.split("/")
            text = clean.strip_newsgroup_header(posts[file])
            text = clean.strip_newsgroup_quoting(clean.strip_newsgroup_footer(text))
            yield Text(f"{name}-{group}-{number}", None, group, text, f"{archive}: {file}")

    def _chosen(self, members: list[str]) -> list[str]:
        """The members to read, in order."""
        files: list[str] = []
        for subset in SUBSETS:
            here = [file.split("/") for file in members if file.startswith(f"20news-bydate-{subset}/")]
            files += shuffled(["/".join(parts) for parts in sorted(here)], seed=0)
        files = shuffled(files, seed=42)
        if self.groups is None:
            return files
        return [file for group in self.groups for file in files if group_of(file) == group]
