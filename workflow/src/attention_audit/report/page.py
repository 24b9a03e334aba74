"""The one page that a run is handed on as: all of it inline, so that it opens anywhere, without a network.

It opens with the summary: a card a data set and model, a line a question, and a paragraph to copy. It ends with what is
known of the run: when and on what machines it was made, with which versions, from which commit.
"""

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

from attention_audit.answer.lines import (
    Line,
    TableRow,
    describe_marks,
    describe_run,
    describe_verdicts,
    warn_of_claims,
    warn_of_others,
    write_finding,
    write_lines,
)
from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.journal import Entry, write_duration
from attention_audit.errors import AuditError
from attention_audit.jobs import ReportJob, ShownExhibit, ShownSuite
from attention_audit.names import display_name
from attention_audit.tables.render import WORD_COLUMNS, Block, drop_empty
from attention_audit.tables.wording import Labels, collect_labels, write_name
from attention_audit.targets import load

from .first_text import FirstText
from .terminal import count_machines, find_commit, find_span, list_versions

TEXTS_TABLE = "texts"
"""The table of single texts, which is too long for the page."""
DATASET_HEADING = "data set"
MOST_ROWS = 12
"""Rows of a table that are on the page; its files have all."""
FRAME_HEIGHT_PIXELS = 460
"""Pixels of the frame of a card, until the browser knows how high it is."""
HTML_TAGS = {"paragraph": "p", "strong": "strong", "emphasis": "em", "literal": "code"}
"""What stands for the parts of a caption."""

MAX_PARAGRAPH_WORDS = 90
"""Words of a paragraph to copy."""


class Caption(NamedTuple):
    """A caption of workflow/report/: the bold words that it opens with, and all that follows them as HTML."""

    title: str
    body: Markup


class Picture(NamedTuple):
    """A PNG as a data: address, and its size in pixels."""

    address: str
    width: int
    height: int


class PageAnswer(NamedTuple):
    """One model: its row of columns.SUMMARY, and its lines, of which none is known where it was not run.

    anchor: its place in the page. view: what the explorer calls it, "<data set>/<suite>/<model>". built: what it is
    built of, empty where that is not known. copy: a paragraph to copy. seen: the tables and figures that show its
    answers, each with the questions.
    """

    found: TableRow
    model: str
    anchor: str
    view: str
    built: str
    lines: list[Line]
    copy: str
    seen: Mapping[str, list[str]]


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


def write_paragraph(row: TableRow, model: str, lines: Sequence[Line]) -> str:
    """Write what a paper may say of the map of a model: all verdicts with their claims, in `MAX_PARAGRAPH_WORDS`.

    Where they find no room, intervals are left out, then numbers.
    """
    seeds, texts = int(row["seeds"]), int(row["texts"])
    # scores without weights belong to no suite
    about = f"Attention of {model} on {display_name(row['dataset'])}" if row["suite"] else model
    about += f" ({seeds} training{'s' * (seeds != 1)}, {texts:,} text{'s' * (texts != 1)}; 95 % intervals)"
    stated = [line for line in lines if line.said != "–"]
    if not stated:
        return f"{about}: no verdict."
    paragraph = ""
    for numbers, intervals in ((True, True), (True, False), (False, False)):
        claims: dict[str, list[str]] = {}
        for line in stated:
            ends = f" [{line.interval}]" if intervals and line.interval else ""
            value = f" ({line.value}{ends})" if numbers and line.value else ""
            claims.setdefault(line.said, []).append(f"{line.claim[0].lower()}{line.claim[1:]}{value}")
        verdicts = (f"{verdict}: {', '.join(of_verdict)}" for verdict, of_verdict in claims.items())
        paragraph = f"{about}: {'; '.join(verdicts)}."
        if len(paragraph.split()) <= MAX_PARAGRAPH_WORDS:
            break
    return paragraph


