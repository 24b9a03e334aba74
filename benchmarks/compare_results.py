"""Whether a run's results hold the same numbers as an earlier run's, value by value.

    python benchmarks/compare_results.py BEFORE AFTER [--relative 1e-12]

Compares every column of every Parquet file and every tensor of every safetensors file of the results folder BEFORE
with the folder AFTER. NaN equals NaN, lists are compared element by element, tensors bit by bit. Rows are matched by
their key: the columns of text and those in KEYS, so that a row with another text counts as missing. Rows with the
same key are matched in the order they stand in.
The other formats of tables and figures need only be there; the report, the logs and the provenance are left out.

Prints a line for each kind of file, all that differs or is missing, all that is new, and a verdict. The exit status is
1 where a value differs or a file, a column or a row of BEFORE is missing. What only AFTER has is listed, no more.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tabulate import tabulate

# Where a file of version 0.3, which sorted models, readouts and audits by suite, stands in later versions, which have a
# name for each model of a data set and the audits of each model whose attention is in question: the audits of a suite
# are looked for in all files that the last expression matches and that are there.
NAMES = {
    "wp": "base",
    "ss": "(han|flan)_[^/]+",
    "jw": "(?!(liar|han|flan|own|hf|roar|vanilla|orthogonal|diversity|embedding|bilstm)_)[^/]+_[^/]+",
    "pd": "((embedding|bilstm)_)?(honest|liar_lambda[^/]+)",
    "md": "(vanilla|orthogonal|diversity)_[^/]+",
    "roar": "roar_base",
    "own": "own_[^/]+",
    "hf": "hf_[^/]+",
}
MOVED = re.compile(r"(audits|models|readouts)/([^/]+)/(wp|ss|jw|pd|md|roar|own|hf)/(.+)")

# columns of numbers that say which row it is
KEYS = frozenset({"class", "epoch", "fold", "index", "label", "lambda", "position", "seed"})

COMPARED = (".parquet", ".safetensors")
MOST_LINES = 50


@dataclass
class Difference:
    """How far values lie apart. `differing` are those that are not the same, `beyond` those beyond the tolerance.

    `absolute` and `relative` are the greatest differences; the relative one is of the larger of the two magnitudes.
    Infinite where there is no number to subtract: a number against NaN or nothing, lists of unlike lengths.
    """

    values: int = 0
    differing: int = 0
    beyond: int = 0
    absolute: float = 0.0
    relative: float = 0.0

    def add(self, other: "Difference") -> None:
        """Count another's values too."""
        self.values += other.values
        self.differing += other.differing
        self.beyond += other.beyond
        self.absolute = max(self.absolute, other.absolute)
        self.relative = max(self.relative, other.relative)

    def __str__(self) -> str:
        how = f"by {self.absolute:.3g} at the most, relatively by {self.relative:.3g}"
        return f"{self.differing:,} of {self.values:,} values differ, {how}"


@dataclass
class Kind:
    """What was compared of one kind of file; `rows` are tensors where the files hold tensors."""

    files: int = 0
    rows: int = 0
    difference: Difference = field(default_factory=Difference)


@dataclass
class Comparison:
    """All that was compared. `wrong` is what differs or is missing and `new` what only AFTER has, a line each.

    `counts` holds how many values, rows, columns and files differ or are missing; `other` the files that need only
    be there.
    """

    kinds: dict[str, Kind] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    other: int = 0

    def fault(self, what: str, line: str, times: int = 1) -> None:
        """Note that something differs or is missing."""
        self.counts[what] += times
        self.wrong.append(line)


def different(values: int, differing: int) -> Difference:
    """Of `values`, `differing` that have no number to subtract."""
    gap = np.inf if differing else 0.0
    return Difference(values, differing, differing, gap, gap)


