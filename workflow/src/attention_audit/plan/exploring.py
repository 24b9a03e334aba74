"""The explorer: which models it shows, and which files it is made of."""

from collections.abc import Mapping

from attention_audit.contrasts import Subject
from attention_audit.jobs.pages import ExploredAdversary, ExploredRun, ExploredView, ExplorerJob, ShownSuite

from .auditing import Auditing
from .audits import audit_named
from .exhibiting import Exhibiting
from .exhibits import TABLES
from .job import Files
from .model import Model, Run
from .scope import Scope
from .trainings import Trainings

SHOWN = ("texts", "summary")
"""The tables that the page shows."""
AUDITS = {"consistency": "consistency", "instance": "instance_adversary", "attributions": "word_attributions"}
"""The audits that are read, by what the job calls their files."""
REPORT, EXPLORER = "report.html", "explorer.html"
"""The two pages, which lie side by side and link to each other."""


def place(places: dict[str, int], path: str) -> int:
    """The place of a file among those of one name, each once; it is added where it is new."""
    return places.setdefault(path, len(places))


class ExplorerPlan:
    """The explorer of a run."""

    def __init__(self, scope: Scope, trainings: Trainings, auditing: Auditing, exhibiting: Exhibiting) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.trainings = trainings
        self.auditing = auditing
        self.exhibiting = exhibiting

    def planned(self, suites: list[ShownSuite]) -> tuple[Files, ExplorerJob]:
        """The input files of the job, of which `beside` are read with the readouts, and its settings. `suites`: as
        pages name them.
        """
        files: dict[str, dict[str, int]] = {name: {} for name in ("readouts", "beside", *AUDITS)}
        subjects = self.exhibiting.subjects()
        datasets = list(dict.fromkeys(subject.dataset for subject in subjects))
        settings = ExplorerJob(
            views=[self._view(subject, files) for subject in subjects],
            suites=[suite for suite in suites if suite.datasets],
            datasets=datasets,
            budget=self.scope.config.answer.margins.tvd,
            report=REPORT,
            threads=self.scope.config.threads,
        )
        inputs: Files = {name: list(places) for name, places in files.items()}
        inputs |= {file: [self.places.corpus_file(name, file) for name in datasets] for file in ("corpus", "census")}
        return inputs | {name: [self.exhibiting.path(TABLES[name], ".parquet")] for name in SHOWN}, settings

    def _view(self, subject: Subject, files: dict[str, dict[str, int]]) -> ExploredView:
        dataset, suite = subject.dataset, self.scope.suite(subject.suite)
        models = self.scope.models(suite, dataset)
        judged = next(each for each in self.scope.judged(suite, dataset) if each.model.family == subject.model)

        def explored(run: Run) -> dict[str, int]:
            """One seed; what stands above its readouts is read with them."""
            home = self.trainings.home(suite, dataset, run)
            if self.scope.config.corpora[dataset].pair:
                place(files["beside"], home.file("head"))
            if models[run.model].heads:
                place(files["beside"], home.file("tail"))
            return {"seed": run.seed, "readout": place(files["readouts"], home.readout())}

        contrasts = subject.contrasts
        uniform = models[contrasts.uniform].runs[0] if contrasts and contrasts.uniform else None
        unasked = self.auditing.unasked(judged, [*AUDITS.values()])
        of_audits = {
            name: place(files[name], self.auditing.file(judged, audit))
            for name, audit in AUDITS.items()
            if self.auditing.asks(judged, audit_named(audit))
        }
        return ExploredView(
            dataset=dataset,
            suite=subject.suite,
            model=subject.model,
            items=subject.items,
            uniform=ExploredRun(**explored(uniform)) if uniform else None,
            adversaries=[
                ExploredAdversary(family=family, lambda_=models[run.model].lambda_, **explored(run))
                for family in (contrasts.adversaries if contrasts else [])
                for run in self._adversaries(models, family)
            ],
            runs=[ExploredRun(**explored(run)) for run in judged.model.runs],
            unasked=unasked,
            **of_audits,
        )

    @staticmethod
    def _adversaries(models: Mapping[str, Model], family: str) -> list[Run]:
        """The adversaries of a family; of a search that has chosen one already, that one."""
        members = [model for model in models.values() if model.family == family]
        chosen = {model.maker: models[model.maker] for model in members if model.step is not None}
        return [run for model in [*chosen.values()] or members for run in model.runs]
