"""The one page that a run is handed on as: all of it inline, so that it opens anywhere, without a network."""

import json
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from docutils import nodes
from docutils.core import publish_doctree
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from PIL import Image

from attention_audit.answer.lines import count_readings, describe_marks, describe_run, warn_of_next
from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.journal import Entry
from attention_audit.errors import AuditError
from attention_audit.jobs.pages import ReportJob, ShownSuite
from attention_audit.names import display_name
from attention_audit.tables.render import WORDS
from attention_audit.tables.shown import Block, drop_empty
from attention_audit.tables.wording import Labels, label_of, labels_of
from attention_audit.targets import load

from .answers import Answer, answers_of
from .facts import commit, machines, span, versions
from .first import FirstText

SINGLE = "texts"
"""The table of single texts, which is too long for the page."""
DATASET = "data set"
MOST_ROWS = 12
"""Rows of a table that are on the page; its files have all."""
HIGH = 460
"""Pixels of the frame of a card, until the browser knows how high it is."""
TAGS = {"paragraph": "p", "strong": "strong", "emphasis": "em", "literal": "code"}
"""What stands for the parts of a caption."""


class Caption(NamedTuple):
    """A caption of workflow/report/: the bold words that it opens with, and all that follows them as HTML."""

    title: str
    body: Markup


class Picture(NamedTuple):
    """A PNG as a data: address, and its size in pixels."""

    address: str
    width: int
    height: int


class PageExhibit(NamedTuple):
    """A figure or a table as the page shows it. `number`: what a paper calls it, such as "Figure 5", else its kind.

    provenance: the record of its making. picture: of a figure. grids: of a table.
    """

    name: str
    suite: str
    number: str
    caption: Caption
    provenance: Mapping[str, Any]
    picture: Picture | None = None
    grids: Sequence[Block] = ()


class PageSuite(NamedTuple):
    """A section of the page: a suite, the seeds of its models (see `seeds_of`), its tables and figures."""

    suite: ShownSuite
    seeds: list[tuple[str, list[int]]]
    exhibits: list[PageExhibit]


@dataclass(frozen=True)
class FinishedRun:
    """What a page is made of.

    job: the suites of the workflow, with data sets where this run asked for them, and its tables and figures. tables:
    frames and provenance, by name; figures: paths of PNG, by name; captions: the text of each, by name. raw_files: what
    is known of each. entries: of the jobs that made the results, from their logs. first: the text that the page opens
    with.
    """

    job: ReportJob
    tables: Mapping[str, tuple[pd.DataFrame, Mapping[str, Any]]]
    figures: Mapping[str, Path]
    captions: Mapping[str, str]
    raw_files: Sequence[Mapping[str, Any]]
    entries: Sequence[Entry]
    first: FirstText | None = None


