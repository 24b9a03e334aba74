"""What there is to know of a table or a figure before it is made; and all of them, as exhibits.yaml lists them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os.path import relpath
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import yaml
from pydantic import TypeAdapter

from attention_audit.places import TREE

CAPTIONS = TREE / "workflow" / "report"
"""The folder of the package's own captions."""
OWN_SUITE = "its own"
"""In the place of a suite's key: the suite of the exhibit."""
Source = Literal["audit", "corpus", "table", "tables", "records"]


@dataclass(frozen=True)
class ReadFile:
    """What a table or figure reads under one name.

    source and name: an audit by its name; a file of each data set's folder in results/corpora, as frames by data set; a
    published table by its name, or those of several `tables` that were made, by name; or the records of fetched files.

    columns: those that are needed, of a file that has more. split: only the texts of this split, of a corpus.
    categories: words come as pandas' categories, and a list of k numbers as k columns, which saves memory where there
    are many rows. each: the frames come one a data set, one after another, so that memory holds one of them. suites:
    whose audit, "*" for all suites that were asked for it, OWN_SUITE for the exhibit's; the rows are then told apart by
    a column `suite`. By default it is the exhibit's own, without such a column.

    An audit of the exhibit's own suite is `needed`: where none of its files has a row, there is nothing to show, unless
    it is `counted`, so that no row says that there are none.
    """

    source: Source
    name: str = ""
    columns: tuple[str, ...] = ()
    split: str = ""
    categories: bool = False
    each: bool = False
    suites: tuple[str, ...] = ()
    counted: bool = False

    @property
    def needed(self) -> bool:
        """Tell whether there is nothing to show without a row of it."""
        return self.source == "audit" and not self.suites


ExhibitT = TypeVar("ExhibitT", bound="Exhibit")


@dataclass(frozen=True)
class Exhibit:
    """A table or figure: a function from frames to what is published, made by one job for each suite that has it.

    target: the function, "module:name". shows: what a reader sees, in a few words. name: of its files, beginning with
    its suite's key where it has one, and of its caption in workflow/report/; by default the function's. suites: whose
    it is, by key, of which `each` makes one exhibit each; by default the one whose key stands before _table or _fig in
    the name; () where it is of all. number: where the paper of the first has it, such as "Figure 5"; "" where it has
    not. reads: what the function is called with, by the names of its parameters. settings: what else it is called with,
    likewise: those of `ExhibitPlan`. every_dataset: it speaks of all data sets of the run, not only of its suite's.
    about: of an exhibit of all suites, the audit without which it has nothing to say; "" where there is none. needs:
    what a data set must have to be spoken of, see `exhibit_plan.NEEDS`. An exhibit with no data set to speak of is not
    made. answers: the questions of the summary whose numbers it shows, of its suite's models or, where it has no suite,
    of all.
    """

    target: str
    shows: str
    name: str
    suites: tuple[str, ...]
    number: str = ""
    reads: Mapping[str, ReadFile] = field(default_factory=dict)
    settings: tuple[str, ...] = ("models",)
    every_dataset: bool = False
    about: str = ""
    needs: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    folder: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]

    @property
    def suite(self) -> str:
        """Whose it is; "" where it is of all."""
        return self.suites[0] if self.suites else ""

    @property
    def maker(self) -> str:
        """Return the rule that makes it: another one of tables that are made of tables."""
        of_tables = any(read.source in ("table", "tables") for read in self.reads.values())
        return "overview" if of_tables and self.folder == "tables" else self.folder.removesuffix("s")

    @property
    def rule(self) -> str:
        """Its name in Snakemake: as far as the paper's number, such as wp_fig5, or the whole name."""
        short = re.match(r"[a-z]+_(?:fig|table)\d+", self.name)
        return short[0] if short else self.name

    @property
    def caption(self) -> str:
        """Return the file of its caption, seen from the working directory."""
        return relpath(CAPTIONS / f"{self.name}.rst")


