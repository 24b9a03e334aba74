"""The settings of the job of a table or figure."""

from typing import Any, Literal

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
    """How a table is written: see `plan.exhibits.Table`.

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
