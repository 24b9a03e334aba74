"""A configuration for a table of the user's own, with what a look at the file tells: `init` of the command line."""

import re
import shlex
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import yaml
from pydantic import ValidationError

from attention_audit.corpus.checkup import described, numbers, oddities, refuse
from attention_audit.corpus.counts import count
from attention_audit.corpus.delimited import SHOWN, Layout, no_column, shown
from attention_audit.corpus.guessing import Column, columns_of, evidence_in, labels_in, layout_of, texts_in
from attention_audit.corpus.labels import MANY as CLASSES
from attention_audit.corpus.labels import list_few, sort_labels
from attention_audit.corpus.languages import find_unspaced, language_of
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.tabular import ENDINGS, format_of, table_rows
from attention_audit.corpus.tokens import lacking
from attention_audit.errors import AuditError, did_you_mean
from attention_audit.places import CATALOGUE, TREE

USAGE = "init: name one file of texts and labels, as in `python -m attention_audit init reviews.csv`"
MINE = Path("mine.yaml")
"""The configuration that is written where nobody names another."""
ROWS = 20_000
"""Rows from which columns are guessed."""
LONGEST = 40
"""Characters of the name of a data set."""
DOCUMENT = 100
"""Texts of so many words on average have sentences that are kept."""
MANY = 50_000
"""From so many texts on, it is said how to take a sample."""
Said = dict[str, tuple[Any, str]]
"""The keys of an entry, each with its value and a remark."""


def checked_path(files: Sequence[Path]) -> Path:
    """The file to look at. Raises AuditError where there is not one, or of another format."""
    if len(files) != 1:
        raise AuditError(USAGE)
    path = files[0]
    if not path.is_file():
        near = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
        what = "is a folder" if path.is_dir() else f"not there{did_you_mean(path.name, near)}"
        raise AuditError(f"{path}: {what}; name a file that ends in {ENDINGS}")
    if not format_of(path.name):
        raise AuditError(f"{path}: does not end in {ENDINGS}; save it in one of these formats")
    return path


def chosen(key: str, named: str | None, likely: list[Column], columns: list[Column], path: Path) -> tuple[str, str]:
    """The column of the texts or labels, and a remark where it is a guess. named: what the user says.

    Raises AuditError where there is no such column, or none that may be it.
    """
    names = [column.name for column in columns]
    if named is not None:
        if named not in names:
            raise AuditError(f"{path}: {no_column(f'--{key}', named, names)}")
        return named, ""
    if not likely:
        there = ", ".join(map(shown, names[:SHOWN]))
        raise AuditError(
            f"{path}: none of the columns looks like {key}s ({there}); name the one with --{key}, or give the file one"
        )
    others = list_few([shown(column.name) for column in likely[1:]])
    return likely[0].name, f"guess; it may also be {others}" if others else ""


def name_of(path: Path, taken: Mapping[str, Any]) -> str:
    """A name for the data set of a file that no other one has."""
    letters = unicodedata.normalize("NFKD", path.name.partition(".")[0]).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", letters.lower()).strip("-")[:LONGEST] or "mine"
    return f"my-{name}" if name in taken else name


def guessed(path: Path, layout: Layout, text: str | None, label: str | None) -> Said:
    """The keys of the entry of a file, but for what all rows must tell. Raises AuditError as `chosen` does."""
    rows = [row for _, row in islice(table_rows(path, {}, layout), ROWS)]
    if not rows:
        raise AuditError(f"{path}: no rows in it; give it texts, below a header if it is csv or tsv")
    columns = columns_of(rows)
    others = [column for column in columns if column.name != label]
    texts = chosen("text", text, texts_in(others), columns, path)
    others = [column for column in columns if column.name != texts[0]]
    labels = chosen("label", label, labels_in(others), columns, path)
    said: Said = {"kind": ("table", ""), "path": (str(path), "")}
    for key, value in layout._asdict().items():
        if value and value != Layout._field_defaults[key]:
            said[key] = (value, "guess, with which every row is read")
    said |= {"text": texts, "label": labels}
    free = [column for column in others if column.name != labels[0]]
    if split := next((column for column in free if column.is_split), None):
        said["split"] = (split.name, numbers(split.values))
    if own := next((column for column in free if column.is_id and not column.is_group), None):
        if own.empty or len(own.values) < len(own.cells):
            said["id"] = (
                None,
                f"{shown(own.name)} has ids that are empty or stand twice, so texts are called by their rows",
            )
        else:
            said["id"] = (own.name, "")
    if shared := next((column for column in free if column.is_group), None):
        said["group"] = (
            None,
            f"or {shown(shared.name)}, if its {len(shared.values):,} values say which texts belong together",
        )
    if evidence := evidence_in(rows, free, texts[0]):
        said["evidence"] = (evidence.model_dump(include={"columns", "written"}), "guess: what people marked")
    cells = next([*map(str, column.cells)] for column in columns if column.name == texts[0])
    dense = find_unspaced(cells)
    code, sure = (dense, True) if dense else language_of(cells)
    how = "guess, by letters and frequent words" if sure else "guess, which nothing in the texts tells"
    said["tokens"] = ({"tokenizer": code}, how)
    return said


