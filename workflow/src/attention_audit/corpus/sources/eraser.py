"""The format of ERASER (DeYoung et al. 2020): documents, and jsonl files that say which of their words are evidence."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from attention_audit.corpus.rationales import Annotations, Span
from attention_audit.corpus.raw import as_published, content, lines, members, remedy, split_lines
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.raw_text import spaced

SPLITS = {"train": "train", "val": "dev", "test": "test"}
ANNOTATOR = "evidences"
"""Who marked the words. All groups of evidence count, though each would do: so do the authors' own measures."""


class EraserCorpus(RawSource):
    """Documents, which have been split into words, with evidence."""

    kind: Literal["eraser"] = Field(description="eraser: an archive of the ERASER benchmark, such as movies.tar.gz.")
    archive: RemoteFile = Field(
        description="The archive, with train.jsonl, val.jsonl, test.jsonl and docs/ or docs.jsonl, perhaps in a folder."
    )
    query: bool = Field(
        False,
        description="Read the query as the second text, which makes pairs; in movies, all texts have the same query.",
    )

    @property
    def pair(self) -> bool:
        """Whether the queries are read."""
        return self.query

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All annotated texts; ids are <name>-<split>-<annotation_id>. Words are set apart by single spaces.

        All documents are in memory. Raises AuditError, naming file and line, where a line is not as published.
        """
        archive = raw["archive"]
        documents = _documents(archive)
        wanted, lacking = r"(?:[^/]+/)?(?:train|val|test)\.jsonl", "{}.jsonl in it; is it an archive of ERASER?"
        for file, _, place, line in split_lines(archive, wanted, [*SPLITS], lacking):
            if line.strip():
                yield self._text(name, SPLITS[file], line, place, documents)

    def _text(self, name: str, split: str, line: str, place: str, documents: Mapping[str, list[str]]) -> Text:
        try:
            record: dict[str, Any] = json.loads(line)
            id_, label = str(record["annotation_id"]), str(record["classification"])
            evidence = [one for group in record["evidences"] for one in group]
            stretches = [(str(one["docid"]), int(one["start_token"]), int(one["end_token"])) for one in evidence]
            query = str(record.get("query") or "")
            named = [str(one) for one in record.get("docids") or []]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise AuditError(f"{place}: no annotation_id, classification and evidences in it, as published") from error
        named = named or [*dict.fromkeys(docid for docid, _, _ in stretches)] or [id_]
        words: list[str] = []
        begins: dict[str, tuple[int, int]] = {}
        for docid in named:
            if docid not in documents:
                raise AuditError(f"{place}: no document {docid!r:.50} in docs; is the archive whole?")
            begins[docid] = (len(words), len(documents[docid]))
            words += documents[docid]
        text = spaced(words)
        spans: list[Span] = []
        for docid, start, end in stretches:
            first, length = begins.get(docid, (0, 0))
            if 0 <= start < end <= length:
                last = first + end - 1
                spans.append((text.places[first + start], text.places[last] + len(words[last])))
        said = Annotations({ANNOTATOR: spans}, outside=len(stretches) - len(spans))
        second = query if self.query else None
        return Text(f"{name}-{split}-{id_}", split, label, text.text, place, query=second, annotations=said)


def _documents(archive: Path) -> dict[str, list[str]]:
    """The words of each document by its name, from docs/<name> or from docs.jsonl."""
    found: dict[str, list[str]] = {}
    for member, stream in members(archive, r"(?:[^/]+/)?(?:docs/[^/]+|docs\.jsonl)"):
        where = f"{archive}: {member}"
        if member.endswith("docs.jsonl"):
            for number, line in enumerate(lines(stream, where), start=1):
                with as_published(f"{where}, line {number}", "no docid and document in it", archive):
                    record = json.loads(line)
                    found[str(record["docid"])] = str(record["document"]).split()
            continue
        try:
            found[Path(member).name] = content(stream, where).decode().split()
        except UnicodeDecodeError as error:
            raise AuditError(f"{where}: not utf-8 ({error.reason}); {remedy(archive)}") from error
    if not found:
        raise AuditError(f"{archive}: no docs/ and no docs.jsonl in it; is it an archive of ERASER?")
    return found
