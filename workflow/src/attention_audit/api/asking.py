"""The audits and tables of a model at hand, made in memory by the functions that the workflow's stages call, so that
their numbers are the workflow's.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.answer.lines import write_line
from attention_audit.answer.settings import AnswerSettings
from attention_audit.answer.verdicts import ALONE
from attention_audit.artefacts.parquet import make_arrow_table
from attention_audit.audits.answers import Answers, Training
from attention_audit.audits.attention_maps import ask_attention_maps
from attention_audit.audits.comparison import ask_comparison, ask_stability
from attention_audit.audits.contributions import ask_erasure
from attention_audit.audits.facts import TextFacts
from attention_audit.audits.instance_adversary import ask_instance_adversary
from attention_audit.audits.performance import ask_performance
from attention_audit.audits.permutation import ask_permutation
from attention_audit.audits.plausibility import ask_plausibility
from attention_audit.audits.settings import AuditedTraining
from attention_audit.audits.steps import SHORT_COST, AuditStep, take_steps
from attention_audit.columns.audits import INSTANCE_ADVERSARY
from attention_audit.columns.kinds import artefact
from attention_audit.config import AuditConfig
from attention_audit.config_messages import check_section
from attention_audit.contrasts import ADVERSARIES_KEY, EvaluatedModel, describe_contrasts
from attention_audit.errors import AuditError, add_place
from attention_audit.given import refuse_kind
from attention_audit.plan.asked import add_audits, find_reason, list_named
from attention_audit.plan.audits import AUDITS, AuditedModel, ListRuns, list_chosen_runs, list_compared_runs, list_runs
from attention_audit.plan.exhibit_plan import SUMMARY_AUDITS
from attention_audit.plan.exhibits import TABLES
from attention_audit.plan.model import Suite
from attention_audit.readout import Readout
from attention_audit.report.terminal import lay_out_line
from attention_audit.section import Count, Name, Section
from attention_audit.stages.audit_files import KINDS
from attention_audit.stages.frames import build_frame
from attention_audit.stages.own_audit import ask_own, find_columns
from attention_audit.tables.model_answers import ASK_FUNCTIONS, measure_subjects
from attention_audit.tables.summary import answer_questions, summary, texts

GIVEN_MODEL, GIVEN_TEXTS = "model", "texts"
"""What the model and its data set are called."""
WANTED_SETTINGS = "give keys of the configuration that no argument stands for"
SectionT = TypeVar("SectionT", bound=Section)
ERASURE_COST = 3.5e-3
"""How long erasure takes for each word, see `SHORT_COST`."""
ERASURE_SHARES = {"contributions": 0.02, "single_weight": 0.02, "ranked_sets": 0.16, "shuffles": 0.8}
"""How much of erasure's time each of its audits takes, in the order in which they go through all texts."""


class AuditSettings(AuditConfig):
    """The keys of the configuration that matter to a model at hand."""

    audits: dict[Name, list[str]] = {}
    answer: AnswerSettings = AnswerSettings()
    threads: Count = 1


def read_settings(settings: Mapping[str, Any] | None, **defaults: Any) -> AuditSettings:
    """Check the argument `settings`, laid over other defaults. Raises AuditError, with a line for each key that is
    wrong.
    """
    settings = {} if settings is None else settings
    refuse_kind(settings, Mapping, "settings", f"dict; {WANTED_SETTINGS}")
    if taken := {"hf", "own", "corpora", "datasets"} & {*settings}:
        raise AuditError("settings", f"has {min(taken)}", WANTED_SETTINGS)
    return check_section(AuditSettings, defaults | dict(settings), "settings")


def number_trainings(name: str, readouts: Sequence[Readout | None]) -> list[Training]:
    """Number the trainings of a model, by their readouts; None where one is read later."""
    return [
        Training(AuditedTraining(model=name, seed=number, judged=name == GIVEN_MODEL), readout=readout)
        for number, readout in enumerate(readouts, start=1)
    ]


