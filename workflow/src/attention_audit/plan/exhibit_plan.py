"""Which tables and figures a run makes, what each of them reads, and the settings of its job."""

from collections.abc import Mapping
from typing import Any

from attention_audit.contrasts import EvaluatedModel
from attention_audit.corpus.tokens import describe_splitting
from attention_audit.errors import AuditError
from attention_audit.jobs import ExhibitJob, FileOf, ReadSpec, TableSpec
from attention_audit.names import display_name
from attention_audit.tables.published import read_published

from . import remarks
from .asked import AskedAudits
from .corpora import add_others, list_fetched, list_records
from .exhibits import EXHIBITS, TABLE_COLUMNS, TABLES, Exhibit, ReadFile
from .model import Suite
from .suites import SUITES, Scope

SUMMARY_AUDITS = (
    "predictions stability permutation shuffles located comparison consistency plausibility plausible_words "
    "single_weight replaced soft"
)
"""The audits of which the summary says why a model is not asked them."""
OF_TOKENS = "generated"
"""The audit of generated tokens, of which other exhibits have nothing to say."""
NEEDS = {
    "published": "numbers that a paper has published, and there are none of what this run makes of {dataset}",
    "real": "texts that were not generated, of which this run has some, and {dataset} is",
    "marked": "marked words, and {dataset} has none",
}
"""What an exhibit may need of a data set, and what is said where it has not got it."""
Files = dict[str, list[str]]
"""Input files of a job, by the names that its stage knows them by."""


