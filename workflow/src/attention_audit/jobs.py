"""The settings of the jobs that write what readers open: tables and figures, the guide to the results, the report, and
the explorer.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from attention_audit.section import Section


class FileOf(Section):
    """Whose file it is: a data set's, and of an audit, a model's of a suite; of `tables`, the name of a table."""

    name: str
    suite: str = ""
    model: str = ""


class ReadSpec(Section):
    """What the function is called with under one name; see `plan.exhibits.ReadFile`.

    declared: the declaration of the files' columns. suites: whether the rows are told apart by a column `suite`.
    needed: whether there is nothing to show without a row. files: whose they are, in the order of the job's inputs of
    this name. only: the data set whose rows are read of a table, "" for all.
    """

    source: Literal["audit", "corpus", "table", "tables", "records"]
    declared: str
    columns: list[str]
    split: str
    categories: bool
    each: bool
    suites: bool
    needed: bool
    files: list[FileOf]
    only: str = ""


class TableSpec(Section):
    """How a table is written: see `plan.exhibits.Exhibit`.

    gaps: data sets that could not be had, by reason. paper, number: which published numbers stand in their rows.
    """

    declared: str
    shown: str
    top: str
    gaps: dict[str, str]
    paper: str
    number: str


class ExhibitJob(Section):
    """One table or figure. target: its function. settings: what it is called with besides frames.

    takes: which of `models` and `labels` it is called with too. models: label, colour and marker of those of its
    suite, or of all suites, by suite and name. titles: of suites, by the names of their papers. fetched: folder and
    name of the fetched files of each data set. font: the fonts that a figure prefers.
    """

    exhibit: str
    target: str
    suite: str
    reads: dict[str, ReadSpec]
    settings: dict[str, Any]
    takes: list[str]
    models: dict[str, dict[str, list[str]]]
    titles: dict[str, str]
    fetched: dict[str, list[list[str]]]
    font: list[str]
    table: TableSpec | None = None


class ShownSuite(Section):
    """A suite as pages name it: its models by name; its data sets, and the seeds of its models, in this run.

    citation: title and address of the paper that it is named after; empty for a suite of one's own.
    """

    key: str
    paper: str
    title: str
    about: str
    citation: list[str]
    models: dict[str, str]
    datasets: list[str]
    seeds: dict[str, list[int]]


class ShownExhibit(Section):
    """A table or figure as pages name it: see `plan.exhibits`. columns, shown: of a table; "" for a figure."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    folder: str
    suite: str
    number: str
    shows: str
    answers: Annotated[list[str], Field(strict=False)]
    columns: str = ""
    shown: str = ""


class GuideJob(Section):
    """The guide: the whole configuration, the suites and all tables and figures. columns: where those of the user's own
    audits are declared.
    """

    config: dict[str, Any]
    suites: list[ShownSuite]
    exhibits: list[ShownExhibit]
    audits: dict[str, str]
    columns: list[str]


MAPS = 3
"""So many trainings of the first model have their map in the report."""


class ReportJob(GuideJob):
    """The report and the guide: exhibits in the order of the page, and data sets left out, by reason.

    explorer: the address of the explorer, seen from the page; "" where the run makes none. controls: the generated data
    sets, which stand below the answer. items: what the weights of the first model lie on. built: what models are built
    of, by "<data set>/<suite>/<model>", of those that are trained here.
    """

    gaps: dict[str, str]
    explorer: str = ""
    controls: list[str] = []
    items: Literal["words", "sentences"] = "words"
    built: dict[str, str] = {}


class ExploredRun(Section):
    """One seed of a model of a family, named as in the column `model` of the audits; with its lambda, where it has one.

    readout: the folder of its readouts, as <data set>/<model>/seed<seed>.
    """

    family: str
    lambda_: float | None
    seed: int
    readout: str


class ExploredView(Section):
    """A judged model of a suite on a data set, and what its maps are held against.

    model: as in the column `model` of the audits; name: in paths. runs: its seeds, the first of them that which
    adversaries are trained against. uniform: its twin with uniform weights. adversaries: those of which one a family is
    shown: the furthest within the budget, by the rows of `consistency`; of a search that has chosen one already, that
    one alone. unasked: why an audit is not asked, by the audit's name. tokens: its generated tokens are shown, and it
    has no runs.
    """

    dataset: str
    suite: str
    model: str
    name: str
    items: Literal["words", "sentences"]
    runs: list[ExploredRun]
    uniform: ExploredRun | None
    adversaries: list[ExploredRun]
    unasked: dict[str, str]
    tokens: bool = False


class ExplorerJob(Section):
    """The explorer: its views in order. datasets: in the order of the job's corpora.

    budget: the TVD up to which an adversary counts as one. report: the name of the report beside the page.
    """

    views: list[ExploredView]
    suites: list[ShownSuite]
    datasets: list[str]
    budget: float
    report: str
    threads: int
