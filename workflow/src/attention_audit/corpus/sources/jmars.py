"""IMDb reviews with ratings from 1 to 10 (Diao et al. 2014, "JMARS"), as Serrano & Smith 2019 use them."""

import codecs
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.raw import elements, opened, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError

RATINGS = [str(rating) for rating in range(1, 11)]
CHUNK = 2**20


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
        number = 0
        with opened(archive) as stream:
            chunks = codecs.iterdecode(iter(partial(stream.read, CHUNK), b""), "utf-8-sig")
            try:
                for number, review in enumerate(elements(chunks), start=1):
                    rating, text = review["rating"], review["review"]
                    if not isinstance(text, str):
                        raise TypeError("the review is no text")
                    yield Text(f"{name}-{number:06d}", None, str(rating), text, f"{archive}, review {number}")
            except (KeyError, TypeError) as error:
                raise AuditError(
                    f"{archive}, review {number}: no rating and review in it; {remedy(archive)}"
                ) from error
            except UnicodeDecodeError as error:
                raise AuditError(
                    f"{archive}, after review {number}: not utf-8 ({error.reason}); {remedy(archive)}"
                ) from error
            except ValueError as error:
                raise AuditError(f"{archive}, after review {number}: {error}; {remedy(archive)}") from error
