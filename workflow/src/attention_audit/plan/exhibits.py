"""What there is to know of a table or a figure before it is made; and all of them, as exhibits.yaml lists them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os.path import relpath
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from attention_audit.jobs import FileOf, ReadSpec
from attention_audit.places import TREE
from attention_audit.targets import name_columns, name_module
from attention_audit.yaml_input import read_package_yaml

from .audits import find_audit

CAPTIONS = TREE / "workflow" / "report"
"""The folder of the package's own captions."""
Source = Literal["audit", "corpus", "table", "tables", "records"]


@dataclass(frozen=True)
class ReadFile:
    """What a table or figure reads under one name.

    source and name: an audit by its name; a file of each data set's folder in results/corpora, as frames by data set; a
    published table by its name, or those of several `tables` that were made, by name; or the records of fetched files.

    columns: those that are needed, of a file that has more. split: only the texts of this split, of a corpus.
    categories: words come as pandas' categories, and a list of k numbers as k columns, which saves memory where there
    are many rows. each: the frames come one a data set, one after another, so that memory holds one of them.

    whose: of an audit, the exhibit's own suite, which is asked it on each of the exhibit's data sets; its suite, which
    may not be asked it; or all suites that were asked it. The rows of the last two are told apart by a column `suite`.
    Where no file of the first has a row, there is nothing to show, unless it is `counted`, so that no row says that
    there are none.
    """

    source: Source
    name: str = ""
    columns: tuple[str, ...] = ()
    split: str = ""
    categories: bool = False
    each: bool = False
    whose: Literal["suite", "suite_if_asked", "all"] = "suite"
    counted: bool = False

    @property
    def needed(self) -> bool:
        """Tell whether an exhibit is not made where its suite is not asked this."""
        return self.source == "audit" and self.whose == "suite"

    @property
    def declared(self) -> str:
        """Return the declaration of the columns; "" of records."""
        match self.source:
            case "audit":
                audit = find_audit(self.name)
                return name_columns(audit.target) if audit.target else f"columns.audits:{self.name.upper()}"
            case "corpus":
                return f"columns.files:{self.name.upper()}"
            case "table":
                return TABLES[self.name].columns
        return TABLE_COLUMNS if self.source == "tables" else ""

    def describe(self, files: Sequence[FileOf] = (), needed: bool = False, only: str = "") -> ReadSpec:
        """Describe it to a job. files, needed, only: see `ReadSpec`."""
        return ReadSpec(
            source=self.source,
            declared=self.declared,
            columns=list(self.columns) if self.source in ("audit", "corpus") else [],
            split=self.split,
            categories=self.categories,
            each=self.each,
            suites=self.whose != "suite",
            needed=needed,
            files=[*files],
            only=only,
        )


@dataclass(frozen=True)
class Exhibit:
    """A table or figure: a function from frames to what is published, made by one job for each suite that has it.

    target: the function, "module:name". shows: what a reader sees, in a few words. name: of its files, beginning with
    its suite's key where it has one, and of its caption in workflow/report/; by default the function's. suite: whose it
    is, by key; "" where it is of all. An entry may name several `suites`, and is one exhibit of each; by default it is
    of the one whose key stands before _table or _fig in the name. number: where the suite's paper has it, such as
    "Figure 5"; "" where it has not. reads: what the function is called with, by the names of its parameters. settings:
    what else it is called with, likewise: those of `ExhibitPlan`. every_dataset: it speaks of all data sets of the run,
    not only of its suite's. about: of an exhibit of all suites, the audit without which it has nothing to say; "" where
    there is none. needs: what a data set must have to be spoken of, see `exhibit_plan.NEEDS`. An exhibit with no data
    set to speak of is not made. answers: the questions of the summary whose numbers it shows, of its suite's models or,
    where it has no suite, of all. by_name: it is made where it is asked for by its name alone, as another exhibit says
    what it says.

    folder: tables or figures. Of a table, whose function returns a frame, columns: the declaration of its columns;
    shown: the function that turns the frame into rows of text; top: the function that picks the rows of the .csv file,
    where the frame has too many for one. The function of a figure returns a matplotlib Figure.
    """

    target: str
    shows: str
    name: str
    folder: Literal["tables", "figures"]
    suite: str
    number: str = ""
    reads: Mapping[str, ReadFile] = field(default_factory=dict)
    settings: tuple[str, ...] = ("models",)
    every_dataset: bool = False
    about: str = ""
    needs: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    by_name: bool = False
    columns: str = ""
    shown: str = ""
    top: str = ""

    @property
    def endings(self) -> tuple[str, ...]:
        """Return what the names of its files end with."""
        return (".parquet", ".csv", ".json", ".md", ".tex") if self.folder == "tables" else (".pdf", ".png")

    @property
    def maker(self) -> str:
        """Return the rule that makes it: another one of tables that are made of tables."""
        of_tables = any(source.source in ("table", "tables") for source in self.reads.values())
        return "overview" if of_tables and self.folder == "tables" else self.folder.removesuffix("s")

    @property
    def rule(self) -> str:
        """Its name in Snakemake: as far as the paper's number, such as wp_fig5, or the whole name."""
        short = re.match(r"[a-z]+_(?:fig|table)\d+", self.name)
        return short[0] if short else self.name

    @property
    def modules(self) -> list[str]:
        """List the modules of its function, and of what it is made of."""
        targets = (self.target, self.columns, self.shown, *(source.declared for source in self.reads.values()))
        return [name_module(target) for target in targets if target]

    @property
    def caption(self) -> str:
        """Return the file of its caption, seen from the working directory."""
        return relpath(CAPTIONS / f"{self.name}.rst")


