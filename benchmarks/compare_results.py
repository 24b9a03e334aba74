"""Whether a run's results hold the same numbers as an earlier run's, value by value.

    python benchmarks/compare_results.py BEFORE AFTER [--relative 1e-12]

Compares every column of every Parquet file and every tensor of every safetensors file of the results folder BEFORE
with the folder AFTER. NaN equals NaN, and lists are compared element by element. Rows are matched by their key: the
columns of text and those in KEYS, so that a row with another text counts as missing. Rows with the same key are matched
in the order they stand in.
The other formats of tables and figures need only be there; the report, the logs and the provenance are left out.

Prints a line for each kind of file, all that differs or is missing, all that is new, and a verdict. The exit status is
1 where a value differs or a file, a column or a row of BEFORE is missing. What only AFTER has is listed, no more.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from safetensors.numpy import load_file

KEYS = frozenset({"class", "epoch", "fold", "index", "label", "lambda", "position", "seed"})
"""Columns of numbers that say which row it is."""
ROW = re.compile(
    r"^(?:(?P<paper>[A-Z]{2}\d{4}|hf|own)/)?(?:(?P<split>raw|train|dev|test|vocabulary|all)|(?P<model>.*?)"
    r"(?: - (?P<subtracted>uniform)|(?:/| - )(?P<ranking>[^/~]+)(?:[/~](?P<other>[^/~]+))??"
    r"(?:/(?:class_(?P<label>\d+)|(?P<part>overall|corrected|as_published)))?)?)$"
)
"""What a row of a table was about, where one column said it."""
COMPARED = (".parquet", ".safetensors")
MOST_LINES = 50
FAR = {"absolute": np.inf, "relative": np.inf}
"""The differences of what has no number to subtract."""
Found = dict[str, float]
"""How many values there are, differ, and lie beyond the tolerance; the greatest difference, absolute and relative to
the larger magnitude."""


def split_rows(name: str, rows: pd.Series) -> pd.DataFrame:
    """Split the column `row` that the table of this name had into the columns that say the same now."""
    parts = rows.str.extract(ROW).fillna("")
    if name == "roar_table_racu":
        parts = parts.assign(ranking=parts["model"], model="")
    parts["other"], parts["part"] = parts["other"] + parts["subtracted"], parts["part"] + parts["split"]
    return parts[["paper", "model", "ranking", "other", "part", "label"]]


def read_columns(path: Path) -> pa.Table:
    """Read a file as a table; a tensor is a column of one list."""
    if path.suffix == ".parquet":
        table = pq.ParquetFile(path).read()
        if path.parent.name == "tables" and "row" in table.column_names:
            parts = split_rows(path.stem, table["row"].to_pandas()).to_dict("list")
            columns = {name: table[name] for name in table.column_names if name != "row"}
            return pa.table(parts | columns)
        return table
    return pa.table({name: [values.ravel()] for name, values in load_file(path).items()})


def compare_columns(before: pa.ChunkedArray, after: pa.ChunkedArray, tolerance: float) -> Found:
    """Compare two columns of as many rows, by value or, of lists, by element."""
    both = before, after
    if all(pa.types.is_list(column.type) for column in both):
        alike = pc.equal(*(pc.fill_null(pc.list_value_length(column), -1) for column in both))
        unlike = pc.sum(pc.invert(alike)).as_py() or 0
        found = compare_columns(*(pc.list_flatten(column.filter(alike)) for column in both), tolerance)
        return {name: value + unlike for name, value in found.items()} | (FAR if unlike else {})
    first, second = (column.to_pandas() for column in both)
    differs = ~((first == second) | (first.isna() & second.isna()))
    found = {
        "values": len(first),
        "differing": differs.sum(),
        "beyond": differs.sum(),
        "absolute": 0.0,
        "relative": 0.0,
    }
    if not differs.any():
        return found
    if not all(map(pd.api.types.is_numeric_dtype, (first, second))):
        return found | FAR
    ours, theirs = (column[differs].astype(float) for column in (first, second))
    gaps = (ours - theirs).abs().fillna(np.inf)
    relative = (gaps / np.maximum(ours.abs(), theirs.abs())).fillna(np.inf)
    return found | {"beyond": (relative >= tolerance).sum(), "absolute": gaps.max(), "relative": relative.max()}


def number_rows(table: pa.Table, keys: Sequence[str]) -> pd.DataFrame:
    """Take the key of each row, its place, and the number of rows before it that have the same key."""
    rows: pd.DataFrame = table.select(list(keys)).to_pandas().assign(of="")
    return rows.assign(copy=rows.groupby([*rows], dropna=False).cumcount(), place=range(len(rows)))


def compare_files(
    name: str, before: pa.Table, after: pa.Table, tolerance: float, wrong: list[str], new: list[str]
) -> Iterator[Found]:
    """Compare each column of two files; lines on what differs, is missing or is new go into the lists."""
    wrong += [
        f"{name}: column {column} is missing" for column in before.column_names if column not in after.column_names
    ]
    new += [f"{name}: column {column}" for column in after.column_names if column not in before.column_names]
    shared = [column for column in before.column_names if column in after.column_names]
    keys = [name for name in shared if name in KEYS or pa.types.is_string(before.schema.field(name).type)]
    first, second = (number_rows(table, keys) for table in (before, after))
    places = first.drop(columns="place").merge(second, "left")["place"]
    lost = places.isna().to_numpy()
    if lost.any():
        row = ", ".join(f"{key} {first[key][lost].iloc[0]}" for key in keys) or "the last"
        wrong.append(f"{name}: {lost.sum():,} of {len(lost):,} rows are missing, first {row}")
    if added := len(second) - (~lost).sum():
        new.append(f"{name}: {added:,} rows")
    before, after = before.filter(pa.array(~lost)), after.take(pa.array(places[~lost].astype(int)))
    for column in shared:
        found = compare_columns(before[column], after[column], tolerance)
        if found["beyond"]:
            wrong.append(
                f"{name}: column {column}: {found['differing']:,} of {found['values']:,} values differ, by "
                f"{found['absolute']:.3g} at the most, relatively by {found['relative']:.3g}"
            )
        yield found


def list_files(results: Path) -> list[str]:
    """List the files of a results folder that are compared or need to be there, as paths under it."""
    names = sorted(path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file())
    return [name for name in names if name.endswith(COMPARED) or name.startswith(("tables/", "figures/"))]


def name_kind(name: str) -> str:
    """Name the kind of a file, which has a line of the output, by its path under the results folder."""
    folder, file = name.partition("/")[0], Path(name)
    return folder if folder == "tables" else f"{folder}/{'*' + file.suffix if folder == 'models' else file.name}"


def print_lines(title: str, lines: Sequence[str]) -> None:
    """Print the first lines under a title, if there are any."""
    if lines:
        more = [f"and {len(lines) - MOST_LINES:,} more"] if len(lines) > MOST_LINES else []
        print("\n  ".join([f"\n{title}:", *lines[:MOST_LINES], *more]))


def compare_results(before: Path, after: Path, tolerance: float) -> int:
    """Compare two folders, print what was found, and return the exit status."""
    names, there = list_files(before), list_files(after)
    wrong = [f"{name}: the file is missing" for name in names if name not in there]
    new, rows = [f"{name}: the file" for name in there if name not in names], []
    for name in names:
        if name in there and name.endswith(COMPARED):
            tables = [read_columns(folder / name) for folder in (before, after)]
            found = compare_files(name, *tables, tolerance, wrong, new)
            rows += [{"kind of file": name_kind(name), "file": name, **each} for each in found]
    columns = dict.fromkeys(("values", "differing"), "sum") | dict.fromkeys(("absolute", "relative"), "max")
    found = pd.DataFrame(rows).groupby("kind of file").agg({"file": "nunique", **columns})
    print(found.to_string(float_format="{:.3g}".format))
    print_lines("differs or is missing", wrong)
    print_lines("only in AFTER", new)
    values, differing = found[["values", "differing"]].sum().astype(int)
    if wrong:
        print(f"\nNOT THE SAME: {len(wrong):,} differences")
    elif differing:
        print(f"\nTHE SAME within a relative difference of {tolerance:g}: {differing:,} of {values:,} are not exact")
    else:
        print(f"\nTHE SAME: all {values:,} values are exact")
    return int(bool(wrong))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the two folders of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="results folder of the earlier run")
    parser.add_argument("after", type=Path, help="results folder of the later run")
    parser.add_argument("--relative", type=float, default=0.0, help="relative difference allowed (default: none)")
    call = parser.parse_args(arguments)
    for folder in (call.before, call.after):
        if not list_files(folder):
            parser.error(f"{folder}: no results there; give the folder that holds audits/, models/ and tables/")
    return compare_results(call.before, call.after, call.relative)


if __name__ == "__main__":
    sys.exit(main())
