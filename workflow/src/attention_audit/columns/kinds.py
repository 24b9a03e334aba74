"""What a declared Parquet file is: its columns, each with an Arrow type, a unit and a meaning.

Every kind of file is declared once, in `files`, `audits` or `tables`. The writers enforce the declarations, the readers
check them, and `results/README.md` is printed from them.
"""

from dataclasses import dataclass, replace
from math import nan
from typing import Any

import pyarrow as pa

from attention_audit.targets import load


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, its unit ("" where it has none), its meaning in a sentence, and whether it may hold
    nulls. Its name is "" until a kind of file has it.

    One without a meaning is a kind of column, of which a call makes a column with a meaning, and perhaps another unit.
    `code_hash` leaves words for readers out of the hash: meaning and unit where they are keywords, and in this folder
    the one text that a kind is called with. So no column may be called like one of them.
    """

    type: pa.DataType
    unit: str = ""
    meaning: str = ""
    nullable: bool = False
    name: str = ""

    def __call__(self, meaning: str, *, unit: str = "") -> "Column":
        return replace(self, meaning=meaning, unit=unit or self.unit)

    def or_null(self, meaning: str, *, unit: str = "") -> "Column":
        """Make a column that may hold nulls too."""
        return replace(self(meaning, unit=unit), nullable=True)


text = Column(pa.string())
flag = Column(pa.bool_())
integer = Column(pa.int32())
long = Column(pa.int64())
real = Column(pa.float64())
share = Column(real.type, unit="share")
probability = Column(real.type, unit="probability")
nats = Column(real.type, unit="nats")
cosine = Column(real.type, unit="cosine")
texts = Column(pa.list_(pa.string()))
integers = Column(pa.list_(pa.int32()))
places = Column(integers.type, unit="position")
lists = Column(pa.list_(places.type), unit="position")
reals = Column(pa.list_(pa.float64()))
weights = Column(pa.list_(pa.float32()))
logits = Column(weights.type, unit="logit")
scores = Column(pa.list_(weights.type))
class_number = Column(integer.type, unit="class")
item_count = Column(integer.type, unit="items")
seed_count = Column(integer.type, unit="seeds")
text_count = Column(integer.type, unit="texts")
word_count = Column(integer.type, unit="words")


@dataclass(frozen=True)
class Artefact:
    """One kind of Parquet file: its path pattern under `results/`, its meaning, its columns."""

    name: str
    path: str
    meaning: str
    columns: tuple[Column, ...] = ()

    def add_columns(self, **columns: Column) -> "Artefact":
        """Return the same kind of file with these columns, in this order."""
        return replace(self, columns=tuple(replace(column, name=name) for name, column in columns.items()))

    @property
    def blank(self) -> dict[str, Any]:
        """Return a row in which nothing is known: words and lists are empty, what may be null is NaN, others 0."""
        return {
            c.name: "" if c.type == text.type else [] if pa.types.is_list(c.type) else nan if c.nullable else 0
            for c in self.columns
        }

    @property
    def schema(self) -> pa.Schema:
        """Return the Arrow schema that a file of this kind has, without metadata."""
        return pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns])


def describe_file(
    name: str, path: str = "audits/{dataset}/{model}/{name}.parquet", /, *, meaning: str, **columns: Column
) -> Artefact:
    """Describe a kind of file, mostly an audit's, by its columns in their order; `add_columns` can add them too."""
    return Artefact(name, path.replace("{name}", name), meaning).add_columns(**columns)


def artefact(target: str) -> Artefact:
    """Return the kind of file that is declared at `target`, such as "columns.audits:PERMUTATION".

    Raises ModuleNotFoundError or AttributeError where there is no such declaration, and TypeError where the target is
    something else.
    """
    declared = load(target)
    if not isinstance(declared, Artefact):
        raise TypeError(f"{target}: declares no kind of file")
    return declared


DATASET = text("name of the data set, as in the config")
ID = text("stable identity of the instance, from the raw data on")
LABEL = class_number("gold label, from 0; census.parquet names the classes")
LAMBDA = real.or_null(
    "weight of the KL term in the objective of a model-consistent adversary, in the paper's formula, or of the "
    "penalty in that of a deceptive model; null for other models"
)
SEED = integer("seed of initial weights and of batch order")

OF_MODEL = {
    "dataset": DATASET,
    "model": text("name of the model in its suite, such as base, guide_uniform, han_rnn or lstm_tanh"),
}
OF_TRAINING = {**OF_MODEL, "seed": SEED}
OF_TEXT = {**OF_TRAINING, "id": ID}
OF_TRAINING_BY_LAMBDA = {**OF_MODEL, "lambda": LAMBDA, "seed": SEED}
OF_TEXT_BY_LAMBDA = {**OF_TRAINING_BY_LAMBDA, "id": ID}
"""What a row is about comes first: a trained model, or a text under one; by lambda where adversaries have rows too."""

PREDICTION = class_number("class the model predicts")

BY_DESIGN = "planted"
"""Who marked the cues of a generated text, and the words that are planted in a real one."""
