"""One published table: ours beside the paper's. Rendered as .csv, .md and .tex under the same name."""

from attention_audit.columns.kinds import described, integer, real, text
from attention_audit.columns.shared import DATASET, LAMBDA

TABLE = described("table", __doc__, "tables/{table}.parquet").holds(
    dataset=DATASET,
    row=text(meaning="what the row is about: a split, a model or a guide; of several things, parted by /"),
    **{"lambda": LAMBDA},
    metric=text(meaning="what is measured"),
    mean=real.or_null(
        meaning="mean over seeds, or the value itself where there is one; null where the data set was not run"
    ),
    sd=real.or_null(meaning="standard deviation over seeds (n - 1); null below two seeds"),
    low=real.or_null(
        meaning="lower end of the 95 % interval over texts and trainings, which is that of the summary's means; null "
        "where there is none"
    ),
    high=real.or_null(meaning="upper end of that interval"),
    seeds=integer(unit="seeds", meaning="number of seeds; 0 for a property of the data"),
    published=real.or_null(meaning="the paper's value; null where it gives none"),
    selection=text(meaning="split on which epochs were selected; empty for a property of the data"),
    note=text(meaning="what a reader must know to compare; often empty"),
    class_name=text(meaning="what the data call the class that the row is about; empty for all classes"),
)