class ModelAudit:
    """What is asked of a model at hand, step by step.

    suite: whose audits these are; names: those that it is asked unless the settings name others. network: whether the
    model can be run again. trainings: those of the model, and of what it is held against, by their names; each has its
    readout before a step asks for it. corpus, census: those of the texts, or of cases where it is `of_cases`. Raises
    AuditError where the settings name audits that there are not.
    """

    def __init__(
        self,
        suite: Suite,
        names: Sequence[str],
        settings: AuditSettings,
        trainings: Mapping[str, Sequence[Training]],
        corpus: pa.Table,
        census: pa.Table,
        network: bool = False,
        of_cases: bool = False,
    ) -> None:
        self.suite, self.settings, self.trainings, self.of_cases = suite, settings, trainings, of_cases
        self.texts = {"corpus": corpus, "census": census}
        self.lengths = pc.list_value_length(corpus["tokens"]).to_numpy()
        self.names = settings.audits.get(suite.name, names)
        self.own = trainings[GIVEN_MODEL]
        count = sum(map(len, trainings.values()))
        counts: dict[ListRuns, int] = {list_runs: len(self.own), list_compared_runs: count, list_chosen_runs: count}
        model = AuditedModel(GIVEN_MODEL, suite.title, suite.base, network, lambda list_of: counts.get(list_of, 1))
        audits = dict(AUDITS)
        with add_place("settings"):
            add_audits(audits, self.names, [model], suite.name)
        wanted = list_named(self.names)
        reasons = {name: find_reason(audit, model, wanted) for name, audit in audits.items()}
        self.asked = [audit for audit in wanted if not reasons[audit.name]]
        self.answers = Answers(GIVEN_TEXTS, {name: reason for name, reason in reasons.items() if reason})
        self.facts = TextFacts(lambda columns, where: corpus.filter(where).select(columns))

    def _ask_attention_maps(self) -> None:
        tables = self.answers.tables.get(INSTANCE_ADVERSARY.name)
        rows = pa.concat_tables(tables).to_pandas() if tables else None
        trainings = [*self.own[:1], *self.trainings.get(ADVERSARIES_KEY, ())]
        ask_attention_maps(trainings, self.answers, self.facts, self.settings.attention_maps, rows)

    def list_steps(self) -> list[AuditStep]:
        """List what asks the audits that readouts are enough for, in order."""
        judged, answers, settings = self.own, self.answers, self.settings
        references = [training for name, group in self.trainings.items() if name != GIVEN_MODEL for training in group]
        base, *compared = trainings = [*judged, *references]
        # other models are asked what is named, and not what the answer alone needs
        predicting = trainings if {"performance", "predictions"} & {*self.names} else judged
        attending = trainings if "evidence" in self.names else judged
        asked = {audit.name for audit in self.asked}
        goes = [share for name, share in ERASURE_SHARES.items() if name in asked] * len(judged)
        erasure = partial(ask_erasure, judged, answers, settings.erasure, settings.permutation)
        return [
            AuditStep(partial(ask_performance, predicting, answers, self.facts)),
            AuditStep(partial(ask_stability, judged, answers, settings.permutation), "stable", answers=["stable"]),
            AuditStep(partial(ask_comparison, base, compared, answers, settings.permutation)),
            AuditStep(partial(ask_permutation, judged, answers, settings.permutation), "used", answers=["used"]),
            AuditStep(
                erasure,
                "ranks, signed",
                SHORT_COST + ERASURE_COST * sum(goes) * self.lengths.sum(),
                max(1, len(goes)) * len(self.lengths),
                goes or (1.0,),
                ["ranks", "signed"],
            ),
            AuditStep(partial(ask_instance_adversary, [base], answers, settings.instance_adversary)),
            AuditStep(partial(ask_plausibility, attending, answers, self.facts)),
            AuditStep(self._ask_attention_maps),
            *(
                AuditStep(partial(ask_own, audit.target, judged, answers, self.facts), audit.name)
                for audit in self.asked
                if audit.target
            ),
        ]

    def take_steps(self, steps: Sequence[AuditStep], progress: bool = False) -> None:
        """Take steps as `take_steps` does."""
        take_steps(steps, len(self.lengths), progress, self.write_lines)

    def list_frames(self) -> dict[str, pd.DataFrame]:
        """List the rows of the audits that were asked, by their names."""
        kinds = {audit.name: find_columns(audit.target) if audit.target else KINDS[audit.name] for audit in self.asked}
        return {
            name: pa.concat_tables([kind.schema.empty_table(), *self.answers.tables.get(name, ())]).to_pandas()
            for name, kind in kinds.items()
            if name in self.answers.tables or not self.answers.find_reason(name)
        }

    @property
    def subject(self) -> EvaluatedModel:
        """Describe the model to tables, with the reasons why audits of it have no rows."""
        answers = self.answers
        reasons = {name: answers.unasked[name] for name in SUMMARY_AUDITS.split() if name in answers.unasked}
        reasons |= {name: lack for name, lack in answers.lacks.items() if name not in answers.tables}
        return EvaluatedModel(
            dataset=GIVEN_TEXTS,
            suite=self.suite.name,
            paper=self.suite.paper,
            model=GIVEN_MODEL,
            seeds=len(self.own),
            items="words",
            unasked={name: f"{name} {reason}" for name, reason in reasons.items()},
            contrasts=describe_contrasts([name for name, group in self.trainings.items() if group]),
            given=True,
            of_cases=self.of_cases,
        )

    def _read_rows(self, function: Callable[..., pd.DataFrame], empty: bool = True) -> dict[str, Any]:
        """Read what one of the workflow's tables is made of. empty: also the audits that have no rows."""
        rows: dict[str, Any] = {"subjects": [self.subject], "answer": self.settings.answer.model_dump()}
        for name, source in TABLES[function.__name__].reads.items():
            if source.source == "audit" and (empty or source.name in self.answers.tables):
                tables = self.answers.tables.get(source.name)
                suites = [(self.suite.name, pa.concat_tables(tables))] if tables else []
                rows[name] = build_frame(source.describe(), suites)
            elif source.source == "corpus":
                rows[name] = {GIVEN_TEXTS: build_frame(source.describe(), [("", self.texts[source.name])])}
        return rows

    def make_table(self, function: Callable[..., pd.DataFrame], **arguments: Any) -> pd.DataFrame:
        """Make one of the workflow's tables by its function, with the settings of the answer and what it reads."""
        columns = artefact(TABLES[function.__name__].columns)
        return make_arrow_table(columns, function(**arguments, **self._read_rows(function))).to_pandas()

    def write_lines(self, questions: Sequence[str]) -> list[str]:
        """Write the lines of questions that have a verdict, as the answer has them."""
        rows = self._read_rows(summary, empty=False)
        subjects, *others = (rows.pop(name) for name in ("subjects", "answer", "corpus", "census"))
        (measured,) = measure_subjects(subjects, rows, *others)
        row = answer_questions(measured, {question: ASK_FUNCTIONS[question] for question in questions})
        lines = [write_line(row, question) for question in questions if row[f"{question}_said"]]
        return [text for line in lines for text in lay_out_line(line, ALONE.get(len(self.own), ""))]

    def answer(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Make the tables `summary` and `texts`."""
        row = self.make_table(summary, reasons={})
        return row, self.make_table(texts, summary=row)
