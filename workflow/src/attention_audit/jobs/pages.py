"""The settings of the jobs that write pages for readers: the guide to the results, and the report."""

from __future__ import annotations

from typing import Any

from attention_audit.section import Section


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
    """A table or figure as pages name it: see `plan.exhibit`. columns, shown: of a table; "" for a figure."""

    name: str
    folder: str
    suite: str
    number: str
    shows: str
    answers: list[str]
    columns: str = ""
    shown: str = ""


class GuideJob(Section):
    """The guide: the whole configuration, the suites and all tables and figures."""

    config: dict[str, Any]
    suites: list[ShownSuite]
    exhibits: list[ShownExhibit]
    audits: dict[str, str]


class ReportJob(Section):
    """The report: suites, exhibits in the order of the page, and data sets left out, by reason.

    explorer: the address of the explorer, seen from the page; "" where the run makes none.
    """

    suites: list[ShownSuite]
    exhibits: list[ShownExhibit]
    gaps: dict[str, str]
    explorer: str = ""
