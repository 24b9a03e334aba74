"""A configuration for a table of the user's own, with what a look at the file tells: `init` of the command line."""

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from pydantic import ValidationError

from attention_audit.corpus.checkup import (
    count,
    describe_table,
    estimate_words,
    list_counts,
    list_oddities,
    refuse,
    refuse_strays,
)
from attention_audit.corpus.languages import find_encoding, find_language, find_unspaced
from attention_audit.corpus.rationales import Evidence, EvidenceFormat, read_annotations
from attention_audit.corpus.raw import Layout, read_csv, read_lines
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.tabular import (
    DELIMITERS,
    HEADER_ROWS,
    LABEL_NAMES,
    MAX_NAME_WORDS,
    TABLE_ENDINGS,
    TEXT_NAMES,
    UNLABELLED,
    check_content,
    describe_columns,
    find_format,
    find_layout,
    find_sheet_layout,
    is_no_header,
    list_first_cells,
    quote_cell,
    read_class_names,
    read_table_rows,
)
from attention_audit.corpus.text import (
    MAX_CLASSES,
    MIN_TEXTS_A_CLASS,
    is_missing,
    label_text,
    list_few,
    sort_labels,
)
from attention_audit.corpus.tokens import name_lacking
from attention_audit.errors import AuditError, suggest
from attention_audit.places import CATALOGUE, TREE

GUESS_ROWS = 20_000
"""Rows from which columns are guessed."""
MAX_NAME_LENGTH = 40
"""Characters of the name of a data set."""
DOCUMENT = 100
"""Texts of so many words on average have sentences that are kept."""
MANY_TEXTS = 50_000
"""From so many texts on, it is said how to take a sample."""
GuessedEntry = dict[str, tuple[Any, str]]
"""The keys of an entry, each with its value and a remark."""

IDS = re.compile(r"(.*[^a-z])?(id|idx|uid|guid)", re.IGNORECASE)
GROUPS = re.compile(
    r"(group|source|document|doc|article|premise|story|film|movie|user|author|patient|speaker)([ _-]?(id|name))?",
    re.IGNORECASE,
)
MARK_NAMES = re.compile(r"rationale|evidence|highlight|marks|annot", re.IGNORECASE)
SPLIT_WORDS = ("train", "dev", "val", "test")
"""How the words of a column of splits begin."""
MAX_SPLIT_WORDS = 6
"""A column of splits has at most so many words."""
NO_WORDS = re.compile(r"http.*|[\d\W]+|[!-~]*[\d@][!-~]*", re.DOTALL)
"""Addresses, numbers, dates, hashes and other names that are not words of a text."""
WORD = re.compile(r"[^\W\d_]{3}|[^\W\d\0-\u024f]")
"""What is in words, and not in numbers, codes or initials: three letters, or one that is not Latin."""
NAMED_TEXT_FACTOR = 3
"""A column with the name of a text counts as so many times as long."""
MIN_SHARE_OF_KIND = 0.9
"""Share of the cells of a column of texts that are texts; the reader names the others."""
UNLIKELY = 1e-6
"""What the length of cells counts that are no texts."""
MARK_ROWS = 500
"""Rows in which the marks of a column are tried."""
MARK_FORMS: Sequence[EvidenceFormat] = ("flags", "scores", "words", "characters")
"""How marks may be written, in the order in which it is tried."""


class FileColumn(NamedTuple):
    """A column. cells: those that are not empty, without white space around texts. values: how often each occurs, as
    labels are read. texts: the cells as texts. plain: whether nearly all of them are texts.
    """

    name: str
    cells: list[Any]
    values: Counter[str]
    texts: list[str]
    plain: bool

    def is_repeated(self) -> bool:
        """Tell whether there are so few values that they may be labels."""
        return len(self.values) <= len(self.cells) / MIN_TEXTS_A_CLASS

    def is_split(self) -> bool:
        """Tell whether its cells name splits, but for a word that the reader names."""
        begins = {word for word in SPLIT_WORDS for value in self.values if value.lower().startswith(word)}
        is_label = self.name.lower() in LABEL_NAMES
        return "train" in begins and len(begins) > 1 and len(self.values) <= MAX_SPLIT_WORDS and not is_label

    def is_group(self) -> bool:
        """Tell whether it has the name of what texts share, and some of them do."""
        return bool(GROUPS.fullmatch(self.name)) and 1 < len(self.values) < len(self.cells)

    def is_id(self) -> bool:
        """Tell whether it has the name of ids, and not of what texts share."""
        return bool(IDS.fullmatch(self.name)) and not self.is_group()

    def is_other(self) -> bool:
        """Tell whether it has ids, splits or marked words, and so neither texts nor labels."""
        return self.is_split() or bool(IDS.fullmatch(self.name) or MARK_NAMES.search(self.name))


