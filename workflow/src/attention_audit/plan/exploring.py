"""The explorer: which models it shows, and which files it is made of."""

from attention_audit.contrasts import Subject
from attention_audit.jobs.pages import ExploredAdversary, ExploredRun, ExploredView, ExplorerJob, ShownSuite
from attention_audit.plan.auditing import Auditing
from attention_audit.plan.exhibiting import Exhibiting
from attention_audit.plan.exhibits import TABLES
from attention_audit.plan.job import Files
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import Run, Suite
from attention_audit.plan.trainings import RunFiles, Trainings

TEXTS = "texts"
"""The table whose columns the page shows."""
AUDITS = {"consistency": "consistency", "instance": "instance_adversary", "attributions": "word_attributions"}
"""The audits that are read, by what the job calls their files."""
REPORT, EXPLORER = "report.html", "explorer.html"
"""The two pages, which lie side by side and link to each other."""


class Numbered:
    """The files of one name, each once, with its place among them."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def place(self, path: str) -> int:
        """The place of a file, which is added where it is new."""
        return self.places.setdefault(path, len(self.places))


class ExplorerPlan:
    """The explorer of a run."""

    def __init__(self, scope: Scope, trainings: Trainings, auditing: Auditing, exhibiting: Exhibiting) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.trainings = trainings
        self.auditing = auditing
        self.exhibiting = exhibiting

    def _gathered(self) -> tuple[Files, list[ExploredView], list[str]]:
        """The job's input files, its views, and the data sets of these."""
        files = {name: Numbered() for name in ("readouts", "beside", *AUDITS)}
        subjects = self.exhibiting.subjects()
        datasets = list(dict.fromkeys(subject.dataset for subject in subjects))
        views = [self._view(subject, files) for subject in subjects]
        (table,) = (table for table in TABLES if table.name == TEXTS)
        inputs: Files = {name: list(of_name.places) for name, of_name in files.items()}
        inputs |= {file: [self.places.corpus_file(name, file) for name in datasets] for file in ("corpus", "census")}
        return inputs | {"texts": [self.exhibiting.path(table, ".parquet")]}, views, datasets

    def _home(self, suite: Suite, dataset: str, run: Run, files: dict[str, Numbered]) -> RunFiles:
        """Where a run lies; what stands above its readouts is read with them."""
        home = self.trainings.home(suite, dataset, run)
        if self.scope.config.corpora[dataset].pair:
            files["beside"].place(home.head)
        if suite.heads(dataset, run.model):
            files["beside"].place(home.tail)
        return home

    def _view(self, subject: Subject, files: dict[str, Numbered]) -> ExploredView:
        dataset, every = subject.dataset, self.scope.suite(subject.suite)
        suite = self.scope.for_dataset(every, dataset)
        (model,) = (model for model in suite.judged if suite.family(model) == subject.model)

        def explored(run: Run) -> ExploredRun:
            home = self._home(suite, dataset, run, files)
            return ExploredRun(seed=run.seed, readout=files["readouts"].place(home.readout()))

        contrasts = subject.contrasts
        uniform = contrasts.uniform if contrasts else None
        first = suite.runs([uniform])[0] if uniform else None
        adversaries = [
            ExploredAdversary(
                family=family, lambda_=suite.lambda_(run.model), seed=run.seed, readout=explored(run).readout
            )
            for family in (contrasts.adversaries if contrasts else [])
            for run in self._adversaries(suite, family)
        ]
        unasked = self.auditing.unasked(every, dataset, model, [*AUDITS.values()])
        places: dict[str, int | None] = {}
        for name, audit in AUDITS.items():
            path = self.places.audit_file(dataset, subject.suite, audit)
            places[name] = None if audit in unasked else files[name].place(path)
        return ExploredView(
            dataset=dataset,
            suite=subject.suite,
            model=subject.model,
            items=subject.items,
            runs=[explored(run) for run in suite.runs([model])],
            uniform=explored(first) if first else None,
            adversaries=adversaries,
            unasked=unasked,
            **places,
        )

    @staticmethod
    def _adversaries(suite: Suite, family: str) -> list[Run]:
        """The adversaries of a family; of a search that has chosen one already, that one."""
        members = [model for model in suite.models if suite.family(model) == family]
        chosen = {suite.trained_with(model) for model in members if suite.search_step(model) is not None}
        return suite.runs([*chosen] or members)

    def inputs(self) -> Files:
        """The input files of the job; `beside` are read with the readouts."""
        return self._gathered()[0]

    def job(self, suites: list[ShownSuite]) -> ExplorerJob:
        """The settings of the job. `suites`: as pages name them."""
        _, views, datasets = self._gathered()
        return ExplorerJob(
            views=views,
            suites=[suite for suite in suites if suite.datasets],
            datasets=datasets,
            budget=self.scope.config.answer.margins.tvd,
            report=REPORT,
            threads=self.scope.config.threads,
        )
