"""What a declared Parquet file is: its columns, each with an Arrow type, a unit and a meaning.

Every kind of file is declared once, in the module of this package that its owner alone imports. The writers enforce
the declarations, the readers check them, and `results/README.md` is printed from them.
"""

from dataclasses import dataclass, field
from importlib import import_module

import pyarrow as pa

STRING = pa.string()
FLAG = pa.bool_()
INTEGER = pa.int32()
LONG = pa.int64()
REAL = pa.float64()
STRINGS = pa.list_(pa.string())
INTEGERS = pa.list_(pa.int32())
REALS = pa.list_(pa.float64())
LISTS_OF_INTEGERS = pa.list_(INTEGERS)
WEIGHTS = pa.list_(pa.float32())


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, its unit ("" where it has none) and its meaning in a sentence.

    Unit and meaning are keywords: `code.code_hash` leaves words for readers out of the hash by the keyword's name.
    """

    name: str
    type: pa.DataType
    nullable: bool = field(default=False, kw_only=True)
    unit: str = field(default="", kw_only=True)
    meaning: str = field(kw_only=True)


@dataclass(frozen=True)
class Artefact:
    """One kind of Parquet file: its path pattern under `results/`, its meaning, its columns."""

    name: str
    path: str
    meaning: str = field(kw_only=True)
    columns: tuple[Column, ...] = field(kw_only=True)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema that a file of this kind has, without metadata."""
        return pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns])


def artefact(target: str) -> Artefact:
    """The kind of file that is declared at `target`, such as "columns.permutation:PERMUTATION".

    The module is named from inside this package. Raises ModuleNotFoundError or AttributeError where there is no such
    declaration, and TypeError where the target is something else.
    """
    module, _, name = target.partition(":")
    declared = getattr(import_module(f"attention_audit.{module}"), name)
    if not isinstance(declared, Artefact):
        raise TypeError(f"{target}: declares no kind of file")
    return declared
