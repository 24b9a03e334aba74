"""Every published number that this run has a counterpart of. No rows where it has none."""

from attention_audit.columns.kinds import described, integer, real, text
from attention_audit.columns.shared import DATASET

REPLICATION = described("replication", __doc__, "tables/replication.parquet").holds(
    paper=text(meaning="WP2019, SS2019, JW2019 or PD2020"),
    table=text(meaning="where the paper has it"),
    dataset=DATASET,
    row=text(meaning="what the row is about, as in our table"),
    metric=text(meaning="what is measured"),
    published=real(meaning="the paper's value"),
    ours=real(meaning="ours: mean over seeds, or the value itself where there is one"),
    low=real.or_null(meaning="lower end of the 95 % interval of ours; null where there is none"),
    high=real.or_null(meaning="upper end of it"),
    seeds=integer(unit="seeds", meaning="number of our seeds; 0 for a property of the data"),
    difference=real(meaning="ours - published"),
    one_low=real.or_null(
        meaning="95 % of single trainings lie from here; null below two seeds, and where the texts' is unknown"
    ),
    one_high=real.or_null(meaning="to here"),
    half_width=real.or_null(
        meaning="half the width of that interval: the least difference from ours that would be noticed"
    ),
    chance=text(
        meaning="what that interval holds: seeds; seeds and texts, where the published number is of another test set; "
        "empty where there is none"
    ),
    agreement=text(
        meaning="compatible: the published number could be one more of our trainings; not compatible; unknown with one "
        "seed, and where the data are not the paper's. Of the data: whether ours rounds to it"
    ),
    note=text(meaning="what a reader must know to compare; often empty"),
)
