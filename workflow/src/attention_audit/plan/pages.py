"""The two pages that a reader opens, the report and the explorer: what they read, and what their jobs are told."""

from attention_audit.jobs import MAPS, ExploredRun, ExploredView, ExplorerJob, ReportJob, ShownExhibit, ShownSuite
from attention_audit.names import describe_parts
from attention_audit.targets import name_columns

from . import corpora
from .asked import AskedAudits
from .exhibit_plan import ExhibitPlan, Files
from .exhibits import TABLES
from .model import DataSet, Model, Run
from .suites import SUITES, Scope
from .trainings import Trainings

EXPLORED_TABLES = ("texts", "summary")
EXPLORED_AUDITS = ("consistency", "instance_adversary", "word_attributions")
"""The tables and the audits that the explorer reads."""
TOKENS = "generated_tokens"
"""What it reads of language models, which is made with the audit of their tokens."""
REPORT, EXPLORER = "report.html", "explorer.html"
"""The two pages, which lie side by side and link to each other."""


def list_adversaries(data: DataSet, family: str) -> list[Run]:
    """List the adversaries of a family; of a search that has chosen one already, that one."""
    members = [model for model in data.models.values() if model.family == family]
    chosen = dict.fromkeys(model.maker for model in members if model.step is not None)
    return [run for model in chosen or members for run in model.runs]


class Pages:
    """The report and the explorer of a run."""

    def __init__(self, scope: Scope, trainings: Trainings, audits: AskedAudits, exhibits: ExhibitPlan) -> None:
        self.scope, self.config = scope, scope.config
        self.trainings, self.asked, self.exhibits = trainings, audits, exhibits

    def list_reported(self) -> Files:
        """List what the report reads, by name."""
        models = self.scope.judged[:1]
        tables, figures = (self.exhibits.list_made(folder) for folder in ("tables", "figures"))
        return {
            "tables": [self.exhibits.locate(table, ".parquet") for table in tables],
            "figures": [self.exhibits.locate(figure, ".png") for figure in figures],
            "captions": [exhibit.caption for exhibit in (*tables, *figures)],
            "records": [
                *corpora.list_records(self.config, self.scope.datasets),
                *self.trainings.list_archive_records(),
            ],
            # of the first model, a text of which is shown, with the maps of some trainings
            "readouts": [self.trainings.homes[run].locate_readout() for model in models for run in model.runs[:MAPS]],
            "corpus": [self.config.places.corpus_file(model.data.name, "corpus") for model in models],
        }

    def list_explored(self) -> Files:
        """List what the explorer reads, by name; `beside` is read with the readouts."""
        inputs: Files = {name: [] for name in ("readouts", "beside", "audits")}
        for model in self.scope.judged:
            for run in self._list_explored_runs(model):
                inputs["readouts"].append(self.trainings.homes[run].locate_readout())
                inputs["beside"] += self.trainings.list_above(run)
            names = (name for name in EXPLORED_AUDITS if self.asked.is_asked(model, name))
            inputs["audits"] += [self.asked.locate(model, name) for name in names]
        inputs["audits"] += [self.asked.locate(model, TOKENS) for model in self.scope.generating]
        inputs = {name: list(dict.fromkeys(paths)) for name, paths in inputs.items()}
        for file in ("corpus", "census"):
            inputs[file] = [self.config.places.corpus_file(name, file) for name in self._list_explored_datasets()]
        tables = EXPLORED_TABLES if self.scope.judged else ()
        return inputs | {name: [self.exhibits.locate(TABLES[name], ".parquet")] for name in tables}

    def _list_explored_datasets(self) -> list[str]:
        return list(dict.fromkeys(model.data.name for model in self.scope.judged))

    def _list_explored_runs(self, model: Model) -> list[Run]:
        """List the trainings that the explorer shows beside a model, its uniform twin and adversaries, and its own."""
        contrasts, data = model.contrasts, model.data
        uniform = [data.models[contrasts.uniform].runs[0]] if contrasts and contrasts.uniform else []
        families = contrasts.adversaries if contrasts else ()
        return [*uniform, *(run for family in families for run in list_adversaries(data, family)), *model.runs]

    def build_explorer(self) -> ExplorerJob:
        """Build what the job of the explorer is told."""
        return ExplorerJob(
            views=[
                *map(self._describe_view, self.scope.judged),
                *map(self._describe_tokens, self.scope.generating),
            ],
            suites=[suite for suite in self.describe_suites() if suite.datasets],
            datasets=self._list_explored_datasets(),
            budget=self.config.answer.margins.tvd,
            report=REPORT,
            threads=self.config.threads,
        )

    def _describe_view(self, model: Model) -> ExploredView:
        """Describe what the explorer shows of a model."""
        contrasts, data = model.contrasts, model.data

        def explore(run: Run, family: str) -> ExploredRun:
            """Describe one seed."""
            home = self.trainings.homes[run]
            readout = f"{home.training}/seed{home.seed}"
            return ExploredRun(family=family, lambda_=run.model.lambda_, seed=run.seed, readout=readout)

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
            unasked=self.asked.explain_unasked(model, EXPLORED_AUDITS),
        )

    def _describe_tokens(self, model: Model) -> ExploredView:
        """Describe the view of the generated tokens of a language model."""
        return ExploredView(
            dataset=model.data.name,
            suite=model.data.suite.name,
            model=model.family,
            items="words",
            name=model.path_name,
            uniform=None,
            adversaries=[],
            runs=[],
            unasked={},
            tokens=True,
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
                    if model.listed
                },
            )
            for suite in SUITES.values()
        ]

    def build_report(self) -> ReportJob:
        """Build what the job of the report is told."""
        exhibits = (exhibit for folder in ("figures", "tables") for exhibit in self.exhibits.list_made(folder))
        return ReportJob(
            config=self.config.build_record(),
            suites=self.describe_suites(),
            exhibits=[ShownExhibit.model_validate(exhibit) for exhibit in exhibits],
            audits={name: audit.asks for name, audit in self.asked.known.items()},
            columns=[name_columns(audit.target) for audit in self.asked.known.values() if audit.target],
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
