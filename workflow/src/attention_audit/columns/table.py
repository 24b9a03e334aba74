"""Published tables that show our numbers beside those of a paper."""

from attention_audit.columns.kinds import INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET, LAMBDA

TABLE = Artefact(
    "table",
    "tables/{table}.parquet",
    meaning="One published table: ours beside the paper's. Rendered as .csv, .md and .tex under the same name.",
    columns=(
        DATASET,
        Column(
            "row", STRING, meaning="what the row is about: a split, a model or a guide; of several things, parted by /"
        ),
        LAMBDA,
        Column("metric", STRING, meaning="what is measured"),
        Column(
            "mean",
            REAL,
            nullable=True,
            meaning="mean over seeds, or the value itself where there is one; null where the data set was not run",
        ),
        Column("sd", REAL, nullable=True, meaning="standard deviation over seeds (n - 1); null below two seeds"),
        Column(
            "low",
            REAL,
            nullable=True,
            meaning="lower end of the 95 % interval over instances and seeds: a bootstrap's, in table_plausibility the "
            "summary's; null where there is none",
        ),
        Column("high", REAL, nullable=True, meaning="upper end of that interval"),
        Column("seeds", INTEGER, unit="seeds", meaning="number of seeds; 0 for a property of the data"),
        Column("published", REAL, nullable=True, meaning="the paper's value; null where it gives none"),
        Column("selection", STRING, meaning="split on which epochs were selected; empty for a property of the data"),
        Column("note", STRING, meaning="what a reader must know to compare; often empty"),
        Column(
            "class_name", STRING, meaning="what the data call the class that the row is about; empty for all classes"
        ),
    ),
)
