"""Discharge summaries of MIMIC-III (Johnson et al. 2016): diabetes or not; acute or chronic anemia."""

import re
import zlib
from collections import defaultdict
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attention_audit.errors import AuditError

from ..english import DEIDENTIFIED
from ..raw import Fields, read_csv, read_lines
from ..source import RawFiles, RawSource, RemoteFile
from ..text import SPLITS, Text, Texts

NEGATIVE, POSITIVE = DIAGNOSIS_CLASSES = ("negative", "positive")
RULES = {
    "diabetes": {frozenset[str](): NEGATIVE, frozenset({"25000"}): POSITIVE},
    "anemia": {frozenset({"2852"}): NEGATIVE, frozenset({"2851"}): POSITIVE},
}
"""The class of an admission, by the set of codes listed here that it has; with any other set it has no class.

Codes are ICD-9, by their beginning and, as in MIMIC, without the point: 2852 is 285.2 with all codes below it.
"""
PASSAGE = re.compile(r"\[\*\*[^\[\]]*\*\*\]")
REPEATED_MARK = re.compile(r"([^\w\s]|_)(\s*\1)+")
LocalFile = Annotated[str, Field(min_length=1)]


def clean_note(text: str) -> str:
    """Clean a note, in which each de-identified passage becomes one word, and each run of one mark a single mark."""
    return f" {DEIDENTIFIED} ".join(REPEATED_MARK.sub(r" \1 ", part) for part in PASSAGE.split(text))


def read_mimic_table(path: Path, *columns: str) -> Fields:
    """Read the values of `columns` in every row of a table of MIMIC, with the row's place.

    Raises AuditError, naming the line, where a column or part of a row is missing.
    """
    rows = read_csv(read_lines(path), path)
    location, header = next(rows, (f"{path}, line 1", []))
    names = [name.strip().upper() for name in header]
    if missing := [column for column in columns if column not in names]:
        raise AuditError(location, f"no column {missing[0]}", "is it the right table of MIMIC-III?")
    chosen = [names.index(column) for column in columns]
    for location, row in rows:
        if len(row) != len(header):
            raise AuditError(location, f"{len(row)} columns, the header has {len(header)}", "mend the row")
        yield location, [row[column].strip() for column in chosen]


def read_labels(path: Path, task: str) -> dict[str, str]:
    """Read the class of every admission that has one; an admission without any code has none."""
    rules = RULES[task]
    codes_of: defaultdict[str, set[str]] = defaultdict(set)
    for _, (admission, code) in read_mimic_table(path, "HADM_ID", "ICD9_CODE"):
        if admission and code:
            codes_of[admission] |= {begins for begins in chain(*rules) if code.startswith(begins)}
    labels = ((admission, rules.get(frozenset(codes))) for admission, codes in codes_of.items())
    return {admission: label for admission, label in labels if label is not None}


def read_admission_splits(lists: RawFiles) -> dict[str, str]:
    """Read the split of every admission in the id lists; `lists` has the path of a list by split.

    Raises AuditError, naming the line, at anything that is not a HADM_ID, and at one that is also in another list.
    """
    splits: dict[str, str] = {}
    for split, path in lists.items():
        for number, line in enumerate(read_lines(path), start=1):
            location, admission = f"{path}, line {number}", line.strip()
            if admission and not admission.isdecimal():
                raise AuditError(location, f"{admission!r} is no HADM_ID", "give one a line")
            if admission and splits.setdefault(admission, split) != split:
                raise AuditError(location, f"{admission} is in the {splits[admission]} list too", "give it one split")
    return splits


class MimicCorpus(RawSource):
    """Discharge summaries of MIMIC-III, which users get themselves; one text for each admission, two classes."""

    ordered = DIAGNOSIS_CLASSES

    kind: Literal["mimic"]
    """mimic: discharge summaries of MIMIC-III."""
    notes: LocalFile
    """Path of NOTEEVENTS.csv or NOTEEVENTS.csv.gz."""
    diagnoses: LocalFile
    """Path of DIAGNOSES_ICD.csv or DIAGNOSES_ICD.csv.gz."""
    task: Literal["diabetes", "anemia"]
    """diabetes: ICD-9 250.00 or not. anemia: 285.1 (acute, positive) or 285.2 (chronic), not both."""
    train_ids: LocalFile | RemoteFile | None = None
    """HADM_IDs for training, one a line: a path, or a file to fetch; null: splits are made."""
    dev_ids: LocalFile | RemoteFile | None = None
    """The same for development."""
    test_ids: LocalFile | RemoteFile | None = None
    """The same for test."""

    @model_validator(mode="after")
    def _check_lists(self) -> Self:
        if len({ids is None for ids in (self.train_ids, self.dev_ids, self.test_ids)}) > 1:
            raise ValueError("give `train_ids`, `dev_ids` and `test_ids`, or none of them")
        return self

    def local_files(self) -> dict[str, str]:
        """List the two tables, and the id lists that are the user's own."""
        files = {name: getattr(self, name) for name in ("notes", "diagnoses", *(f"{split}_ids" for split in SPLITS))}
        return {name: value for name, value in files.items() if isinstance(value, str)}

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read a text for each admission that has a discharge summary and a class and, if there are lists, is in one.

        Ids are <name>-<HADM_ID>. Raises AuditError, naming file and line, where a file is not as published.
        """
        labels = read_labels(raw["diagnoses"], self.task)
        lists = {split: raw[f"{split}_ids"] for split in SPLITS if f"{split}_ids" in raw}
        splits = read_admission_splits(lists)
        admissions = labels.keys() & splits.keys() if lists else labels.keys()
        # of each note whether it is an addendum; the note, compressed, since tens of thousands are in memory together
        stays: defaultdict[str, list[tuple[bool, bytes, str]]] = defaultdict(list)
        for location, row in read_mimic_table(raw["notes"], "HADM_ID", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT"):
            admission, category, description, error, note = row
            if category == "Discharge summary" and error != "1" and admission in admissions:
                stays[admission].append((description == "Addendum", zlib.compress(note.encode(), 1), location))
        if not stays:
            raise AuditError(str(raw["notes"]), "no summary of an admission with a class", "is all of one MIMIC-III?")
        for admission, notes in stays.items():
            # reports before addenda
            text = " ".join(zlib.decompress(note).decode() for _, note, _ in sorted(notes, key=itemgetter(0)))
            location = notes[0][2]
            yield Text(f"{name}-{admission}", splits.get(admission), labels[admission], clean_note(text), location)
