"""The explorer: which models it shows, and which files it is made of."""

from attention_audit.contrasts import Subject
from attention_audit.jobs.pages import ExploredRun, ExploredView, ExplorerJob, ShownSuite

from .auditing import Auditing
from .exhibiting import Exhibiting
from .exhibits import TABLES
from .job import Files
from .model import Run
from .scope import Judged, Scope
from .trainings import Trainings

SHOWN = ("texts", "summary")
"""The tables that the page shows."""
AUDITS = ("consistency", "instance_adversary", "word_attributions")
"""The audits that are read."""
REPORT, EXPLORER = "report.html", "explorer.html"
"""The two pages, which lie side by side and link to each other."""


class ExplorerPlan:
    """The explorer of a run."""

    def __init__(self, scope: Scope, trainings: Trainings, auditing: Auditing, exhibiting: Exhibiting) -> None:
        self.scope = scope
        self.trainings = trainings
        self.auditing = auditing
        self.exhibiting = exhibiting

    def plan_page(self, suites: list[ShownSuite]) -> tuple[Files, ExplorerJob]:
        """Return the input files of the job, of which `beside` are read with the readouts, and its settings.

        suites: as pages name them.
        """
        inputs: Files = {name: [] for name in ("readouts", "beside", "audits")}
        subjects = self.exhibiting.list_subjects()
        datasets = list(dict.fromkeys(subject.dataset for subject in subjects))
        settings = ExplorerJob(
            views=[self._describe_view(subject, inputs) for subject in subjects],
            suites=[suite for suite in suites if suite.datasets],
            datasets=datasets,
            budget=self.scope.config.answer.margins.tvd,
            report=REPORT,
            threads=self.scope.config.threads,
        )
        inputs = {name: list(dict.fromkeys(paths)) for name, paths in inputs.items()}
        inputs |= {
            file: [self.scope.config.places.corpus_file(name, file) for name in datasets]
            for file in ("corpus", "census")
        }
        return inputs | {name: [self.exhibiting.locate(TABLES[name], ".parquet")] for name in SHOWN}, settings

    def _describe_view(self, subject: Subject, inputs: Files) -> ExploredView:
        """Describe a view, and add its files to those of the job."""
        dataset, suite, contrasts = subject.dataset, self.scope.find_suite(subject.suite), subject.contrasts
        models = self.scope.models(suite, dataset)
        judged = next(each for each in self.scope.list_judged(suite, dataset) if each.model.family == subject.model)

        def explore(run: Run, family: str) -> ExploredRun:
            """Describe one seed; what stands above its readouts is read with them."""
            home = self.trainings.find_home(suite, dataset, run)
            inputs["readouts"].append(home.locate_readout())
            above = {"head": self.scope.config.corpora[dataset].pair, "tail": models[run.model].heads}
            inputs["beside"] += [home.locate(kind) for kind, there in above.items() if there]
            lambda_ = models[run.model].lambda_
            return ExploredRun(
                family=family, lambda_=lambda_, seed=run.seed, readout=f"{home.training}/seed{home.seed}"
            )

        inputs["audits"] += [
            self.auditing.locate(judged, name) for name in AUDITS if self.auditing.is_asked(judged, name)
        ]
        uniform, families = (contrasts.uniform, contrasts.adversaries) if contrasts else (None, [])
        return ExploredView(
            **subject.model_dump(include={"dataset", "suite", "model", "items"}),
            name=judged.name,
            uniform=explore(models[uniform].runs[0], uniform) if uniform else None,
            adversaries=[explore(run, family) for family in families for run in self._list_adversaries(judged, family)],
            runs=[explore(run, subject.model) for run in judged.model.runs],
            unasked=self.auditing.explain_unasked(judged, AUDITS),
        )

    def _list_adversaries(self, judged: Judged, family: str) -> list[Run]:
        """List the adversaries of a family; of a search that has chosen one already, that one."""
        models = self.scope.models(judged.suite, judged.dataset)
        members = [model for model in models.values() if model.family == family]
        chosen = {model.maker: models[model.maker] for model in members if model.step is not None}
        return [run for model in [*chosen.values()] or members for run in model.runs]
