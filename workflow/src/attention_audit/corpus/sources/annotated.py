"""Texts whose words are marked: the Stanford Sentiment Treebank (Socher et al. 2013), as Jain & Wallace 2019 prepare it
(see docs/data.md). Those in which people marked the words by which they judged them: Yelp-HAT (Sen et al. 2020),
reviews that several people read; and the format of ERASER (DeYoung et al. 2020), documents with their evidence.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText, join_words
from attention_audit.section import Name

from ..rationales import Annotations, Scored, Span, find_word_spans, mark_scores
from ..raw import decode_lines, find_remedy, open_members, read_content, read_split_lines, require_format
from ..source import RawFiles, RawSource, RemoteFile
from ..tabular import read_delimited
from ..text import SPLITS, Text, Texts

SENTIMENT_CLASSES = ("negative", "positive")
TREE_SENTIMENTS = {*"01234"}
NEUTRAL = 2
MIN_MARKED_SENTIMENT = 0.5
"""The sentiment from which on a word is marked: that of phrases labelled 1 and 3."""
PHRASE_LABELS = "phrase labels"
"""Who marked the words: nobody, but the labels of the phrases say which ones."""
BRACKETS = {"-LRB-": "(", "-RRB-": ")"}


class Phrase(NamedTuple):
    """A phrase of a tree, or a word.

    sentiment: 0 to 4. words: as they were before the treebank wrote brackets and slashes in its own way. scores: the
    sentiment of each word by the rule of Carton et al. (2020), from 0 (none) to 1: that of the largest phrase around it
    which has more sentiment than any phrase or word within that phrase, or else its own.
    """

    sentiment: int
    words: list[str]
    scores: list[float]


def join_parts(sentiment: int, parts: list[Phrase | str]) -> Phrase:
    """Make a phrase of its parts, which are phrases, or one word."""
    strength = abs(sentiment - NEUTRAL) / 2  # how far it is from neutral: 0, .5 or 1
    within = max((max(part.scores) for part in parts if isinstance(part, Phrase)), default=-1.0)
    phrases = [
        Phrase(sentiment, [BRACKETS.get(part, part.replace("\\/", "/"))], [strength]) if isinstance(part, str) else part
        for part in parts
    ]
    words = [word for phrase in phrases for word in phrase.words]
    scores = [strength if strength > within else score for phrase in phrases for score in phrase.scores]
    return Phrase(sentiment, words, scores)


def parse_tree(line: str) -> Phrase:
    """Parse a tree such as `(3 (2 It) (4 works))`. Raises ValueError where the line is not one whole tree."""
    stack: list[list[Phrase | str]] = [[]]
    for token in re.findall(r"[()]|[^()\s]+", line):
        if len(stack) == 1 and (stack[0] or token != "("):
            raise ValueError("text outside the tree")
        if token == "(":
            stack.append([])
        elif token == ")":
            label, *parts = stack.pop() or [""]
            if not isinstance(label, str) or label not in TREE_SENTIMENTS or not parts:
                raise ValueError("node without sentiment or words")
            stack[-1].append(join_parts(int(label), parts))
        else:
            stack[-1].append(token)
    tree = stack[0][0] if len(stack) == 1 and stack[0] else None
    if not isinstance(tree, Phrase):
        raise ValueError("tree not closed")
    return tree


def clean_phrase(phrase: Phrase) -> tuple[str, list[Scored], RawText]:
    """Join the words without brackets, and with a space for every run of characters that are no letters or digits; give
    the sentiment of each word, and the text as it was.
    """
    before = join_words(phrase.words)
    parts = [*re.finditer(r"\w+", before.text)]
    cleaned = join_words([part[0] for part in parts])
    scores = [
        (start, start + len(part[0]), phrase.scores[bisect_right(before.places, part.start()) - 1])
        for start, part in zip(cleaned.places, parts, strict=False)
    ]
    # a space has the place of the part behind it
    offsets = [at for part in parts for at in (part.start(), *range(*part.span()))][1:]
    return cleaned.text, scores, RawText(before.text, offsets)


class SstCorpus(RawSource):
    """The Stanford Sentiment Treebank, two classes, whole sentences."""

    annotated = True
    ordered = SENTIMENT_CLASSES

    kind: Literal["sst"]
    """sst: trees in Penn Treebank format, as Stanford publishes them."""
    archive: RemoteFile
    """The archive with train.txt, dev.txt and test.txt."""
    clean: bool = True
    """Whether every run of characters that are no letters or digits becomes a space, as Jain & Wallace do. false: the
    words of the trees, punctuation included, in which Transformers were trained to read.
    """

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all sentences with a sentiment: negative for roots 0 and 1, positive for 3 and 4; no neutral ones.

        Ids are <name>-<split>-<line of the tree in its file>, from 00001. Raises AuditError naming file and line.
        """
        archive = raw["archive"]
        hint = "trees/{}.txt in it; is it trainDevTestTrees_PTB.zip?"
        for split, number, location, line in read_split_lines(archive, r"trees/(train|dev|test)\.txt", SPLITS, hint):
            if not line.strip():
                continue
            try:
                tree = parse_tree(line)
            except ValueError as error:
                raise AuditError(location, f"malformed tree ({error})", find_remedy(archive)) from error
            if tree.sentiment == NEUTRAL:
                continue
            text: str | list[str] = tree.words
            before, scores = None, [(at, at + 1, score) for at, score in enumerate(tree.scores)]
            if self.clean:
                text, scores, before = clean_phrase(tree)
            annotations = mark_scores(PHRASE_LABELS, scores, MIN_MARKED_SENTIMENT)
            label, id_ = SENTIMENT_CLASSES[tree.sentiment > NEUTRAL], f"{name}-{split}-{number:05d}"
            yield Text(id_, split, label, text, location, annotations=annotations, written=before)


