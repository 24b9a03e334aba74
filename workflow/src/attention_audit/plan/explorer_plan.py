"""The explorer: which models it shows, and which files it is made of."""

from attention_audit.contrasts import EvaluatedModel
from attention_audit.jobs.pages import ExploredRun, ExploredView, ExplorerJob, ShownSuite

from .exhibit_plan import ExhibitPlan
from .exhibits import TABLES
from .job import Files
from .model import DataSet, Run
from .trainings import Trainings

PAGE_TABLES = ("texts", "summary")
"""The tables that the page shows."""
AUDITS = ("consistency", "instance_adversary", "word_attributions")
"""The audits that are read."""
REPORT, EXPLORER = "report.html", "explorer.html"
"""The two pages, which lie side by side and link to each other."""


def plan_page(exhibit_plan: ExhibitPlan, trainings: Trainings, suites: list[ShownSuite]) -> tuple[Files, ExplorerJob]:
    """Return the input files of the job, of which `beside` are read with the readouts, and its settings.

    suites: as pages name them.
    """
    inputs: Files = {name: [] for name in ("readouts", "beside", "audits")}
    subjects, config = exhibit_plan.list_subjects(), exhibit_plan.scope.config
    datasets = list(dict.fromkeys(subject.dataset for subject in subjects))
    settings = ExplorerJob(
        views=[_describe_view(exhibit_plan, trainings, subject, inputs) for subject in subjects],
        suites=[suite for suite in suites if suite.datasets],
        datasets=datasets,
        budget=config.answer.margins.tvd,
        report=REPORT,
        threads=config.threads,
    )
    inputs = {name: list(dict.fromkeys(paths)) for name, paths in inputs.items()}
    inputs |= {file: [config.places.corpus_file(name, file) for name in datasets] for file in ("corpus", "census")}
    return inputs | {name: [exhibit_plan.locate(TABLES[name], ".parquet")] for name in PAGE_TABLES}, settings


def _describe_view(
    exhibit_plan: ExhibitPlan, trainings: Trainings, subject: EvaluatedModel, inputs: Files
) -> ExploredView:
    """Describe a view, and add its files to those of the job."""
    audit_plan, contrasts = exhibit_plan.audit_plan, subject.contrasts
    data = exhibit_plan.scope.find_data(subject.suite, subject.dataset)
    model = next(model for model in data.judged if model.family == subject.model)

    def explore(run: Run, family: str) -> ExploredRun:
        """Describe one seed; what stands above its readouts is read with them."""
        home = trainings.homes[run]
        inputs["readouts"].append(home.locate_readout())
        above = {"head": data.pair, "tail": run.model.heads}
        inputs["beside"] += [home.locate(kind) for kind, there in above.items() if there]
        readout = f"{home.training}/seed{home.seed}"
        return ExploredRun(family=family, lambda_=run.model.lambda_, seed=run.seed, readout=readout)

    inputs["audits"] += [audit_plan.locate(model, name) for name in AUDITS if audit_plan.is_asked(model, name)]
    uniform, families = (contrasts.uniform, contrasts.adversaries) if contrasts else (None, [])
    return ExploredView(
        **subject.model_dump(include={"dataset", "suite", "model", "items"}),
        name=model.path_name,
        uniform=explore(data.models[uniform].runs[0], uniform) if uniform else None,
        adversaries=[explore(run, family) for family in families for run in _list_adversaries(data, family)],
        runs=[explore(run, subject.model) for run in model.runs],
        unasked=audit_plan.explain_unasked(model, AUDITS),
    )


def _list_adversaries(data: DataSet, family: str) -> list[Run]:
    """List the adversaries of a family; of a search that has chosen one already, that one."""
    members = [model for model in data.models.values() if model.family == family]
    chosen = dict.fromkeys(model.maker for model in members if model.step is not None)
    return [run for model in chosen or members for run in model.runs]