def compare_numbers(before: NDArray[np.generic], after: NDArray[np.generic], tolerance: float) -> Difference:
    """Two arrays of numbers of the same shape (n,); NaN equals NaN. With tolerance 0, whatever differs is beyond it."""
    differs = (before != after) & ~(np.isnan(before) & np.isnan(after))
    differing = int(differs.sum())
    if not differing:
        return Difference(before.size)
    first, second = before[differs].astype(np.float64), after[differs].astype(np.float64)
    with np.errstate(invalid="ignore"):
        gaps = np.nan_to_num(np.abs(first - second), nan=np.inf)
        relative = np.nan_to_num(gaps / np.maximum(np.abs(first), np.abs(second)), nan=np.inf)
    beyond = int((relative > tolerance).sum()) if tolerance else differing
    return Difference(before.size, differing, beyond, float(gaps.max()), float(relative.max()))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def compare_columns(before: pa.ChunkedArray, after: pa.ChunkedArray, tolerance: float) -> Difference:
    """Two columns of the same number of rows: numbers, or lists of them, or anything else, which must be equal."""
    if _is_list(before.type) and _is_list(after.type):
        lengths = [pc.fill_null(pc.list_value_length(column), -1).to_numpy() for column in (before, after)]
        alike = lengths[0] == lengths[1]
        unlike = int((~alike).sum())
        if unlike:
            before, after = before.filter(pa.array(alike)), after.filter(pa.array(alike))
        difference = different(unlike, unlike)
        difference.add(compare_columns(pc.list_flatten(before), pc.list_flatten(after), tolerance))
        return difference
    if _is_number(before.type) and _is_number(after.type):
        present, still = before.is_valid().to_numpy(), after.is_valid().to_numpy()
        both = present & still
        gaps = different(len(before) - int(both.sum()), int((present != still).sum()))
        if not both.all():
            before, after = before.filter(pa.array(both)), after.filter(pa.array(both))
        gaps.add(compare_numbers(before.to_numpy(), after.to_numpy(), tolerance))
        return gaps
    if before.type == after.type and before.equals(after):
        return Difference(len(before))
    pairs = zip(before.to_pylist(), after.to_pylist(), strict=True)
    return different(len(before), sum(one != other for one, other in pairs))


def match_rows(before: pa.Table, after: pa.Table, keys: Sequence[str]) -> "pd.Series[float]":
    """The row of `after` that each row of `before` has there, NaN where there is none."""

    def numbered(table: pa.Table) -> pd.DataFrame:
        frame: pd.DataFrame = table.select(list(keys)).to_pandas()
        frame.columns = pd.Index([f"key {number}" for number in range(len(keys))])
        rows = np.arange(len(frame))
        copies = frame.groupby(list(frame.columns), dropna=False).cumcount() if keys else rows
        return frame.assign(copy=copies, place=rows)

    first, second = numbered(before), numbered(after)
    matched = first.drop(columns="place").merge(second, how="left", on=list(second.columns[:-1]))
    return matched["place"]


def read_rows(paths: Sequence[Path]) -> pa.Table:
    """The rows of all files, one after the other."""
    tables = [pq.ParquetFile(path).read() for path in paths]
    return pa.concat_tables(tables, promote_options="default")


def compare_tables(name: str, before: pa.Table, after: pa.Table, tolerance: float, found: Comparison) -> Kind:
    """Two tables, under the name of the first; what differs, is missing or is new goes into `found`."""
    for column in before.column_names:
        if column not in after.column_names:
            found.fault("columns missing", f"{name}: column {column} is missing")
    if new := [column for column in after.column_names if column not in before.column_names]:
        found.new.append(f"{name}: {'column' if len(new) == 1 else 'columns'} {', '.join(new)}")
    shared = [column for column in before.column_names if column in after.column_names]
    keys = [column for column in shared if column in KEYS or _is_text(before.schema.field(column).type)]
    places = match_rows(before, after, keys)
    here = places.notna().to_numpy()
    lost = int((~here).sum())
    if lost:
        first = before.select(keys).slice(int((~here).argmax()), 1).to_pylist()[0]
        row = ", ".join(f"{key} {value}" for key, value in first.items()) or "the last"
        found.fault("rows missing", f"{name}: {lost:,} of {before.num_rows:,} rows are missing, first {row}", lost)
        before = before.filter(pa.array(here))
    if added := after.num_rows - before.num_rows:
        found.new.append(f"{name}: {added:,} rows")
    order = places[here].to_numpy(dtype=np.int64)
    if not np.array_equal(order, np.arange(after.num_rows)):
        after = after.take(pa.array(order))
    kind = Kind(1, before.num_rows)
    for column in shared:
        difference = compare_columns(before[column], after[column], tolerance)
        kind.difference.add(difference)
        if difference.beyond:
            found.fault("values", f"{name}: column {column}: {difference}", difference.beyond)
    return kind


def compare_tensors(name: str, before: Path, after: Path, tolerance: float, found: Comparison) -> Kind:
    """Two files of tensors: name, type, shape and every bit."""
    first, second = load_file(before), load_file(after)
    if new := sorted(second.keys() - first.keys()):
        found.new.append(f"{name}: {'tensor' if len(new) == 1 else 'tensors'} {', '.join(new)}")
    kind = Kind(1)
    for tensor, values in first.items():
        others = second.get(tensor)
        if others is None:
            found.fault("tensors missing", f"{name}: tensor {tensor} is missing")
            continue
        kind.rows += 1
        if (values.dtype, values.shape) != (others.dtype, others.shape):
            difference = different(values.size, values.size)
        else:
            difference = compare_numbers(values.ravel(), others.ravel(), tolerance)
            if not difference.differing and values.tobytes() != others.tobytes():
                difference.differing = difference.beyond = 1  # zeros of unlike signs, or NaNs of unlike bits
        kind.difference.add(difference)
        if difference.beyond:
            found.fault("values", f"{name}: tensor {tensor}: {difference}", difference.beyond)
    return kind


