"""The explorer: which models it shows, and which files it is made of."""

from attention_audit.jobs import ExploredRun, ExploredView, ExplorerJob, ShownSuite

from .exhibit_plan import ExhibitPlan
from .exhibits import TABLES
from .job import Files, PlannedJob
from .model import DataSet, Model, Run
from .trainings import Trainings

PAGE_TABLES = ("texts", "summary")
"""The tables that the page shows."""
AUDITS = ("consistency", "instance_adversary", "word_attributions")
"""The audits that are read."""
REPORT, EXPLORER = "report.html", "explorer.html"
"""The two pages, which lie side by side and link to each other."""


def plan_explorer(exhibit_plan: ExhibitPlan, trainings: Trainings, suites: list[ShownSuite]) -> PlannedJob:
    """Return the job of the page, of whose input files `beside` are read with the readouts. suites: as pages name
    them.
    """
    inputs: Files = {name: [] for name in ("readouts", "beside", "audits")}
    judged, config = exhibit_plan.scope.judged, exhibit_plan.scope.config
    datasets = list(dict.fromkeys(model.data.name for model in judged))
    settings = ExplorerJob(
        views=[_describe_view(exhibit_plan, trainings, model, inputs) for model in judged],
        suites=[suite for suite in suites if suite.datasets],
        datasets=datasets,
        budget=config.answer.margins.tvd,
        report=REPORT,
        threads=config.threads,
    )
    inputs = {name: list(dict.fromkeys(paths)) for name, paths in inputs.items()}
    inputs |= {file: [config.places.corpus_file(name, file) for name in datasets] for file in ("corpus", "census")}
    inputs |= {name: [exhibit_plan.locate(TABLES[name], ".parquet")] for name in PAGE_TABLES}
    return PlannedJob(
        rule="explorer",
        wildcards={},
        inputs=inputs,
        outputs={"page": [f"{config.places.results}/{EXPLORER}"]},
        settings=settings,
        runs=["explorer.page"],
        prints=["columns.tables"],
    )


def _describe_view(exhibit_plan: ExhibitPlan, trainings: Trainings, model: Model, inputs: Files) -> ExploredView:
    """Describe the view of a model, and add its files to those of the job."""
    audit_plan, contrasts, data = exhibit_plan.audit_plan, model.contrasts, model.data

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
        dataset=data.name,
        suite=data.suite.name,
        model=model.family,
        items=model.items,
        name=model.path_name,
        uniform=explore(data.models[uniform].runs[0], uniform) if uniform else None,
        adversaries=[explore(run, family) for family in families for run in _list_adversaries(data, family)],
        runs=[explore(run, model.family) for run in model.runs],
        unasked=audit_plan.explain_unasked(model, AUDITS),
    )


def _list_adversaries(data: DataSet, family: str) -> list[Run]:
    """List the adversaries of a family; of a search that has chosen one already, that one."""
    members = [model for model in data.models.values() if model.family == family]
    chosen = dict.fromkeys(model.maker for model in members if model.step is not None)
    return [run for model in chosen or members for run in model.runs]