def _take_suite(exhibit: ExhibitT, suite: str) -> ExhibitT:
    """Return the exhibit of one of its suites: of another than the first, it has no paper's number, and none in its
    name.
    """
    reads = {
        name: replace(read, suites=(suite,)) if OWN_SUITE in read.suites else read
        for name, read in exhibit.reads.items()
    }
    if suite == exhibit.suite:
        return replace(exhibit, suites=(suite,), reads=reads)
    name = re.sub(r"^[a-z]+_(fig|table)\d*_", rf"{suite}_\1_", exhibit.name)
    return replace(exhibit, name=name, suites=(suite,), number="", reads=reads)


def expand_suites(exhibits: Iterable[ExhibitT]) -> tuple[ExhibitT, ...]:
    """Return one exhibit for each suite of each, suite by suite, those of all suites at the end."""
    made = [_take_suite(one, suite) for one in exhibits for suite in one.suites] + [
        one for one in exhibits if not one.suites
    ]
    order = list(dict.fromkeys(one.suite for one in made))
    return tuple(sorted(made, key=lambda one: order.index(one.suite)))


@dataclass(frozen=True)
class Figure(Exhibit):
    """A figure; its function returns a matplotlib Figure."""

    folder = "figures"
    endings = (".pdf", ".png")


@dataclass(frozen=True)
class Table(Exhibit):
    """A table; its function returns a frame.

    columns: the declaration of its columns. shown: the function that turns the frame into rows of text. top: the
    function that picks the rows of the .csv file, where the frame has too many for one.
    """

    columns: str = "columns.tables:TABLE"
    shown: str = "tables.render:show_table"
    top: str = ""

    folder = "tables"
    endings = (".parquet", ".csv", ".json", ".md", ".tex")


READS = {
    "audit": ReadFile("audit"),
    "rows": ReadFile("audit", categories=True),
    "if_asked": ReadFile("audit", suites=(OWN_SUITE,)),
    "counts": ReadFile("audit", counted=True),
    "of_every_suite": ReadFile("audit", suites=("*",)),
    "corpus": ReadFile("corpus"),
    "table": ReadFile("table"),
    "tables": ReadFile("tables"),
    "records": ReadFile("records"),
}
"""How something may be read: an audit of the exhibit's own suite; one with many rows; one that its suite may not be
asked; one of all suites that are asked it; a file of each corpus; tables that are made; what is known of fetched files.
"""


def _build_read(parameter: str, said: str | Mapping[str, Any]) -> ReadFile:
    """Build what is read under the name of a parameter: how, and perhaps which columns."""
    further: dict[str, Any] = {"read": said} if isinstance(said, str) else dict(said)
    how, *columns = f"{further.pop('read')} {further.pop('columns', '')}".split()
    read = READS[how]
    categories = read.categories or bool(columns and read.suites)
    return replace(read, **{"name": parameter, "columns": tuple(columns), "categories": categories, **further})


def _fill_in(exhibit: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what an entry leaves out, and build all that it reads, by parameter."""
    name = exhibit.get("name") or exhibit["target"].partition(":")[2]
    suites = re.findall(r"^([a-z0-9]+)_(?:fig|table)", name)
    reads = {parameter: _build_read(parameter, said) for parameter, said in exhibit["reads"].items()}
    return {"name": name, "suites": suites, **exhibit, "reads": reads}


_LISTED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_FIGURES = TypeAdapter(tuple[Figure, ...]).validate_python(tuple(map(_fill_in, _LISTED["figures"])))
_TABLES = TypeAdapter(tuple[Table, ...]).validate_python(tuple(map(_fill_in, _LISTED["tables"])))


FIGURES = {one.name: one for one in expand_suites(_FIGURES)}
TABLES = {one.name: one for one in expand_suites(_TABLES)}
EXHIBITS: tuple[Exhibit, ...] = (*FIGURES.values(), *TABLES.values())