def duration(seconds: float) -> str:
    """Write a length of time in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def moment(when: datetime) -> str:
    """Write a time of day, in its own time zone."""
    return when.strftime("%Y-%m-%d %H:%M %Z")


def picture(path: Path) -> tuple[Picture, Mapping[str, Any]]:
    """Read a PNG and its provenance. Raises AuditError, naming the command that rebuilds it, where it is damaged."""
    try:
        with Image.open(path) as image:
            image.load()
            address = "data:image/png;base64," + b64encode(path.read_bytes()).decode()
            return Picture(address, *image.size), json.loads(image.info["Description"])
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except (OSError, SyntaxError, KeyError, ValueError) as error:
        raise AuditError(f"{path}: truncated or corrupt PNG; {rebuild_hint(path)}") from error


def _html(node: nodes.Node, anchors: Collection[str]) -> Markup:
    if isinstance(node, nodes.Text):
        return Markup.escape(node.astext())
    inside = Markup().join(_html(child, anchors) for child in node.children)
    tag = TAGS.get(getattr(node, "tagname", ""))
    marked = Markup(f"<{tag}>{{}}</{tag}>").format(inside) if tag else inside
    if tag == "code" and node.astext() in anchors:
        return Markup('<a href="#{}">{}</a>').format(node.astext(), marked)
    return marked


def read_caption(text: str, anchors: Collection[str] = ()) -> Caption:
    """Read a caption in reStructuredText: paragraphs of plain, bold, slanted and literal text, the first of which opens
    with bold words.

    A literal that is one of `anchors` becomes a link to that place of the page.
    """
    document = publish_doctree(text, settings_overrides={"halt_level": 2})
    first = document[0]
    lead = first.pop(0)
    return Caption(lead.astext().rstrip("."), Markup(str(_html(document, anchors)).replace("<p> ", "<p>", 1)))


def exhibits_of(run: FinishedRun, labels: Labels) -> list[PageExhibit]:
    """List the tables and figures but for SINGLE, in their order.

    Raises AuditError for a damaged picture and for names without a label.
    """
    every = [exhibit for exhibit in run.job.exhibits if exhibit.name != SINGLE]
    names = [exhibit.name for exhibit in every]
    exhibits = []
    for shown in every:
        image: Picture | None = None
        grids: Sequence[Block] = ()
        if shown.name in run.figures:
            image, provenance = picture(run.figures[shown.name])
        else:
            frame, provenance = run.tables[shown.name]
            if not (frame.empty and "reason" in provenance["settings"]):
                grids = load(shown.shown)(frame, labels)
        number = shown.number or shown.folder.removesuffix("s").capitalize()
        caption = read_caption(run.captions[shown.name], names)
        exhibits.append(PageExhibit(shown.name, shown.suite, number, caption, provenance, image, grids))
    return exhibits


def lay_out(rows: pd.DataFrame) -> tuple[list[str], list[tuple[str, list[list[str]]]]]:
    """Lay out the first rows of a table, without the columns that are empty in these: the headings, and the cells by
    data set. Where the rows are not about data sets, they are one group without a name.
    """
    first = rows.head(MOST_ROWS)
    if len(first):
        first = drop_empty(first)
    if DATASET not in first:
        first = first.assign(**{DATASET: ""})[[DATASET, *first]]
    by_dataset = groupby(first.to_numpy().tolist(), key=itemgetter(0))
    return [str(name) for name in first][1:], [(name, [row[1:] for row in members]) for name, members in by_dataset]


def seeds_of(suite: ShownSuite, labels: Labels) -> list[tuple[str, list[int]]]:
    """List the seeds of a suite's models, each list of seeds with the labels of the models that have it.

    The list that most models share comes last, for "all others", or for all: then it is named "". Raises AuditError for
    a model without a label.
    """
    groups: dict[tuple[int, ...], list[str]] = {}
    for model, seeds in suite.seeds.items():
        groups.setdefault(tuple(seeds), []).append(label_of(model, labels))
    *others, (most, models) = sorted(groups.items(), key=lambda group: len(group[1])) or [((), [])]
    if not others:
        return [("", list(most))] if most else []
    rest = models[0] if len(models) == 1 else "all others"
    return [*((", ".join(names), list(seeds)) for seeds, names in others), (rest, list(most))]


def templates() -> Environment:
    """Open the templates of the page and of its parts."""
    environment = Environment(
        loader=PackageLoader("attention_audit.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"duration": duration, "moment": moment, "dataset": display_name, "run": describe_run}
    environment.filters |= {"count": count_readings, "marks": describe_marks, "next": warn_of_next, "lay_out": lay_out}
    environment.globals["WORDS"] = WORDS
    return environment


def page(run: FinishedRun, made: datetime, folder: Path) -> str:
    """Write the page as HTML. `made`: when; `folder`: the checkout whose commit it names."""
    suites = run.job.suites
    labels = labels_of((suite.models for suite in suites), {suite.paper: suite.title for suite in suites})
    exhibits = exhibits_of(run, labels)
    by_name = {exhibit.name: exhibit for exhibit in exhibits}
    by_suite = (
        PageSuite(suite, seeds_of(suite, labels), [exhibit for exhibit in exhibits if exhibit.suite == suite.key])
        for suite in suites
    )
    # those that this run asked for, and others of which it shows a table or figure
    sections = [section for section in by_suite if section.exhibits or section.suite.datasets]
    front = run.tables["summary"][0] if "summary" in by_name else pd.DataFrame()
    answers = answers_of(front, labels, run.job.exhibits, run.job.built)
    controls = {display_name(name) for name in run.job.controls}
    real = [group for group in answers if group[0] not in controls]
    return (
        templates()
        .get_template("page.html")
        .render(
            run=run,
            made=made,
            commit=commit(folder),
            sections=sections,
            exhibits=exhibits,
            by_key={section.suite.key: section.suite for section in sections},
            by_name=by_name,
            answers=real or answers,
            controls=[group for group in answers if group[0] in controls] if real else [],
            first=next(((name, row) for name, rows in real or answers for row in rows if row.model), None),
            explorer=run.job.explorer,
            versions=versions(exhibit.provenance for exhibit in exhibits),
            machines=machines(run.entries),
            span=span(run.entries),
        )
    )


def first_row(summary: pd.DataFrame, labels: Labels) -> Answer:
    """Make what is shown of the first model of a columns.SUMMARY frame. labels: what models are called."""
    ((_, (row, *_)), *_) = answers_of(summary, labels)
    return row


def card(summary: pd.DataFrame, labels: Labels) -> str:
    """Write the card of the first model of a columns.SUMMARY frame as HTML, in a frame of its own: its style touches
    nothing around it, and it needs no network. labels: what models are called.
    """
    template = templates().get_template("card.html")
    shown = template.render(row=first_row(summary, labels), by_key={}, by_name={}, explorer=None)
    frame = (
        '<iframe srcdoc="{}" style="width: 100%; height: {}px; border: 0" title="What may be read into this map" '
        "onload=\"this.style.height = this.contentDocument.body.scrollHeight + 16 + 'px'\"></iframe>"
    )
    return str(Markup(frame).format(shown, HIGH))
