"""Texts in which people marked the words by which they judged them: Yelp-HAT (Sen et al. 2020), reviews that several
people read; and the format of ERASER (DeYoung et al. 2020), documents with jsonl files that say which of their words
are evidence.
"""

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from attention_audit.errors import AuditError
from attention_audit.raw_text import join_words
from attention_audit.section import Name

from ..rationales import Annotations, Span, word_spans
from ..raw import as_published, content, lines, members, remedy, split_lines
from ..source import Files, RawSource, RemoteFile
from ..tabular import delimited_rows
from ..text import Text, Texts

CLASSES = {"0": "negative", "1": "positive"}
ANSWERS = {"no": "negative", "yes": "positive", "idk": "", "": ""}
"""What an annotator says of a review, who may not know, as a class."""
COLUMNS = {"label": "Input.label", "text": "Input.text", "answer": "Answer.Q1Answer", "map": "Answer.html_output"}
LABEL, TEXT, ANSWER, MAP = COLUMNS.values()
PART = "parts."
"""Begins the field of a part."""


def marked_words(html: str) -> list[tuple[str, bool]]:
    """List the words of a map, and whether each is marked. Tags within a word, which a browser's extension left, and
    the empty span behind the last word are left out.
    """
    spans = re.findall(r"<span\b([^>]*)>(.*?)</span>", html, re.DOTALL)
    words = ((unescape(re.sub("<[^>]*>", "", inner)), 'class="active"' in about) for about, inner in spans)
    return [(word, is_marked) for word, is_marked in words if word.strip()]


class YelpHatCorpus(RawSource):
    """Yelp reviews with two to four maps each, two classes. Too few to train on: name other texts in `trained_on`."""

    annotated = True
    ordered = (*CLASSES.values(),)

    kind: Literal["yelp-hat"]
    """yelp-hat: reviews with the words that people marked."""
    parts: dict[Name, RemoteFile] = Field(min_length=1)
    """ham_part*.csv, by the name of each in ids."""
    annotators: Literal["all", "agreeing"] = "all"
    """agreeing: leave out the marks of those who judge a review otherwise than its stars do."""

    def remote_files(self) -> dict[str, RemoteFile]:
        """The parts, each as parts.<name>."""
        return {f"{PART}{name}": file for name, file in self.parts.items()}

    def read(self, name: str, raw: Files) -> Texts:
        """The reviews of each part in order; ids are <name>-<part>-<number>, from 0001.

        The rows of one text are its annotators, `annotator 1` and so on: nobody knows whether those of two texts are
        the same person. Labels are those of Yelp's stars, one and two negative, four and five positive. Raises
        AuditError, naming file and line, where a row is not as published.
        """
        for field in self.remote_files():
            reviews: dict[str, list[tuple[str, Mapping[str, str]]]] = {}
            for place, row in delimited_rows(raw[field], COLUMNS):
                reviews.setdefault(row[TEXT], []).append((place, row))
            for number, (text, rows) in enumerate(reviews.items(), start=1):
                place = rows[0][0]
                stars = {row[LABEL] for _, row in rows}
                if len(stars) > 1 or not stars <= CLASSES.keys():
                    raise AuditError(f"{place}: {LABEL} is {', '.join(sorted(stars))}, and must be one of 0 and 1")
                label, id_ = CLASSES[stars.pop()], f"{name}-{field.removeprefix(PART)}-{number:04d}"
                yield Text(id_, None, label, text, place, annotations=self._read_maps(text, label, rows))

    def _read_maps(self, text: str, label: str, rows: list[tuple[str, Mapping[str, str]]]) -> Annotations:
        """Read the maps of a review, a row each."""
        words = word_spans(text)
        marks: dict[str, list[Span]] = {}
        labels: dict[str, str] = {}
        miscounted = 0
        for number, (place, row) in enumerate(rows, start=1):
            answer = row[ANSWER]
            if answer not in ANSWERS:
                raise AuditError(f"{place}: {ANSWER} is {answer!r:.50}, and must be one of yes, no and idk")
            map_ = marked_words(row[MAP])
            if not map_:
                raise AuditError(f"{place}: {MAP} has no word; is it a map as published?")
            if self.annotators == "agreeing" and ANSWERS[answer] != label:
                continue
            if len(map_) != len(words):
                miscounted += 1
                continue
            who = f"annotator {number}"
            marks[who] = [span for span, (_, marked) in zip(words, map_, strict=True) if marked]
            labels[who] = ANSWERS[answer]
        return Annotations(marks, labels=labels, miscounted=miscounted)


