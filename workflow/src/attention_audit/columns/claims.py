"""What a paper found, and whether it comes back."""

from attention_audit.columns.kinds import described, real, text
from attention_audit.columns.shared import DATASET

CLAIMS = described("claims", __doc__, "tables/{suite}_table_claims.parquet").holds(
    dataset=DATASET,
    claim=text(meaning="what they found"),
    statistic=text(meaning="how it is measured"),
    ours=real.or_null(meaning="what this run measured; null where nothing could be"),
    low=real.or_null(
        meaning="lower end of its 95 % interval over texts and trainings: that of the summary's means, or of medians a "
        "bootstrap's"
    ),
    high=real.or_null(meaning="upper end of that interval"),
    theirs=text(meaning="what the paper has"),
    holds=text(meaning="yes where the whole interval is on the finding's side, no where none of it is, else undecided"),
)
