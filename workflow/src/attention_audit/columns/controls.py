"""What the tests must find on the control corpora, where the truth is known, and what they found."""

from attention_audit.columns.kinds import described, flag, real, text
from attention_audit.columns.shared import DATASET

CONTROLS = described("controls", __doc__, "tables/controls.parquet").holds(
    dataset=DATASET,
    claim=text(meaning="what must hold"),
    statistic=text(meaning="how it is measured"),
    value=real.or_null(meaning="what this run measured; null where nothing could be measured"),
    least=real.or_null(meaning="the value must be at least this; null for no bound"),
    most=real.or_null(meaning="the value must be at most this; null for no bound"),
    holds=flag(meaning="whether the claim held"),
)
