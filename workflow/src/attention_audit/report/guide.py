"""results/README.md: every file and every column, printed from the declared columns and the entries of the plan."""

from collections.abc import Iterable, Mapping
from importlib import resources

import pyarrow as pa
from jinja2 import Template

from attention_audit.columns import audits, files, tables
from attention_audit.columns.kinds import Artefact, Column, artefact
from attention_audit.jobs.pages import GuideJob
from attention_audit.questions import QUESTIONS

ORDER = ("corpora", "states", "models", "readouts", "audits", "tables")
"""Folders of results/ in the order of the guide."""
ARTEFACTS: tuple[Artefact, ...] = tuple(
    sorted(
        {
            declared.name: declared
            for module in (audits, files, tables)
            for declared in vars(module).values()
            if isinstance(declared, Artefact)
        }.values(),
        key=lambda declared: ORDER.index(declared.path.partition("/")[0]),
    )
)
"""Every kind of file that is declared in columns/, folder by folder as they stand in `ORDER`, and within one by its
module.
"""


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _type(column: Column) -> str:
    type_, name = column.type, ""
    while pa.types.is_list(type_):
        type_, name = type_.value_type, f"{name}list of "
    name += str(type_)
    return f"{name}, nullable" if column.nullable else name


def _section(artefact: Artefact) -> str:
    """Describe a file and its columns; those that mean the same for several questions are described once."""
    # a < without a backslash would begin a tag, so that Markdown hid <pad>
    alike: dict[tuple[str, str], list[Column]] = {}
    for column in artefact.columns:
        question, _, rest = column.name.partition("_")
        name = f"{{question}}_{rest}" if question in QUESTIONS else column.name
        alike.setdefault((name, column.meaning.replace("<", r"\<")), []).append(column)
    rows = (
        (f"`{name if len(own) > 1 else own[0].name}`", _type(own[0]), ", ".join({c.unit: 0 for c in own}), meaning)
        for (name, meaning), own in alike.items()
    )
    columns = _table(("column", "type", "unit", "meaning"), rows)
    return f"### `{artefact.path}`\n\n{artefact.meaning}\n\n{columns}"


def _labelled(models: Mapping[str, str]) -> str:
    return "; ".join(f"`{name}`" if name == label else f"`{name}`: {label}" for name, label in models.items())


def guide(job: GuideJob) -> str:
    """The whole page: what stands in guide.md, with its tables."""
    shown = ((f"`{exhibit.folder}/{exhibit.name}`", exhibit.shows) for exhibit in job.exhibits)
    suites = ((f"`{suite.key}`", suite.title, suite.about, _labelled(suite.models)) for suite in job.suites)
    asked = ((f"`{name}`", asks) for name, asks in job.audits.items())
    text = resources.files("attention_audit.report").joinpath("guide.md").read_text(encoding="utf-8")
    page: str = Template(text).render(
        exhibits=_table(("file", "what it shows"), shown),
        suites=_table(("suite", "title", "what it asks", "models and their labels"), suites),
        audits=_table(("audit", "question"), asked),
        files="\n".join(map(_section, [*ARTEFACTS, *map(artefact, job.columns)])),
    )
    return page
