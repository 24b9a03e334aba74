"""results/README.md: every file and every column, printed from the declared columns and the entries of the plan."""

from importlib import resources

import pyarrow as pa
from jinja2 import Template

from attention_audit.columns import audits, files, tables
from attention_audit.columns.kinds import Artefact, Column, artefact
from attention_audit.jobs import GuideJob
from attention_audit.questions import QUESTIONS

ORDER = ("corpora", "states", "models", "readouts", "attributions", "audits", "tables")
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


def describe_type(column: Column) -> str:
    """Describe the type of a column in words."""
    type_, lists = column.type, ""
    while pa.types.is_list(type_):
        type_, lists = type_.value_type, f"{lists}list of "
    return f"{lists}{type_}{', nullable' * column.nullable}"


def list_column_lines(artefact: Artefact) -> list[tuple[str, str, str, str]]:
    """List the columns of a file: name, type, unit and meaning; those that mean the same for several questions once."""
    # a < without a backslash would begin a tag, so that Markdown hid <pad>
    groups: dict[tuple[str, str], list[Column]] = {}
    for column in artefact.columns:
        question, _, rest = column.name.partition("_")
        name = f"{{question}}_{rest}" if question in QUESTIONS else column.name
        groups.setdefault((name, column.meaning.replace("<", r"\<")), []).append(column)
    rows = []
    for (name, meaning), columns in groups.items():
        units = ", ".join({column.unit: 0 for column in columns})
        rows.append((name if len(columns) > 1 else columns[0].name, describe_type(columns[0]), units, meaning))
    return rows


def write_guide(job: GuideJob) -> str:
    """Write the whole page from guide.md."""
    text = resources.files("attention_audit.report").joinpath("guide.md").read_text(encoding="utf-8")
    files = [(each, list_column_lines(each)) for each in (*ARTEFACTS, *map(artefact, job.columns))]
    return Template(text, trim_blocks=True).render(job=job, files=files)