class ExhibitPlan:
    """Every table and figure of a run. raw: the configuration as it was read. catalogue: the papers' data sets.

    settings: what exhibits may be called with besides frames. gaps: why an exhibit, by name, does not speak of a data
    set; "" where it does.
    """

    def __init__(self, scope: Scope, audits: AskedAudits, raw: Mapping[str, Any], catalogue: Mapping[str, Any]) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.asked = audits
        config, corpora = scope.config, {name: scope.config.corpora[name] for name in scope.datasets}
        self.settings: dict[str, Any] = {
            "resamples": config.resamples,
            "answer": config.answer.model_dump(),
            "budget": config.answer.margins.tvd,
            "kinds": {name: corpus.kind for name, corpus in corpora.items()},
            "splitting": {name: describe_splitting(corpus.preparation.tokens) for name, corpus in corpora.items()},
            "subjects": [subject.model_dump() for subject in self.list_subjects()],
            "reasons": self.list_reasons(),
            "of_data": {name: remarks.describe_data(name, raw, catalogue) for name in corpora},
            "of_models": {name: remarks.describe_models(name, config) for name in corpora},
        }
        self.gaps: dict[str, dict[str, str]] = {}
        # a table of tables is listed behind them
        for exhibit in EXHIBITS:
            self.gaps[exhibit.name] = {name: self._find_gap(exhibit, name) for name in scope.datasets}

    def locate(self, exhibit: Exhibit, ending: str) -> str:
        """Return the file of a table or figure with this ending."""
        return self.places.exhibit(exhibit.folder, exhibit.name, ending)

    def list_files(self, exhibit: Exhibit) -> list[str]:
        """Return all files of a table or figure."""
        return [self.locate(exhibit, ending) for ending in exhibit.endings]

    def list_all_files(self, folder: str) -> list[str]:
        """Return all files of the tables, or of the figures, that this run makes."""
        return [path for exhibit in self.list_made(folder) for path in self.list_files(exhibit)]

    def list_made(self, folder: str) -> list[Exhibit]:
        """Return the tables, or the figures, that this run makes: those that have a data set to speak of, but for those
        that are asked for by name.
        """
        exhibits = (exhibit for exhibit in EXHIBITS if exhibit.folder == folder and not exhibit.by_name)
        return [exhibit for exhibit in exhibits if self.list_datasets(exhibit)]

    def _find_gap(self, exhibit: Exhibit, dataset: str) -> str:
        """Say why an exhibit does not speak of a data set; "" where it does."""
        members = [data for data in self.scope.asked if data.name == dataset]
        audits = [exhibit.about] if exhibit.about else []
        if exhibit.suite and not exhibit.every_dataset:
            members = [data for data in members if data.suite.name == exhibit.suite]
            if not members:
                return f"{dataset} is no data set of {SUITES[exhibit.suite].title}"
            audits = [source.name for source in exhibit.reads.values() if source.needed]
        for name in audits:
            if not any(self.asked.is_named(model, name) for data in members for model in data.judged):
                return f"{', '.join(data.suite.title for data in members) or 'no suite'} is not asked {name}"
        of_tokens = any(source.name == OF_TOKENS for source in exhibit.reads.values())
        if not (exhibit.suite and exhibit.every_dataset) and not any(data.generates == of_tokens for data in members):
            return f"{dataset} is {'not ' * of_tokens}asked of generated tokens{' alone' * (not of_tokens)}"
        lacks = [need for need in exhibit.needs if not self._has(need, exhibit, dataset)]
        return f"it needs {NEEDS[lacks[0]].format(dataset=dataset)}" if lacks else ""

    def _has(self, need: str, exhibit: Exhibit, dataset: str) -> bool:
        """Tell whether a data set has what an exhibit needs.

        Its texts are real where they are not generated, or all texts of the exhibit's suites are. It is published where
        the paper of a table has numbers of it in its table of this number; or, of a table of all suites, the paper of a
        table that it reads, and that is made.
        """
        if need == "marked":
            return self.scope.config.corpora[dataset].marked
        if need == "real":
            datasets = {name for suite in self.list_suites(exhibit) for name in self.scope.list_datasets(suite)}
            return dataset not in self.scope.controls or datasets <= {*self.scope.controls}
        if exhibit.suite:
            paper = SUITES[exhibit.suite].paper
            return (paper, exhibit.number, display_name(dataset)) in {key[:3] for key in read_published()}
        papers = {paper for paper, _, title, *_ in read_published() if title == display_name(dataset)}
        names = {name for source in exhibit.reads.values() if source.source == "tables" for name in source.columns}
        tables = (TABLES[name] for name in names)
        return any(SUITES[table.suite].paper in papers and dataset in self.list_datasets(table) for table in tables)

    def list_datasets(self, exhibit: Exhibit, only: str = "") -> list[str]:
        """Return the data sets that an exhibit speaks of: those on which the audits that it reads, or that it is about,
        are asked, and that have what it needs; or `only` one.

        Raises AuditError where it does not speak of that one.
        """
        datasets = [name for name, gap in self.gaps[exhibit.name].items() if not gap]
        if only and only not in datasets:
            spoken = f"of {', '.join(datasets)} alone" if datasets else "of no data set in this configuration"
            raise AuditError(
                only, f"{exhibit.name} speaks {spoken}", "ask for one of them, or add this one to its suite"
            )
        return [only] if only else datasets

    def refuse(self, name: str) -> None:
        """Raise AuditError, with the reason, where a rule or file by its name is of an exhibit with nothing to show."""
        for exhibit in EXHIBITS:
            if name not in (exhibit.rule, *self.list_files(exhibit)) or self.list_datasets(exhibit):
                continue
            suite = SUITES[exhibit.suite] if exhibit.suite and not exhibit.every_dataset else None
            datasets = self.scope.list_datasets(suite) if suite else self.scope.datasets
            reason = f"no data set is named under `{suite.section}`" if suite else "no data set is named"
            gap = self.gaps[exhibit.name][datasets[0]] if datasets else reason
            raise AuditError(name, f"not made, since {gap}")

    def list_suites(self, exhibit: Exhibit) -> list[Suite]:
        """Return the suites whose models an exhibit may speak of."""
        return [SUITES[exhibit.suite]] if exhibit.suite else list(SUITES.values())

    def _list_audits(self, exhibit: Exhibit, source: ReadFile, only: str) -> dict[str, FileOf]:
        """Return the files of an audit that are read, each with whose it is."""
        members = [data for data in self.scope.asked if source.whose == "all" or data.suite.name == exhibit.suite]
        if source.needed:
            members = [self.scope.find_data(exhibit.suite, name) for name in self.list_datasets(exhibit, only)]
        return {
            self.asked.locate(model, source.name): FileOf(name=data.name, suite=data.suite.name, model=model.family)
            for data in members
            if only in ("", data.name)
            for model in data.judged
            if self.asked.is_asked(model, source.name)
        }

    def _list_read(self, exhibit: Exhibit, source: ReadFile, only: str) -> dict[str, FileOf]:
        """Return the files of one name, each with whose it is; of `only` one data set where it is named."""
        match source.source:
            case "audit":
                return self._list_audits(exhibit, source, only)
            case "corpus":
                datasets = self.list_datasets(exhibit, only)
                return {self.places.corpus_file(name, source.name): FileOf(name=name) for name in datasets}
            case "records":
                return {path: FileOf(name="") for path in list_records(self.scope.config, self.scope.datasets)}
            case "table":
                names = [source.name]
            case "tables":
                names = [name for name in source.columns if self.list_datasets(TABLES[name])]
        return {self.locate(TABLES[name], ".parquet"): FileOf(name=name) for name in names}

    def list_inputs(self, exhibit: Exhibit, only: str = "") -> Files:
        """Return the input files of a job, perhaps of `only` one data set.

        Raises AuditError where the exhibit does not speak of that one.
        """
        return {name: [*self._list_read(exhibit, source, only)] for name, source in exhibit.reads.items()}

    def _describe_read(self, exhibit: Exhibit, source: ReadFile, only: str) -> ReadSpec:
        """Return what a job is told of what it reads under one name."""
        return source.describe(
            files=[*self._list_read(exhibit, source, only).values()] if source.source != "records" else [],
            needed=(source.needed and not source.counted)
            or (source.source == "audit" and source.name == exhibit.about),
            only=only if source.source == "table" else "",
        )

    def build_job(self, exhibit: Exhibit, only: str = "") -> ExhibitJob:
        """Return the settings of a job, perhaps of `only` one data set."""
        config, suites, table = self.scope.config, self.list_suites(exhibit), exhibit.folder == "tables"
        labelled = table or "labels" in exhibit.settings
        looks = {suite.name: self.scope.list_looks(suite) for suite in suites}
        records = any(source.source == "records" for source in exhibit.reads.values())
        return ExhibitJob(
            exhibit=exhibit.name,
            target=exhibit.target,
            suite=exhibit.suite,
            reads={name: self._describe_read(exhibit, source, only) for name, source in exhibit.reads.items()},
            settings={name: self.settings[name] for name in exhibit.settings if name in self.settings},
            takes=[name for name in exhibit.settings if name not in self.settings],
            models={
                suite: {name: [*look] for name, look in of_suite.items()}
                for suite, of_suite in looks.items()
                if labelled or "models" in exhibit.settings
            },
            titles={suite.paper: suite.title for suite in suites} if labelled else {},
            fetched={
                name: [[*file] for dataset in add_others(config, [name]) for file in list_fetched(config, dataset)]
                for name in (self.scope.datasets if records else ())
            },
            font=[] if table else config.font,
            table=self._describe_table(exhibit) if table else None,
        )

    def _describe_table(self, table: Exhibit) -> TableSpec:
        gaps, paper = dict[str, str](), ""
        if table.suite:
            suite = SUITES[table.suite]
            paper = suite.paper
            # in the papers' columns, it ends with the data sets that could not be had
            if table.columns == TABLE_COLUMNS:
                gaps = self.scope.unavailable if table.every_dataset else self.scope.list_gaps(suite)
        return TableSpec(
            declared=table.columns, shown=table.shown, top=table.top, gaps=gaps, paper=paper, number=table.number
        )

    def list_subjects(self) -> list[EvaluatedModel]:
        """Return the models whose attention the summary judges, one a data set, suite and model."""
        return [
            EvaluatedModel(
                dataset=model.data.name,
                suite=model.data.suite.name,
                paper=model.data.suite.paper,
                model=model.family,
                seeds=len(model.seeds),
                items=model.items,
                unasked=self.asked.explain_unasked(model, SUMMARY_AUDITS.split()),
                contrasts=model.contrasts,
                given=model.settings is None,
                frozen=model.frozen,
            )
            for model in self.scope.judged
        ]

    def list_reasons(self) -> dict[str, str]:
        """Return the data sets that no suite runs, by reason."""
        run = {data.name for data in self.scope.asked}
        gaps = (gap for suite in SUITES.values() for gap in self.scope.list_gaps(suite).items())
        return {name: reason for name, reason in gaps if name not in run}
