"""Yelp-HAT (Sen et al. 2020): reviews in which several people marked the words by which they judged them."""

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.rationales import Annotations, Span, word_spans
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.tabular import published_rows
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.section import Name

CLASSES = {"0": "negative", "1": "positive"}
ANSWERS = {"no": "negative", "yes": "positive", "idk": "", "": ""}
"""What an annotator says of a review, who may not know, as a class."""
COLUMNS = {
    "label": "Input.label",
    "text": "Input.text",
    "answer": "Answer.Q1Answer",
    "map": "Answer.html_output",
}
PART = "parts."
"""Begins the field of a part."""


class _Map(HTMLParser):
    """The words of a map, in order, and whether each is marked. Marks of the annotator's browser are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[tuple[str, bool]] = []
        self._open: list[str] = []
        self._word, self._marked = "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "span" and not self._open:
            self._word, self._marked = "", ("class", "active") in attrs
        self._open.append(tag)

    def handle_data(self, data: str) -> None:
        if self._open:
            self._word += data

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
            if not self._open and self._word.strip():
                self.words.append((self._word, self._marked))


def marked_words(html: str) -> list[tuple[str, bool]]:
    """The words of a map with whether each is marked; the empty span behind the last word is left out."""
    parser = _Map()
    parser.feed(html)
    parser.close()
    return parser.words


class YelpHatCorpus(RawSource):
    """Yelp reviews with two to four maps each, two classes. Too few to train on: name other texts in `trained_on`."""

    ordered = (*CLASSES.values(),)

    kind: Literal["yelp-hat"] = Field(description="yelp-hat: reviews with the words that people marked.")
    parts: dict[Name, RemoteFile] = Field(min_length=1, description="ham_part*.csv, by the name of each in ids.")
    annotators: Literal["all", "agreeing"] = Field(
        "all", description="agreeing: leave out the marks of those who judge a review otherwise than its stars do."
    )

    def remote_files(self) -> dict[str, RemoteFile]:
        """The parts, each as parts.<name>."""
        return {f"{PART}{name}": file for name, file in self.parts.items()}

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """The reviews of each part in order; ids are <name>-<part>-<number>, from 0001.

        The rows of one text are its annotators, `annotator 1` and so on: nobody knows whether those of two texts are
        the same person. Labels are those of Yelp's stars, one and two negative, four and five positive. Raises
        AuditError, naming file and line, where a row is not as published.
        """
        for field in self.remote_files():
            reviews: dict[str, list[tuple[str, Mapping[str, str]]]] = {}
            for place, row in published_rows(raw[field], COLUMNS):
                reviews.setdefault(row[COLUMNS["text"]], []).append((place, row))
            for number, (text, rows) in enumerate(reviews.items(), start=1):
                yield self._text(f"{name}-{field.removeprefix(PART)}-{number:04d}", text, rows)

    def _text(self, id_: str, text: str, rows: list[tuple[str, Mapping[str, str]]]) -> Text:
        place = rows[0][0]
        stars = {row[COLUMNS["label"]] for _, row in rows}
        if len(stars) > 1 or not stars <= CLASSES.keys():
            raise AuditError(f"{place}: {COLUMNS['label']} is {', '.join(sorted(stars))}, and must be one of 0 and 1")
        label = CLASSES[stars.pop()]
        words = word_spans(text)
        marks: dict[str, list[Span]] = {}
        labels: dict[str, str] = {}
        miscounted = 0
        for number, (own, row) in enumerate(rows, start=1):
            answer = row[COLUMNS["answer"]]
            if answer not in ANSWERS:
                raise AuditError(f"{own}: {COLUMNS['answer']} is {answer!r:.50}, and must be one of yes, no and idk")
            map_ = marked_words(row[COLUMNS["map"]])
            if not map_:
                raise AuditError(f"{own}: {COLUMNS['map']} has no word; is it a map as published?")
            if self.annotators == "agreeing" and ANSWERS[answer] != label:
                continue
            if len(map_) != len(words):
                miscounted += 1
                continue
            who = f"annotator {number}"
            marks[who] = [span for span, (_, marked) in zip(words, map_, strict=True) if marked]
            labels[who] = ANSWERS[answer]
        return Text(id_, None, label, text, place, annotations=Annotations(marks, labels=labels, miscounted=miscounted))