def source_of(said: Said, path: Path) -> TableCorpus:
    """The entry as the plan reads it. Raises AuditError where the columns that the user names do not go together."""
    try:
        return TableCorpus.model_validate({key: value for key, (value, _) in said.items()})
    except ValidationError as error:
        raise AuditError(f"{path}: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from error


def written(name: str, said: Said, path: Path) -> str:
    """The configuration, as the user reads it."""

    def flow(value: Any) -> str:
        text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6, sort_keys=False)
        return text.removesuffix("...\n").strip()

    top = [
        (f"results: runs/{name}", "the folder that the run writes to"),
        (f"datasets: [{name}]", "Wiegreffe & Pinter's tests, with models of the paper's sizes and five seeds"),
        ("corpora:", ""),
        (f"  {name}:", ""),
    ]
    keys = [(f"    {key}: {flow(value)}", remark) for key, (value, remark) in said.items()]
    lines = [f"{line:<36}  # {remark}" if remark else line for line, remark in top + keys]
    call = " ".join(f"python -m attention_audit init {shlex.quote(str(path))}".split())
    head = f"# Written by `{call}`. docs/configuration/README.md has every key.\n"
    return head + "".join(f"{line}\n" for line in lines)


def initialising(files: Sequence[Path], into: Path | None, text: str | None = None, label: str | None = None) -> str:
    """Write a configuration for a file, and return what was found, guessed and is to be done.

    into: where to write it, `MINE` where None. text, label: columns that the user names. Raises AuditError where there
    is a file already, and where the table cannot be read or has nothing to train on; nothing is written then.
    """
    into = into or MINE
    if into.exists():
        raise AuditError(f"{into}: is there already; remove it, or write another file with `--into other.yaml`")
    path = checked_path(files)
    name = name_of(path, yaml.safe_load((TREE / CATALOGUE).read_text(encoding="utf-8"))["corpora"])
    said = guessed(path, layout_of(path), text, label)
    counts = count(name, source_of(said, path), {"path": path})
    if counts.unlabelled:
        said["drop_unlabelled"] = (True, f"{counts.unlabelled} of {counts.read} rows have no label")
    if counts.whole and 2 <= len(counts.labels) <= CLASSES:
        said["classes"] = (sort_labels(counts.labels), f"in this order; texts: {numbers(counts.labels)}")
    tokens = source_of(said, path).tokens
    absent = lacking(tokens)
    if counts.sample and not absent and counts.rate(tokens) * median(counts.lengths) > DOCUMENT:
        said["tokens"] = (said["tokens"][0] | {"sentences": True}, f"{said['tokens'][1]}; sentences are for HANs")
    source = source_of(said, path)
    refuse(name, source, counts)
    odd = [*([absent] if absent else []), *oddities(source, counts)]
    if counts.html:
        said["tokens"] = (said["tokens"][0] | {"strip_html": True}, said["tokens"][1])
        source = source_of(said, path)
    if counts.usable > MANY:
        odd.append(
            f"{'' if counts.whole else 'more than '}{counts.usable:,} texts make trainings long; in the entry of the "
            "data set, `splits: {most: {train: 20000, dev: 2000, test: 2000}}` takes a sample"
        )
    made = written(name, said, path)
    try:
        with into.open("x", encoding="utf-8") as file:
            file.write(made)
    except OSError as error:
        raise AuditError(f"{into}: cannot be written ({error.strerror}); name another file with `--into`") from error
    found = [f"{name}: {line}" for line in described(source, counts)]
    run = "snakemake" if Path.cwd() == TREE else "python -m attention_audit run"
    configuration = shlex.quote(str(into))
    return "\n".join(
        [
            made,
            *found,
            *(f"warning: {name}: {line}" for line in odd),
            "",
            f"This is {into}. Check the lines with `guess`, and that the columns are those that you mean. Next:",
            f"  {run} -n --configfile {configuration}",
            f"  {run} --cores 2 all --configfile {configuration}\n",
        ]
    )
