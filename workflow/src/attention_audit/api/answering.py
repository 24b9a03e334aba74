"""What an audit of a model in a notebook answers: a table, a sentence, a card, pictures, and files to go on with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure

from attention_audit.answer.sentence import ask_order
from attention_audit.api.auditing import DATASET, MODEL
from attention_audit.api.judging import Told
from attention_audit.api.reading import Reading, reading_of, seen_in
from attention_audit.api.writing import as_path, write
from attention_audit.artefacts.files import whole
from attention_audit.audits.attention_maps import MARKS
from attention_audit.columns.summary import QUESTIONS
from attention_audit.errors import AuditError
from attention_audit.figures.maps import hf_fig_maps
from attention_audit.given.arrays import readout
from attention_audit.readout import Readout
from attention_audit.report.card import card

COLUMNS, FURTHER = ("value", "low", "high"), ("margin", "trainings", "texts", "note")
SUBJECT = ("dataset", "suite", "model")
FILES = "training{}.npz"
CONFIG = "readouts.yaml"


def rows_of(summary: pd.Series) -> pd.DataFrame:
    """A row a question of a row of the summary, the first of them whether the model has learnt its task."""
    rows = [
        {"question": name, "word": summary[name]}
        | {column: summary.get(f"{name}_{column}") for column in (*COLUMNS, *FURTHER)}
        for name in ("learnt", *QUESTIONS)
    ]
    rows[0]["note"] = ask_order(dict(summary))
    counts = dict.fromkeys(("trainings", "texts"), "Int64")
    return pd.DataFrame(rows).astype(counts).assign(note=lambda table: table["note"].fillna(""))


def by_question(summary: pd.DataFrame) -> pd.DataFrame:
    """The answers of a summary, of `audit` or a run's tables/summary.parquet, with a row a question: the columns of
    `Audited.table`. Where the summary has several models, dataset, suite and model stand before them.

    Raises AuditError where the frame is no summary.
    """
    if missing := {*SUBJECT, "learnt", *QUESTIONS} - {*summary.columns}:
        raise AuditError(f"summary: has no column {min(missing)}; give the table `summary` of api.audit, or of a run")
    of_models = [(row[[*SUBJECT]], rows_of(row)) for _, row in summary.iterrows()]
    if len(of_models) == 1:
        return of_models[0][1]
    return pd.concat([rows.assign(**subject)[[*SUBJECT, *rows]] for subject, rows in of_models], ignore_index=True)


@dataclass(frozen=True, repr=False)
class Audited(Told):
    """What the maps of a model may be read as.

    table: a row a question, with the columns question; word (yes, no, undecided, too few or not asked); value with its
    95 % interval low to high; margin, above which the whole interval must lie for a yes; trainings and texts, on which
    it rests; note, which says of a question that was not asked what it would take. sentence: the same to quote. maps:
    the table of all maps, the best first (columns.table). texts: the table `texts`, text by text (columns.texts).
    summary: the row of the summary with all of its columns. readouts: what each training shows, in one order of texts.
    words: those of each text as they were read, marks of a tokenizer last. classes: their names. labels: what tables
    call models and maps. whole: all words of each text; None where all were read.
    """

    maps: pd.DataFrame
    texts: pd.DataFrame
    summary: pd.DataFrame
    readouts: Sequence[Readout]
    words: Sequence[Sequence[str]]
    classes: Sequence[str]
    labels: Mapping[str, str]
    whole: Sequence[Sequence[str]] | None = None

    def figure(self) -> Figure:
        """A picture of all maps beside each other: how well each locates the words that matter, and what else was
        measured, with 95 % intervals.
        """
        return hf_fig_maps(self.maps, self.labels)

    def text(self, number: int) -> Reading:
        """What is known of a text, by its number from 0: its words with their weights, and its picture.

        Raises AuditError where there is none of this number.
        """
        if not 0 <= number < len(self.words):
            raise AuditError(f"number: is {number}, and there are {len(self.words)} texts; give one from 0")
        seen = [seen_in(one, one.ids[number]) for one in self.readouts]
        whole = None if self.whole is None else self.whole[number]
        return reading_of([*self.words[number]], seen, None, dict(enumerate(self.classes)), whole)

    def save(self, folder: str | Path) -> None:
        """Write what each training shows as a readout, which the workflow reads, and the configuration that names them:
        `snakemake --cores 2 all --configfile <folder>/readouts.yaml`. Predictions that do not follow from the weights
        by a sum alone come without contributions. Raises AuditError where a file cannot be written.
        """
        folder, files = as_path(folder, "folder"), []
        for number, one in enumerate(self.readouts, start=1):
            files.append(str(folder / FILES.format(number)))
            exact = one.several is None and one.decided
            marks = [len(weights) - count for weights, count in zip(one.attention, one.words, strict=True)]
            padded = {
                name: [np.pad(scores, (0, more)) for scores, more in zip(every, marks, strict=True)]
                for name, every in one.maps.items()
            }
            given = readout(
                self.words,
                one.attention,
                one.contribution if exact else None,
                one.bias if exact else None,
                one.labels.tolist(),
                one.probabilities,
                ids=one.ids,
                maps=padded,
                name=files[-1],
            )
            write(given, files[-1])
        own = {DATASET: {"models": {MODEL: files}, "classes": [*self.classes]}}
        with whole(folder / CONFIG) as path:
            path.write_text(yaml.safe_dump({"results": str(folder / "results"), "own": own}, sort_keys=False))

    def _repr_html_(self) -> str:
        return card(self.summary, self.labels)


def words_and_marks(words: Sequence[Sequence[str]], one: Readout) -> list[list[str]]:
    """The words of each text that are read, and behind them the marks of its map."""
    read = zip(words, one.places, one.lengths.tolist(), strict=True)
    return [[*(own[place] for place in places), *MARKS[: items - len(places)]] for own, places, items in read]
