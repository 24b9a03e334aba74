"""results/README.md: every file and every column, printed from the declared schema."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from attention_audit.columns.every import ARTEFACTS
from attention_audit.columns.kinds import Artefact, Column

OPENING = """# Results

Made by `snakemake`. Everything here can be deleted and is made again by the same command. One run lies here at a time:
`config.yaml` is its full configuration. What the tests mean is in `docs/method.md`. `report.html` has all of it on one
page, with what the run was made of, and opens without a network.

"""

FOLDERS = """Figures are .pdf and .png. Tables are .parquet (tidy), .csv (the same, every digit; the first line is a comment), .md
and .tex (wide, rounded, the paper's value beside ours).

| folder | what it holds |
|---|---|
| `audits/{dataset}/{suite}/` | what the audits measured of the models of a suite |
| `readouts/{dataset}/{suite}/{model}/seed{seed}/` | all that the audits know of a trained model, one file a split |
| `models/{dataset}/{suite}/{model}/` | weights of the selected epoch (.safetensors) and training history, one pair a seed |
| `corpora/{dataset}/` | texts as words, the fate of each raw text, vocabulary and vectors |
| `raw/{folder}/`, `raw/vectors/` | archives and word vectors as fetched; `records/`: origin, size, sha256 |
| `logs/{rule}/` | what each job printed; last, as JSON, its files, machine and time |
| `logs/slurm/` | on a cluster: what Slurm said of a job that failed |

A training that several suites ask for is done once; it lies under the first of them. `.lock` keeps two runs from
writing here at once.
"""

PROVENANCE = """Every file but those in `raw/` and `logs/`, `config.yaml` and `report.html` records the stage that made it, its settings
and their sha256, the sha256 of the code it ran, its seed, and the versions of Python and the libraries: Parquet,
weights and PNG in their metadata, PDF under Keywords, text files in a comment. Weights record the sha256 of the files
that they were trained on, too. From Python, in the workflow's environment:

    from attention_audit.artefacts.parquet import read_provenance
    read_provenance("results/tables/wp_table2_uniform.parquet")

The Parquet files, column by column:
"""


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _exhibits(job: GuideJob) -> str:
    shown = ((f"`{exhibit.folder}/{exhibit.name}`", exhibit.shows) for exhibit in job.exhibits)
    return _table(("file", "what it shows"), shown)


def _suites(job: GuideJob) -> str:
    rows = (
        (f"`{suite.key}`", suite.title, ", ".join(f"`{name}` ({label})" for name, label in suite.models.items()))
        for suite in job.suites
    )
    return _table(("suite", "whose", "models"), rows)


def _audits(job: GuideJob) -> str:
    return _table(("audit", "question"), ((f"`{name}`", asks) for name, asks in job.audits.items()))


def _type(column: Column) -> str:
    listed = pa.types.is_list(column.type)
    name = f"list of {column.type.value_type}" if listed else str(column.type)
    return f"{name}, nullable" if column.nullable else name


def _meaning(column: Column) -> str:
    # else Markdown takes <pad> for a tag and hides it
    return column.meaning.replace("<", r"\<")


def _section(artefact: Artefact) -> str:
    rows = "\n".join(
        f"| `{column.name}` | {_type(column)} | {column.unit} | {_meaning(column)} |" for column in artefact.columns
    )
    return (
        f"## `{artefact.path}`\n\n{artefact.meaning}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n{rows}\n"
    )


def guide(job: GuideJob) -> str:
    """The whole page."""
    opening = "\n".join([_exhibits(job), FOLDERS, _suites(job), _audits(job), PROVENANCE])
    return OPENING + "\n".join([opening, *map(_section, ARTEFACTS)])
