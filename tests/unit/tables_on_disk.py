"""Tables of texts in every format that is read."""

import bz2
import csv
import gzip
import io
import json
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attention_audit.corpus.sources.table import TableCorpus


def write_bytes(path, content):
    """Write a file of these bytes, packed where its name ends in .gz or .bz2."""
    pack = {".gz": partial(gzip.compress, mtime=0), ".bz2": bz2.compress}.get(path.suffix, bytes)
    path.write_bytes(pack(content))
    return path


def open_table(path, **settings):
    """The source of texts in a file, or in one for each split."""
    files = path if isinstance(path, dict) else str(path)
    return TableCorpus.model_validate({"kind": "table", "path": files, **settings})


def write_sheet(path, rows, first=None):
    """Write a workbook with these rows in its sheet "Sheet". first: an empty sheet before it."""
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    if first:
        book.create_sheet(first, 0)
    book.save(path)
    return path


def write_rows(path, rows):
    """Write a table in the format that the path's ending tells; where cells are texts or numbers, lists are JSON."""
    cells = [[json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values()] for row in rows]
    text = io.StringIO(newline="")
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
        return path
    if path.suffix == ".xlsx":
        return write_sheet(path, [[*rows[0]], *cells])
    if ".json" in path.suffixes:
        text.write(json.dumps(rows, indent=1))
    elif ".jsonl" in path.suffixes:
        text.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        csv.writer(text, delimiter="\t" if ".tsv" in path.suffixes else ",").writerows([[*rows[0]], *cells])
    return write_bytes(path, text.getvalue().encode())
