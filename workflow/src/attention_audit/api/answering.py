"""What an audit of a model in a notebook answers: a table, a card, a paragraph, pictures, and files to go on with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure

from attention_audit.answer.lines import write_lines
from attention_audit.artefacts.files import whole
from attention_audit.audits.attention_maps import MARKS
from attention_audit.errors import AuditError
from attention_audit.figures.maps import hf_fig_maps
from attention_audit.given.arrays import readout
from attention_audit.questions import QUESTIONS
from attention_audit.readout import Readout
from attention_audit.report.ending import HEAD, write_answer
from attention_audit.report.page import card, first_row
from attention_audit.tables.wording import Labels

from .auditing import DATASET, MODEL, check_path, write
from .reading import Reading, make_reading

SUBJECT = ("dataset", "suite", "model")
CONFIG = "readouts.yaml"
NUMBERS = ("value", "low", "high", "next_low", "next_high")


def by_question(summary: pd.DataFrame) -> pd.DataFrame:
    """The answers of a summary, of `audit` or a run's tables/summary.parquet, with a row a question: the columns of
    `Answer.table`. Where the summary has several models, dataset, suite and model stand before them.

    Raises AuditError where the frame is no summary.
    """
    wanted = {*SUBJECT, *(f"{question}_{name}" for question in QUESTIONS for name in ("zones", "said", *NUMBERS))}
    if missing := wanted - {*summary.columns}:
        raise AuditError(f"summary: has no column {min(missing)}; give the table `summary` of api.audit, or of a run")
    rows = [
        {name: row[name] for name in SUBJECT}
        | {"question": line.question, "asks": line.asks, "zones": row[f"{line.question}_zones"], "word": line.said}
        | {name: row[f"{line.question}_{name}"] for name in (*NUMBERS, "trainings", "texts")}
        | {"note": line.remark}
        for row in summary.to_dict("records")
        for line in write_lines(row)
    ]
    found = pd.DataFrame(rows).astype(dict.fromkeys(NUMBERS, np.float64))
    return found if len(summary) > 1 else found.drop(columns=[*SUBJECT])


@dataclass(frozen=True, repr=False)
class Answer:
    """What a map of one model may be read as: printed, it is what the terminal says at the end of a run, and alone in a
    cell of a notebook the card of the report.

    summary: the row of the summary, with all of its columns. labels: what tables call models and maps.
    """

    summary: pd.DataFrame
    labels: Labels
    asks: ClassVar[str] = HEAD

    @property
    def table(self) -> pd.DataFrame:
        """A row a question, with the columns question; asks, which is the question in words; zones: those of 1 (low), 2
        and 3 (high) that the interval touches, ≠ where predicted classes lie apart, - where nothing is stated; word,
        the statement; value, with the 95 % interval low to high of these trainings, and next_low to next_high of one
        more; trainings (or pairs) and texts, on which it rests; note: what stands beside it, or why nothing is stated.
        """
        return by_question(self.summary)

    @property
    def reasons(self) -> dict[str, str]:
        """Why nothing is stated, by question."""
        row = self.summary.iloc[0]
        return {question: reason for question in QUESTIONS if (reason := row[f"{question}_reason"])}

    @property
    def paragraph(self) -> str:
        """What a paper may say of it, in at most 90 words."""
        return first_row(self.summary, self.labels).copy

    def __repr__(self) -> str:
        _, _, *lines = write_answer(self.summary.iloc[0].to_dict(), "")
        return "\n".join([self.asks, *lines])

    def _repr_html_(self) -> str:
        return card(self.summary, self.labels)


@dataclass(frozen=True, repr=False)
class Audited(Answer):
    """What the map of a model at hand may be read as.

    maps: the table of all maps, the best first (columns.tables.TABLE). texts: the table `texts`.
    readouts: what each training shows, in one order of texts. whole: all words of each text. classes: their names.
    """

    maps: pd.DataFrame
    texts: pd.DataFrame
    readouts: Sequence[Readout]
    whole: Sequence[Sequence[str]]
    classes: Sequence[str]

    @property
    def words(self) -> list[list[str]]:
        """The words of each text as they were read, marks of a tokenizer last."""
        first = self.readouts[0]
        read = zip(self.whole, first.places, first.lengths.tolist(), strict=True)
        return [[*(own[place] for place in places), *MARKS[: items - len(places)]] for own, places, items in read]

    def figure(self) -> Figure:
        """A picture of all maps beside each other: how well each locates the words that matter, and what else was
        measured, with 95 % intervals.
        """
        return hf_fig_maps(self.maps, self.labels)

    def text(self, number: int) -> Reading:
        """What is known of a text, by its number from 0: its words with their weights, and its picture.

        Raises AuditError where there is none of this number.
        """
        if not 0 <= number < len(self.whole):
            raise AuditError(f"number: is {number}, and there are {len(self.whole)} texts; give one from 0")
        trainings = [one.aligned([one.ids[number]]) for one in self.readouts]
        return make_reading(self.whole[number], trainings, None, dict(enumerate(self.classes)))

    def save(self, folder: str | Path) -> None:
        """Write what each training shows as a readout, which the workflow reads, and the configuration that names them:
        `snakemake --cores 2 all --configfile <folder>/readouts.yaml`. Predictions that do not follow from the weights
        by a sum alone come without contributions. Raises AuditError where a file cannot be written.
        """
        folder, files = check_path(folder, "folder"), []
        for number, one in enumerate(self.readouts, start=1):
            files.append(str(folder / f"training{number}.npz"))
            exact: tuple[Any, Any] = (
                (one.contribution, one.bias) if one.several is None and one.decided else (None, None)
            )
            padded = {
                name: [np.pad(own, (0, count - len(own))) for own, count in zip(scores, one.lengths, strict=True)]
                for name, scores in one.maps.items()
            }
            given = readout(
                self.words,
                one.attention,
                *exact,
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
