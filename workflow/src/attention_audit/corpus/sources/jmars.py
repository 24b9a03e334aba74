"""IMDb reviews with ratings from 1 to 10 (Diao et al. 2014, "JMARS"), as Serrano & Smith 2019 use them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.raw import array, as_published, opened, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text

RATINGS = [str(rating) for rating in range(1, 11)]


class JmarsCorpus(RawSource):
    """IMDb reviews, ten ratings; titles are not used."""

    ordered = RATINGS

    kind: Literal["jmars"] = Field(description="jmars: IMDb reviews of Diao et al.")
    archive: RemoteFile = Field(description="data.json, one array of reviews.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All reviews, without splits; ids are <name>-<number in the array>, from 1.

        Raises AuditError, naming file and review, where the array is not as published.
        """
        archive = raw["archive"]
        with opened(archive) as stream:
            for number, (place, review) in enumerate(array(stream, archive, "review", remedy(archive)), start=1):
                with as_published(place, "no rating and review in it", archive):
                    rating, text = review["rating"], review["review"]
                    if not isinstance(text, str):
                        raise TypeError("the review is no text")
                yield Text(f"{name}-{number:06d}", None, str(rating), text, place)
