"""Readouts of one's own, audited without a workflow; and what an audit of a model in a notebook answers: a table, a
card, a paragraph, pictures, and files to go on with.

Audits are asked in memory by the functions that the workflow's stages call, so that their numbers are the workflow's
(`asking`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import yaml

from attention_audit.arrays import Floats32
from attention_audit.artefacts.files import write_whole
from attention_audit.contrasts import ADVERSARIES_KEY, UNIFORM_KEY
from attention_audit.corpus.prepare import prepare_texts
from attention_audit.corpus.source import Length, Preparation, Splits
from attention_audit.corpus.sources.table import list_given_texts
from attention_audit.corpus.tokens import Tokens
from attention_audit.errors import AuditError
from attention_audit.given import GivenTrainings, check_path, check_readout, list_class_names, name_readouts, readout
from attention_audit.given.files import write_given_readout
from attention_audit.model.network import use_torch
from attention_audit.plan.suites import SUITES
from attention_audit.questions import QUESTIONS
from attention_audit.readout import MARKS, Readout
from attention_audit.report.page import make_first_row, write_card
from attention_audit.report.terminal import HEADLINE, write_answer
from attention_audit.stages.import_readout import build_readout
from attention_audit.tables.summary import by_question
from attention_audit.tables.tidy import join_notes
from attention_audit.tables.wording import Labels
from attention_audit.transformer.outputs import OutputKind

from .asking import GIVEN_MODEL, GIVEN_TEXTS, ModelAudit, number_trainings, read_settings
from .rereading import ClassifierReader, CutTexts, state_chance
from .saving import ClassifierRun
from .shown_text import Reading, make_reading
from .targets import AskedTarget

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def list_by_target(targets: Iterable[AskedTarget], summaries: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """List the answers of targets as `by_question` does, behind the name of the target."""
    answers = [by_question(summary).assign(target=each.name) for each, summary in zip(targets, summaries, strict=True)]
    return pd.concat(answers).set_index("target").reset_index()


@dataclass(frozen=True, repr=False)
class Answer:
    """What a map of one model may be read as: printed, it is what the terminal says at the end of a run, and alone in a
    cell of a notebook the card of the report.

    summary: the row of the summary, with all of its columns. labels: what tables call models and maps.
    """

    summary: pd.DataFrame
    labels: Labels
    asks: ClassVar[str] = HEADLINE

    @property
    def table(self) -> pd.DataFrame:
        """Return a row a question, with the columns question; claim, which is the question in words; zones: those of 1
        (low), 2 and 3 (high) that the interval touches, ≠ where predicted classes differ, - where there is no
        verdict; verdict; value, with the 95 % interval low to high, and next_low to next_high, the range of one more
        training; trainings and texts, on which it rests; note: what stands beside it, or why there is no verdict.
        """
        return by_question(self.summary)

    @property
    def reasons(self) -> dict[str, str]:
        """Say why there is no verdict, by question."""
        row = self.summary.iloc[0]
        return {question: reason for question in QUESTIONS if (reason := row[f"{question}_reason"])}

    @property
    def paragraph(self) -> str:
        """Return what a paper may say of it, in at most 90 words."""
        return make_first_row(self.summary, self.labels).copy

    @property
    def shown(self) -> pd.DataFrame:
        """Return the summary as it is shown."""
        return self.summary

    def __repr__(self) -> str:
        return "\n".join(write_answer(self.shown.iloc[0].to_dict(), "", self.asks))

    def _repr_html_(self) -> str:
        return write_card(self.shown, self.labels)


@dataclass(frozen=True, repr=False)
class Audited(Answer):
    """What the map of a model at hand may be read as: the answer, and a sequence of its texts.

    maps: the table of all maps, the best first (columns.tables.TABLE). texts: the table `texts`.
    readouts: what each training shows, in one order of texts. whole: all words of each text. classes: their names.
    run: what a run of a classifier reads; reader: its trainings, which read further texts. Both are None of another
    network, and of an answer that was pickled.
    """

    maps: pd.DataFrame
    texts: pd.DataFrame
    readouts: Sequence[Readout]
    whole: Sequence[Sequence[str]]
    classes: Sequence[str]
    run: ClassifierRun | None = None
    reader: ClassifierReader | None = None

    def __getstate__(self) -> dict[str, Any]:
        # both have the models, which may be large, and no pickle may take them
        return vars(self) | {"run": None, "reader": None}

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, number: int) -> Reading:
        return self.text(number)

    def __iter__(self) -> Iterator[Reading]:
        return map(self.text, range(len(self)))

    @property
    def words(self) -> list[list[str]]:
        """List the words of each text as they were read, marks of a tokenizer last."""
        readout = self.readouts[0]
        texts = zip(self.whole, readout.places, readout.lengths.tolist(), strict=True)
        return [[*(words[at] for at in indices), *MARKS[: items - len(indices)]] for words, indices, items in texts]

    @property
    def shown(self) -> pd.DataFrame:
        """Return the summary as it is shown: with the number of texts that were cut, where some were."""
        readout = self.readouts[0]
        cut = 0 if readout.several is None or readout.several.cut is None else int(readout.several.cut.sum())
        cut_note = f"{cut} of {len(readout)} texts were cut, and are read in part" if cut else ""
        return self.summary.assign(note=[join_notes(cut_note, note or "") for note in self.summary["note"]])

    def figure(self) -> "Figure":
        """Draw all maps beside each other: how well each locates the words that matter, and what else was
        measured, with 95 % intervals.
        """
        from attention_audit.figures.attributions import hf_fig_maps

        return hf_fig_maps(self.maps, self.labels)

    def text(self, number: int, *, layer: int | None = None) -> Reading:
        """Read a text, by its number from 0, or from the end by -1, -2 and so on: its words with their weights, and
        its picture. layer: another one than the last, from 1, whose map the models of a classifier then read.

        Raises AuditError where there is none of this number, or no such layer at hand.
        """
        number = self._find_text(number)
        if layer is not None:
            reader = self._require_reader("layer")
            return reader.read_texts(reader.texts.select([number]), layer)[0]
        return self._show(number, self.readouts, self.classes)

    def read(self, text: Any, *, layer: int | None = None) -> Reading:
        """Read a text that was not audited, as the texts were: by the same trainings, maps and settings. It is one of
        what `audit_classifier` takes as `texts`. layer: as in `text`.

        Raises AuditError where the text cannot be read, and where no classifier is at hand.
        """
        reader = self._require_reader("read")
        return reader.read_texts(reader.prepare_text(text), layer)[0]

    def _find_text(self, number: int) -> int:
        """Return the number of a text from 0. Raises AuditError where there is none."""
        if number not in range(-len(self), len(self)):
            raise AuditError("number", f"is {number}, and there are {len(self)} texts", "give one from 0")
        return range(len(self))[int(number)]

    def _show(self, number: int, readouts: Sequence[Readout], names: Sequence[str]) -> Reading:
        """Show a text by readouts that have it. names: of what the model says."""
        if self.reader is None:
            trainings = [training.align([self.readouts[0].ids[number]]) for training in readouts]
            return make_reading(self.whole[number], trainings, [], dict(enumerate(names)))
        return self.reader.show(self.reader.texts.select([number]), readouts, names)[0]

    def _require_reader(self, place: str) -> ClassifierReader:
        """Return the trainings of a classifier. Raises AuditError, which names the place, where there is none."""
        if self.reader is None:
            raise AuditError(place, "no classifier is at hand that reads texts", "ask an answer of audit_classifier")
        return self.reader

    def save(self, folder: str | Path) -> None:
        """Write what a run reads to go on, and the configuration that names it:
        `snakemake --cores 2 all --configfile <folder>/readouts.yaml`, from any folder.

        Of a classifier these are its texts and, of one in memory, its weights and tokenizer: the run answers what is
        answered here. Of another network it reads readouts, so that `located` stays unanswered. Readouts are written of
        both. Raises AuditError where a file cannot be written.
        """
        if self.readouts[0].labels.min() < 0:
            raise AuditError("labels", "are not known, and a run needs them", "give `labels`")
        # the configuration is read from any folder
        folder, files = check_path(folder, "folder").absolute(), []
        for number, training in enumerate(self.readouts, start=1):
            files.append(path := str(folder / f"training{number}.npz"))
            # the first mark stands before the words, where it is read
            orders = [
                [*range(words, items)[:1], *range(words), *range(words + 1, items)]
                for words, items in zip(training.words.tolist(), training.lengths.tolist(), strict=True)
            ]

            def lay_out(values: Sequence[Floats32], orders: Sequence[Sequence[int]] = orders) -> list[Floats32]:
                padded = (np.pad(each, (0, len(order) - len(each))) for each, order in zip(values, orders, strict=True))
                return [each[order] for each, order in zip(padded, orders, strict=True)]

            contributions = None
            if training.decided and training.attending is None:
                contributions = [each[order] for each, order in zip(training.contribution, orders, strict=True)]
            saved = readout(
                [[words[at] for at in order] for words, order in zip(self.words, orders, strict=True)],
                lay_out(training.attention),
                contributions,
                None if contributions is None else training.bias,
                training.labels.tolist(),
                training.probabilities,
                ids=training.ids,
                maps={name: lay_out(scores) for name, scores in training.maps.items()},
                name=path,
            )
            write_given_readout(saved, path)
        own = {"own": {GIVEN_TEXTS: {"models": {GIVEN_MODEL: files}, "classes": [*self.classes]}}}
        run = {"results": str(folder / "results"), **(self.run.write(folder) if self.run else own)}
        with write_whole(folder / "readouts.yaml") as temporary:
            temporary.write_text(yaml.safe_dump(run, sort_keys=False, allow_unicode=True), encoding="utf-8")


@dataclass(frozen=True, repr=False)
class TargetAudited(Audited):
    """What the map of a model at hand may be read as, where outputs of it are asked of by name, several labels or a
    number. Its texts are cases: a text and a target.

    kind: what the model returns. targets: what is asked of, by name. by_target: the columns of `table` of each target
    by itself. cases: by the number of a text and the name of a target, this one and the readouts of its texts.
    """

    kind: OutputKind = field(kw_only=True)
    targets: Mapping[str, AskedTarget] = field(kw_only=True)
    by_target: pd.DataFrame = field(kw_only=True)
    cases: Mapping[tuple[int, str], tuple[Sequence[Readout], AskedTarget]] = field(kw_only=True)

    def text(self, number: int, target: str = "", *, layer: int | None = None) -> Reading:
        """Read a text as in `Audited`, and what its words say of a target, by default the first that it was asked of;
        of a text without any, as in `read`.

        Raises AuditError where there is none of this number, and where the target was not asked of.
        """
        number = self._find_text(number)
        asked_target = [name for at, name in self.cases if at == number]
        target = target or next(iter(asked_target), "")
        if layer is None and target in asked_target:
            readouts, case_target = self.cases[number, target]
            reading = self._show(number, readouts, case_target.statements)
            return state_chance(reading, case_target, self.kind, self.readouts[0].probabilities[number])
        reader = self._require_reader("number" if layer is None else "layer")
        return self._read_target(reader, reader.texts.select([number]), target, layer)

    def read(self, text: Any, target: str = "", *, layer: int | None = None) -> Reading:
        """Read a text that was not audited as in `Audited`, and what its words say of a target, by default of that one,
        of all that were asked of, to which the model says most clearly yes.
        """
        reader = self._require_reader("read")
        return self._read_target(reader, reader.prepare_text(text), target, layer)

    def _read_target(self, reader: ClassifierReader, text: CutTexts, target: str, layer: int | None) -> Reading:
        candidates = self._list_targets(target)
        return reader.read_targets(text, lambda outputs: [candidates], layer)[0]

    def _list_targets(self, name: str) -> list[AskedTarget]:
        """List the target of a name, or all. Raises AuditError where it was not asked of."""
        if name and name not in self.targets:
            raise AuditError("target", f"{name!r:.40} was not asked of", f"give one of {', '.join(self.targets)}")
        return [self.targets[name]] if name else [*self.targets.values()]

    def save(self, folder: str | Path) -> None:
        """Raise AuditError: an answer on targets is not saved."""
        raise AuditError("targets", "are not saved", "name the model and `targets` in the section hf of a run")


def audit(
    readouts: GivenTrainings,
    uniform: GivenTrainings = (),
    adversaries: GivenTrainings = (),
    *,
    classes: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, pd.DataFrame]:
    """Return all that the suite `own` says of a model, as frames by name: its audits, and the tables `summary` and
    `texts`.

    readouts: the trainings of the model, one or several. uniform: trainings of its twin with uniform weights, for
    `needed`. adversaries: models that predict as the first training does and attend elsewhere, for `unique`. classes:
    their names. settings: further keys of the configuration, such as {"instance_adversary": {"restarts": 1}}, which
    takes a fifth of the time; docs/configuration/ has them all.

    The columns are those of the workflow's files: docs/readouts.md says where they are described. The data set is
    called `texts` there, and the model `model`; trainings are numbered from 1.

    Raises AuditError, in one line, where readouts are not of the same texts, or where a key of `settings` is wrong.
    """
    arguments = name_readouts(readouts=readouts, **{UNIFORM_KEY: uniform, ADVERSARIES_KEY: adversaries})
    sections = read_settings(settings)
    for training in chain.from_iterable(arguments.values()):
        check_readout(training)
    base, suite = arguments["readouts"][0], SUITES["own"]
    names = list_class_names(classes, base.classes)
    preparation = Preparation(Tokens(), Length(), Splits(), names)
    corpus, census = prepare_texts(GIVEN_TEXTS, preparation, list_given_texts(base, names), names)
    arguments[GIVEN_MODEL] = arguments.pop("readouts")
    trainings = {
        name: number_trainings(name, [build_readout(training).align(base.ids) for training in group])
        for name, group in arguments.items()
    }
    model = ModelAudit(suite, suite.audits, sections, trainings, corpus, census)
    with use_torch(sections.threads):
        model.take_steps(model.list_steps())
    summary, texts = model.answer()
    return model.list_frames() | {"summary": summary, "texts": texts}