SPLITS = {"train": "train", "val": "dev", "test": "test"}
ANNOTATOR = "evidences"
"""Who marked the words. All groups of evidence count, though each would do: so do the authors' own measures."""


class EraserCorpus(RawSource):
    """Documents, which have been split into words, with evidence."""

    annotated = True

    kind: Literal["eraser"]
    """eraser: an archive of the ERASER benchmark, such as movies.tar.gz."""
    archive: RemoteFile
    """The archive, with train.jsonl, val.jsonl, test.jsonl and docs/ or docs.jsonl, perhaps in a folder."""
    query: bool = False
    """Read the query as the second text, which makes pairs; in movies, all texts have the same query."""

    @property
    def pairs(self) -> bool:
        """Whether the queries are read."""
        return self.query

    def read(self, name: str, raw: Files) -> Texts:
        """All annotated texts; ids are <name>-<split>-<annotation_id>. Words are set apart by single spaces.

        The texts on one document, as those of BoolQ and MultiRC are, are a group; a text that has the name of its
        document, as in movies, is alone. All documents are in memory. Raises AuditError, naming file and line, where a
        line is not as published.
        """
        archive = raw["archive"]
        documents = read_documents(archive)
        wanted, lacking = r"(?:[^/]+/)?(?:train|val|test)\.jsonl", "{}.jsonl in it; is it an archive of ERASER?"
        for file, _, place, line in split_lines(archive, wanted, [*SPLITS], lacking):
            if not line.strip():
                continue
            with as_published(place, "no annotation_id, classification and evidences in it", archive):
                record: dict[str, Any] = json.loads(line)
                id_, label = str(record["annotation_id"]), str(record["classification"])
                evidence = [one for group in record["evidences"] for one in group]
                stretches = [(str(one["docid"]), int(one["start_token"]), int(one["end_token"])) for one in evidence]
                query = str(record.get("query") or "") if self.query else None
                named = [*map(str, record.get("docids") or [])]
            named = named or [*dict.fromkeys(docid for docid, _, _ in stretches)] or [id_]
            words: list[str] = []
            begins: dict[str, int] = {}
            for docid in named:
                if docid not in documents:
                    raise AuditError(f"{place}: no document {docid!r:.50} in docs; is the archive whole?")
                begins[docid] = len(words)
                words += documents[docid]
            text = join_words(words)
            spans: list[Span] = []
            for docid, start, end in stretches:
                if docid in begins and 0 <= start < end <= len(documents[docid]):
                    first, last = begins[docid] + start, begins[docid] + end - 1
                    spans.append((text.places[first], text.places[last] + len(words[last])))
            said = Annotations({ANNOTATOR: spans}, outside=len(stretches) - len(spans))
            group = named[0] if len(named) == 1 and named != [id_] else None
            split, id_ = SPLITS[file], f"{name}-{SPLITS[file]}-{id_}"
            yield Text(id_, split, label, text.text, place, query=query, annotations=said, group=group)


def read_documents(archive: Path) -> dict[str, list[str]]:
    """Read the words of each document by its name, from docs/<name> or from docs.jsonl."""
    found: dict[str, list[str]] = {}
    for member, stream in members(archive, r"(?:[^/]+/)?(?:docs/[^/]+|docs\.jsonl)"):
        where = f"{archive}: {member}"
        if member.endswith("docs.jsonl"):
            for number, line in enumerate(lines(stream, where), start=1):
                with as_published(f"{where}, line {number}", "no docid and document in it", archive):
                    record = json.loads(line)
                    found[str(record["docid"])] = str(record["document"]).split()
            continue
        found[Path(member).name] = content(stream, where, remedy(archive)).split()
    if not found:
        raise AuditError(f"{archive}: no docs/ and no docs.jsonl in it; is it an archive of ERASER?")
    return found