def kind_of(name: str) -> str:
    """The kind of file that a line of the output is about, by the file's path under the results folder."""
    path = PurePosixPath(name)
    if path.parts[0] == "models":
        return "models/*" + "".join(path.suffixes)
    return path.parts[0] if path.parts[0] == "tables" else f"{path.parts[0]}/{path.name}"


def files_of(results: Path) -> set[str]:
    """The files of a results folder that are compared or need to be there, as paths under it."""
    names = {path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file()}
    return {name for name in names if name.endswith(COMPARED) or name.startswith(("tables/", "figures/"))}


HEAD = "/head.parquet"


def places_of(name: str, there: Collection[str]) -> list[str]:
    """Where a file of BEFORE stands in AFTER, of the files that are there; audits of a suite may lie in several."""
    match = MOVED.fullmatch(name)
    if name in there or not match:
        return [name] if name in there else []
    kind, dataset, suite, rest = match.groups()
    if kind == "audits":
        file = re.compile(rf"audits/{re.escape(dataset)}/{NAMES[suite]}/{re.escape(rest)}")
        return [path for path in there if file.fullmatch(path)]
    prefix = f"{suite}_" if suite in ("roar", "own", "hf") else ""
    # the base model of a suite that masks words is that of the four tests
    places = [f"{kind}/{dataset}/{prefix}{rest}", f"{kind}/{dataset}/{rest}"]
    return [path for path in places if path in there][:1]


def compare(before: Path, after: Path, tolerance: float = 0.0) -> Comparison:
    """Compare two results folders; `tolerance` is the greatest relative difference of two values that may pass."""
    found = Comparison()
    names, there = files_of(before), files_of(after)
    seen: set[str] = set()
    for name in sorted(names):
        places = places_of(name, there)
        seen.update(places)
        paths = [after / place for place in places]
        if not paths and name.endswith(HEAD) and not pq.read_metadata(before / name).num_rows:
            continue  # version 0.1 wrote a head without rows for models of single texts, which have none
        if not paths:
            found.fault("files missing", f"{name}: the file is missing")
        elif name.endswith(".parquet"):
            kind = compare_tables(name, read_rows([before / name]), read_rows(paths), tolerance, found)
        elif name.endswith(".safetensors"):
            kind = compare_tensors(name, before / name, paths[0], tolerance, found)
        else:
            found.other += 1
        if paths and name.endswith(COMPARED):
            total = found.kinds.setdefault(kind_of(name), Kind())
            total.files += 1
            total.rows += kind.rows
            total.difference.add(kind.difference)
    found.new += [f"{name}: the file" for name in sorted(there - seen)]
    return found


def verdict(found: Comparison, tolerance: float) -> str:
    """One sentence: whether all that BEFORE has is in AFTER too."""
    if found.counts:
        return "NOT THE SAME: " + ", ".join(f"{times:,} {what}" for what, times in sorted(found.counts.items()))
    values = sum(kind.difference.values for kind in found.kinds.values())
    differing = sum(kind.difference.differing for kind in found.kinds.values())
    if differing:
        return (
            f"THE SAME within a relative difference of {tolerance:g}: {differing:,} of {values:,} values are not exact"
        )
    given = f" (a relative difference of {tolerance:g} was allowed)" if tolerance else ""
    return f"THE SAME: all {values:,} values are exact{given}"


def _print_list(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(f"\n{title}:")
        for line in lines[:MOST_LINES]:
            print(f"  {line}")
        if len(lines) > MOST_LINES:
            print(f"  and {len(lines) - MOST_LINES:,} more")


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise ValueError
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the two folders of the command line and print what was found; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="results folder of the earlier run")
    parser.add_argument("after", type=Path, help="results folder of the later run")
    parser.add_argument("--relative", type=_share, default=0.0, help="relative difference allowed (default: none)")
    call = parser.parse_args(arguments)
    for folder in (call.before, call.after):
        if not files_of(folder):
            parser.error(f"{folder}: no results there; give the folder that holds audits/, models/ and tables/")
    found = compare(call.before, call.after, call.relative)
    rows = []
    for name, kind in sorted(found.kinds.items()):
        far = kind.difference
        exact = "no" if far.differing else "yes"
        rows.append([name, kind.files, kind.rows, far.values, f"{far.absolute:.3g}", f"{far.relative:.3g}", exact])
    headers = ["kind of file", "files", "rows or tensors", "values", "greatest difference", "relative", "exact"]
    print(tabulate(rows, headers, intfmt=","))
    print(f"{found.other:,} files of tables and figures in other formats are there too")
    _print_list("differs or is missing", found.wrong)
    _print_list("only in AFTER", found.new)
    print(f"\n{verdict(found, call.relative)}")
    return int(bool(found.counts))


if __name__ == "__main__":
    sys.exit(main())
