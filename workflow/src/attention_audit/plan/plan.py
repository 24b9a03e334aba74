"""All that Snakemake's rules ask: the one object that they share.

Nothing is computed here, and no heavy library is imported. The settings of a job are a typed model of `jobs/`, which is
checked as it is made, so a fault ends the run in one line before any job starts.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_audit.code_hash import code_hash
from attention_audit.config import NOTHING, Config, parse_config
from attention_audit.errors import AuditError
from attention_audit.jobs.audit import AuditJob, AuditsJob
from attention_audit.jobs.importing import ImportJob
from attention_audit.jobs.pages import ExplorerJob, GuideJob, ReportJob, ShownExhibit, ShownSuite
from attention_audit.jobs.train import SearchJob, TrainJob
from attention_audit.plan import corpora
from attention_audit.plan.auditing import JOBS, AuditBatch, Auditing, Inputs, job_of
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.checking import MEMORY, check_files
from attention_audit.plan.exhibit import Exhibit, Figure, Table
from attention_audit.plan.exhibiting import Exhibiting
from attention_audit.plan.exploring import EXPLORER, REPORT, ExplorerPlan
from attention_audit.plan.scope import Scope
from attention_audit.plan.trainings import Trainings
from attention_audit.section import Section
from attention_audit.targets import module_of, modules_in

TRAINING = "stages.training"
"""The module whose code decides what weights are."""
SEARCHING = "stages.searching"
"""The module whose code decides what the weights of a search are."""
LONGEST = 100_000
"""Characters of the settings of a job. Its whole command, files included, is one word for the shell, and Linux takes
131,072 characters in one word."""


def as_json(job: Section) -> str:
    """The settings of a job, as one word of its command line. Raises AuditError where that is too long for one."""
    text = job.model_dump_json()
    if len(text) > LONGEST:
        raise AuditError(
            f"config: {len(text):,} characters are too many for one job ({type(job).__name__}, at most {LONGEST:,}); "
            "name fewer data sets, or shorten their entries"
        )
    return text


def modules(*targets: str) -> list[str]:
    """The modules of these targets."""
    return [module_of(target) for target in targets if target]


class Plan:
    """The plan of a run. `raw`: the configuration as it was read; `catalogue`: the papers' entries for comparison;
    `own`: what config.yaml says. memory: the folder that keeps what was found in the user's own files.

    oddities: what is odd in the user's own files, a line each. Raises AuditError, with a line for each fault, where the
    configuration or such a file is wrong.
    """

    def __init__(
        self,
        raw: Mapping[str, Any],
        catalogue: Mapping[str, Any],
        own: Mapping[str, Any] = NOTHING,
        memory: Path = MEMORY,
    ) -> None:
        self.config: Config = parse_config(raw, {"the catalogue": catalogue, "config.yaml": own})
        self.scope = Scope(self.config)
        self.oddities = check_files(self.scope, memory)
        self.trainings = Trainings(self.scope)
        self.auditing = Auditing(self.scope, self.trainings)
        self.exhibiting = Exhibiting(self.scope, self.auditing, raw, catalogue)
        self.exploring = ExplorerPlan(self.scope, self.trainings, self.auditing, self.exhibiting)
        self.training_code = code_hash(TRAINING)
        self.search_code = code_hash(SEARCHING)

    @property
    def tables(self) -> list[Table]:
        """Every table, whether this run makes it or not."""
        return [exhibit for exhibit in self.exhibiting.exhibits if isinstance(exhibit, Table)]

    @property
    def figures(self) -> list[Figure]:
        """Every figure, whether this run makes it or not."""
        return [exhibit for exhibit in self.exhibiting.exhibits if isinstance(exhibit, Figure)]

    def title(self, exhibit: Exhibit) -> str:
        """The title of the suite of a table or figure."""
        return self.scope.suite(exhibit.suite).title if exhibit.suite else "All suites"

    def raw_files(self, dataset: str) -> list[str]:
        """The raw files of a data set, fetched or the user's own, none for a generated one; with the corpus that its
        training texts are taken from, if they are.
        """
        return [str(path) for path in corpora.corpus_inputs(self.config, dataset, self.scope.mirror).values()]

    def records(self, datasets: list[str]) -> list[str]:
        """What is known of the fetched files of these data sets."""
        return corpora.record_files(self.config, datasets)

    def vector_file(self, dataset: str) -> list[str]:
        """The word vectors of a data set, where they are read from a file."""
        path = corpora.vector_file(self.config, dataset, self.scope.mirror)
        return [path] if path else []

    def vector_record(self, dataset: str) -> list[str]:
        """What is known of that file, where it is fetched."""
        path = corpora.vector_record(self.config, dataset)
        return [path] if path else []

    def corpus_file(self, training: str, file: str) -> str:
        """A file of the corpus that a training reads."""
        _, dataset, _ = self.trainings.split(training)
        return self.config.places.corpus_file(dataset, file)

    def audit_files(self) -> list[str]:
        """The files of all audits that the suites are asked."""
        return [path for suite in self.scope.suites.values() for path in self.auditing.files(suite)]

    def known_files(self) -> list[str]:
        """Files that somebody may ask for by name: pages, tables, figures, audits, weights, readouts and corpora."""
        places = self.config.places
        states = [path for training in self.trainings.seeds for path in self.trainings.states(training)]
        exhibits = [path for exhibit in self.exhibiting.exhibits for path in self.exhibiting.files(exhibit)]
        corpora = [
            places.corpus_file(name, file)
            for name in self.scope.datasets
            for file in ("corpus", "census", "vocabulary")
        ]
        trained = [path for training in self.trainings.seeds for path in self.trainings.files(training)]
        pages = [f"{self.config.results}/{page}" for page in (REPORT, EXPLORER)]
        return [*pages, *exhibits, *self.audit_files(), *corpora, *dict.fromkeys(states), *trained]

    def import_job(self, training: str) -> ImportJob:
        """The settings of the job that imports a training."""
        return self.trainings.import_job(training)

    def train_job(self, training: str, seed: int) -> TrainJob | SearchJob:
        """The settings of the job of a training or of a search."""
        return self.trainings.job(training, seed, self.training_code, self.search_code)

    def audit_stage(self, name: str) -> str:
        """The stage that makes an audit by itself."""
        job = job_of(audit_named(name))
        return "audit" if job == "audits" else job

    def audit_code(self, name: str) -> str:
        """Hash of the code that an audit runs."""
        audit = audit_named(name)
        read = [audit_named(other).columns for other in audit.after]
        return code_hash(f"stages.{self.audit_stage(name)}", *modules(audit.target, audit.columns, *read))

    def audit_inputs(self, name: str, key: str, dataset: str) -> Inputs:
        """The input files of the job that makes an audit by itself."""
        if self.audit_stage(name) == "audit":
            return self.auditing.inputs(name, key, dataset)
        return {"files": self.auditing.files_together([audit_named(name)], self.scope.suite(key), dataset)}

    def audit_job(self, name: str, key: str, dataset: str) -> AuditJob | AuditsJob:
        """The settings of that job."""
        if self.audit_stage(name) == "audit":
            return self.auditing.job(name, key, dataset)
        return self.auditing.job_together([audit_named(name)], self.scope.suite(key), dataset, self.audit_code)

    def gatherings(self) -> list[AuditBatch]:
        """The rules that make several audits together, of suites that are asked any."""
        return [
            gathering
            for job in JOBS
            for suite in self.scope.suites.values()
            for gathering in self.auditing.gatherings(job, suite)
            if gathering.audits
        ]

    def gathered_files(self, job: str, key: str, dataset: str) -> list[str]:
        """The input files of the job of this kind that makes audits of a suite on a data set together."""
        suite = self.scope.suite(key)
        return self.auditing.files_together(self.auditing.gathered(job, suite, dataset), suite, dataset)

    def gathered_job(self, job: str, key: str, dataset: str) -> AuditsJob:
        """The settings of that job."""
        suite = self.scope.suite(key)
        audits = self.auditing.gathered(job, suite, dataset)
        return self.auditing.job_together(audits, suite, dataset, self.audit_code)

    def exhibit_code(self, exhibit: Exhibit) -> str:
        """Hash of the code that a table or figure runs."""
        stage = "stages.table" if isinstance(exhibit, Table) else "stages.figure"
        written = [exhibit.columns, exhibit.shown] if isinstance(exhibit, Table) else []
        declared = [self.exhibiting.declared(read) for read in exhibit.reads.values()]
        return code_hash(stage, *modules(exhibit.target, *written, *declared))

    def guide_code(self) -> str:
        """Hash of the code of the guide, the meanings of columns included: it prints them."""
        return code_hash("stages.guide", *modules_in("columns"), words=True)

    def report_code(self) -> str:
        """Hash of the code of the report."""
        targets = [target for table in self.tables for target in (table.columns, table.shown)]
        return code_hash("stages.report_page", *modules(*targets))

    def explorer_code(self) -> str:
        """Hash of the code of the explorer and of its page's files, and one of the columns whose meanings it shows."""
        return code_hash("stages.explorer", "explorer.page") + code_hash("columns.texts", words=True)

    def shown_exhibits(self, folder: str) -> list[ShownExhibit]:
        """The tables, or the figures, of this run as pages name them."""
        return [shown_exhibit(exhibit) for exhibit in self.exhibiting.made(folder)]

    def shown_suites(self) -> list[ShownSuite]:
        """The suites as pages name them."""
        return [
            ShownSuite(
                key=suite.key,
                paper=suite.paper,
                title=suite.title,
                about=suite.about,
                citation=list(suite.citation or ()),
                models={name: look.label for name, look in suite.labels.items()},
                datasets=self.scope.datasets_of(suite),
                seeds={suite.family(model): list(suite.seeds(model)) for model in suite.models},
            )
            for suite in self.scope.suites.values()
        ]

    def guide_job(self) -> GuideJob:
        """The settings of the job of the guide."""
        return GuideJob(
            config=self.config.recorded(),
            suites=self.shown_suites(),
            exhibits=[*self.shown_exhibits("figures"), *self.shown_exhibits("tables")],
            audits={audit.name: audit.asks for audit in AUDITS},
        )

    def report_job(self) -> ReportJob:
        """The settings of the job of the report."""
        return ReportJob(
            suites=self.shown_suites(),
            exhibits=[*self.shown_exhibits("figures"), *self.shown_exhibits("tables")],
            gaps=self.scope.unavailable,
            explorer=EXPLORER,
        )

    def explorer_job(self) -> ExplorerJob:
        """The settings of the job of the explorer."""
        return self.exploring.job(self.shown_suites())


def shown_exhibit(exhibit: Exhibit) -> ShownExhibit:
    """A table or figure as pages name it."""
    table = exhibit if isinstance(exhibit, Table) else None
    return ShownExhibit(
        name=exhibit.name,
        folder=exhibit.folder,
        suite=exhibit.suite,
        number=exhibit.number,
        shows=exhibit.shows,
        answers=list(exhibit.answers),
        columns=table.columns if table else "",
        shown=table.shown if table else "",
    )