def list_answers(
    summary: pd.DataFrame,
    labels: Labels,
    exhibits: Sequence[ShownExhibit] = (),
    built: Labels | None = None,
) -> list[tuple[str, list[PageAnswer]]]:
    """List the rows of a columns.SUMMARY frame by data set, both in the order of their first appearance.

    `labels`: what models are called (`tables.wording.collect_labels`). `exhibits`: the tables and figures of the run.
    `built`: what models are built of, by their names in the explorer.
    """
    by_dataset: dict[str, list[PageAnswer]] = {}
    for number, row in enumerate(summary.to_dict("records"), 1):
        lines = write_lines(row) if row["model"] else []
        view, model = f"{row['dataset']}/{row['suite']}/{row['model']}", write_name(row["model"], labels)
        stated = [line.question for line in lines if line.said != "–"]
        seen = {
            exhibit.name: answers
            for exhibit in exhibits
            if exhibit.suite in ("", row["suite"]) and (answers := [each for each in exhibit.answers if each in stated])
        }
        copy = write_paragraph(row, model, lines)
        answer = PageAnswer(row, model, f"answer-{number}", view, (built or {}).get(view, ""), lines, copy, seen)
        by_dataset.setdefault(display_name(row["dataset"]), []).append(answer)
    return list(by_dataset.items())


def read_picture(path: Path) -> tuple[Picture, Mapping[str, Any]]:
    """Read a PNG and its provenance. Raises AuditError, naming the command that rebuilds it, where it is damaged."""
    try:
        with Image.open(path) as image:
            image.load()
            address = "data:image/png;base64," + b64encode(path.read_bytes()).decode()
            return Picture(address, *image.size), json.loads(image.info["Description"])
    except FileNotFoundError as error:
        raise AuditError(str(path), "not there", rebuild_hint(path)) from error
    except (OSError, SyntaxError, KeyError, ValueError) as error:
        raise AuditError(str(path), "truncated or corrupt PNG", rebuild_hint(path)) from error


def render_node(node: nodes.Node, anchors: Collection[str]) -> Markup:
    if isinstance(node, nodes.Text):
        return Markup.escape(node.astext())
    inside = Markup().join(render_node(child, anchors) for child in node.children)
    tag = HTML_TAGS.get(getattr(node, "tagname", ""))
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
    opening = document[0]
    lead = opening.pop(0)
    return Caption(lead.astext().rstrip("."), Markup(str(render_node(document, anchors)).replace("<p> ", "<p>", 1)))


def list_exhibits(run: FinishedRun, labels: Labels) -> list[PageExhibit]:
    """List the tables and figures but for TEXTS_TABLE, in their order.

    Raises AuditError for a damaged picture and for names without a label.
    """
    sources = [exhibit for exhibit in run.job.exhibits if exhibit.name != TEXTS_TABLE]
    names = [exhibit.name for exhibit in sources]
    exhibits = []
    for source in sources:
        image: Picture | None = None
        grids: Sequence[Block] = ()
        if source.name in run.figures:
            image, provenance = read_picture(run.figures[source.name])
        else:
            frame, provenance = run.tables[source.name]
            if not (frame.empty and "reason" in provenance["settings"]):
                grids = load(source.shown)(frame, labels)
        number = source.number or source.folder.removesuffix("s").capitalize()
        caption = read_caption(run.captions[source.name], names)
        exhibits.append(PageExhibit(source.name, source.suite, number, caption, provenance, image, grids))
    return exhibits


def lay_out_table(rows: pd.DataFrame) -> tuple[list[str], list[tuple[str, list[list[str]]]]]:
    """Lay out the first rows of a table, without the columns that are empty in these: the headings, and the cells by
    data set. Where the rows are not about data sets, they are one group without a name.
    """
    head = rows.head(MOST_ROWS)
    head = head.copy() if head.empty else drop_empty(head)
    if DATASET_HEADING not in head:
        head.insert(0, DATASET_HEADING, "")
    by_dataset = groupby(head.to_numpy().tolist(), key=itemgetter(0))
    return [str(name) for name in head][1:], [(name, [row[1:] for row in members]) for name, members in by_dataset]


