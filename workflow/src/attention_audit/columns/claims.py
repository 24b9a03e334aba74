"""Published tables of a paper's findings."""

from attention_audit.columns.kinds import REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET

CLAIMS = Artefact(
    "claims",
    "tables/{suite}_table_claims.parquet",
    meaning="What a paper found, and whether it comes back.",
    columns=(
        DATASET,
        Column("claim", STRING, meaning="what they found"),
        Column("statistic", STRING, meaning="how it is measured"),
        Column("ours", REAL, nullable=True, meaning="what this run measured; null where nothing could be"),
        Column("low", REAL, nullable=True, meaning="lower end of its 95 % bootstrap interval over instances and seeds"),
        Column("high", REAL, nullable=True, meaning="upper end of that interval"),
        Column("theirs", STRING, meaning="what the paper has"),
        Column(
            "holds",
            STRING,
            meaning="yes where the whole interval is on the finding's side, no where none of it is, else undecided",
        ),
    ),
)
