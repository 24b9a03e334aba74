"""results/README.md: every file and every column, printed from the declared columns and the entries of the plan."""

from collections.abc import Iterable, Mapping
from importlib import import_module

import pyarrow as pa

from attention_audit.columns.kinds import Artefact, Column, artefact
from attention_audit.jobs.pages import GuideJob
from attention_audit.plugins import modules_in

ORDER = ("corpora", "states", "models", "readouts", "audits", "tables")
"""Folders of results/ in the order of the guide."""
ARTEFACTS: tuple[Artefact, ...] = tuple(
    sorted(
        {
            declared.name: declared
            for module in modules_in("columns")
            for declared in vars(import_module(f"attention_audit.{module}")).values()
            if isinstance(declared, Artefact)
        }.values(),
        key=lambda declared: ORDER.index(declared.path.partition("/")[0]),
    )
)
"""Every kind of file that is declared in columns/, folder by folder as they stand in `ORDER`, and within one by its
module.
"""

OPENING = """# Results

These files were made by `snakemake`. All of them can be deleted: the same command makes them again. This folder holds
one run at a time, and `config.yaml` is its full configuration. `report.html` shows all tables and figures on one page,
says how they were made, and opens without a network. [`explorer.html`](explorer.html) shows test texts one
by one; there you can move the weights, and see at once what the model predicts under them. `docs/method.md` explains
what the tests mean.
"""

EXHIBITS = """## Tables and figures

Each figure is written as .pdf and .png. Each table is written as .parquet (tidy), .csv (the same rows with every digit;
`pandas.read_csv` reads it as it is), .json (how it was made), .md and .tex (wide and rounded, with the paper's value
beside ours). A figure of one data set alone lies in a folder of its name, where somebody asked for it, such as
`figures/sst/wp_fig5_tvd_jsd.pdf`; the combined one stays as it is.
"""

FOLDERS = """## Folders

| folder | what it holds |
|---|---|
| `audits/{dataset}/{suite}/` | what the audits measured of the models of a suite |
| `readouts/{dataset}/{suite}/{model}/seed{seed}/` | all that the audits know of a trained model, one file a split |
| `models/{dataset}/{suite}/{model}/` | weights of the selected epoch (.safetensors) and history, one pair a seed |
| `corpora/{dataset}/` | texts as words, the fate of each raw text, vocabulary and vectors |
| `raw/{folder}/`, `raw/vectors/` | archives and word vectors as fetched; in `records/` their origin, size and sha256 |
| `logs/{rule}/` | what each job printed; the last line is JSON: its files, its machine, and the time it took |

Where several suites ask for the same training, it is done once, and its files lie under the first of these suites. The
file `.lock` keeps a second run from writing here at the same time. `.configuration.yaml` is written when a run starts;
it keeps a run of another configuration from replacing what is here.
"""

PROVENANCE = """## What each file says of its own making

Every file records the stage that made it, the settings of that stage and their sha256, the sha256 of its code, the
seed, and the versions of Python and the libraries. Parquet files, weights and PNG keep this record in their metadata,
PDF under Keywords, .md and .tex in a comment; that of a .csv file is the .json file beside it. Weights also record the
sha256 of the files that they were trained on. The files in `raw/` and `logs/`, `config.yaml`, `report.html` and
`explorer.html` have no such record. To read one, in this folder and in the workflow's environment:

    from attention_audit.artefacts.parquet import read_provenance
    read_provenance("tables/wp_table2_uniform.parquet")
"""

COLUMNS = """## The Parquet files, column by column
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
    # a < without a backslash would begin a tag, so that Markdown hid <pad>
    rows = ((f"`{c.name}`", _type(c), c.unit, c.meaning.replace("<", r"\<")) for c in artefact.columns)
    columns = _table(("column", "type", "unit", "meaning"), rows)
    return f"### `{artefact.path}`\n\n{artefact.meaning}\n\n{columns}"


def _labelled(models: Mapping[str, str]) -> str:
    return "; ".join(f"`{name}`" if name == label else f"`{name}`: {label}" for name, label in models.items())


def guide(job: GuideJob) -> str:
    """The whole page."""
    shown = ((f"`{exhibit.folder}/{exhibit.name}`", exhibit.shows) for exhibit in job.exhibits)
    suites = ((f"`{suite.key}`", suite.title, suite.about, _labelled(suite.models)) for suite in job.suites)
    audits = ((f"`{name}`", asks) for name, asks in job.audits.items())
    parts = [
        f"{EXHIBITS}\n{_table(('file', 'what it shows'), shown)}",
        FOLDERS,
        f"## Suites\n\n{_table(('suite', 'title', 'what it asks', 'models and their labels'), suites)}",
        f"## Audits\n\n{_table(('audit', 'question'), audits)}",
    ]
    return "\n".join([OPENING, *parts, PROVENANCE, COLUMNS, *map(_section, [*ARTEFACTS, *map(artefact, job.columns)])])