def group_seeds(suite: ShownSuite, labels: Labels) -> list[tuple[str, list[int]]]:
    """List the seeds of a suite's models, each list of seeds with the labels of the models that have it.

    The list that most models share comes last, for "all others", or for all: then it is named "".
    """
    groups: dict[tuple[int, ...], list[str]] = {}
    for model, seeds in suite.seeds.items():
        groups.setdefault(tuple(seeds), []).append(write_name(model, labels))
    ordered = sorted(groups.items(), key=lambda group: len(group[1]))
    entries = [(", ".join(names), [*seeds]) for seeds, names in ordered]
    if entries and (len(entries) == 1 or len(ordered[-1][1]) > 1):
        entries[-1] = ("all others" if len(entries) > 1 else "", entries[-1][1])
    return entries


def open_templates() -> Environment:
    """Open the templates of the page and of its parts."""
    environment = Environment(
        loader=PackageLoader("attention_audit.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "moment": lambda when: when.strftime("%Y-%m-%d %H:%M %Z"),
        "duration": write_duration, "dataset": display_name, "lay_out": lay_out_table,
        "run": describe_run, "finding": write_finding, "count": describe_verdicts, "marks": describe_marks,
        "others": warn_of_others,
    }  # fmt: skip
    environment.globals["WORDS"] = WORD_COLUMNS
    return environment


def render_page(run: FinishedRun, moment: datetime, folder: Path) -> str:
    """Write the page as HTML. `moment`: when; `folder`: the checkout whose commit it names."""
    titles = {suite.paper: suite.title for suite in run.job.suites}
    labels = collect_labels((suite.models for suite in run.job.suites), titles)
    exhibits = list_exhibits(run, labels)
    by_name = {exhibit.name: exhibit for exhibit in exhibits}
    # suites that this run asked for, and others of which it shows a table or figure
    sections = [
        {"suite": suite, "seeds": group_seeds(suite, labels), "exhibits": members}
        for suite in run.job.suites
        if (members := [exhibit for exhibit in exhibits if exhibit.suite == suite.key]) or suite.datasets
    ]
    front = run.tables["summary"][0] if "summary" in by_name else pd.DataFrame()
    answers = list_answers(front, labels, run.job.exhibits, run.job.built)
    controls = {display_name(name) for name in run.job.controls}
    real = [group for group in answers if group[0] not in controls]
    return (
        open_templates()
        .get_template("page.html")
        .render(
            run=run,
            made=moment,
            commit=find_commit(folder),
            sections=sections,
            exhibits=exhibits,
            titles={suite.key: suite.title for suite in run.job.suites},
            by_name=by_name,
            answers=real or answers,
            controls=[group for group in answers if group[0] in controls] if real else [],
            warning=warn_of_claims(run.tables["controls"][0].to_dict("records")) if "controls" in run.tables else "",
            first=next(((name, row) for name, rows in real or answers for row in rows if row.model), None),
            explorer=run.job.explorer,
            versions=list_versions(exhibit.provenance for exhibit in exhibits),
            machines=count_machines(run.entries),
            span=find_span(run.entries),
        )
    )


def make_first_row(summary: pd.DataFrame, labels: Labels) -> PageAnswer:
    """Make what is shown of the first model of a columns.SUMMARY frame. labels: what models are called."""
    ((_, (row, *_)), *_) = list_answers(summary, labels)
    return row


def write_card(summary: pd.DataFrame, labels: Labels) -> str:
    """Write the card of the first model of a columns.SUMMARY frame as HTML, in a frame of its own: its style touches
    nothing around it, and it needs no network. labels: what models are called.
    """
    template = open_templates().get_template("card.html")
    card = template.render(row=make_first_row(summary, labels), titles={}, by_name={}, explorer=None)
    frame = (
        '<iframe srcdoc="{}" style="width: 100%; height: {}px; border: 0" title="What may be read into this map" '
        "onload=\"this.style.height = this.contentDocument.body.scrollHeight + 16 + 'px'\"></iframe>"
    )
    return str(Markup(frame).format(card, FRAME_HEIGHT_PIXELS))