ANSWERS = {"no": "negative", "yes": "positive", "idk": "", "": ""}
"""What an annotator says of a review, who may not know, as a class."""
YELP_COLUMNS = {"label": "Input.label", "text": "Input.text", "answer": "Answer.Q1Answer", "map": "Answer.html_output"}
LABEL_COLUMN, TEXT_COLUMN, ANSWER_COLUMN, MAP_COLUMN = YELP_COLUMNS.values()


def read_map(html: str) -> list[tuple[str, bool]]:
    """Read the words of a map, and whether each is marked. Tags within a word, which a browser's extension left, and
    the empty span behind the last word are left out.
    """
    spans = re.findall(r"<span\b([^>]*)>(.*?)</span>", html, re.DOTALL)
    words = ((unescape(re.sub("<[^>]*>", "", inner)), 'class="active"' in about) for about, inner in spans)
    return [(word, is_marked) for word, is_marked in words if word.strip()]


class YelpHatCorpus(RawSource):
    """Yelp reviews with two to four maps each, two classes. Too few to train on: name other texts in `trained_on`."""

    annotated = True
    ordered = SENTIMENT_CLASSES

    kind: Literal["yelp-hat"]
    """yelp-hat: reviews with the words that people marked."""
    parts: dict[Name, RemoteFile] = Field(min_length=1)
    """ham_part*.csv, by the name of each in ids."""
    annotators: Literal["all", "agreeing"] = "all"
    """agreeing: leave out the marks of those who judge a review otherwise than its stars do."""

    def remote_files(self) -> dict[str, RemoteFile]:
        """List the parts, each as parts.<name>."""
        return {f"parts.{name}": file for name, file in self.parts.items()}

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the reviews of each part in order; ids are <name>-<part>-<number>, from 0001.

        The rows of one text are its annotators, `annotator 1` and so on: nobody knows whether those of two texts are
        the same person. Labels are those of Yelp's stars, one and two negative, four and five positive. Raises
        AuditError, naming file and line, where a row is not as published.
        """
        for part in self.parts:
            reviews: dict[str, list[tuple[str, Mapping[str, str]]]] = {}
            for location, row in read_delimited(raw[f"parts.{part}"], YELP_COLUMNS):
                reviews.setdefault(row[TEXT_COLUMN], []).append((location, row))
            for number, (text, rows) in enumerate(reviews.items(), start=1):
                location = rows[0][0]
                stars = {row[LABEL_COLUMN] for _, row in rows}
                if len(stars) > 1 or not stars <= {"0", "1"}:
                    fault = f"{LABEL_COLUMN} is {', '.join(sorted(stars))}, and must be one of 0 and 1"
                    raise AuditError(location, fault)
                label, words, miscounted = SENTIMENT_CLASSES[int(stars.pop())], find_word_spans(text), 0
                marks: dict[str, list[Span]] = {}
                labels: list[str] = []
                for annotator, (where, row) in enumerate(rows, start=1):
                    answer, map_ = row[ANSWER_COLUMN], read_map(row[MAP_COLUMN])
                    if answer not in ANSWERS:
                        fault = f"{ANSWER_COLUMN} is {answer!r:.50}, and must be one of yes, no and idk"
                        raise AuditError(where, fault)
                    if not map_:
                        raise AuditError(where, f"{MAP_COLUMN} has no word", "is it a map as published?")
                    if self.annotators == "agreeing" and ANSWERS[answer] != label:
                        continue
                    if len(map_) != len(words):
                        miscounted += 1
                        continue
                    who = f"annotator {annotator}"
                    marks[who] = [span for span, (_, is_marked) in zip(words, map_, strict=True) if is_marked]
                    labels.append(ANSWERS[answer])
                annotations = Annotations(marks, labels=labels, miscounted=miscounted)
                yield Text(f"{name}-{part}-{number:04d}", None, label, text, location, annotations=annotations)


FILES = {"train": "train", "val": "dev", "test": "test"}
"""The split of a file."""
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

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all annotated texts; ids are <name>-<split>-<annotation_id>. Words are set apart by single spaces.

        The texts on one document, as those of BoolQ and MultiRC are, are a group; a text that has the name of its
        document, as in movies, is alone. All documents are in memory. Raises AuditError, naming file and line, where a
        line is not as published.
        """
        archive = raw["archive"]
        documents = read_documents(archive)
        wanted, hint = r"(?:[^/]+/)?(?:train|val|test)\.jsonl", "{}.jsonl in it; is it an archive of ERASER?"
        for file, _, location, line in read_split_lines(archive, wanted, [*FILES], hint):
            if not line.strip():
                continue
            with require_format(location, "no annotation_id, classification and evidences in it", archive):
                record = json.loads(line)
                id_, label = str(record["annotation_id"]), str(record["classification"])
                entries = [entry for group in record["evidences"] for entry in group]
                stretches = [
                    (str(entry["docid"]), int(entry["start_token"]), int(entry["end_token"])) for entry in entries
                ]
                query = str(record.get("query") or "") if self.query else None
                docids = [*map(str, record.get("docids") or [])]
            docids = docids or [*dict.fromkeys(docid for docid, _, _ in stretches)] or [id_]
            words: list[str] = []
            begins: dict[str, int] = {}
            for docid in docids:
                if docid not in documents:
                    raise AuditError(location, f"no document {docid!r:.50} in docs", "is the archive whole?")
                begins[docid] = len(words)
                words += documents[docid]
            text = join_words(words)
            spans: list[Span] = []
            for docid, start, end in stretches:
                if docid in begins and 0 <= start < end <= len(documents[docid]):
                    first_word, last_word = begins[docid] + start, begins[docid] + end - 1
                    spans.append((text.places[first_word], text.places[last_word] + len(words[last_word])))
            annotations = Annotations({ANNOTATOR: spans}, outside=len(stretches) - len(spans))
            group = docids[0] if len(docids) == 1 and docids != [id_] else None
            split, id_ = FILES[file], f"{name}-{FILES[file]}-{id_}"
            yield Text(id_, split, label, text.text, location, query=query, annotations=annotations, group=group)


def read_documents(archive: Path) -> dict[str, list[str]]:
    """Read the words of each document by its name, from docs/<name> or from docs.jsonl."""
    documents: dict[str, list[str]] = {}
    for member, stream in open_members(archive, r"(?:[^/]+/)?(?:docs/[^/]+|docs\.jsonl)"):
        where = f"{archive}: {member}"
        if member.endswith("docs.jsonl"):
            for number, line in enumerate(decode_lines(stream, where), start=1):
                with require_format(f"{where}, line {number}", "no docid and document in it", archive):
                    record = json.loads(line)
                    documents[str(record["docid"])] = str(record["document"]).split()
            continue
        documents[Path(member).name] = read_content(stream, where, find_remedy(archive)).split()
    if not documents:
        raise AuditError(archive, "no docs/ and no docs.jsonl in it", "is it an archive of ERASER?")
    return documents