READS = {
    "audit": ReadFile("audit"),
    "rows": ReadFile("audit", categories=True),
    "if_asked": ReadFile("audit", whose="suite_if_asked"),
    "counts": ReadFile("audit", counted=True),
    "of_every_suite": ReadFile("audit", whose="all"),
    "corpus": ReadFile("corpus"),
    "table": ReadFile("table"),
    "tables": ReadFile("tables"),
    "records": ReadFile("records"),
}
"""How something may be read: an audit of the exhibit's own suite; one with many rows; one that its suite may not be
asked; one of all suites that are asked it; a file of each corpus; tables that are made; what is known of fetched files.
"""
TABLE_COLUMNS = "columns.tables:TABLE"
"""The declaration of the columns of most tables."""


def _build_read(parameter: str, entry: str | Mapping[str, Any]) -> ReadFile:
    """Build what is read under the name of a parameter: how, and perhaps which columns."""
    fields: dict[str, Any] = {"read": entry} if isinstance(entry, str) else dict(entry)
    how, *columns = f"{fields.pop('read')} {fields.pop('columns', '')}".split()
    source = READS[how]
    categories = source.categories or bool(columns and source.whose != "suite")
    return replace(source, **{"name": parameter, "columns": tuple(columns), "categories": categories, **fields})


def _expand_entry(folder: str, entry: Mapping[str, Any]) -> Iterator[Exhibit]:
    """Build the exhibits of an entry, one for each of its suites: of another than the first, it has no paper's number,
    and none in its name.
    """
    name = entry.get("name") or entry["target"].partition(":")[2]
    defaults = {"columns": TABLE_COLUMNS, "shown": "tables.render:show_table"} if folder == "tables" else {}
    reads = {parameter: _build_read(parameter, fields) for parameter, fields in entry["reads"].items()}
    suites = entry.get("suites") or re.findall(r"^([a-z0-9]+)_(?:fig|table)", name) or [""]
    fields = {"name": name, "folder": folder, **defaults, **entry, "reads": reads}
    for suite in suites:
        if suite != suites[0]:
            fields |= {"name": re.sub(r"^[a-z]+_(fig|table)\d*_", rf"{suite}_\1_", name), "number": ""}
        yield TypeAdapter(Exhibit).validate_python(fields | {"suite": suite})


_LISTED = read_package_yaml(Path(__file__).with_suffix(".yaml"))


def _list_exhibits(folder: str) -> dict[str, Exhibit]:
    """List the tables, or the figures, by name: suite by suite, those of all suites at the end."""
    exhibits = [exhibit for entry in _LISTED[folder] for exhibit in _expand_entry(folder, entry)]
    order = [*dict.fromkeys(exhibit.suite for exhibit in exhibits if exhibit.suite), ""]
    return {exhibit.name: exhibit for exhibit in sorted(exhibits, key=lambda exhibit: order.index(exhibit.suite))}


FIGURES, TABLES = map(_list_exhibits, ("figures", "tables"))
EXHIBITS = (*FIGURES.values(), *TABLES.values())
