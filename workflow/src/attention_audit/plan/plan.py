"""All that Snakemake's rules ask: the one object that they share.

Nothing is computed here, and no heavy library is imported. The settings of a job are a typed model, which is
checked as it is made, so a fault ends the run in one line before any job starts.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attention_audit.config import Config
from attention_audit.errors import AuditError, suggest
from attention_audit.jobs import MAPS, ExploredRun, ExploredView, ExplorerJob, ReportJob, ShownExhibit, ShownSuite
from attention_audit.names import describe_parts
from attention_audit.section import Section
from attention_audit.targets import name_module

from . import corpora, transformers
from .audit_plan import AuditPlan
from .audits import OWN_RULE
from .exhibit_plan import ExhibitPlan
from .exhibits import FIGURES, TABLES
from .file_checks import MEMORY, check_files
from .job import Files, PlannedJob
from .model import DataSet, Model, Run
from .suites import SUITES, Scope, read_config
from .trainings import Trainings

EXPLORED_TABLES = ("texts", "summary")
EXPLORED_AUDITS = ("consistency", "instance_adversary", "word_attributions")
"""The tables and the audits that the explorer reads."""
REPORT, EXPLORER = "report.html", "explorer.html"
"""The two pages, which lie side by side and link to each other."""
MAX_SETTINGS_LENGTH = 130_000
"""Bytes of the settings of a job, which are one word of its command: Linux takes 131,072 bytes in one word."""


def write_json(job: Section) -> str:
    """Return the settings of a job, as one word of its command line. Raises AuditError where that is too long for
    one.
    """
    text = job.model_dump_json()
    if (length := len(text.encode())) > MAX_SETTINGS_LENGTH:
        raise AuditError(
            f"config: {length:,} bytes are too many for one job ({type(job).__name__}, at most "
            f"{MAX_SETTINGS_LENGTH:,}); name fewer data sets, or shorten their entries"
        )
    return text


def list_adversaries(data: DataSet, family: str) -> list[Run]:
    """List the adversaries of a family; of a search that has chosen one already, that one."""
    members = [model for model in data.models.values() if model.family == family]
    chosen = dict.fromkeys(model.maker for model in members if model.step is not None)
    return [run for model in chosen or members for run in model.runs]


class Plan:
    """The plan of a run. `raw`: the configuration as it was read; `catalogue`: the file of data sets that it was laid
    over. memory: the folder that keeps what was found in the user's own files.

    read, oddities: what there is in the user's own files, and what is odd in them, a line each. Raises AuditError, with
    a line for each fault, where the configuration or such a file is wrong.
    """

    def __init__(self, raw: Mapping[str, Any], catalogue: Mapping[str, Any], memory: Path = MEMORY) -> None:
        self.config: Config = read_config(raw, catalogue)
        self.scope = Scope(self.config)
        self.read, self.oddities = check_files(self.scope, memory)
        self.trainings = Trainings(self.scope)
        self.audit_plan = AuditPlan(self.scope, self.trainings)
        self.exhibit_plan = ExhibitPlan(self.scope, self.audit_plan, raw, catalogue)

    def audit_files(self) -> list[str]:
        """Return the files of all audits that the suites are asked."""
        return [
            self.audit_plan.locate(model, audit.name)
            for model, asked in self.audit_plan.asked.items()
            for audit in asked
        ]

    def plan_jobs(self) -> list[PlannedJob]:
        """Return every job of the run, each after those whose files it reads, but for readouts of training splits and
        tables of tables.
        """
        trained = [*self.trainings.plan_jobs()]
        encoded = transformers.plan_jobs(self.config, {path for job in trained for path in job.read})
        made = [*encoded, *trained, *self.audit_plan.plan_jobs(), *self.exhibit_plan.plan_jobs()]
        # what they read, such as corpora, or a table that no suite has and a table of tables reads
        read = {path for job in made for path in job.read}
        for job in reversed(self.plan_further()):
            if not read.isdisjoint(job.files):
                made.insert(0, job)
                read.update(job.read)
        archives = [path for job in made if job.rule == "unpack" for path in job.inputs["record"]]
        return [*made, *self.plan_pages(archives)]

    def plan_further(self) -> list[PlannedJob]:
        """Return the jobs of what a run makes only where somebody names it, or reads it: raw files and corpora,
        Transformers that are fetched or built, readouts of training splits, other tables and figures, and figures of
        one data set.
        """
        return [
            *corpora.plan_jobs(self.config),
            *transformers.plan_further(self.config),
            *self.trainings.plan_further(),
            *self.exhibit_plan.plan_further(),
        ]

    def refuse(self, path: str) -> None:
        """Raise AuditError, with the reason, where a path, or a rule, is of what this configuration cannot have."""
        self.exhibit_plan.refuse(path)
        match Path(path).parts[len(Path(self.config.results).parts) :]:
            case ("audits", dataset, model, file) if Path(file).stem in self.audit_plan.known:
                self.audit_plan.refuse(Path(file).stem, model, dataset)
            case ("corpora", dataset, _) if dataset not in (known := self.config.corpora):
                raise AuditError(
                    f"{dataset}: not a data set of this configuration{suggest(dataset, known)}; add it to `corpora`, "
                    "or ask for another"
                )
            case ("raw", folder, file) if (folder, file) not in corpora.list_fetches(self.config):
                raise AuditError(f"{path}: no file of this configuration; add it there, or ask for another")
            case ("figures", dataset, file) if Path(file).stem in FIGURES:
                self.exhibit_plan.list_datasets(FIGURES[Path(file).stem], dataset)

    def plan_pages(self, archives: Iterable[str] = ()) -> list[PlannedJob]:
        """Return the jobs of the two pages. archives: the records of the archives of encoders."""
        return [self._plan_explorer(), self._plan_report(archives)]

    def _plan_report(self, archives: Iterable[str]) -> PlannedJob:
        """Return the job of the report, and of the guide beside it."""
        results, first = self.config.results, self.scope.judged[:1]
        tables, figures = (self.exhibit_plan.list_made(folder) for folder in ("tables", "figures"))
        return PlannedJob(
            rule="report_html",
            wildcards={},
            inputs={
                "tables": [self.exhibit_plan.locate(table, ".parquet") for table in tables],
                "figures": [self.exhibit_plan.locate(figure, ".png") for figure in figures],
                "captions": [exhibit.caption for exhibit in (*tables, *figures)],
                "records": [*corpora.list_records(self.config, self.scope.datasets), *archives],
                # of the first model, a text of which is shown, with the maps of some trainings
                "readouts": [
                    self.trainings.homes[run].locate_readout() for model in first for run in model.runs[:MAPS]
                ],
                "corpus": [self.config.places.corpus_file(model.data.name, "corpus") for model in first],
            },
            outputs={
                "page": [f"{results}/{REPORT}"],
                "readme": [f"{results}/README.md"],
                "config": [f"{results}/config.yaml"],
            },
            settings=self.report_job(),
            runs=[name_module(target) for table in TABLES.values() for target in (table.columns, table.shown)],
            prints=["report.guide", *(name_module(audit.columns) for audit in self.audit_plan.known.values())],
        )

    def _plan_explorer(self) -> PlannedJob:
        """Return the job of the explorer, of whose input files `beside` are read with the readouts."""
        inputs: Files = {name: [] for name in ("readouts", "beside", "audits")}
        datasets = list(dict.fromkeys(model.data.name for model in self.scope.judged))
        settings = ExplorerJob(
            views=[self._describe_view(model, inputs) for model in self.scope.judged],
            suites=[suite for suite in self.describe_suites() if suite.datasets],
            datasets=datasets,
            budget=self.config.answer.margins.tvd,
            report=REPORT,
            threads=self.config.threads,
        )
        inputs = {name: list(dict.fromkeys(paths)) for name, paths in inputs.items()}
        for file in ("corpus", "census"):
            inputs[file] = [self.config.places.corpus_file(name, file) for name in datasets]
        inputs |= {name: [self.exhibit_plan.locate(TABLES[name], ".parquet")] for name in EXPLORED_TABLES}
        return PlannedJob(
            rule="explorer",
            wildcards={},
            inputs=inputs,
            outputs={"page": [f"{self.config.results}/{EXPLORER}"]},
            settings=settings,
            runs=["explorer.page"],
            prints=["columns.tables"],
        )

    def _describe_view(self, model: Model, inputs: Files) -> ExploredView:
        """Describe what the explorer shows of a model, and add its files to those of the job."""
        audit_plan, contrasts, data = self.audit_plan, model.contrasts, model.data

        def explore(run: Run, family: str) -> ExploredRun:
            """Describe one seed; what stands above its readouts is read with them."""
            home = self.trainings.homes[run]
            inputs["readouts"].append(home.locate_readout())
            above = {"head": data.pair, "tail": run.model.heads}
            inputs["beside"] += [home.locate(kind) for kind, there in above.items() if there]
            readout = f"{home.training}/seed{home.seed}"
            return ExploredRun(family=family, lambda_=run.model.lambda_, seed=run.seed, readout=readout)

        asked = (name for name in EXPLORED_AUDITS if audit_plan.is_asked(model, name))
        inputs["audits"] += [audit_plan.locate(model, name) for name in asked]
        uniform, families = (contrasts.uniform, contrasts.adversaries) if contrasts else (None, [])
        return ExploredView(
            dataset=data.name,
            suite=data.suite.name,
            model=model.family,
            items=model.items,
            name=model.path_name,
            uniform=explore(data.models[uniform].runs[0], uniform) if uniform else None,
            adversaries=[explore(run, family) for family in families for run in list_adversaries(data, family)],
            runs=[explore(run, model.family) for run in model.runs],
            unasked=audit_plan.explain_unasked(model, EXPLORED_AUDITS),
        )

    def describe_suites(self) -> list[ShownSuite]:
        """Return the suites as pages name them."""
        return [
            ShownSuite(
                key=suite.name,
                paper=suite.paper,
                title=suite.title,
                about=suite.about,
                citation=list(suite.citation),
                models={name: look.label for name, look in self.scope.list_looks(suite).items()},
                datasets=self.scope.list_datasets(suite),
                seeds={
                    model.family: [*model.seeds]
                    for data in self.scope.list_asked(suite)
                    for model in data.models.values()
                },
            )
            for suite in SUITES.values()
        ]

    def report_job(self) -> ReportJob:
        """Return the settings of the job of the report."""
        made = (exhibit for folder in ("figures", "tables") for exhibit in self.exhibit_plan.list_made(folder))
        return ReportJob(
            config=self.config.build_record(),
            suites=self.describe_suites(),
            exhibits=[ShownExhibit.model_validate(exhibit) for exhibit in made],
            audits={name: audit.asks for name, audit in self.audit_plan.known.items()},
            columns=[audit.columns for audit in self.audit_plan.known.values() if audit.rule == OWN_RULE],
            gaps=self.scope.unavailable,
            explorer=EXPLORER,
            controls=self.scope.controls,
            built={
                f"{data.name}/{data.suite.name}/{model.family}": describe_parts(
                    of.encoder, of.attention, of.hierarchical
                )
                for data in self.scope.asked
                for model in data.judged
                if model.settings
                for of in [model.architecture]
            },
            items=next((model.items for model in self.scope.judged), "words"),
        )