def read_columns(rows: Sequence[Mapping[str, Any]]) -> list[FileColumn]:
    """List the columns that any row has."""
    columns = []
    for name in dict.fromkeys(chain(*rows)):
        cells = [cell.strip() if isinstance(cell := row.get(name), str) else cell for row in rows]
        filled_cells = [cell for cell in cells if not is_missing(cell)]
        labels = [str(label_text(cell) if isinstance(cell, str | int | float) else cell) for cell in filled_cells]
        texts = [*map(str, filled_cells)]
        plain = sum(isinstance(cell, str) for cell in filled_cells) >= MIN_SHARE_OF_KIND * len(filled_cells)
        columns.append(FileColumn(name, filled_cells, Counter(labels), texts, plain))
    return columns


def guess_layout(path: Path) -> Layout:
    """Guess how a file is laid out; what has its default is None.

    Raises AuditError where it is of another format than its name says, or in no encoding that can be told.
    """
    check_content(path)
    kind = find_format(path.name)
    if kind == "xlsx":
        return find_sheet_layout(path, {}, Layout()) or Layout()
    if kind == "parquet":
        return Layout()
    layout = Layout(find_encoding(path), DELIMITERS.get(kind))
    with suppress(AuditError):
        if layout.delimiter:
            layout = find_layout(path, {}, layout) or layout
            rows = read_csv(read_lines(path, layout.encoding), path, layout)
            first_row, *later_rows = [row for _, row in islice(rows, HEADER_ROWS)] or [[]]
            if is_no_header(first_row, later_rows):
                layout = layout._replace(columns=[f"column{number + 1}" for number in range(len(first_row))])
    return layout


def rank_texts(columns: Sequence[FileColumn]) -> list[FileColumn]:
    """List columns that may hold the texts, the likeliest first: the longest, or those with a name of texts.

    Cells are neither labels nor addresses nor numbers, unless the name tells more. Those that are no texts come last,
    since the reader refuses them.
    """

    def rank(column: FileColumn) -> float:
        """Rank a column; 0: it holds no texts."""
        has_text_name = TEXT_NAMES.fullmatch(column.name)
        length = sum(map(len, column.texts)) / max(len(column.texts), 1)
        odd = all(map(NO_WORDS.fullmatch, column.texts))
        if column.is_other() or (not has_text_name and (odd or column.is_repeated())):
            return 0
        return NAMED_TEXT_FACTOR * length if has_text_name else length * (1 if column.plain else UNLIKELY)

    return sorted(filter(rank, columns), key=rank, reverse=True)


def rank_labels(columns: Sequence[FileColumn]) -> list[FileColumn]:
    """List columns that may hold the labels, the likeliest first: by their names, then words before numbers, then those
    of the fewest classes.

    Cells are short, and each of them comes again and again, unless the name tells more.
    """

    def rank(column: FileColumn) -> tuple[int, bool, int]:
        name = column.name.lower()
        position = (*LABEL_NAMES, name).index(name) + (not any(label in name for label in LABEL_NAMES))
        return position, not any(map(WORD.search, column.values)), len(column.values)

    def is_likely(column: FileColumn) -> bool:
        long = sum(number for value, number in column.values.items() if len(value.split()) > MAX_NAME_WORDS)
        short = long <= (1 - MIN_SHARE_OF_KIND) * len(column.cells)
        is_repeated = len(column.values) > 1 and column.is_repeated()
        has_label_name = bool(column.values) and column.name.lower() in LABEL_NAMES
        return short and not column.is_other() and (is_repeated or has_label_name)

    return sorted(filter(is_likely, columns), key=rank)


def guess_evidence(rows: Sequence[Mapping[str, Any]], columns: Sequence[FileColumn], text: str) -> Evidence | None:
    """Find the column of marked words and how it is written, so that the marks of all rows fit; None where none do."""
    marked = [column.name for column in columns if MARK_NAMES.search(column.name)]
    for evidence in (Evidence(columns=name, written=form) for name in marked for form in MARK_FORMS):
        with suppress(AuditError):
            annotations = [read_annotations("", str(row[text] or ""), row, evidence) for row in rows[:MARK_ROWS]]
            if any(annotations) and not any(marks and (marks.outside or marks.miscounted) for marks in annotations):
                return evidence
    return None


