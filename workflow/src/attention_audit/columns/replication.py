"""The published table of replicated numbers."""

from attention_audit.columns.kinds import INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET

REPLICATION = Artefact(
    "replication",
    "tables/replication.parquet",
    meaning="Every published number that this run has a counterpart of. No rows where it has none.",
    columns=(
        Column("paper", STRING, meaning="WP2019, SS2019, JW2019 or PD2020"),
        Column("table", STRING, meaning="where the paper has it"),
        DATASET,
        Column("row", STRING, meaning="what the row is about, as in our table"),
        Column("metric", STRING, meaning="what is measured"),
        Column("published", REAL, meaning="the paper's value"),
        Column("ours", REAL, meaning="ours: mean over seeds, or the value itself where there is one"),
        Column("low", REAL, nullable=True, meaning="lower end of the 95 % interval of ours; null where there is none"),
        Column("high", REAL, nullable=True, meaning="upper end of it"),
        Column("seeds", INTEGER, unit="seeds", meaning="number of our seeds; 0 for a property of the data"),
        Column("difference", REAL, meaning="ours - published"),
        Column(
            "one_low",
            REAL,
            nullable=True,
            meaning="95 % of single trainings lie from here; null below two seeds, and where the texts' is unknown",
        ),
        Column("one_high", REAL, nullable=True, meaning="to here"),
        Column(
            "half_width",
            REAL,
            nullable=True,
            meaning="half the width of that interval: the least difference from ours that would be noticed",
        ),
        Column(
            "chance",
            STRING,
            meaning="what that interval holds: seeds; seeds and texts, where the published number is of another test "
            "set; empty where there is none",
        ),
        Column(
            "agreement",
            STRING,
            meaning="compatible: the published number could be one more of our trainings; not compatible; unknown with "
            "one seed, and where the data are not the paper's. Of the data: whether ours rounds to it",
        ),
        Column("note", STRING, meaning="what a reader must know to compare; often empty"),
    ),
)
