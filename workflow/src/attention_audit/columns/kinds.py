"""What a declared Parquet file is: its columns, each with an Arrow type, a unit and a meaning.

Every kind of file is declared once, in `files`, `audits` or `tables`. The writers enforce the declarations, the readers
check them, and `results/README.md` is printed from them.
"""

from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import pyarrow as pa

from attention_audit.targets import load


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its Arrow type, its unit ("" where it has none) and its meaning in a sentence.

    Its name is "" until a kind of file has it.
    """

    name: str = ""
    type: pa.DataType
    nullable: bool = False
    unit: str = ""
    meaning: str


@dataclass(frozen=True)
class Kind:
    """What a column holds: its Arrow type, and its unit unless the column says another. A call makes a column of it.

    `code_hash` leaves words for readers out of the hash: meaning and unit where they are keywords, and in this folder
    the one text that a kind is called with. So no column may be called like one of them.
    """

    type: pa.DataType
    unit: str = field(default="", kw_only=True)

    def __call__(self, meaning: str, *, unit: str = "") -> Column:
        return Column(type=self.type, unit=unit or self.unit, meaning=meaning)

    def or_null(self, meaning: str, *, unit: str = "") -> Column:
        """Make a column that may hold nulls too."""
        return replace(self(meaning, unit=unit), nullable=True)


text = Kind(pa.string())
flag = Kind(pa.bool_())
integer = Kind(pa.int32())
long = Kind(pa.int64())
real = Kind(pa.float64())
share = Kind(pa.float64(), unit="share")
probability = Kind(pa.float64(), unit="probability")
nats = Kind(pa.float64(), unit="nats")
cosine = Kind(pa.float64(), unit="cosine")
texts = Kind(pa.list_(pa.string()))
integers = Kind(pa.list_(pa.int32()))
places = Kind(pa.list_(pa.int32()), unit="position")
lists = Kind(pa.list_(places.type), unit="position")
reals = Kind(pa.list_(pa.float64()))
weights = Kind(pa.list_(pa.float32()))
scores = Kind(pa.list_(weights.type))


@dataclass(frozen=True)
class Artefact:
    """One kind of Parquet file: its path pattern under `results/`, its meaning, its columns."""

    name: str
    path: str
    meaning: str = field(kw_only=True)
    columns: tuple[Column, ...] = field(default=(), kw_only=True)

    def holds(self, **columns: Column) -> "Artefact":
        """The same kind of file with these columns, in this order."""
        return replace(self, columns=tuple(replace(column, name=name) for name, column in columns.items()))

    @property
    def blank(self) -> dict[str, Any]:
        """A row in which nothing is known: words and lists are empty, what may be null is NaN, other numbers are 0."""

        def nothing(column: Column) -> Any:
            if column.type == text.type:
                return ""
            return [] if pa.types.is_list(column.type) else nan if column.nullable else 0

        return {column.name: nothing(column) for column in self.columns}

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema that a file of this kind has, without metadata."""
        return pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns])


def described(name: str, *, meaning: str, path: str = "audits/{dataset}/{model}/{name}.parquet") -> Artefact:
    """Describe a kind of file, mostly an audit's, whose columns `holds` adds."""
    return Artefact(name, path.replace("{name}", name), meaning=meaning)


def artefact(target: str) -> Artefact:
    """The kind of file that is declared at `target`, such as "columns.audits:PERMUTATION".

    Raises ModuleNotFoundError or AttributeError where there is no such declaration, and TypeError where the target is
    something else.
    """
    declared = load(target)
    if not isinstance(declared, Artefact):
        raise TypeError(f"{target}: declares no kind of file")
    return declared