def choose_column(
    key: str, choice: str | None, likely: list[FileColumn], columns: Sequence[FileColumn], path: Path
) -> tuple[str, str]:
    """Choose the column of the texts or labels, with a remark where it is a guess. choice: what the user says.

    Raises AuditError where there is no such column, or none that may be it.
    """
    names = [column.name for column in columns]
    if choice is not None:
        if choice not in names:
            raise AuditError(path, *describe_columns(f"--{key}", choice, names))
        return choice, ""
    if not likely:
        empty = [column.name for column in columns if not column.values]
        lacking = f"; {list_first_cells(empty)} without values" if empty else ""
        saved = "; formulas have values once a spreadsheet program has saved them" * (path.suffix.lower() == ".xlsx")
        unneeded = "; classifiers that are given (`hf`) read texts without, where the entry has `label: null`"
        unneeded *= key == "label"
        raise AuditError(
            path,
            f"none of the columns looks like {key}s ({list_first_cells(names)}{lacking})",
            f"name the one with --{key}, or give the file one{saved if empty else unneeded}",
        )
    alternatives = list_few([quote_cell(column.name) for column in likely[1:]])
    return likely[0].name, f"guess; --{key} names another, such as {alternatives}" if alternatives else ""


def name_dataset(path: Path, taken: Mapping[str, Any]) -> str:
    """Name the data set of a file as no other one is called."""
    letters = unicodedata.normalize("NFKD", path.name.partition(".")[0]).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", letters.lower()).strip("-")[:MAX_NAME_LENGTH] or "mine"
    return f"my-{name}" if name in taken else name


def warn_of_several_columns(columns: Sequence[FileColumn], label: str) -> Iterator[str]:
    """Warn of columns with the same values, as several labels of a text are, of which one was taken for the labels."""
    values = next(column.values.keys() for column in columns if column.name == label)
    alike = [column.name for column in columns if len(column.values) > 1 and column.values.keys() <= values]
    if label.lower() not in LABEL_NAMES and len(alike) > 1 + (len(values) == 2):
        yield (
            f"columns {list_few([*map(quote_cell, alike)])} have the same values ({list_few(sort_labels(values))}), as "
            f"several labels of a text have; only {quote_cell(label)} is asked about; for all of them, make one column"
        )


def guess_entry(path: Path, layout: Layout, text: str | None, label: str | None) -> tuple[GuessedEntry, list[str]]:
    """Guess the keys of the entry of a file, but for what all rows must tell; and say what is odd in its columns.

    Raises AuditError as `choose_column` does.
    """
    rows = [row for _, row in islice(read_table_rows(path, {}, layout), GUESS_ROWS)]
    if not rows:
        raise AuditError(path, "no rows in it", "give it texts, below a header if it is csv or tsv")
    columns = read_columns(rows)
    texts = choose_column("text", text, rank_texts([each for each in columns if each.name != label]), columns, path)
    candidates = [column for column in columns if column.name != texts[0]]
    labels = choose_column("label", label, rank_labels(candidates), columns, path)
    entry: GuessedEntry = {"kind": ("table", ""), "path": (str(path), "")}
    usual = Layout(delimiter=DELIMITERS.get(find_format(path.name)))._asdict()
    guessed = {key: value for key, value in layout._asdict().items() if value != usual[key]}
    entry |= {key: (value, "guess, with which every row is read") for key, value in guessed.items()}
    entry |= {"text": texts, "label": labels}
    label_column = next(column for column in columns if column.name == labels[0])
    class_names = read_class_names(path, labels[0])
    if class_names and label_column.values.keys() <= {*class_names, UNLABELLED}:
        entry["aliases"] = (class_names, "names of the classes, as the file has them")
        if UNLABELLED in label_column.values:
            entry["missing"] = ([UNLABELLED], "what `datasets` writes where there is no label")
    free = [column for column in candidates if column.name != labels[0]]
    if split := next(filter(FileColumn.is_split, free), None):
        entry["split"] = (split.name, list_counts(split.values))
    if id_column := next(filter(FileColumn.is_id, free), None):
        twice = f"{quote_cell(id_column.name)} has ids that are empty or stand twice, so texts are called by their rows"
        entry["id"] = (None, twice) if len(id_column.values) < len(rows) else (id_column.name, "")
    if group_column := next(filter(FileColumn.is_group, free), None):
        values = f"its {len(group_column.values):,} values"
        how = f"or {quote_cell(group_column.name)}, if {values} say which texts belong together"
        entry["group"] = (None, how)
    if evidence := guess_evidence(rows, free, texts[0]):
        entry["evidence"] = (evidence.model_dump(include={"columns", "written"}), "guess: what people marked")
    cells = next([*map(str, column.cells)] for column in columns if column.name == texts[0])
    code, sure = (dense, True) if (dense := find_unspaced(cells)) else find_language(cells)
    how = "guess, by letters and frequent words" if sure else "guess, which nothing in the texts tells"
    entry["tokens"] = ({"tokenizer": code}, how)
    return entry, [*warn_of_several_columns(columns, labels[0])]


def parse_entry(entry: GuessedEntry, path: Path) -> TableCorpus:
    """Read the entry as the plan does. Raises AuditError where the columns that the user names do not go together."""
    try:
        return TableCorpus.model_validate({key: value for key, (value, _) in entry.items()})
    except ValidationError as error:
        raise AuditError(path, error.errors()[0]["msg"].removeprefix("Value error, ")) from error


