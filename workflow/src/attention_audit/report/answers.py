"""The summary as the front page shows it: a row a data set and model, a cell a question, and the sentence to quote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isinf, isnan, nan

import pandas as pd

from attention_audit.answer.sentence import SCORES, beside_marks, quality
from attention_audit.answer.sizes import counted
from attention_audit.answer.words import NO, NOT_ASKED, YES, by_word
from attention_audit.columns.summary import INSTEAD, MEASURED, QUESTIONS, UNITS
from attention_audit.jobs.pages import ShownExhibit
from attention_audit.names import display_name
from attention_audit.report.interval_plot import SCALES, Plot, Scale, alternative, plotted
from attention_audit.tables.asked import ALONE, THESE
from attention_audit.tables.shown import instead, interval
from attention_audit.tables.wording import each_of, named, number


@dataclass(frozen=True)
class Cell:
    """One answer: its word; value and interval as texts, empty where there is none; why it has no other word; what is
    measured, and on how much.

    plot: None where there is no number to draw. alternative: the same drawing in words. each: the effect of each
    training, in words; empty of one.
    """

    question: str
    word: str
    value: str
    interval: str
    why: str
    about: str
    plot: Plot | None
    alternative: str
    each: str


@dataclass(frozen=True)
class Row:
    """One model: its suite, by its key (perhaps empty), its seeds, answers and sentence.

    anchor: its place in the page. view: what the explorer calls it, "<data set>/<suite>/<model>". built: what it is
    built of, empty where that is not known. first: whether it is the first one of its data set and suite. quality: how
    well it predicts, in words; guesses: whether it is no better than always the same answer. instead: which attribution
    does best, by question, with its gain over attention. marks: how well attention points to marked words, empty where
    none are. seen: the tables and figures that show its answers, each with the questions.
    """

    model: str
    suite: str
    anchor: str
    view: str
    built: str
    seeds: int
    first: bool
    quality: str
    guesses: bool
    sentence: str
    cells: list[Cell]
    instead: list[tuple[str, str]]
    marks: str
    seen: list[tuple[str, list[str]]]

    @property
    def words(self) -> list[tuple[str, list[str]]]:
        """Each word that is said, with the questions that it is said of."""
        return by_word({cell.question: cell.word for cell in self.cells})


@dataclass(frozen=True)
class Axis:
    """The scale of a question's drawings: the drawing of a margin alone, and in words its ends, unit and margin.

    unit: "" for a share. margin: "" where no row is asked the question.
    """

    question: str
    low: str
    high: str
    unit: str
    margin: str
    plot: Plot


def margin_of(summary: pd.DataFrame, question: str) -> float:
    """The margin of a question, which all rows have that are asked it; NaN where none is."""
    return float(summary[f"{question}_margin"].max())


def axes_of(summary: pd.DataFrame) -> list[Axis]:
    """The scales of all questions, in their order, from a columns.SUMMARY frame."""
    axes = []
    for question in QUESTIONS:
        margin = margin_of(summary, question)
        scale = SCALES[question].holding(margin)
        said = "" if isnan(margin) else f"{margin:g}"
        plot = plotted(nan, nan, nan, margin, scale)
        axes.append(Axis(question, f"{scale.low:g}", f"{scale.high:g}", UNITS.get(question, ""), said, plot))
    return axes


def _why(note: str, word: str, trainings: int) -> str:
    """What stands below a word: of which trainings it is true where another may differ; why there is no yes or no."""
    if word in (YES, NO):
        these = THESE.format(trainings)
        return these if these in note else ""
    return "; ".join(part for part in note.split("; ") if part != ALONE)


def _cell(row: pd.Series, question: str, scale: Scale) -> Cell:
    word, note = str(row[question]), str(row[f"{question}_note"])
    value, low, high, margin = (float(row[f"{question}_{name}"]) for name in ("value", "low", "high", "margin"))
    trainings, texts = (int(row[f"{question}_{name}"]) for name in ("trainings", "texts"))
    rests = f"{counted(trainings, 'training')}, {counted(texts, 'text')}" if trainings else ""
    each = each_of(row[f"{question}_each"])
    drawn = not (isnan(value) and isnan(low) and isnan(high))
    return Cell(
        question,
        word,
        number(value, ""),
        "cannot be bounded" if isinf(low) or isinf(high) else interval(low, high).strip(),
        _why(note, word, trainings),
        "; ".join(filter(None, [MEASURED[question], rests, note])),
        plotted(value, low, high, margin, scale) if drawn else None,
        alternative(question, word, value, low, high, margin, scale) if drawn else "",
        f"each {'pair' if question == 'stable' else 'training'}: {each}" if each else "",
    )


def seen_in(exhibits: Sequence[ShownExhibit], suite: str, questions: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The names of the tables and figures that show these answers of a suite's models, each with the questions."""
    shown = {
        exhibit.name: [question for question in exhibit.answers if question in questions]
        for exhibit in exhibits
        if exhibit.suite in ("", suite)
    }
    return [(name, answers) for name, answers in shown.items() if answers]


def answers_of(
    summary: pd.DataFrame,
    labels: Mapping[str, str],
    exhibits: Sequence[ShownExhibit] = (),
    built: Mapping[str, str] | None = None,
) -> list[tuple[str, list[Row]]]:
    """The rows of a columns.SUMMARY frame by data set, both in the order of their first appearance.

    `labels`: what models are called (`tables.wording.labels_of`). `exhibits`: the tables and figures of the run.
    `built`: what models are built of, by their names in the explorer.
    """
    scales = {question: SCALES[question].holding(margin_of(summary, question)) for question in QUESTIONS}
    repeated = summary.duplicated(["dataset", "suite"]).tolist()
    by_dataset: dict[str, list[Row]] = {}
    for place, ((_, row), again) in enumerate(zip(summary.iterrows(), repeated, strict=True), 1):
        better = [(question, instead(row, question, labels)) for question in INSTEAD]
        asked = [question for question in QUESTIONS if row[question] != NOT_ASKED]
        by_dataset.setdefault(display_name(row["dataset"]), []).append(
            Row(
                model=named(row["model"], labels),
                suite=str(row["suite"]),
                anchor=f"answer-{place}",
                view=f"{row['dataset']}/{row['suite']}/{row['model']}",
                built=(built or {}).get(f"{row['dataset']}/{row['suite']}/{row['model']}", ""),
                seeds=int(row["seeds"]),
                first=not again,
                quality=quality(str(row["learnt"]), {name: row[name] for name in SCORES}),
                guesses=row["learnt"] == NO,
                sentence=str(row["sentence"]),
                cells=[_cell(row, question, scales[question]) for question in QUESTIONS],
                instead=[(question, shown) for question, shown in better if shown],
                marks=beside_marks(row.to_dict()),
                seen=seen_in(exhibits, str(row["suite"]), asked),
            )
        )
    return list(by_dataset.items())
