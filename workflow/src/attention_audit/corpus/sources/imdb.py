"""IMDb reviews: those of Maas et al. 2011, from the aclImdb archive, by sentiment or by the rating in file names; and
those of Diao et al. 2014 ("JMARS"), with ratings from 1 to 10, as Serrano & Smith 2019 use them.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Literal

from pydantic import Field

from attention_audit.corpus.raw import array, as_published, content, members, opened, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText
from attention_audit.section import Count

CLASSES = {"neg": "negative", "pos": "positive"}
RATINGS = [*"1234", "7", "8", "9", "10"]
FILTERED = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
KERAS = str.maketrans(ascii_uppercase + FILTERED, ascii_lowercase + " " * len(FILTERED))
"""What Keras replaces each character by. It treats only ASCII: other capitals and other white space stay."""


def keras_words(text: str) -> list[tuple[str, int]]:
    """The words of a review as Keras splits it, and where they begin in it: lower-case, without punctuation except
    apostrophes, with `br` left.
    """
    return [(found[0], found.start()) for found in re.finditer("[^ ]+", text.translate(KERAS))]


def keras_order(member: str) -> tuple[bool, bool, str]:
    """A key that sorts the archive's members as in Keras' copy: train, test; positive, negative; by file name."""
    return "/train/" not in member, "/pos/" not in member, member


class ImdbCorpus(RawSource):
    """IMDb reviews, two classes or eight ratings."""

    kind: Literal["imdb"] = Field(description="imdb: reviews of the aclImdb archive.")
    archive: RemoteFile = Field(description="aclImdb_v1.tar.gz.")
    labels: Literal["sentiment", "rating"] = Field(
        "sentiment", description="sentiment: negative, positive. rating: 1 to 4 and 7 to 10 stars."
    )
    keras: bool = Field(
        False,
        description="Take the words of Keras' copy of the reviews, as the authors do, instead of using `tokens`: "
        "lower-case, no punctuation except apostrophes, and in test reviews only words that a training review has.",
    )
    shorter_than: Count | None = Field(
        None,
        description="Leave out reviews of this many or more words, as Keras counts, before splits are made; the "
        "authors: 400.",
    )

    @property
    def class_order(self) -> list[str]:
        """Negative, positive; or the ratings in ascending order."""
        return list(CLASSES.values()) if self.labels == "sentiment" else RATINGS

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All labelled reviews in the order of Keras' copy, so that samples drawn by a seed are the authors' own.

        HTML line breaks become spaces. Ids are <name>-<split>-<neg or pos>-<file name>. Raises AuditError where the
        archive has no reviews.
        """
        archive = raw["archive"]
        reviews = {}
        for member, stream in members(archive, r"aclImdb/(train|test)/(neg|pos)/\d+_\d+\.txt"):
            reviews[member] = content(stream, f"{archive}: {member}")
        if not reviews:
            raise AuditError(
                f"{archive}: no aclImdb/<train or test>/<neg or pos>/*.txt in it; is it aclImdb_v1.tar.gz?"
            )
        known: set[str] = set()
        for member in sorted(reviews, key=keras_order):
            _, split, sentiment, file = member.split("/")
            place = f"{archive}: {member}"
            try:
                text = reviews[member].decode()
            except UnicodeDecodeError as error:
                raise AuditError(f"{place}: not utf-8 ({error.reason}); is it aclImdb_v1.tar.gz?") from error
            placed = keras_words(text)
            if split == "train":
                known.update(word for word, _ in placed)
            placed = [(word, start) for word, start in placed if word in known]
            words = [word for word, _ in placed]
            if self.shorter_than is not None and len(words) >= self.shorter_than:
                continue
            stem = file.removesuffix(".txt")
            label = CLASSES[sentiment] if self.labels == "sentiment" else stem.split("_")[1]
            # as long as what it replaces, so that every character stays in its place
            spaces = re.sub(r"<br\s*/?>", lambda found: " " * len(found[0]), text)
            taken, places = (words, [start for _, start in placed]) if self.keras else (spaces, range(len(text)))
            id_ = f"{name}-{split}-{sentiment}-{stem}"
            yield Text(id_, split, label, taken, place, written=RawText(text, places))


class JmarsCorpus(RawSource):
    """IMDb reviews, ten ratings; titles are not used."""

    ordered = tuple(str(rating) for rating in range(1, 11))

    kind: Literal["jmars"] = Field(description="jmars: IMDb reviews of Diao et al.")
    archive: RemoteFile = Field(description="data.json, one array of reviews.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All reviews, without splits; ids are <name>-<number in the array>, from 1.

        Raises AuditError, naming file and review, where the array is not as published.
        """
        archive = raw["archive"]
        with opened(archive) as stream:
            for number, (place, review) in enumerate(
                array(stream, archive, "review", lambda _: remedy(archive)), start=1
            ):
                with as_published(place, "no rating and review in it", archive):
                    rating, text = review["rating"], review["review"]
                    if not isinstance(text, str):
                        raise TypeError("the review is no text")
                yield Text(f"{name}-{number:06d}", None, str(rating), text, place)