def dump_flow(value: Any) -> str:
    """Write a value as YAML in one line."""
    flow = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6, sort_keys=False)
    return flow.removesuffix("...\n").strip()


def write_entry(name: str, entry: GuessedEntry, call: str) -> str:
    """Write the configuration, as the user reads it. call: the one that asks for it."""
    top = [
        (f"results: {dump_flow(f'runs/{name}')}", "the folder that the run writes to"),
        (
            f"datasets: {dump_flow([name])}",
            "Wiegreffe & Pinter's tests, with models of the paper's sizes and five seeds",
        ),
        ("corpora:", ""),
        (f"  {dump_flow(name)}:", ""),
    ]
    top += [(f"    {key}: {dump_flow(value)}", remark) for key, (value, remark) in entry.items()]
    head = f"# Written by `{call}`. docs/configuration/README.md has every key."
    return "\n".join([head, *(f"{line:<36}  # {remark}" if remark else line for line, remark in top), ""])


def propose_configuration(files: Sequence[Path], into: Path, text: str | None = None, label: str | None = None) -> str:
    """Write a configuration for a file, and return what was found, guessed and is to be done.

    into: where to write it. text, label: columns that the user names. Raises AuditError where there is a file already,
    and where the table cannot be read or has nothing to train on; nothing is written then.
    """
    if len(files) != 1:
        fault = "name one file of texts and labels, as in `python -m attention_audit init reviews.csv`"
        raise AuditError("init", fault)
    path = files[0]
    options = chain(*((f"--{key}", name) for key, name in (("text", text), ("label", label)) if name is not None))
    call = f"python -m attention_audit init {shlex.join([str(path), *options])}"
    if into.exists():
        other = shlex.quote(str(into.with_stem(f"{into.stem}-2")))
        raise AuditError(into, "is there already", f"remove it, or write another file: `{call} --into {other}`")
    if not path.is_file():
        near = [each.name for each in path.parent.glob("*")]
        what = "is a folder" if path.is_dir() else f"not there{suggest(path.name, near)}"
        raise AuditError(path, what, f"name a file that ends in {TABLE_ENDINGS}")
    if not find_format(path.name):
        # what it is says more than its name
        check_content(path)
        raise AuditError(path, f"does not end in {TABLE_ENDINGS}", "save it in one of these formats")
    name = name_dataset(path, yaml.safe_load((TREE / CATALOGUE).read_text(encoding="utf-8"))["corpora"])
    entry, odd = guess_entry(path, guess_layout(path), text, label)
    source = parse_entry(entry, path)
    counts = count(name, source, {"path": path})
    refuse_strays(counts)
    if counts.unlabelled and "missing" not in entry:
        entry["drop_unlabelled"] = (True, f"{len(counts.unlabelled)} of {counts.read} rows have no label")
    if counts.whole and 2 <= len(counts.labels) <= MAX_CLASSES:
        names = [label for label in dict.fromkeys(source.aliases.values()) if label in counts.labels]
        order = names if len(names) == len(counts.labels) else sort_labels(counts.labels)
        entry["classes"] = (order, f"in this order; texts: {list_counts(counts.labels)}")
    absent, (tokens, how) = name_lacking(source.tokens), entry["tokens"]
    if counts.usable and not absent and np.median(estimate_words(counts.usable, source.tokens)) > DOCUMENT:
        tokens, how = tokens | {"sentences": True}, f"{how}; sentences are for HANs"
    entry["tokens"] = (tokens | ({"strip_html": True} if counts.signs.get("html") else {}), how)
    source = parse_entry(entry, path)
    refuse(name, source, counts)
    odd += [*([str(absent)] if absent else []), *list_oddities(source, counts)]
    if (texts := len(counts.usable)) > MANY_TEXTS:
        odd.append(
            f"{'' if counts.whole else 'more than '}{texts:,} texts make trainings long; in the entry of the data set, "
            "`splits: {most: {train: 20000, dev: 2000, test: 2000}}` takes a sample"
        )
    configuration = write_entry(name, entry, call)
    try:
        with into.open("x", encoding="utf-8") as file:
            file.write(configuration)
    except OSError as error:
        raise AuditError(into, f"cannot be written ({error.strerror})", "name another file with `--into`") from error
    run = "snakemake" if Path.cwd() == TREE else "python -m attention_audit run"
    lines = [
        *(f"{name}: {line}" for line in describe_table(source, counts)),
        *(f"warning: {name}: {line}" for line in odd),
        "",
        f"This is {into}. Check the lines with `guess`, and that the columns are those that you mean. Next:",
        *(f"  {run} {call} --configfile {shlex.quote(str(into))}" for call in ("-n", "--cores 2 all")),
    ]
    return "\n".join([configuration, *lines, ""])
