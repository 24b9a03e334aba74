"""IMDb reviews with ratings from 1 to 10 (Diao et al. 2014, "JMARS"), as Serrano & Smith 2019 use them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from attention_audit.corpus.draft import LONGEST
from attention_audit.corpus.raw import opened, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError

RATINGS = [str(rating) for rating in range(1, 11)]
CHUNK = 2**20
BETWEEN = " \t\r\n,"


def elements(chunks: Iterator[str]) -> Iterator[Any]:
    """The elements of a JSON array of objects, one by one: the whole array is never in memory.

    Raises ValueError where it is malformed or cut off, or an object is longer than any text may be.
    """
    before, bracket, pending = next(chunks, "").partition("[")
    if before.strip() or not bracket:
        raise ValueError("not a JSON array")
    decoder, start = json.JSONDecoder(), 0
    while True:
        while start < len(pending) and pending[start] in BETWEEN:
            start += 1
        if pending.startswith("]", start):
            return
        try:
            element, start = decoder.raw_decode(pending, start)
        except json.JSONDecodeError as error:
            more = next(chunks, "")
            if not more or len(pending) - start > LONGEST:
                raise ValueError("malformed or cut off") from error
            pending, start = pending[start:] + more, 0
        else:
            yield element


class JmarsCorpus(RawSource):
    """IMDb reviews, ten ratings; titles are not used."""

    kind: Literal["jmars"] = Field(description="jmars: IMDb reviews of Diao et al.")
    archive: RemoteFile = Field(description="data.json, one array of reviews.")

    @property
    def class_order(self) -> list[str]:
        """The ratings in ascending order."""
        return RATINGS

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
